// The JSON object in a .pomdp file's comment.
#include "pomdp_comment.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <unordered_set>

namespace penumbra::host {

namespace {

using nlohmann::json;

bool are_names(const json& value) {
  if (!value.is_array() || value.empty()) return false;
  std::unordered_set<std::string> names;
  for (const json& name : value) {
    if (!name.is_string()) return false;
    const auto& text = name.get_ref<const std::string&>();
    if (!is_name(text) || !names.insert(text).second) return false;
  }
  return true;
}

}  // namespace

PomdpComment read_pomdp_comment(std::string_view text) {
  PomdpComment comment;
  const auto wrong = [&](const std::string& key, const char* what) {
    comment.problems.push_back(fmt::format("{} in the comment {}", in_quotes(key), what));
  };
  std::unordered_set<std::string> keys;
  const auto note_keys = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key && !keys.insert(parsed.get<std::string>()).second) {
      wrong(parsed.get<std::string>(), "is given twice");
    }
    return true;
  };
  const json document = json::parse(text.begin(), text.end(), note_keys, false);
  if (!document.is_object()) {
    comment.problems = {"the comment \"# penumbra:\" is not a JSON object"};
    return comment;
  }
  for (const auto& [key, value] : document.items()) {
    if (key == "states" || key == "actions" || key == "observations") {
      if (are_names(value)) {
        (key == "states"    ? comment.states
         : key == "actions" ? comment.actions
                            : comment.observations) = value.get<std::vector<std::string>>();
      } else {
        wrong(key, "is not a list of distinct names");
      }
    } else if (key == "reward") {
      comment.reward_by_observation = value == "observation";
      if (!comment.reward_by_observation) wrong(key, "is not \"observation\"");
    } else if (key == "discount") {
      comment.no_discount = value.is_null();
      if (!comment.no_discount) wrong(key, "is not null");
    } else {
      comment.unknown_keys.push_back(key);
    }
  }
  return comment;
}

}  // namespace penumbra::host

// Penumbra's own model files. Reading gathers every problem, each with its place as one would index the document.
#include "json.hpp"
#include "penumbra/host/model_file.hpp"
#include "row_check.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

namespace penumbra::host {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> known_keys{"penumbra",    "states", "actions",  "observations", "transition",
                                                      "observation", "reward", "emission", "initial",      "discount"};

// What a tensor's index runs over, for messages: "one for each action".
struct Axis {
  const char* singular;
  size_t size;
};

class Reader {
 public:
  Reader(const std::string& name, RowSums row_sums) : name_(name), row_sums_(row_sums) {}

  ModelReading read(const json& document) {
    if (read_kind(document)) {
      read_all(document);
      tell_how_many_more(reading_.problems, untold_problems_, name_);
      tell_how_many_more(reading_.remarks, untold_remarks_, name_);
      if (reading_.problems.empty()) reading_.model = std::move(model_);
    }
    return std::move(reading_);
  }

 private:
  void refuse(std::string what, std::string advice = {}) { refuse(Problem{Fault::input, name_, std::move(what), {}, std::move(advice)}); }
  void refuse(Problem problem) {
    if (reading_.problems.size() < max_told) {
      reading_.problems.push_back(std::move(problem));
    } else {
      ++untold_problems_;
    }
  }

  // Nothing else is read of a document that is none of ours.
  bool read_kind(const json& document) {
    if (!document.is_object()) {
      refuse(fmt::format("holds {}, not a model", shown(document)), R"(a model is an object: {"penumbra": "model/1", …})");
    } else if (const auto kind = document.find("penumbra"); kind == document.end()) {
      refuse(R"(has no "penumbra": "model/1", so it may not be a model)", "add it, if it is one");
    } else if (*kind != "model/1") {
      refuse(fmt::format("penumbra is {}, not \"model/1\"", shown(*kind)),
             *kind == "counts/1" ? "this is a counts file: the model comes first" : "this version of Penumbra reads model/1");
    } else {
      return true;
    }
    return false;
  }

  void read_all(const json& document) {
    const auto value = [&](const char* key) -> const json* {
      const auto found = document.find(key);
      return found == document.end() || found->is_null() ? nullptr : &*found;
    };
    const auto required = [&](const char* key) {
      const json* found = value(key);
      if (found == nullptr) refuse(fmt::format("has no \"{}\"", key), "every model has one");
      return found;
    };
    for (const auto& item : document.items()) {
      if (std::find(known_keys.begin(), known_keys.end(), item.key()) == known_keys.end()) {
        remark(fmt::format("{}: key {} means nothing here and is ignored", name_, in_quotes(item.key())));
      }
    }

    if (const json* states = required("states")) model_.states = read_labels(*states, "states");
    if (const json* actions = required("actions")) model_.actions = read_labels(*actions, "actions");
    if (const json* observations = required("observations")) model_.observations = read_labels(*observations, "observations");
    const json* observation = required("observation");
    const json* reward = required("reward");
    const Axis S{"state", model_.states.size()};
    const Axis A{"action", model_.actions.size()};
    const Axis O{"observation", model_.observations.size()};
    if (S.size == 0 || A.size == 0 || O.size == 0) return;  // said already, and the rest would only disagree with it

    if (const json* transition = value("transition"))
      model_.transition = read_rows(*transition, "transition", {A, S, {"next state", S.size}});
    if (observation != nullptr) model_.observation = read_rows(*observation, "observation", {A, S, O});
    if (reward != nullptr) read_reward(*reward, A, S, O);
    if (const json* emission = value("emission")) read_emission(*emission);
    if (const json* initial = value("initial")) {
      model_.initial = read_rows(*initial, "initial", {S});
    } else if (reading_.problems.empty()) {  // then the sizes are real ones, with as many numbers in the file
      model_.initial.assign(S.size, 1.0 / static_cast<double>(S.size));
    }
    if (const json* discount = value("discount")) {
      if (!discount->is_number() || !(discount->get<double>() >= 0 && discount->get<double>() <= 1)) {
        refuse(fmt::format("discount is {}, not a number between 0 and 1", shown(*discount)));
      } else {
        model_.discount = discount->get<double>();
      }
    }
  }

  Labels read_labels(const json& value, const char* key) {
    if (value.is_number_unsigned()) {
      const auto count = value.get<std::uint64_t>();
      if (count == 0) refuse(fmt::format("{} is 0; there has to be one at least", key));
      return Labels(static_cast<size_t>(count));
    }
    if (!value.is_array()) {
      refuse(fmt::format("{} is {}, neither a count nor a list of names", key, shown(value)));
      return {};
    }
    if (value.empty()) refuse(fmt::format("{} is an empty list; there has to be one at least", key));
    std::vector<std::string> names;
    std::unordered_set<std::string> seen;
    for (size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_string()) {
        refuse(fmt::format("{}[{}] is {}, not a name", key, i, shown(value[i])));
        continue;
      }
      const auto& text = value[i].get_ref<const std::string&>();
      if (!is_name(text)) {
        refuse(fmt::format("{}[{}] is {}, which is not a name", key, i, in_quotes(text)),
               fmt::format("a name has 1 to {} bytes and no control characters", longest_name));
      }
      if (!seen.insert(text).second) refuse(fmt::format("{}[{}] is {} again; names are distinct", key, i, in_quotes(text)));
      names.push_back(text);
    }
    return names.size() == value.size() ? Labels(std::move(names)) : Labels(value.size());
  }

  // The numbers of a tensor in order, as many as the axes say, or none and a problem.
  std::vector<double> read_numbers(const json& value, const std::string& place, const std::vector<Axis>& axes) {
    std::vector<double> numbers;
    const size_t before = reading_.problems.size() + untold_problems_;
    append_numbers(value, place, axes.data(), axes.data() + axes.size(), numbers);
    if (reading_.problems.size() + untold_problems_ != before) numbers.clear();
    return numbers;
  }

  // As deep as there are axes.
  void append_numbers(const json& value, const std::string& place, const Axis* axis, const Axis* end, std::vector<double>& numbers) {
    if (axis == end) {
      if (!value.is_number()) return refuse(fmt::format("{} is {}, not a number", place, shown(value)));
      numbers.push_back(value.get<double>());
      return;
    }
    if (!value.is_array())
      return refuse(fmt::format("{} is {}, not a list with one entry for each {}", place, shown(value), axis->singular));
    if (value.size() != axis->size) {
      return refuse(fmt::format("{} has {} {}, not {}: one for each {}", place, value.size(), value.size() == 1 ? "entry" : "entries",
                                axis->size, axis->singular));
    }
    for (size_t i = 0; i < value.size(); ++i) append_numbers(value[i], fmt::format("{}[{}]", place, i), axis + 1, end, numbers);
  }

  // The same, each row a distribution over the last axis.
  std::vector<double> read_rows(const json& value, const char* key, const std::vector<Axis>& axes) {
    std::vector<double> numbers = read_numbers(value, key, axes);
    const size_t width = axes.back().size;
    for (size_t row = 0; row * width < numbers.size(); ++row) {
      double* entries = numbers.data() + row * width;
      const RowCheck check = check_row(entries, width, row_sums_);
      if (!check.refused() && !check.scaled()) continue;
      const bool of_action = axes.size() == 3;
      const size_t a = of_action ? row / axes[1].size : 0;
      const size_t s = of_action ? row % axes[1].size : 0;
      const std::string place = of_action ? fmt::format("{}[{}][{}]", key, a, s) : key;
      if (check.scaled()) {
        remark(row_remark(check, name_, place));
      } else {
        const std::string meaning =
            of_action ? fmt::format("action {}, state {}", in_quotes(model_.actions.of(a)), in_quotes(model_.states.of(s))) : "";
        refuse(row_problem(check, name_, place, meaning, entries, width));
      }
    }
    return numbers;
  }

  void remark(std::string text) {
    if (reading_.remarks.size() < max_told) {
      reading_.remarks.push_back(std::move(text));
    } else {
      ++untold_remarks_;
    }
  }

  void read_reward(const json& value, const Axis& A, const Axis& S, const Axis& O) {
    if (!value.is_array() || value.empty()) {
      return refuse(fmt::format("reward is {}, not a list", shown(value)), "it is [observation] or [action][state]");
    }
    const bool by_observation = !value[0].is_array();
    model_.reward_kind = by_observation ? RewardKind::by_observation : RewardKind::by_action_and_state;
    model_.reward = read_numbers(value, "reward", by_observation ? std::vector<Axis>{O} : std::vector<Axis>{A, S});
  }

  void read_emission(const json& value) {
    if (value == "departure") {
      model_.emission = Emission::departure;
    } else if (value == "arrival") {
      model_.emission = Emission::arrival;
    } else {
      refuse(fmt::format("emission is {}", shown(value)), R"(it is "departure" (from the state that the action leaves) or "arrival")");
    }
  }

  const std::string& name_;
  RowSums row_sums_;
  Model model_;
  ModelReading reading_;
  size_t untold_problems_ = 0;
  size_t untold_remarks_ = 0;
};

// One row of numbers on a line.
std::string numbers_text(const double* numbers, size_t count) { return fmt::format("[{}]", fmt::join(numbers, numbers + count, ", ")); }

std::string labels_text(const Labels& labels) { return labels.named() ? json(labels.names()).dump() : std::to_string(labels.size()); }

// [row][number], each row on a line behind `indent`.
std::string matrix_text(const double* numbers, size_t rows, size_t width, const char* indent) {
  std::string text = "[";
  for (size_t row = 0; row < rows; ++row) {
    if (row > 0) text += fmt::format(",\n{}", indent);
    text += numbers_text(numbers + row * width, width);
  }
  return text + "]";
}

// [action][row][number]
std::string tensor_text(const std::vector<double>& numbers, size_t actions, size_t rows, size_t width) {
  std::string text = "[";
  for (size_t a = 0; a < actions; ++a) {
    text += fmt::format("{}\n    {}", a == 0 ? "" : ",", matrix_text(numbers.data() + a * rows * width, rows, width, "     "));
  }
  return text + "\n  ]";
}

}  // namespace

ModelReading read_json_model(std::string_view text, const std::string& name, RowSums row_sums) {
  const Outcome<json> document = parse_json(text, name);
  if (!document) return {std::nullopt, {document.error()}, {}};
  return Reader(name, row_sums).read(document.value());
}

ModelReading read_model(Input& input, RowSums row_sums) {
  const Outcome<std::string> text = input.read_all();
  if (!text) return {std::nullopt, {text.error()}, {}};
  const std::string_view bytes = text.value();
  const size_t start = bytes.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (start == std::string_view::npos) {
    return {std::nullopt, {Problem{Fault::input, input.name(), "is empty", "", "a model is JSON or a .pomdp file"}}, {}};
  }
  const std::string& name = input.name();
  const bool named_json = name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0;
  const bool is_json = bytes[start] == '{' || bytes[start] == '[' || named_json;
  return is_json ? read_json_model(bytes, input.name(), row_sums) : read_pomdp(bytes, input.name(), row_sums);
}

std::string to_json(const Model& model) {
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  std::string text = "{\n  \"penumbra\": \"model/1\",\n";
  text += fmt::format("  \"states\": {},\n", labels_text(model.states));
  text += fmt::format("  \"actions\": {},\n", labels_text(model.actions));
  text += fmt::format("  \"observations\": {},\n", labels_text(model.observations));
  if (model.has_transition()) text += fmt::format("  \"transition\": {},\n", tensor_text(model.transition, A, S, S));
  text += fmt::format("  \"observation\": {},\n", tensor_text(model.observation, A, S, O));
  text += model.reward_kind == RewardKind::by_observation
              ? fmt::format("  \"reward\": {},\n", numbers_text(model.reward.data(), O))
              : fmt::format("  \"reward\": {},\n", matrix_text(model.reward.data(), A, S, "             "));
  text += fmt::format("  \"emission\": \"{}\",\n", model.emission == Emission::departure ? "departure" : "arrival");
  if (model.discount) text += fmt::format("  \"discount\": {},\n", *model.discount);
  return text + fmt::format("  \"initial\": {}\n}}\n", numbers_text(model.initial.data(), S));
}

}  // namespace penumbra::host

// A model as a .pomdp file, with nothing lost: what the grammar cannot say goes into the comment "# penumbra: {…}", which other programs
// skip.
#include "penumbra/host/model_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace penumbra::host {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names that every program takes which reads this format. Our reader takes more.
bool is_plain_name(const std::string& name) {
  constexpr std::array<std::string_view, 16> reserved = {"discount", "values", "states", "actions", "observations", "start",
                                                         "T",        "O",      "R",      "include", "exclude",      "uniform",
                                                         "identity", "reset",  "reward", "cost"};
  return is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }) &&
         std::find(reserved.begin(), reserved.end(), name) == reserved.end();
}

// Labels as statements call them: by names only if every one is plain.
class Words {
 public:
  explicit Words(const Labels& labels)
      : labels_(labels), plain_(std::all_of(labels.names().begin(), labels.names().end(), is_plain_name)) {}

  [[nodiscard]] bool plain() const noexcept { return plain_; }
  [[nodiscard]] std::string of(size_t i) const { return plain_ ? labels_.of(i) : std::to_string(i); }
  [[nodiscard]] std::string list() const {
    return labels_.named() && plain_ ? fmt::format("{}", fmt::join(labels_.names(), " ")) : std::to_string(labels_.size());
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return labels_.names(); }

 private:
  const Labels& labels_;
  bool plain_;
};

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), states_(model.states), actions_(model.actions), observations_(model.observations) {}

  std::string write() {
    const size_t S = model_.states.size();
    const size_t O = model_.observations.size();
    comment();
    add("discount: {}\nvalues: reward\n", model_.discount.value_or(1.0));
    add("states: {}\nactions: {}\nobservations: {}\nstart: ", states_.list(), actions_.list(), observations_.list());
    row(model_.initial.data(), S);
    for (size_t a = 0; a < model_.actions.size(); ++a) {
      add("\nT: {}\n", actions_.of(a));
      for (size_t s = 0; s < S; ++s) row(model_.transition_row(a, s), S);
      add("\nO: {}\n", actions_.of(a));
      for (size_t s = 0; s < S; ++s) row(model_.observation_row(a, s), O);
    }
    add("\n");
    rewards();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void comment() {
    using nlohmann::ordered_json;
    ordered_json extras = ordered_json::object();
    if (!states_.plain()) extras["states"] = states_.names();
    if (!actions_.plain()) extras["actions"] = actions_.names();
    if (!observations_.plain()) extras["observations"] = observations_.names();
    if (model_.reward_kind == RewardKind::by_observation) extras["reward"] = "observation";
    if (!model_.discount) extras["discount"] = nullptr;  // the grammar wants one
    constexpr bool ascii = true;
    if (!extras.empty()) add("# penumbra: {}\n", extras.dump(-1, ' ', ascii, ordered_json::error_handler_t::replace));
  }

  void row(const double* numbers, size_t count) { add("{}\n", fmt::join(numbers, numbers + count, " ")); }

  void rewards() {
    if (model_.reward_kind == RewardKind::by_observation) {
      for (size_t o = 0; o < model_.observations.size(); ++o) add("R: * : * : * : {} {}\n", observations_.of(o), model_.reward[o]);
      return;
    }
    const size_t S = model_.states.size();
    for (size_t a = 0; a < model_.actions.size(); ++a) {
      for (size_t s = 0; s < S; ++s) add("R: {} : {} : * : * {}\n", actions_.of(a), states_.of(s), model_.reward[a * S + s]);
    }
  }

  const Model& model_;
  Words states_;
  Words actions_;
  Words observations_;
  std::string text_;
};

}  // namespace

Outcome<std::string> to_pomdp(const Model& model, const std::string& name) {
  if (model.emission == Emission::departure) {
    return fail(Fault::input, name, "an observation comes from the state that the action leaves; a .pomdp file cannot say that",
                "keep the model as JSON",
                "in .pomdp files it comes from the state that the action reaches, and no shift of indices turns one into the other");
  }
  if (!model.has_transition()) {
    return fail(Fault::input, name, "the model has no transition, which a .pomdp file must have",
                "keep the model as JSON, or estimate the transition first");
  }
  return Writer(model).write();
}

}  // namespace penumbra::host

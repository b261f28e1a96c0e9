// Cassandra's .pomdp files. Statements are read first and applied afterwards, in order, so that they may come in any order and later ones
// override earlier ones. Mistakes of syntax end the reading; all others are collected.
#include "penumbra/host/model_file.hpp"
#include "pomdp_comment.hpp"
#include "pomdp_rewards.hpp"
#include "pomdp_statements.hpp"
#include "pomdp_tokens.hpp"
#include "text.hpp"

#include <fmt/format.h>
#include "row_check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

namespace penumbra::host {

namespace {

using Value = PomdpStatement::Value;

// What the labels are of, in words.
struct Kind {
  const char* one;
  const char* many;
};
constexpr Kind state_kind{"state", "states"};
constexpr Kind action_kind{"action", "actions"};
constexpr Kind observation_kind{"observation", "observations"};

// Problems with their places: the first of them, and how many more there are.
class Problems {
 public:
  [[nodiscard]] bool none() const noexcept { return found_.empty(); }
  [[nodiscard]] bool full() const noexcept { return found_.size() >= max_told; }

  // `make` gives the problem without its `where`, and is asked only if it will be told.
  template <class Make>
  void add_made(size_t place, const Make& make) {
    if (full()) {
      ++untold_;
    } else {
      found_.push_back({place, make()});
    }
  }
  void add(size_t place, std::string what, std::string advice = {}) {
    add_made(place, [&] { return Problem{Fault::input, "", std::move(what), "", std::move(advice)}; });
  }

  [[nodiscard]] std::vector<Problem> in_order(std::string_view text, const std::string& name) {
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    std::vector<Problem> problems;
    for (PlacedProblem& found : found_) {
      found.problem.where = host::place(name, text, found.place);
      problems.push_back(std::move(found.problem));
    }
    tell_how_many_more(problems, untold_, name);
    return problems;
  }

 private:
  std::vector<PlacedProblem> found_;
  size_t untold_ = 0;
};

// Indices first, …, end - 1: one, or all of them for "*".
struct Range {
  size_t first = 0;
  size_t end = 0;
};

// T or O while it is being filled: rows of `width`, one for each action and state.
struct Table {
  std::vector<double>* cells = nullptr;
  size_t width = 0;
  std::vector<size_t> writer;  // of each row: the statement that wrote last, from 1; 0: none
  bool unknown_name = false;   // a statement went nowhere, so rows may miss what it said
};

// A mark in rows that a refused statement should have written. Nobody needs to hear of their sums.
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

std::string head_of(const PomdpStatement& statement) {
  std::string head = fmt::format("{}: {}", statement.table, on_one_line(statement.element[0]));
  for (size_t i = 1; i < statement.elements; ++i) head += " : " + on_one_line(statement.element[i]);
  return head;
}

// Insertions, deletions and replacements that turn one into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// What somebody who wrote `word` may have meant.
std::string advice_for(std::string_view word, const Labels& labels, const Kind& kind) {
  constexpr size_t longest_word = 64;
  constexpr size_t most_names = 1000;
  constexpr size_t most_listed = 8;
  if (!labels.named()) return fmt::format("{} are numbered from 0 to {}", kind.many, labels.size() - 1);
  if (word.size() <= longest_word && labels.size() <= most_names) {
    size_t nearest = 0;
    size_t smallest = std::numeric_limits<size_t>::max();
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels.names()[i].size() > longest_word) continue;
      const size_t distance = edit_distance(word, labels.names()[i]);
      if (distance < smallest) nearest = i;
      smallest = std::min(smallest, distance);
    }
    if (smallest <= word.size() / 3) return fmt::format("did you mean {}?", in_quotes(labels.names()[nearest]));
  }
  if (labels.size() > most_listed) return fmt::format("the file names {} {}", labels.size(), kind.many);
  std::string list;
  for (const std::string& name : labels.names()) list += (list.empty() ? "" : ", ") + on_one_line(name);
  return fmt::format("the {} are {}", kind.many, list);
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, RowSums row_sums) : text_(text), name_(name), row_sums_(row_sums) {}

  ModelReading read() {
    if (read_text() && read_sizes()) {
      read_start();
      fill_tables();
      check_rows(transition_, 'T');
      check_rows(observation_, 'O');
      tell_how_many_more(remarks_, untold_remarks_, name_);
      if (problems_.none()) read_rewards();
    }
    ModelReading reading;
    reading.problems = problems_.in_order(text_, name_);
    reading.remarks = std::move(remarks_);
    if (reading.problems.empty()) reading.model = std::move(model_);
    return reading;
  }

 private:
  // --- the text, and what is in front of the tables ---

  bool read_text() {
    if (const std::optional<BadCharacter> bad = find_bad_character(text_)) {
      problems_.add(bad->place, bad->what, "save the file as plain UTF-8 text");
      return false;
    }
    file_ = parse_pomdp(text_);
    if (file_.problem) problems_.add_made(file_.problem->place, [&] { return file_.problem->problem; });
    return problems_.none();
  }

  bool read_sizes() {
    read_comment();
    read_labels(file_.states, state_kind, states_);
    read_labels(file_.actions, action_kind, actions_);
    read_labels(file_.observations, observation_kind, observations_);
    if (!problems_.none() || !fits()) return false;
    model_.states = labels_with(comment_.states, states_, state_kind);
    model_.actions = labels_with(comment_.actions, actions_, action_kind);
    model_.observations = labels_with(comment_.observations, observations_, observation_kind);
    model_.emission = Emission::arrival;
    if (!comment_.no_discount) model_.discount = file_.discount;
    return problems_.none();
  }

  void read_labels(const std::optional<PomdpList>& list, const Kind& kind, Labels& labels) {
    if (!list) {
      problems_.add(text_.size(), fmt::format("the file has no \"{}:\"", kind.many),
                    fmt::format("say how many {} there are, or name them", kind.many));
      return;
    }
    if (list->words.size() == 1 && is_number(list->words[0])) {
      const std::string_view word = list->words[0];
      size_t count = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (error != std::errc{} || end != word.data() + word.size() || count == 0) {
        problems_.add(place_of(word), fmt::format("{} is not a number of {}", in_quotes(word), kind.many),
                      "it takes a whole number, 1 or more");
        return;
      }
      labels = Labels(count);
      return;
    }
    std::unordered_set<std::string_view> seen;
    for (const std::string_view word : list->words) {
      if (is_number(word) || word == "*" || !is_name(word)) {
        problems_.add(place_of(word), fmt::format("{} is not a name", in_quotes(word)),
                      fmt::format("{}: takes names, or one number", kind.many));
      } else if (!seen.insert(word).second) {
        problems_.add(place_of(word), fmt::format("the {} {} is named twice", kind.one, in_quotes(word)));
      }
    }
    labels = Labels(std::vector<std::string>(list->words.begin(), list->words.end()));
  }

  // A few bytes can ask for any number of numbers: what a file may ask for grows with what it says.
  bool fits() {
    constexpr size_t always = size_t{1} << 20U;
    constexpr size_t for_a_byte = 64;
    const size_t bytes = std::min(text_.size(), max_model_numbers / for_a_byte);
    const size_t most = std::min(max_model_numbers, std::max(always, for_a_byte * bytes));
    const std::optional<size_t> numbers = model_numbers(states_.size(), actions_.size(), observations_.size());
    if (numbers && *numbers <= most) return true;
    problems_.add(file_.states->place,
                  fmt::format("{} states, {} actions and {} observations are too large a model", states_.size(), actions_.size(),
                              observations_.size()),
                  fmt::format("a file of {} bytes may have {} probabilities: check the counts", text_.size(), most));
    return false;
  }

  Labels labels_with(std::optional<std::vector<std::string>>& names, const Labels& labels, const Kind& kind) {
    if (!names) return labels;
    if (names->size() == labels.size()) return Labels(std::move(*names));
    problems_.add(comment_place_, fmt::format("the comment names {} {}, but there are {}", names->size(), kind.many, labels.size()));
    return labels;
  }

  void read_comment() {
    if (file_.structured_comments.empty()) return;
    comment_place_ = place_of(file_.structured_comments[0]);
    comment_ = read_pomdp_comment(file_.structured_comments[0]);
    for (std::string& problem : comment_.problems) problems_.add(comment_place_, std::move(problem), "mend the comment, or remove it");
    const std::string here = where(comment_place_);
    for (const std::string& key : comment_.unknown_keys) {
      remarks_.push_back(fmt::format("{}: {} in the comment means nothing", here, in_quotes(key)));
    }
    if (file_.structured_comments.size() > 1) {
      problems_.add(place_of(file_.structured_comments[1]), "there is a second comment \"# penumbra:\"", "keep the one that is meant");
    }
  }

  // --- start ---

  void read_start() {
    const size_t S = states_.size();
    model_.initial.assign(S, 1.0 / static_cast<double>(S));
    if (!file_.start) return;
    std::vector<double> start;
    if (file_.start_kind != PomdpStart::distribution) {
      start = start_from_list();
    } else if (file_.start->words.size() == 1) {
      start = start_from_word(file_.start->words[0]);
    } else {
      start = start_from_numbers();
    }
    if (start.empty()) return;  // refused: uniform does for the rest
    const RowCheck check = check_row(start.data(), S, row_sums_);
    if (check.refused()) {
      problems_.add_made(file_.start->place, [&] { return row_problem(check, "", "start", "", start.data(), S); });
      return;
    }
    if (check.scaled()) remarks_.push_back(row_remark(check, where(file_.start->place), "start"));
    model_.initial = std::move(start);
  }

  std::vector<double> start_from_word(std::string_view word) {
    const size_t S = states_.size();
    if (word == "uniform") return model_.initial;
    if (is_number(word) && (S == 1 || !std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))) {
      return start_from_numbers();
    }
    const std::optional<Range> state = resolve(word, states_, state_kind, false);
    if (!state) return {};
    std::vector<double> start(S, 0.0);
    start[state->first] = 1.0;
    return start;
  }

  std::vector<double> start_from_numbers() {
    const std::vector<std::string_view>& words = file_.start->words;
    std::vector<double> start;
    for (const std::string_view word : words) {
      const std::optional<double> number = is_number(word) ? to_number(word) : std::nullopt;
      if (!number || !is_probability(*number)) {
        problems_.add(place_of(word), fmt::format("{} is not a probability", in_quotes(word)),
                      is_number(word) ? "probabilities lie between 0 and 1" : "start: takes probabilities, \"uniform\" or one state");
        return {};
      }
      start.push_back(*number);
    }
    if (start.size() == states_.size()) return start;
    problems_.add(file_.start->place, fmt::format("start has {}, not {}", numbers_text(start.size()), states_.size()));
    return {};
  }

  std::vector<double> start_from_list() {
    std::vector<bool> listed(states_.size(), false);
    for (const std::string_view word : file_.start->words) {
      const std::optional<Range> state = resolve(word, states_, state_kind, false);
      if (!state) return {};
      listed[state->first] = true;
    }
    const bool include = file_.start_kind == PomdpStart::include;
    const auto count = std::count(listed.begin(), listed.end(), include);
    if (count == 0) {
      problems_.add(file_.start->place, "start excludes every state", "leave one to start in");
      return {};
    }
    std::vector<double> start(states_.size(), 0.0);
    for (size_t s = 0; s < start.size(); ++s) {
      if (listed[s] == include) start[s] = 1.0 / static_cast<double>(count);
    }
    return start;
  }

  // --- T and O ---

  void fill_tables() {
    const size_t rows = actions_.size() * states_.size();
    transition_ = {&model_.transition, states_.size(), std::vector<size_t>(rows, 0)};
    observation_ = {&model_.observation, observations_.size(), std::vector<size_t>(rows, 0)};
    model_.transition.assign(rows * states_.size(), 0.0);
    model_.observation.assign(rows * observations_.size(), 0.0);
    for (size_t i = 0; i < file_.tables.size(); ++i) {
      const PomdpStatement& statement = file_.tables[i];
      if (statement.table == 'T') {
        fill(transition_, i, states_, state_kind);
      } else if (statement.table == 'O') {
        fill(observation_, i, observations_, observation_kind);
      } else {
        add_rule(statement);
      }
    }
  }

  void fill(Table& table, size_t index, const Labels& columns, const Kind& column_kind) {
    const PomdpStatement& statement = file_.tables[index];
    const size_t S = states_.size();
    const std::optional<Range> actions = element(statement, 0, actions_, action_kind);
    const std::optional<Range> states = element(statement, 1, states_, state_kind);
    const std::optional<Range> within = element(statement, 2, columns, column_kind);
    if (!actions || !states || !within) {
      table.unknown_name = true;
      return;
    }
    const bool one_cell = statement.elements == 3;
    const bool good = one_cell                  ? holds(statement, 1, {})
                      : statement.elements == 2 ? holds(statement, table.width, row_words(statement.table))
                                                : holds(statement, S * table.width, matrix_words(statement.table));
    for (size_t a = actions->first; a < actions->end; ++a) {
      for (size_t s = states->first; s < states->end; ++s) {
        double* row = table.cells->data() + (a * S + s) * table.width;
        table.writer[a * S + s] = index + 1;
        if (!good) {
          row[within->first] = not_known;
        } else if (one_cell) {
          std::fill(row + within->first, row + within->end, file_.numbers[statement.first]);
        } else {
          write_row(statement, s, row, table.width);
        }
      }
    }
  }

  void write_row(const PomdpStatement& statement, size_t s, double* row, size_t width) const {
    switch (statement.value) {
      case Value::numbers: {
        const double* from = file_.numbers.data() + statement.first + (statement.elements == 1 ? s * width : 0);
        std::copy(from, from + width, row);
        break;
      }
      case Value::uniform: std::fill(row, row + width, 1.0 / static_cast<double>(width)); break;
      case Value::identity:
        std::fill(row, row + width, 0.0);
        row[s] = 1.0;
        break;
      case Value::reset: std::copy(model_.initial.begin(), model_.initial.end(), row); break;
    }
  }

  [[nodiscard]] std::vector<Value> matrix_words(char table) const {
    if (table == 'T') return {Value::uniform, Value::identity, Value::reset};
    if (states_.size() == observations_.size()) return {Value::uniform, Value::identity};
    return {Value::uniform};
  }
  [[nodiscard]] static std::vector<Value> row_words(char table) {
    if (table == 'T') return {Value::uniform, Value::reset};
    return {Value::uniform};
  }

  // As many numbers as the statement needs, or a word that may stand for them; of T and O probabilities.
  bool holds(const PomdpStatement& statement, size_t numbers, const std::vector<Value>& words) {
    if (statement.value != Value::numbers) {
      if (std::find(words.begin(), words.end(), statement.value) != words.end()) return true;
      const char* word = statement.value == Value::uniform ? "uniform" : statement.value == Value::identity ? "identity" : "reset";
      problems_.add(value_place(statement, 0), fmt::format("{} cannot be {}", head_of(statement), word),
                    fmt::format("it takes {}", numbers_text(numbers)));
      return false;
    }
    if (statement.count != numbers) {
      problems_.add(statement.place, fmt::format("{} has {}, not {}", head_of(statement), numbers_text(statement.count), numbers));
      return false;
    }
    if (statement.table == 'R') return true;
    const auto first = file_.numbers.begin() + static_cast<std::ptrdiff_t>(statement.first);
    const auto last = first + static_cast<std::ptrdiff_t>(numbers);
    const auto wrong = std::find_if_not(first, last, is_probability);
    if (wrong == last) return true;
    problems_.add(value_place(statement, static_cast<size_t>(wrong - first)), fmt::format("{} is not a probability", *wrong),
                  "probabilities lie between 0 and 1");
    return false;
  }

  // --- rows ---

  void check_rows(Table& table, char letter) {
    if (table.unknown_name) return;
    const size_t S = states_.size();
    for (size_t a = 0; a < actions_.size(); ++a) {
      const auto first = table.writer.begin() + static_cast<std::ptrdiff_t>(a * S);
      if (std::all_of(first, first + static_cast<std::ptrdiff_t>(S), [](size_t writer) { return writer == 0; })) {
        not_given([&] { return action_name(letter, a); });
        continue;
      }
      for (size_t s = 0; s < S; ++s) check_row_of(table, letter, a, s);
    }
  }

  void check_row_of(Table& table, char letter, size_t a, size_t s) {
    const size_t writer = table.writer[a * states_.size() + s];
    double* row = table.cells->data() + (a * states_.size() + s) * table.width;
    const auto name = [&] { return action_name(letter, a) + " : " + on_one_line(states_.of(s)); };
    if (writer == 0) return not_given(name);
    if (std::any_of(row, row + table.width, [](double p) { return std::isnan(p); })) return;
    const RowCheck check = check_row(row, table.width, row_sums_);
    const size_t place = file_.tables[writer - 1].place;
    if (check.refused()) problems_.add_made(place, [&] { return row_problem(check, "", name(), "", row, table.width); });
    if (!check.scaled()) return;
    if (remarks_.size() < max_told) {
      remarks_.push_back(row_remark(check, where(place), name()));
    } else {
      ++untold_remarks_;
    }
  }

  template <class Name>
  void not_given(const Name& name) {
    problems_.add_made(file_.actions->place, [&] {
      return Problem{Fault::input, "", name() + " is not given", "", "every action and state needs its probabilities"};
    });
  }

  [[nodiscard]] std::string action_name(char letter, size_t a) const { return fmt::format("{}: {}", letter, on_one_line(actions_.of(a))); }

  // --- R ---

  void add_rule(const PomdpStatement& statement) {
    const std::optional<Range> actions = element(statement, 0, actions_, action_kind);
    const std::optional<Range> states = element(statement, 1, states_, state_kind);
    const std::optional<Range> next = element(statement, 2, states_, state_kind);
    const std::optional<Range> seen = element(statement, 3, observations_, observation_kind);
    if (!actions || !states || !next || !seen) return;
    using Form = PomdpRule::Form;
    const Form form = statement.elements == 4 ? Form::one : statement.elements == 3 ? Form::row : Form::matrix;
    const size_t O = observations_.size();
    if (!holds(statement, form == Form::one ? 1 : form == Form::row ? O : states_.size() * O, {})) return;
    const auto index = [&](size_t i, const Range& range) {
      return i >= statement.elements || statement.element[i] == "*" ? PomdpRule::any : range.first;
    };
    const PomdpRule rule{
        index(0, *actions), index(1, *states), index(2, *next), index(3, *seen), form, file_.numbers.data() + statement.first,
        statement.place};
    rewards_.add(rule);
    if (comment_.reward_by_observation && !rule.by_observation()) {
      problems_.add(statement.place, fmt::format("{} is not a reward by observation, which the comment promises", head_of(statement)),
                    "write R: * : * : * : observation, or remove \"reward\" from the comment");
    }
  }

  void read_rewards() {
    if (comment_.reward_by_observation) {
      model_.reward_kind = RewardKind::by_observation;
      model_.reward = rewards_.by_observation();
    } else {
      model_.reward_kind = RewardKind::by_action_and_state;
      for (size_t a = 0; a < actions_.size(); ++a) {
        for (size_t s = 0; s < states_.size(); ++s) {
          model_.reward.push_back(rewards_.expected(a, s));
          if (std::isfinite(model_.reward.back())) continue;
          problems_.add(rewards_.last_place(), fmt::format("the expected reward of action {} in state {} is too large a number",
                                                           in_quotes(actions_.of(a)), in_quotes(states_.of(s))));
        }
      }
    }
    if (!file_.cost) return;
    for (double& reward : model_.reward) reward = 0.0 - reward;  // no negative zeros
  }

  // --- words ---

  // What the statement's element `i` stands for; everything where it has none.
  std::optional<Range> element(const PomdpStatement& statement, size_t i, const Labels& labels, const Kind& kind) {
    if (i >= statement.elements) return Range{0, labels.size()};
    return resolve(statement.element[i], labels, kind, true);
  }

  std::optional<Range> resolve(std::string_view word, const Labels& labels, const Kind& kind, bool wildcard) {
    if (wildcard && word == "*") return Range{0, labels.size()};
    if (const std::optional<size_t> index = labels.find(word)) return Range{*index, *index + 1};
    problems_.add_made(place_of(word), [&] {
      return Problem{Fault::input, "", fmt::format("there is no {} {}", kind.one, in_quotes(word)), "", advice_for(word, labels, kind)};
    });
    return std::nullopt;
  }

  [[nodiscard]] static std::string numbers_text(size_t count) { return fmt::format("{} {}", count, count == 1 ? "number" : "numbers"); }

  [[nodiscard]] size_t place_of(std::string_view word) const noexcept { return static_cast<size_t>(word.data() - text_.data()); }
  [[nodiscard]] std::string where(size_t place) const { return host::place(name_, text_, place); }

  // The place of a statement's k-th value. Nobody remembers it: it is found again when it is wanted, by reading the statement again.
  [[nodiscard]] size_t value_place(const PomdpStatement& statement, size_t k) const {
    PomdpTokens tokens(text_, statement.place);
    for (size_t i = 0; i < 1 + 2 * statement.elements + k; ++i) tokens.next();  // the letter, a colon before each element
    return tokens.place();
  }

  std::string_view text_;
  const std::string& name_;
  RowSums row_sums_;

  PomdpStatements file_;
  PomdpComment comment_;
  size_t comment_place_ = 0;
  Labels states_;  // as the statements call them
  Labels actions_;
  Labels observations_;
  Table transition_;
  Table observation_;

  Model model_;
  PomdpRewards rewards_{model_};
  Problems problems_;
  std::vector<std::string> remarks_;
  size_t untold_remarks_ = 0;
};

}  // namespace

ModelReading read_pomdp(std::string_view text, const std::string& name, RowSums row_sums) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  return Reader(text, name, row_sums).read();
}

}  // namespace penumbra::host

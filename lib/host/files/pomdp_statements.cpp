// Words to statements. A word is a keyword only where a colon follows it, so that a state may be called T.
#include "pomdp_statements.hpp"

#include "pomdp_tokens.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace penumbra::host {

namespace {

using Value = PomdpStatement::Value;

constexpr std::array<std::string_view, 9> keywords = {"discount", "values", "states", "actions", "observations", "start", "T", "O", "R"};
constexpr const char* statement_advice =
    "a statement begins with discount, values, states, actions, observations, start, T, O or R, and a colon";

bool one_of_start(std::string_view word) { return word == "include" || word == "exclude"; }

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  PomdpStatements parse() {
    while (!result_.problem && !tokens_.peek().empty()) statement();
    result_.structured_comments = tokens_.structured_comments();
    return std::move(result_);
  }

 private:
  void fail(size_t place, std::string what, std::string advice = {}) {
    if (!result_.problem) result_.problem = PlacedProblem{place, {Fault::input, "", std::move(what), "", std::move(advice)}};
  }
  // Where a word was expected and another is, or none.
  void fail_here(std::string_view expected, std::string advice = {}) {
    const std::string_view found = tokens_.peek();
    fail(
        tokens_.place(),
        found.empty() ? fmt::format("the file ends where {} should be", expected) : fmt::format("{} is not {}", in_quotes(found), expected),
        std::move(advice));
  }

  [[nodiscard]] bool at_keyword() const { return std::find(keywords.begin(), keywords.end(), tokens_.peek()) != keywords.end(); }

  [[nodiscard]] bool at_statement() const {
    if (!at_keyword()) return false;
    return tokens_.peek(1) == ":" || (tokens_.peek() == "start" && one_of_start(tokens_.peek(1)) && tokens_.peek(2) == ":");
  }

  void statement() {
    if (!at_statement()) {
      fail_here(result_.tables.empty() ? "the beginning of a statement" : "a number or the beginning of a statement", statement_advice);
      return;
    }
    const size_t place = tokens_.place();
    const std::string_view keyword = tokens_.next();
    if (keyword == "start" && tokens_.peek() != ":") {
      result_.start_kind = tokens_.next() == "include" ? PomdpStart::include : PomdpStart::exclude;
    }
    tokens_.next();  // the colon
    if (keyword.size() == 1) {
      table(keyword[0], place);
    } else if (keyword == "discount") {
      discount(place);
    } else if (keyword == "values") {
      values(place);
    } else if (keyword == "start") {
      list(result_.start, keyword, place);
    } else {
      list(keyword == "states" ? result_.states : keyword == "actions" ? result_.actions : result_.observations, keyword, place);
    }
  }

  void given_twice(std::string_view keyword, size_t place) {
    fail(place, fmt::format("{} is given twice", keyword), "keep the one that is meant");
  }

  void discount(size_t place) {
    if (result_.discount) return given_twice("discount", place);
    if (!is_number(tokens_.peek())) return fail_here("a discount, which is a number between 0 and 1");
    const size_t at = tokens_.place();
    const std::string_view word = tokens_.next();
    const std::optional<double> number = to_number(word);
    if (!number || *number < 0.0 || *number > 1.0) return fail(at, fmt::format("the discount {} is not between 0 and 1", in_quotes(word)));
    result_.discount = number;
  }

  void values(size_t place) {
    if (values_given_) return given_twice("values", place);
    if (tokens_.peek() != "reward" && tokens_.peek() != "cost") return fail_here("\"reward\" or \"cost\"");
    result_.cost = tokens_.next() == "cost";
    values_given_ = true;
  }

  void list(std::optional<PomdpList>& into, std::string_view keyword, size_t place) {
    if (into) return given_twice(keyword, place);
    into = PomdpList{place, {}};
    while (!tokens_.peek().empty() && !at_statement()) {
      if (tokens_.peek() == ":") return fail_here(fmt::format("part of {}", keyword), "names have no colons in them");
      // A state may be called T; but on a new line it is rather a statement that lost its colon.
      if (at_keyword() && tokens_.begins_line()) return fail_here("followed by a colon", "add the colon, or put the name behind another");
      into->words.push_back(tokens_.next());
    }
    if (into->words.empty()) fail(place, fmt::format("{} is empty", keyword));
  }

  void table(char letter, size_t place) {
    PomdpStatement statement;
    statement.place = place;
    statement.table = letter;
    const size_t most = letter == 'R' ? 4 : 3;
    const size_t least = letter == 'R' ? 2 : 1;
    while (true) {
      const std::string_view word = tokens_.peek();
      if (word.empty() || word == ":") return fail_here("a name, a number or *");
      if (statement.elements == most) return fail(tokens_.place(), fmt::format("{} takes at most {} names or numbers", letter, most));
      statement.element[statement.elements++] = tokens_.next();
      if (tokens_.peek() != ":") break;
      tokens_.next();
    }
    if (statement.elements < least) return fail_here("a colon: R takes at least an action and a state");
    if (cells(statement)) result_.tables.push_back(statement);
  }

  bool cells(PomdpStatement& statement) {
    const std::string_view word = tokens_.peek();
    statement.value = word == "uniform"    ? Value::uniform
                      : word == "identity" ? Value::identity
                      : word == "reset"    ? Value::reset
                                           : Value::numbers;
    if (statement.value != Value::numbers) {
      tokens_.next();
      return true;
    }
    statement.first = result_.numbers.size();
    while (is_number(tokens_.peek())) {
      const std::optional<double> number = to_number(tokens_.peek());
      if (!number) {
        fail(tokens_.place(), fmt::format("{} is too large or too small a number", in_quotes(tokens_.peek())));
        return false;
      }
      result_.numbers.push_back(*number);
      tokens_.next();
    }
    statement.count = result_.numbers.size() - statement.first;
    if (statement.count == 0) fail_here("a number, \"uniform\", \"identity\" or \"reset\"");
    return statement.count != 0;
  }

  PomdpTokens tokens_;
  PomdpStatements result_;
  bool values_given_ = false;
};

}  // namespace

PomdpStatements parse_pomdp(std::string_view text) { return Parser(text).parse(); }

}  // namespace penumbra::host

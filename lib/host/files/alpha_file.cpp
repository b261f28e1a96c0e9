// .alpha files, line by line.
#include "penumbra/host/alpha_file.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace penumbra::host {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class AlphaReader {
 public:
  AlphaReader(std::string_view text, const std::string& name, size_t states, const Labels& actions)
      : text_(text), name_(name), states_(states), actions_(actions) {
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) at_ = byte_order_mark.size();
  }

  Outcome<ValueVectors> read() {
    while (next_line()) {
      if (vectors_.actions.size() == most_vectors) {
        return refuse(line_, fmt::format("has more than {} vectors, which is all that an image holds", most_vectors));
      }
      if (!read_action()) return fail(std::move(problem_));
      if (!next_line()) return refuse(text_.size(), "the file ends where the vector of an action was due");
      if (!read_values()) return fail(std::move(problem_));
    }
    if (!vectors_.actions.empty()) return std::move(vectors_);
    return fail(Fault::input, name_, "has no vectors", "each is a line with an action, a line with one number a state, and an empty line");
  }

 private:
  [[nodiscard]] Failure refuse(size_t offset, std::string what) const {
    return fail(Fault::input, place(name_, text_, offset), std::move(what));
  }
  bool note(size_t offset, std::string what, std::string advice = {}) {
    problem_ = Problem{Fault::input, place(name_, text_, offset), std::move(what), {}, std::move(advice)};
    return false;
  }

  // The next line that is not empty: line_ to end_. False at the end of the file.
  bool next_line() {
    while (at_ < text_.size()) {
      end_ = std::min(text_.find('\n', at_), text_.size());
      line_ = skip_blanks(at_);
      at_ = end_ + 1;
      if (line_ < end_) return true;
    }
    return false;
  }

  // Both look no further than the line: a file may be one long one, or many without blanks.
  [[nodiscard]] std::string_view word_at(size_t from) const {
    const std::string_view rest = text_.substr(from, end_ - from);
    return rest.substr(0, rest.find_first_of(blanks));
  }
  [[nodiscard]] size_t skip_blanks(size_t from) const {
    const std::string_view rest = text_.substr(from, end_ - from);
    return from + std::min(rest.find_first_not_of(blanks), rest.size());
  }

  // A name may have blanks in it: the whole line, but for those at its end.
  bool read_action() {
    const std::string_view line = text_.substr(line_, end_ - line_);
    const std::string_view word = line.substr(0, line.find_last_not_of(blanks) + 1);
    const std::optional<size_t> action = actions_.find(word);
    if (!action) {
      return note(line_, fmt::format("{} is not an action: there are {}, from 0 on", in_quotes(word), actions_.size()),
                  "each vector is a line with its action, then a line with one number a state");
    }
    vectors_.actions.push_back(*action);
    return true;
  }

  bool read_values() {
    size_t count = 0;
    for (size_t at = line_; at < end_; ++count) {
      const std::string_view word = word_at(at);
      if (count < states_ && !read_number(at, word)) return false;
      at = skip_blanks(at + word.size());
    }
    if (count == states_) return true;
    return note(line_, fmt::format("a vector of {} {}, but there {} {}", count, count == 1 ? "number" : "numbers",
                                   states_ == 1 ? "is" : "are", states_ == 1 ? "1 state" : std::to_string(states_) + " states"));
  }

  bool read_number(size_t at, std::string_view word) {
    const std::string_view digits = word.substr(word.size() > 1 && word[0] == '+' && word[1] != '-' ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      return note(at, in_quotes(word) + " is not a number");
    }
    if (error != std::errc{} || !std::isfinite(value)) return note(at, in_quotes(word) + " is not a number that double precision holds");
    vectors_.values.push_back(value);
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  size_t states_;
  const Labels& actions_;
  size_t at_ = 0;  // where the next line begins
  size_t line_ = 0;
  size_t end_ = 0;
  ValueVectors vectors_;
  Problem problem_;
};

}  // namespace

Outcome<ValueVectors> read_alpha(Input& input, size_t states, const Labels& actions) {
  const Outcome<std::string> text = input.read_all();
  if (!text) return fail(text.error());
  return AlphaReader(text.value(), input.name(), states, actions).read();
}

std::string to_alpha(const ValueVectors& vectors, size_t states) {
  std::string text;
  for (size_t k = 0; k < vectors.actions.size(); ++k) {
    const double* row = vectors.values.data() + k * states;
    fmt::format_to(std::back_inserter(text), "{}\n{}\n\n", vectors.actions[k], fmt::join(row, row + states, " "));
  }
  return text;
}

}  // namespace penumbra::host

// What went wrong, as a value. The host half never prints, exits or lets an exception out: what can fail returns an Outcome, and
// whoever called decides what to tell the user.
#pragma once

#include <etl/expected.h>

#include <string>
#include <utility>

namespace penumbra::host {

// Whose turn it is to mend it. The numbers are the exit statuses of the command.
enum class Fault : int {
  usage = 2,   // an option or argument is wrong
  input = 3,   // what a file says is wrong, or cannot be served
  system = 4,  // a file or a device cannot be read or written
};

struct Problem {
  Fault fault = Fault::input;
  std::string where;   // the file, as "file" or "file:line:column"; empty where there is none
  std::string what;    // the place in it, and what is wrong there
  std::string detail;  // more of it, where that helps; may be empty
  std::string advice;  // what to do about it; may be empty
};

// One to three lines without an end of line: where and what, detail, advice.
[[nodiscard]] inline std::string to_text(const Problem& problem) {
  std::string text = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
  if (!problem.detail.empty()) text += "\n  " + problem.detail;
  if (!problem.advice.empty()) text += "\n  " + problem.advice;
  return text;
}

template <class Value>
using Outcome = etl::expected<Value, Problem>;

using Failure = etl::unexpected<Problem>;

// return fail(Fault::input, file, "…"): the same for every Outcome.
[[nodiscard]] inline Failure fail(Fault fault, std::string where, std::string what, std::string advice = {}, std::string detail = {}) {
  return Failure(Problem{fault, std::move(where), std::move(what), std::move(detail), std::move(advice)});
}
[[nodiscard]] inline Failure fail(Problem problem) { return Failure(std::move(problem)); }

}  // namespace penumbra::host

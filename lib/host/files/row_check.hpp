// Is a row of a model file a distribution? Both readers ask here, so that they refuse, scale and say the same.
//
//   const RowCheck check = check_row(row, size, row_sums);
//   if (check.refused()) problems.push_back(row_problem(check, "rover.json", "observation[2][0]", R"(action "turn", state "dock")", row, size));
//   if (check.scaled()) remarks.push_back(row_remark(check, "rover.json", "observation[2][0]"));
//
// A row that misses 1 by what decimals leave (row_sum_slack) is divided by its sum. One that misses it by what rounding in double
// precision leaves is not touched: so a model that is written and read again has the same bits, and reading twice is reading once.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/host/model_file.hpp"
#include "penumbra/host/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penumbra::host {

struct RowCheck {
  enum class Result {
    good,             // a distribution, perhaps after a division that nobody needs to know of
    scaled,           // became one because the user asked for it
    not_probability,  // an entry is negative, above 1 or not a number; `value` is the entry
    wrong_sum,        // `value` is the sum
    zero,             // nothing to scale
  };
  Result result = Result::good;
  double value = 1.0;

  [[nodiscard]] bool refused() const noexcept { return result != Result::good && result != Result::scaled; }
  [[nodiscard]] bool scaled() const noexcept { return result == Result::scaled; }
};

// Also above 1 by the slack: then the row's sum decides, and the division brings the entry back.
[[nodiscard]] inline bool is_probability(double entry) noexcept { return entry >= 0.0 && entry <= 1.0 + row_sum_slack; }

// Normalises the row in place where that is due; a row that is refused stays as it was.
[[nodiscard]] inline RowCheck check_row(double* row, size_t size, RowSums row_sums) noexcept {
  using Result = RowCheck::Result;
  double sum = 0.0;
  double largest = 0.0;
  for (size_t i = 0; i < size; ++i) {
    if (!is_probability(row[i])) return {Result::not_probability, row[i]};
    sum += row[i];
    largest = std::max(largest, row[i]);
  }
  const double miss = std::fabs(sum - 1.0);
  // Dividing by a rounded sum, then adding up the rounded quotients: half a unit in the last place for each addition, twice.
  const double rounding = std::max(1e-12, static_cast<double>(size) * std::numeric_limits<double>::epsilon());
  if (miss <= rounding && largest <= 1.0) return {};
  if (sum == 0.0) return {Result::zero, sum};
  if (miss > row_sum_slack && row_sums == RowSums::strict) return {Result::wrong_sum, sum};
  for (size_t i = 0; i < size; ++i) row[i] /= sum;
  return {miss > row_sum_slack ? Result::scaled : Result::good, sum};
}

// The numbers of a row, as many as a line takes.
[[nodiscard]] inline std::string row_text(const double* row, size_t size) {
  constexpr size_t shown = 12;
  std::string text = fmt::format("{:.6g}", fmt::join(row, row + std::min(size, shown), " "));
  if (size > shown) text += fmt::format(" ... ({} in all)", size);
  return text;
}

// `what` names the row as the file does, `meaning` in words; the latter may be empty.
[[nodiscard]] inline Problem row_problem(const RowCheck& check, std::string where, std::string_view what, std::string_view meaning,
                                         const double* row, size_t size) {
  Problem problem{Fault::input, std::move(where), "", "", ""};
  problem.detail = meaning.empty() ? row_text(row, size) : fmt::format("{}: {}", meaning, row_text(row, size));
  if (check.result == RowCheck::Result::not_probability) {
    problem.what = fmt::format("{} has the entry {}, which is not a probability", what, check.value);
    problem.advice = "probabilities lie between 0 and 1";
  } else if (check.result == RowCheck::Result::zero) {
    problem.what = fmt::format("{} sums to 0, not 1", what);
    problem.advice = "fix the row: there is nothing in it to scale";
  } else {
    problem.what = fmt::format("{} sums to {:.9g}, not 1", what, check.value);
    problem.advice = "fix the row, or pass --normalize to scale it";
  }
  return problem;
}

[[nodiscard]] inline std::string row_remark(const RowCheck& check, std::string_view where, std::string_view what) {
  return fmt::format("{}: {} summed to {:.9g} and was scaled", where, what, check.value);
}

// Of one kind of mistake a file may have a million. This many are told, then how many more there are.
constexpr size_t max_told = 100;

inline void tell_how_many_more(std::vector<Problem>& problems, size_t untold, const std::string& name) {
  if (untold == 0) return;
  problems.push_back({Fault::input, name,
                      fmt::format("{} more {} like {}", untold, untold == 1 ? "problem" : "problems", untold == 1 ? "it" : "these"), "",
                      ""});
}
inline void tell_how_many_more(std::vector<std::string>& remarks, size_t untold, const std::string& name) {
  if (untold == 0) return;
  remarks.push_back(fmt::format("{}: {} more {}", name, untold, untold == 1 ? "remark like it" : "remarks like these"));
}

}  // namespace penumbra::host

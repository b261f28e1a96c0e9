// Estimates scored on data that they have not seen.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/run_log.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penumbra::host {

// The first four fifths of each run, rounded up: what is after them is held out.
[[nodiscard]] RunLog fitted_part(const Model& model, const RunLog& runs);

struct SplitPairs {
  Counts fitted;
  Counts held_out;
};
// Every pair is held out with a probability of one fifth, but not where no pair with this a, o and a' would be left: of such choices nothing could be learned.
[[nodiscard]] SplitPairs split_pairs(const Counts& counts);

// What the data do not tell.
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// Of several transitions on the same held-out data. Gains are by [i * transitions + j]: those of i over j.
struct Scores {
  std::vector<double> log_likelihood;     // [transition]: the mean; NaN where nothing was possible
  std::vector<std::uint64_t> impossible;  // [transition]
  std::vector<double> gain;               // the mean over what both call possible; NaN where there is none
  std::vector<double> standard_error;     // of the gain; NaN where there is too little to tell
};

// Predicted step by step, each run to its end.
[[nodiscard]] Scores score_steps(const Model& model, const std::vector<std::vector<double>>& transitions, const RunLog& runs);
[[nodiscard]] Scores score_pairs(const Model& model, const std::vector<std::vector<double>>& transitions, const SplitPairs& pairs,
                                 std::uint64_t threads);

}  // namespace penumbra::host

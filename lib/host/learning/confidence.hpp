// How far from the estimate the truth may be (paper, Algorithm 2, lines 6 and 7; the constants of its experiments are smaller than those
// of its proofs):
//
//   beta_a = min(2, c sqrt(log(2 A O² k / delta_a,k) / N(a))),   delta_a,k = delta / (A k³)
//
// c that small makes greed possible: an action that was played a few hundred times, with an estimate that is off by ten such radii to its
// disadvantage, is not played again, and its estimate stays as it is. Such an action is starved when it has fewer than x sqrt(t) of all t pairs,
// and then each row's radius is as large as its error is expected to be, sum_s' sqrt(2/pi) standard_error(s,s'), if that is more than beta_a. The
// regions only grow by that, so that what the paper needs of them still holds; and an action is wooed like this for 2 x sqrt(t) samples at most, as the last
// episode may double them, which is of the order of the paper's bound. That is said of AOAS: for the other estimators nobody has proved a bound, with or
// without this, though they are the ones that gain by it (lib/host/README.md).
#pragma once

#include "penumbra/host/learner.hpp"

#include <cstdint>
#include <vector>

namespace penumbra::host {

// The L1 radius of every row of each action's transition, [action], in episode k >= 1 after so many samples of each.
[[nodiscard]] std::vector<double> confidence_radius(const Model& sensors, const LearnerOptions& options, std::uint64_t k,
                                                    const std::vector<std::uint64_t>& samples);

// Whether an action has fewer than `least` sqrt(t) of all t samples.
[[nodiscard]] std::vector<bool> starved_actions(const std::vector<std::uint64_t>& samples, double least);

// The radius of each row, [action][state]: that of its action, and where that is starved what the errors say. Errors that are not known count as 2.
[[nodiscard]] std::vector<double> radius_of_rows(const std::vector<double>& radius, const std::vector<bool>& starved,
                                                 const std::vector<double>& standard_error);

}  // namespace penumbra::host

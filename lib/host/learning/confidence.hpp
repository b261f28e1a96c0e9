// How far from the estimate the truth may be (paper, Algorithm 2, lines 6 and 7; the constants of its experiments are smaller than those
// of its proofs):
//
//   beta_a = min(2, c sqrt(log(2 A O² k / delta_a,k) / N(a))),   delta_a,k = delta / (A k³)
#pragma once

#include "penumbra/host/learner.hpp"

#include <cstdint>
#include <vector>

namespace penumbra::host {

// The L1 radius of every row of each action's transition, [action], in episode k >= 1 after so many samples of each.
[[nodiscard]] std::vector<double> confidence_radius(const Model& sensors, const LearnerOptions& options, std::uint64_t k,
                                                    const std::vector<std::uint64_t>& samples);

}  // namespace penumbra::host

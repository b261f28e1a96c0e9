// Refinement from any numbers in place of counts: exact expectations give the exact transition, which is how the tests show that nothing is biased.
#pragma once

#include "penumbra/host/refinement.hpp"

#include <vector>

namespace penumbra::host::detail {

// `pairs` is [a][a'][o][o'], none of it below zero.
[[nodiscard]] Refinement refine_by_pairs(const Model& model, const std::vector<double>& pairs, const std::vector<double>& start,
                                         const RefinementRequest& request);

}  // namespace penumbra::host::detail

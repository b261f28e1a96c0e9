// AOAS from frequencies: what estimate_transition() does to counts and standard_errors() to expectations. Exact frequencies give the exact
// transition, which is how the tests show that nothing is biased.
#pragma once

#include "penumbra/host/aoas.hpp"

#include <vector>

namespace penumbra::host::detail {

// `frequencies` is [a][a'][o][o'] and sums to 1 for each a; `samples` is how many pairs of each a they stand for, 0: none. Leaves what
// belongs to counts and sensors (samples, sigma_min, rank) empty.
[[nodiscard]] Estimate estimate_from_frequencies(const Model& model, const std::vector<SensorInverse>& sensors,
                                                 const std::vector<double>& frequencies, const std::vector<double>& samples);

}  // namespace penumbra::host::detail

// What a policy earns, in double precision and with as little noise as may be: how candidates are compared.
#pragma once

#include "workshop.hpp"

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace penumbra::host::vector_planning {

struct ScoreSize {
  size_t chains = 12;
  size_t steps = 5000;  // of each
};
struct Score {
  Average average;
  double plain = 0;  // average of the runs as they were: the same for two policies that did the same in the same luck
};
// The average reward of a policy. Where the policy's own values explain the luck of the observations, that luck is taken out: the
// average of r + E[h(b')] - h(b') is that of r for any h, and has next to no noise where h is the true value. Of both averages the one
// with the narrower interval is returned.
[[nodiscard]] Score score(const Workshop& workshop, const ValueVectors& policy, const ScoreSize& size, std::uint64_t seed);

[[nodiscard]] inline double lower_bound(const Average& average) noexcept { return average.mean - average.ci95; }

}  // namespace penumbra::host::vector_planning

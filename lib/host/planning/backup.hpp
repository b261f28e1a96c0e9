// One sweep of point-based relative value iteration: every belief backs up its best vector, and a few of these that cover all beliefs
// become the next values.
#pragma once

#include "belief_sampling.hpp"
#include "workshop.hpp"

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>

namespace penumbra::host::vector_planning {

struct SweepRule {
  double discount = 1;
  double damping = 0;  // part of the old vector that stays: without a discount, periodic models need it
  double deficit = 0;  // of the value at a belief, that the next values may have
};

struct Sweep {
  ValueVectors values;  // the first belief's value is 0
  double bracket = 0;   // largest less smallest gain of value in this sweep, over the beliefs
};

[[nodiscard]] Sweep sweep(const Workshop& workshop, const ValueVectors& values, const Beliefs& beliefs, const SweepRule& rule);

// Largest less smallest value at the beliefs.
[[nodiscard]] double span_at(const ValueVectors& values, const Beliefs& beliefs);

}  // namespace penumbra::host::vector_planning

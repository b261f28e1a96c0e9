// The other way to fewer vectors at the least loss: those that are left take over what the others did.
#pragma once

#include "pruning.hpp"

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>

namespace penumbra::host::vector_planning {

// Moves the vectors a little so that better actions win at the judged beliefs.
[[nodiscard]] ValueVectors refit(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions, double negligible);

}  // namespace penumbra::host::vector_planning

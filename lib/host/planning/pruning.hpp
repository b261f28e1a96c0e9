// Fewer vectors at the least loss: what counts is not how often a vector is used but what the actions taken without it would cost, at
// beliefs that are judged by a look-ahead of the full set.
#pragma once

#include "belief_sampling.hpp"
#include "vector_lookahead.hpp"
#include "workshop.hpp"

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host::vector_planning {

// Beliefs, and what each action is worth there.
struct JudgedBeliefs {
  explicit JudgedBeliefs(size_t states) : beliefs(states) {}
  Beliefs beliefs;
  std::vector<double> action_values;  // [belief][action]
};

// Adds beliefs and judges them, in parallel.
void judge(const Workshop& workshop, const VectorLookahead& ahead, const Beliefs& more, JudgedBeliefs& judged);

// At most `most` of the vectors, in their order: while there are more, the one goes whose removal costs least.
[[nodiscard]] ValueVectors prune(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions, size_t most);

}  // namespace penumbra::host::vector_planning

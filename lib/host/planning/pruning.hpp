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

// How often each vector is the best one. Time and memory grow with vectors and beliefs, not with their squares.
[[nodiscard]] std::vector<size_t> wins(const ValueVectors& vectors, const Beliefs& beliefs);
// Those that are the best somewhere, in their order.
[[nodiscard]] ValueVectors winners(const ValueVectors& vectors, const Beliefs& beliefs);

// At most `most` of the vectors, in their order: while there are more, the one goes whose removal costs least. Takes a number for each
// vector at each belief, and time that grows with the square of the vectors: no more than manageable_vectors should come here.
[[nodiscard]] ValueVectors prune(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions, size_t most);

}  // namespace penumbra::host::vector_planning

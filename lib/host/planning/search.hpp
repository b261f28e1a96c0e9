// The search for value vectors, as many as it takes: rounds of more and more beliefs, sweeps over them, and candidates on the way that
// are chosen by simulation. Values alone do not choose: a policy can have fine ones and earn nothing.
#pragma once

#include "belief_sampling.hpp"
#include "score.hpp"
#include "workshop.hpp"

#include "penumbra/host/random.hpp"
#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host::vector_planning {

struct Candidate {
  ValueVectors vectors;
  double discount = 1;  // of the values
  Score score;
  bool searched = false;  // by sweeps over beliefs: values that say what a belief is worth, not only what to do there
};

struct Found {
  explicit Found(size_t states) : beliefs(states) {}
  std::vector<Candidate> candidates;  // the best first, by the lower bound of what they earn; of equals the one of better values
  Candidate myopic;
  Beliefs beliefs;  // that were backed up
  std::uint64_t sweeps = 0;
};

// `most_beliefs` is at least 32.
[[nodiscard]] Found search(const Workshop& workshop, size_t most_beliefs, Random& seeds, const PlanProgress& progress);

}  // namespace penumbra::host::vector_planning

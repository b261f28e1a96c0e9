// A large set of vectors made small enough for a table: pruned, moved, and tried again at the beliefs that the small set itself visits,
// which are not those of the large one.
#pragma once

#include "search.hpp"

#include "penumbra/host/random.hpp"
#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host::vector_planning {

// The vectors as they are; of more than manageable_vectors those that ever win at some thousands of beliefs: those that the vectors visit,
// the initial one, and the corners. A vector that wins at none of them is dropped.
[[nodiscard]] ValueVectors thinned(const Workshop& workshop, const ValueVectors& vectors, Random& seeds);

// Sets of at most `most` vectors that stand in for `full`, each with what it earns; the best pruned one, and the best refitted one. What an
// action is worth is looked ahead with the values of `judge`, which is `full` itself where its values are the model's.
[[nodiscard]] std::vector<Candidate> shrink(const Workshop& workshop, const Candidate& full, const Candidate& judge, size_t most,
                                            Random& seeds, const PlanProgress& progress);

// The vectors ordered by how often they act, the most used first: a tie goes to the lowest index.
[[nodiscard]] ValueVectors ordered_by_use(const Workshop& workshop, const ValueVectors& vectors, std::uint64_t seed);

}  // namespace penumbra::host::vector_planning

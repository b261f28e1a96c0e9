// Which beliefs to plan at: of those that a policy visits, the ones farthest from all that are there already.
#pragma once

#include "chain.hpp"

#include <cstddef>

namespace penumbra::host::vector_planning {

// Adds to `beliefs`, one by one, the belief of `pool` that is farthest in L1 from all of them, until there are `wanted` or what is left
// is as good as there. `beliefs` is not empty.
void add_farthest(Beliefs& beliefs, const Beliefs& pool, size_t wanted);

}  // namespace penumbra::host::vector_planning

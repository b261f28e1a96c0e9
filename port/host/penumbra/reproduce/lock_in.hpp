// A world in which a greedy learner gets stuck, of 3 states, 4 actions and 4 observations. The best policy plays one action nearly always and another one now
// and then, for which each of the other three passes. Whoever finds out about one of those first, plays it ever after and never learns what the others are worth.
#pragma once

#include "penumbra/host/model.hpp"

namespace penumbra::command {

[[nodiscard]] host::Model lock_in_world();

}  // namespace penumbra::command

// The experiments of the paper, one file each.
#pragma once

#include "laboratory.hpp"
#include "page.hpp"

namespace penumbra::command {

[[nodiscard]] Outcome<void> estimation_error(Laboratory& laboratory, Page& page);
[[nodiscard]] Outcome<void> regret(Laboratory& laboratory, Page& page);
[[nodiscard]] Outcome<void> ablation_min_action(Laboratory& laboratory, Page& page);
[[nodiscard]] Outcome<void> ablation_sample_reuse(Laboratory& laboratory, Page& page);
[[nodiscard]] Outcome<void> comparison(Laboratory& laboratory, Page& page);

// Not one of the paper's.
[[nodiscard]] Outcome<void> beyond(Laboratory& laboratory, Page& page);

}  // namespace penumbra::command

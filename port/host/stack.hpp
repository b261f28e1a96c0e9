// The workstation does not measure its stack: ask measures_stack before believing a figure.
#pragma once

#include <cstddef>

namespace penumbra::board {

inline constexpr bool measures_stack = false;

inline void paint_stack() noexcept {}

// Always 0.
[[nodiscard]] inline std::size_t used_stack() noexcept { return 0; }

}  // namespace penumbra::board

// The workstation does not count instructions: ask counts_instructions before believing a figure. The function still runs,
// so that a program that counts compiles and works on the host too.
#pragma once

#include <cstdint>

namespace penumbra::board {

inline constexpr bool counts_instructions = false;

// Runs `f()` and returns 0.
template <class F>
[[nodiscard]] std::uint32_t instructions_of(F&& f) noexcept {
  f();
  return 0;
}

}  // namespace penumbra::board

// Which kernel serves how many states, core by core, in instructions as the benchmark tests/budgets/kernel_choice.cpp counts them
// on each board; it fails where one of these answers costs more than 5 %. For vectors of a workstation in time, as
// tests/budgets/belief_speed.cpp takes it.
#pragma once

#include <stddef.h>

namespace penumbra {

struct KernelChoice {
#if defined(__SSE2__) || defined(__aarch64__)
  // Three states have to be put together into a vector: with the scaling alone done so, the update took a quarter longer.
  static constexpr bool vectors(size_t S) noexcept { return S >= 4; }
  // By gcc, the update of 10 states takes at least 10 % longer by eight rows than by four, and that of 32 states 8 % less.
  static constexpr bool eight_rows(size_t S) noexcept { return S >= 16; }
#elif defined(__ARM_FEATURE_MVE)
  static constexpr bool helium_hadamard(size_t S) noexcept { return S == 4 || S >= 7; }
  static constexpr bool helium_scale(size_t S) noexcept { return S % 4 == 0 || S == 11 || S >= 15; }
  static constexpr bool helium_best_row(size_t S) noexcept { return S >= 5; }
  static constexpr bool library_mat_vec(size_t S) noexcept { return S >= 11; }
#elif defined(__ARM_FP)
  static constexpr bool library_mat_vec(size_t S) noexcept { return S >= 16; }
#else
  static constexpr bool library_mat_vec(size_t) noexcept { return false; }
#endif
};

}  // namespace penumbra

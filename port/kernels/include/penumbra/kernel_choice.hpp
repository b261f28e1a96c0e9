// Which kernel serves how many states, core by core, in instructions as the benchmark tests/budgets/kernel_choice.cpp counts them
// on each board; it fails where one of these answers costs more than 5 %.
#pragma once

#include <stddef.h>

namespace penumbra {

struct KernelChoice {
#if defined(__ARM_FEATURE_MVE)
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

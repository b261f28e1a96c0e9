// For how many states CMSIS-DSP beats what we have, kernel by kernel and core by core, in instructions as the benchmark
// tests/budgets/kernel_choice.cpp counts them on each board; it fails where one of these answers is wrong.
#pragma once

#include <stddef.h>

namespace penumbra {

struct KernelChoice {
#if defined(__ARM_FEATURE_MVE)  // Helium: four floats or eight 16-bit numbers an instruction
  static constexpr bool library_hadamard(size_t S) noexcept { return S >= 16; }
  // gcc vectorises our loop where whole vectors fill it.
  static constexpr bool library_scale(size_t S) noexcept { return S > 16 && S % 4 != 0; }
  static constexpr bool library_mat_vec(size_t S) noexcept { return S >= 11; }
  static constexpr bool helium_best_row(size_t S) noexcept { return S >= 6; }
#elif defined(__ARM_FP)
  static constexpr bool library_hadamard(size_t) noexcept { return false; }
  static constexpr bool library_scale(size_t) noexcept { return false; }
  static constexpr bool library_mat_vec(size_t S) noexcept { return S >= 13; }
#else
  static constexpr bool library_hadamard(size_t) noexcept { return false; }
  static constexpr bool library_scale(size_t) noexcept { return false; }
  static constexpr bool library_mat_vec(size_t) noexcept { return false; }
#endif
  static constexpr bool library_best_row(size_t) noexcept { return false; }
};

}  // namespace penumbra

// The kernels of a Cortex-M with something to gain: CMSIS-DSP where the matrix is large enough to pay for its call, the DSP or Helium
// instructions of the core where it has them, and the portable templates everywhere else. Which one serves a size is decided
// when compiling, by kernel_choice.hpp. Included by penumbra/kernels.hpp through PENUMBRA_KERNELS_HEADER.
#pragma once

#include "penumbra/kernel_choice.hpp"

#include <arm_math.h>
#include <etl/type_traits.h>
#include <string.h>
#if defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#endif
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace penumbra {

// The one call that pays. The library's elementwise and 16-bit kernels lose at every size (tests/budgets/kernel_choice.cpp), and its
// arm_float_to_q15 truncates and scales by 32768 where ours rounds and scales by 32767.
template <class Dims>
struct CmsisDspKernels {
  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    const auto S = static_cast<uint16_t>(dims.states());
    const arm_matrix_instance_f32 instance{S, S, const_cast<float*>(matrix)};  // NOLINT: mutable by its type, and only read
    arm_mat_vec_mult_f32(&instance, x, out);
  }
};

#if defined(__ARM_FEATURE_SIMD32)
// One comparison for both selections. gcc 12 compares twice for the Cortex-M4, and branches for the M7 if it is told only once.
struct ThumbSelect {
  static void keep_larger(int32_t sum, const int16_t* row, int32_t& best, const int16_t*& best_row) noexcept {
    asm("cmp %[sum], %[best]      \n"
        "itt gt                   \n"
        "movgt %[best], %[sum]    \n"
        "movgt %[best_row], %[row]\n"
        : [best] "+&r"(best), [best_row] "+r"(best_row)
        : [sum] "r"(sum), [row] "r"(row)
        : "cc");
  }
};

// Two 16-bit products an instruction. The library has only products of 64 bits with a call for each row; one row of ours is a few
// instructions, and 32 bits hold it (vector_policy.hpp).
template <class Dims>
struct SimdKernels {
  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    const size_t stride = q15_stride(dims.states());
    return first_largest_row<int32_t, ThumbSelect>(rows, count, stride, [stride, q](const int16_t* row) {
      int32_t sum = 0;
      PENUMBRA_UNROLL
      for (size_t s = 0; s < stride; s += 2) sum = __smlad(two(row + s), two(q + s), sum);
      return sum;
    });
  }

 private:
  static int16x2_t two(const int16_t* at) noexcept {
    int16x2_t both;
    memcpy(&both, at, sizeof both);
    return both;
  }
};
#endif

#if defined(__ARM_FEATURE_MVE)
// Four floats or eight 16-bit numbers an instruction. The library's elementwise kernels go over the vectors twice for a product and
// its sum, and load past the end of a vector that is no multiple of four; these go once, and the last load stops where S does.
template <class Dims>
struct HeliumKernels {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    float32x4_t sums = vdupq_n_f32(0.0F);
    PENUMBRA_UNROLL
    for (size_t s = 0; s < whole; s += 4U) {
      const float32x4_t product = vmulq_f32(vld1q_f32(x + s), vld1q_f32(y + s));
      vst1q_f32(out + s, product);
      sums = vaddq_f32(sums, product);
    }
    if (whole != S) {
      const mve_pred16_t rest = vctp32q(static_cast<uint32_t>(S - whole));
      const float32x4_t product = vmulq_f32(vld1q_z_f32(x + whole, rest), vld1q_z_f32(y + whole, rest));
      vst1q_p_f32(out + whole, product, rest);
      sums = vaddq_f32(sums, product);
    }
    return (vgetq_lane_f32(sums, 0) + vgetq_lane_f32(sums, 1)) + (vgetq_lane_f32(sums, 2) + vgetq_lane_f32(sums, 3));
  }

  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    PENUMBRA_UNROLL
    for (size_t s = 0; s < whole; s += 4U) vst1q_f32(x + s, vmulq_n_f32(vld1q_f32(x + s), factor));
    if (whole != S) {
      const mve_pred16_t rest = vctp32q(static_cast<uint32_t>(S - whole));
      vst1q_p_f32(x + whole, vmulq_n_f32(vld1q_z_f32(x + whole, rest), factor), rest);
    }
  }

  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    const size_t S = dims.states();
    return first_largest_row<int32_t, ThumbSelect>(rows, count, q15_stride(S), [S, q](const int16_t* row) {
      int32_t sum = 0;
      PENUMBRA_UNROLL
      for (size_t s = 0; s + 8U <= S; s += 8U) sum = vmladavaq_s16(sum, vld1q_s16(row + s), vld1q_s16(q + s));
      const size_t done = S & ~size_t{7};
      if (done == S) return sum;
      return vmladavaq_p_s16(sum, vld1q_s16(row + done), vld1q_s16(q + done), vctp16q(static_cast<uint32_t>(S - done)));
    });
  }
};
#endif

// The best of ours at a size, kernel by kernel.
template <class Dims>
struct OurKernels : PortableKernels<Dims> {
#if defined(__ARM_FEATURE_MVE)
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    return Vector<KernelChoice::helium_hadamard(Dims::max_states)>::hadamard_f32(dims, x, y, out);
  }
  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    Vector<KernelChoice::helium_scale(Dims::max_states)>::scale_f32(dims, factor, x);
  }
  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    return Vector<KernelChoice::helium_best_row(Dims::max_states), SimdKernels<Dims>>::best_row_q15(dims, rows, count, q);
  }

 private:
  template <bool Helium, class Without = PortableKernels<Dims>>
  using Vector = etl::conditional_t<Helium, HeliumKernels<Dims>, Without>;
#elif defined(__ARM_FEATURE_SIMD32)
  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    return SimdKernels<Dims>::best_row_q15(dims, rows, count, q);
  }
#endif
};

// What the tick uses.
template <class Dims>
struct Kernels : OurKernels<Dims> {
  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    using Faster = etl::conditional_t<KernelChoice::library_mat_vec(Dims::max_states), CmsisDspKernels<Dims>, PortableKernels<Dims>>;
    Faster::mat_vec_f32(dims, matrix, x, out);
  }
};

}  // namespace penumbra

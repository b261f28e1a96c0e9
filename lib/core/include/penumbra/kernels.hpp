// The vector kernels of the tick. What is here is portable C++ and needs no configuration; a platform that has something faster
// names a header in PENUMBRA_KERNELS_HEADER (the CMake target penumbra::kernels does), which defines its own `Kernels<Dims>`
// with the same five functions. The numeric type is in a kernel's name.
//
//   hadamard_f32    out = x o y elementwise, returns the sum of out
//   scale_f32       x = factor * x
//   mat_vec_f32     out = M x, M of S x S in rows; up to transition_padding floats behind M may be read, not used
//   quantise_q15    q = round(32767 b), the padding is zero
//   best_row_q15    index of the row with the largest product with q, the lowest such index; rows are q15_stride(S) apart, and
//                   up to vector_padding numbers behind the last may be read, not used
//
// Sums begin at zero and go up, so that a compiler that fuses multiply and add has one way to do so, unrolled or not: both storages
// give the same bits. Every loop runs a number of times that the sizes alone decide, and no branch depends on the data.
#pragma once

#include "penumbra/dims.hpp"

// Loops over states are unrolled up to here: a product of 10 x 10 takes half the instructions, and code grows little.
#if defined(__clang__)
#define PENUMBRA_UNROLL _Pragma("unroll 16")
#define PENUMBRA_UNROLL_ROWS _Pragma("unroll 4")
#else
#define PENUMBRA_UNROLL _Pragma("GCC unroll 16")
#define PENUMBRA_UNROLL_ROWS _Pragma("GCC unroll 4")
#endif

namespace penumbra {

// Keeps the row with the larger product. Two selections and no `if`: compilers turn that into conditional moves, not branches.
struct PortableSelect {
  template <class Sum>
  static void keep_larger(Sum sum, const int16_t* row, Sum& best, const int16_t*& best_row) noexcept {
    best_row = sum > best ? row : best_row;
    best = sum > best ? sum : best;
  }
};

// Which of `count` >= 1 rows, `stride` apart, has the largest product; the first of them on a tie.
template <class Sum, class Select = PortableSelect, class Product>
[[nodiscard]] size_t first_largest_row(const int16_t* rows, size_t count, size_t stride, Product product) noexcept {
  const int16_t* best_row = rows;
  Sum best = product(rows);
  const int16_t* const end = rows + count * stride;
  for (const int16_t* row = rows + stride; row != end; row += stride) Select::keep_larger(product(row), row, best, best_row);
  return static_cast<size_t>(best_row - rows) / stride;
}

template <class Dims>
struct PortableKernels {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    const size_t S = dims.states();
    float sum = 0.0F;
    PENUMBRA_UNROLL
    for (size_t s = 0; s < S; ++s) {
      const float product = x[s] * y[s];
      out[s] = product;
      sum += product;
    }
    return sum;
  }

  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    const size_t S = dims.states();
    PENUMBRA_UNROLL
    for (size_t s = 0; s < S; ++s) x[s] *= factor;
  }

  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    const size_t S = dims.states();
    PENUMBRA_UNROLL_ROWS
    for (size_t row = 0; row < S; ++row) {
      float sum = 0.0F;
      PENUMBRA_UNROLL
      for (size_t s = 0; s < S; ++s) sum += matrix[s] * x[s];
      out[row] = sum;
      matrix += S;
    }
  }

  static void quantise_q15(const Dims& dims, const float* belief, int16_t* q) noexcept {
    const size_t S = dims.states();
    PENUMBRA_UNROLL
    for (size_t s = 0; s < S; ++s) q[s] = static_cast<int16_t>(belief[s] * 32767.0F + 0.5F);  // NOLINT: not negative, so it rounds
    if (S % 2 != 0) q[S] = 0;
  }

  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    const size_t S = dims.states();
    return first_largest_row<int32_t>(rows, count, q15_stride(S), [S, q](const int16_t* row) {
      int32_t sum = 0;
      PENUMBRA_UNROLL
      for (size_t s = 0; s < S; ++s) sum += int32_t{row[s]} * int32_t{q[s]};
      return sum;
    });
  }
};

}  // namespace penumbra

#ifdef PENUMBRA_KERNELS_HEADER
#include PENUMBRA_KERNELS_HEADER
#else
namespace penumbra {
template <class Dims>
struct Kernels : PortableKernels<Dims> {};
}  // namespace penumbra
#endif

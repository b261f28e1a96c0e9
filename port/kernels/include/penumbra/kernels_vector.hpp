// The kernels of a processor whose vectors hold four floats: SSE of a workstation, Neon of a 64-bit Arm. They are written with the
// vector types that gcc and clang share, and need no library; a processor of another kind gets the portable ones. A sum in strict order
// is one long chain of additions, which a compiler may not break up; these keep four sums beside each other and add them up at the end.
// Included by penumbra/kernels.hpp through PENUMBRA_KERNELS_HEADER; kernel_choice.hpp says where they serve.
//
// Nothing is read beyond S numbers of a vector and S * S of a matrix: what is over at the end of a row is loaded together with the
// numbers before it, and those are multiplied by zero. Both storages add in the same order, and give the same bits.
#pragma once

#include "penumbra/kernel_choice.hpp"

#include <string.h>

#if defined(__SSE2__) || defined(__aarch64__)
namespace penumbra {

// For four states or more.
template <class Dims>
struct VectorKernels {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    const auto product = [x, y, out](size_t s) {
      const Four four = load(x + s) * load(y + s);
      store(four, out + s);
      return four;
    };
    // Two by two, which halves the chain.
    Four sums = product(0);
    if (whole % 8U == 0) sums += product(4);
    PENUMBRA_UNROLL
    for (size_t s = whole % 8U == 0 ? 8 : 4; s < whole; s += 8U) sums += product(s) + product(s + 4U);
    if (whole != S) {
      const Four last = load_last(x + whole, S - whole) * load(y + S - 4U);
      store_last(last, out + whole, S - whole);
      sums += last;
    }
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    PENUMBRA_UNROLL
    for (size_t s = 0; s < whole; s += 4U) store(load(x + s) * factor, x + s);
    if (whole != S) store_last(load_last(x + whole, S - whole) * factor, x + whole, S - whole);
  }

  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    const size_t by_eight = KernelChoice::eight_rows(S) ? S & ~size_t{7} : 0;
    for (size_t row = 0; row < by_eight; row += 8U) {
      Four sums[8];
      rows_times(dims, matrix + row * S, x, sums);
      store(totals(sums), out + row);
      store(totals(sums + 4), out + row + 4U);
    }
    PENUMBRA_UNROLL_ROWS
    for (size_t row = by_eight; row < whole; row += 4U) {
      Four sums[4];
      rows_times(dims, matrix + row * S, x, sums);
      store(totals(sums), out + row);
    }
    if (whole != S) {  // the last four rows, of which some are done
      Four sums[4];
      rows_times(dims, matrix + (S - 4U) * S, x, sums);
      store_last(totals(sums), out + whole, S - whole);
    }
  }

 private:
  using Four [[gnu::vector_size(16)]] = float;
  using Pairs [[gnu::vector_size(16)]] = double;

  // The products of some rows with x, each still in four parts. The loop over columns stays one: unrolled, gcc goes through row after row,
  // and additions wait for each other.
  template <size_t Rows>
  static void rows_times(const Dims& dims, const float* matrix, const float* x, Four (&sums)[Rows]) noexcept {
    const size_t S = dims.states();
    const size_t whole = S & ~size_t{3};
    const Four x_first = load(x);
    PENUMBRA_UNROLL
    for (size_t r = 0; r < Rows; ++r) sums[r] = first_product(load(matrix + r * S), x_first);
    for (size_t s = 4; s < whole; s += 4U) {
      const Four x_next = load(x + s);
      PENUMBRA_UNROLL
      for (size_t r = 0; r < Rows; ++r) sums[r] += load(matrix + r * S + s) * x_next;
    }
    if (whole == S) return;
    const Four x_last = load_last(x + whole, S - whole);
    PENUMBRA_UNROLL
    for (size_t r = 0; r < Rows; ++r) sums[r] += load(matrix + r * S + S - 4U) * x_last;
  }

  // Adding zero costs nothing where it is fused with the product, and leaves one way to fuse. Elsewhere it would make the chain longer.
  static Four first_product(Four x, Four y) noexcept {
#if defined(__FMA__) || defined(__aarch64__)
    return x * y + Four{};
#else
    return x * y;
#endif
  }

  // Of each of four vectors the sum of its numbers.
  static Four totals(const Four* sums) noexcept {
    const Four first_two = shuffle<0, 4, 1, 5>(sums[0], sums[1]) + shuffle<2, 6, 3, 7>(sums[0], sums[1]);
    const Four other_two = shuffle<0, 4, 1, 5>(sums[2], sums[3]) + shuffle<2, 6, 3, 7>(sums[2], sums[3]);
    return shuffle<0, 1, 4, 5>(first_two, other_two) + shuffle<2, 3, 6, 7>(first_two, other_two);
  }

  template <int A, int B, int C, int D>
  static Four shuffle(Four x, Four y) noexcept {
#if defined(__clang__)
    return __builtin_shufflevector(x, y, A, B, C, D);
#else
    using Lanes [[gnu::vector_size(16)]] = int;
    return __builtin_shuffle(x, y, Lanes{A, B, C, D});
#endif
  }

  static Four load(const float* from) noexcept {
    Four four;
    memcpy(&four, from, sizeof four);
    return four;
  }
  static void store(Four four, float* to) noexcept { memcpy(to, &four, sizeof four); }

  // One to three numbers as the last of four, behind zeros. Two of them are stored as one and loaded as one: a processor hands on what
  // it has just stored to a load of the same, and lets a load of more wait.
  static Four load_last(const float* from, size_t count) noexcept {
    if (count == 1) return Four{0.0F, 0.0F, 0.0F, from[0]};
    double pair;
    memcpy(&pair, from + count - 2U, sizeof pair);
    auto four = reinterpret_cast<Four>(Pairs{0.0, pair});
    if (count == 3) four[1] = from[0];
    return four;
  }
  static void store_last(Four four, float* to, size_t count) noexcept {
    if (count == 1) {
      to[0] = four[3];
      return;
    }
    const double pair = reinterpret_cast<Pairs>(four)[1];
    memcpy(to + count - 2U, &pair, sizeof pair);
    if (count == 3) to[0] = four[1];
  }
};

// For one to three states, number by number, as the portable ones; less their addition to zero.
template <class Dims>
struct FewKernels {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    const size_t S = dims.states();
    float sum = out[0] = alone(x[0] * y[0]);
    PENUMBRA_UNROLL
    for (size_t s = 1; s < S; ++s) sum += out[s] = alone(x[s] * y[s]);
    return sum;
  }

  static void scale_f32(const Dims& dims, float factor, float* x) noexcept { PortableKernels<Dims>::scale_f32(dims, factor, x); }

  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    const size_t S = dims.states();
    PENUMBRA_UNROLL_ROWS
    for (size_t row = 0; row < S; ++row) {
      float sum = matrix[0] * x[0];
      PENUMBRA_UNROLL
      for (size_t s = 1; s < S; ++s) sum = multiply_add(matrix[s], x[s], sum);
      out[row] = sum;
      matrix += S;
    }
  }

 private:
  // Fused where it can be. Left to itself, gcc would fuse in one storage and not in the other.
  static float multiply_add(float x, float y, float sum) noexcept {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(x, y, sum);
#else
    return x * y + sum;
#endif
  }

  // Keeps the compiler from multiplying two at once: it would load two beliefs that were stored one by one, and wait for that.
  static float alone(float product) noexcept {
#if defined(__SSE2__)
    asm("" : "+x"(product));
#endif
    return product;
  }
};

// What the tick uses.
template <class Dims>
struct Kernels : PortableKernels<Dims> {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    return in_vectors(dims) ? VectorKernels<Dims>::hadamard_f32(dims, x, y, out) : FewKernels<Dims>::hadamard_f32(dims, x, y, out);
  }
  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    in_vectors(dims) ? VectorKernels<Dims>::scale_f32(dims, factor, x) : FewKernels<Dims>::scale_f32(dims, factor, x);
  }
  static void mat_vec_f32(const Dims& dims, const float* matrix, const float* x, float* out) noexcept {
    in_vectors(dims) ? VectorKernels<Dims>::mat_vec_f32(dims, matrix, x, out) : FewKernels<Dims>::mat_vec_f32(dims, matrix, x, out);
  }

 private:
  static bool in_vectors(const Dims& dims) noexcept { return KernelChoice::vectors(dims.states()); }
};

}  // namespace penumbra

#else  // no such vectors
namespace penumbra {
template <class Dims>
struct Kernels : PortableKernels<Dims> {};
}  // namespace penumbra
#endif

// The kernels that this platform's firmware would use, against the portable ones, at sizes on both sides of every choice; and the
// trap of reading past a matrix.
#include "penumbra/kernels.hpp"

#include "random_model.hpp"

#include <math.h>
#include <unity.h>

#ifdef PENUMBRA_EXPECT_OWN_KERNELS
#ifndef PENUMBRA_KERNELS_HEADER
#error "penumbra::kernels was linked, and its kernels were not taken"
#endif
#endif

namespace {

using namespace penumbra;
using test::Random;

constexpr size_t most = 33;
constexpr size_t vectors = 7;
float matrix[most * most + 4];
float x[most], y[most], out[most], expected[most];
int16_t rows[vectors * q15_stride(most) + 8];

template <size_t S>
void kernels_agree() {
  using Dims = StaticDims<S, 1, 1>;
  using Ours = Kernels<Dims>;
  using Portable = PortableKernels<Dims>;
  Random random(S);
  for (int trial = 0; trial < 20; ++trial) {
    for (float& entry : matrix) entry = random.unit();
    test::random_row(random, x, S);
    for (float& entry : y) entry = random.unit();

    const float sum = Ours::hadamard_f32({}, x, y, out);
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, Portable::hadamard_f32({}, x, y, expected), sum);
    for (size_t s = 0; s < S; ++s) TEST_ASSERT_FLOAT_WITHIN(1e-7F, expected[s], out[s]);

    Ours::scale_f32({}, 3.5F, out);
    Portable::scale_f32({}, 3.5F, expected);
    for (size_t s = 0; s < S; ++s) TEST_ASSERT_FLOAT_WITHIN(1e-6F, expected[s], out[s]);

    Ours::mat_vec_f32({}, matrix, x, out);
    Portable::mat_vec_f32({}, matrix, x, expected);
    for (size_t s = 0; s < S; ++s) TEST_ASSERT_FLOAT_WITHIN(1e-6F, expected[s], out[s]);

    BeliefQ15<Dims> q;
    for (int16_t& entry : q) entry = 0x5555;  // what is over must be ignored or overwritten
    Ours::quantise_q15({}, x, q.data());
    int32_t total = 0;
    for (size_t s = 0; s < S; ++s) {
      TEST_ASSERT_EQUAL_INT16(static_cast<int16_t>(x[s] * 32767.0F + 0.5F), q[s]);
      total += q[s];
    }
    TEST_ASSERT_INT32_WITHIN(static_cast<int32_t>(S), 32767, total);
    if (S % 2 != 0) TEST_ASSERT_EQUAL_INT16(0, q[S]);

    for (int16_t& entry : rows) entry = 0;
    for (size_t k = 0; k < vectors; ++k) {
      for (size_t s = 0; s < S; ++s) rows[k * q15_stride(S) + s] = static_cast<int16_t>(random.below(65536));
    }
    for (size_t s = 0; s < S; ++s) rows[5 * q15_stride(S) + s] = rows[2 * q15_stride(S) + s];  // a tie, now and then the best
    TEST_ASSERT_EQUAL_UINT32(Portable::best_row_q15({}, rows, vectors, q.data()), Ours::best_row_q15({}, rows, vectors, q.data()));
    TEST_ASSERT_EQUAL_UINT32(0, Ours::best_row_q15({}, rows, 1, q.data()));
  }
}

void the_kernels_of_this_platform_agree_with_the_portable_ones() {
  kernels_agree<1>();
  kernels_agree<2>();
  kernels_agree<3>();
  kernels_agree<4>();
  kernels_agree<5>();
  kernels_agree<7>();
  kernels_agree<8>();
  kernels_agree<9>();
  kernels_agree<10>();
  kernels_agree<11>();
  kernels_agree<13>();
  kernels_agree<16>();
  kernels_agree<17>();
  kernels_agree<19>();
  kernels_agree<32>();
  kernels_agree<33>();
}

// Helium loads four floats at a time and multiplies what is over by zero: a number that is not one behind the matrix would spoil the
// last row. The padding that the format demands keeps it away.
template <size_t S>
void padding_is_enough() {
  using Dims = StaticDims<S, 1, 1>;
  for (float& entry : matrix) entry = NAN;
  for (size_t i = 0; i < S * S; ++i) matrix[i] = 1.0F;
  for (size_t i = 0; i < 4; ++i) matrix[S * S + i] = 0.0F;
  for (float& entry : x) entry = NAN;
  for (size_t s = 0; s < S; ++s) x[s] = 1.0F;
  Kernels<Dims>::mat_vec_f32({}, matrix, x, out);
  for (size_t s = 0; s < S; ++s) TEST_ASSERT_EQUAL_FLOAT(static_cast<float>(S), out[s]);
}

void nothing_behind_the_padding_reaches_the_result() {
  padding_is_enough<1>();
  padding_is_enough<2>();
  padding_is_enough<3>();
  padding_is_enough<5>();
  padding_is_enough<11>();
  padding_is_enough<13>();
  padding_is_enough<18>();
  padding_is_enough<31>();
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_kernels_of_this_platform_agree_with_the_portable_ones);
  RUN_TEST(nothing_behind_the_padding_reaches_the_result);
  return UNITY_END();
}

// The kernels of vectors of four, at every size up to 70 and with both storages: close to sums in double precision, the same bits for
// both, and not one number read or written beyond what the contract of kernels.hpp allows.
#include "penumbra/kernels.hpp"

#include "penumbra/model_view.hpp"
#include "random_model.hpp"

#include <unity.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace {

using namespace penumbra;
using test::Random;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Blocks of their own on the heap, of exactly the size in use: the address sanitizer sees a step beyond.
struct Block {
  size_t size;
  std::unique_ptr<float[]> data;

  explicit Block(size_t count) : size(count), data(new float[count]) {
    for (size_t i = 0; i < size; ++i) data[i] = nan;
  }
  void fill(Random& random) noexcept {
    for (size_t i = 0; i < size; ++i) data[i] = random.unit();
  }
  [[nodiscard]] float* get() const noexcept { return data.get(); }
};

// A sum of n products in float is off by less than n roundings, each of at most half an epsilon of the whole. None is negative.
void is_near(double exact, float sum, size_t n) {
  const double bound = static_cast<double>(n) * 0.5 * static_cast<double>(std::numeric_limits<float>::epsilon()) * exact;
  TEST_ASSERT_TRUE_MESSAGE(std::abs(exact - static_cast<double>(sum)) <= bound, "further from the exact sum than rounding explains");
}

void same_bits(const Block& left, const Block& right) { TEST_ASSERT_EQUAL_MEMORY(left.get(), right.get(), left.size * sizeof(float)); }

template <size_t S>
void of_size() {
  using Static = StaticDims<S, 1, 1>;
  const RuntimeDims runtime{S, 1, 1};
  Random random(S);
  Block x(S), y(S), out(S), runtime_out(S);
  // Behind the matrix there is what may be read: numbers that are none, so that it shows if they are used.
  Block matrix(S * S);
  Block padded(S * S + transition_padding);
  for (int trial = 0; trial < 5; ++trial) {
    x.fill(random);
    y.fill(random);
    matrix.fill(random);
    for (size_t i = 0; i < S * S; ++i) padded.data[i] = matrix.data[i];

    double exact = 0.0;
    const float sum = Kernels<Static>::hadamard_f32({}, x.get(), y.get(), out.get());
    for (size_t s = 0; s < S; ++s) {
      TEST_ASSERT_EQUAL_FLOAT(x.data[s] * y.data[s], out.data[s]);
      exact += static_cast<double>(x.data[s]) * static_cast<double>(y.data[s]);
    }
    is_near(exact, sum, S);
    const float runtime_sum = Kernels<RuntimeDims>::hadamard_f32(runtime, x.get(), y.get(), runtime_out.get());
    TEST_ASSERT_EQUAL_MEMORY(&sum, &runtime_sum, sizeof sum);
    same_bits(out, runtime_out);

    Kernels<Static>::scale_f32({}, 3.7F, out.get());
    for (size_t s = 0; s < S; ++s) TEST_ASSERT_EQUAL_FLOAT(3.7F * runtime_out.data[s], out.data[s]);
    Kernels<RuntimeDims>::scale_f32(runtime, 3.7F, runtime_out.get());
    same_bits(out, runtime_out);

    Kernels<Static>::mat_vec_f32({}, padded.get(), x.get(), out.get());
    for (size_t row = 0; row < S; ++row) {
      exact = 0.0;
      for (size_t s = 0; s < S; ++s) exact += static_cast<double>(matrix.data[row * S + s]) * static_cast<double>(x.data[s]);
      is_near(exact, out.data[row], S);
    }
    Kernels<RuntimeDims>::mat_vec_f32(runtime, padded.get(), x.get(), runtime_out.get());
    same_bits(out, runtime_out);
    // These do not even read what they may.
    Kernels<Static>::mat_vec_f32({}, matrix.get(), x.get(), runtime_out.get());
    same_bits(out, runtime_out);
    Kernels<RuntimeDims>::mat_vec_f32(runtime, matrix.get(), x.get(), runtime_out.get());
    same_bits(out, runtime_out);
  }
}

template <size_t... I>
void of_all_sizes(std::index_sequence<I...> /*from 0*/) {
  (of_size<I + 1U>(), ...);
}

void every_size_is_exact_to_rounding_and_stays_within_its_operands() { of_all_sizes(std::make_index_sequence<70>{}); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_size_is_exact_to_rounding_and_stays_within_its_operands);
  return UNITY_END();
}

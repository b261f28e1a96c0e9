// Which kernel is the fastest one at which size, in instructions, on this board; and where port/kernels' table of that is wrong.
// The candidates are measured beside each other in one run: the portable template, CMSIS-DSP, and the DSP or Helium instructions where
// the core has them. A size at which the tick takes a kernel that is slower than another by more than 5 % fails.
#include "instructions.hpp"
#include "print.hpp"
#include "random_model.hpp"

#include "penumbra/kernels.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using test::print;
using test::Random;

constexpr size_t vectors = 16;

// What the library has for each kernel of the tick.
template <class Dims>
struct LibraryKernels : CmsisDspKernels<Dims> {
  static float hadamard_f32(const Dims& dims, const float* x, const float* y, float* out) noexcept {
    float sum;
    arm_mult_f32(x, y, out, static_cast<uint32_t>(dims.states()));
    arm_dot_prod_f32(x, y, static_cast<uint32_t>(dims.states()), &sum);
    return sum;
  }

  static void scale_f32(const Dims& dims, float factor, float* x) noexcept {
    arm_scale_f32(x, factor, x, static_cast<uint32_t>(dims.states()));
  }

  static size_t best_row_q15(const Dims& dims, const int16_t* rows, size_t count, const int16_t* q) noexcept {
    return first_largest_row<q63_t>(rows, count, q15_stride(dims.states()), [&dims, q](const int16_t* row) {
      q63_t sum;
      arm_dot_prod_q15(row, q, static_cast<uint32_t>(dims.states()), &sum);
      return sum;
    });
  }
};

template <size_t S>
struct Operands {
  float matrix[S * S + 4];
  float x[S];
  float y[S];
  float out[S];
  int16_t rows[vectors * q15_stride(S) + 8];
  BeliefQ15<StaticDims<S, 1, 1>> q;

  Operands() noexcept {
    Random random(S);
    for (float& entry : matrix) entry = random.unit();
    test::random_row(random, x, S);
    for (float& entry : y) entry = random.unit();
    for (int16_t& entry : rows) entry = static_cast<int16_t>(random.below(65536));
    PortableKernels<StaticDims<S, 1, 1>>::quantise_q15({}, x, q.data());
  }
};

// The largest operands, reused for every size.
alignas(8) uint8_t memory[sizeof(Operands<PENUMBRA_LARGEST_KERNEL>)];

size_t wrong = 0;
volatile size_t sink;
volatile float float_sink;

// What one set of kernels takes for one of them; UINT32_MAX where it has none.
struct Candidates {
  uint32_t portable = UINT32_MAX;
  uint32_t library = UINT32_MAX;
  uint32_t simd = UINT32_MAX;
  uint32_t helium = UINT32_MAX;
};

void compare(const char* kernel, size_t size, const Candidates& candidates, uint32_t taken) {
  uint32_t best = UINT32_MAX;
  const auto show = [&best](const char* name, uint32_t instructions) {
    if (instructions == UINT32_MAX) return;
    print("  ", name, " ", instructions);
    best = instructions < best ? instructions : best;
  };
  print(kernel, " S", size, ":");
  show("portable", candidates.portable);
  show("CMSIS-DSP", candidates.library);
  show("DSP", candidates.simd);
  show("Helium", candidates.helium);
  const bool slower = taken > best + best / 20U + 1U;
  print("; the tick ", taken, slower ? "  SLOWER than the best" : "", "\n");
  wrong += slower ? 1U : 0U;
}

template <class Of, class Dims, class It>
uint32_t hadamard(It& it) {
  return board::instructions_of([&] { float_sink = Of::hadamard_f32(Dims{}, it.x, it.y, it.out); });
}
template <class Of, class Dims, class It>
uint32_t scale(It& it) {
  return board::instructions_of([&] { Of::scale_f32(Dims{}, 1.5F, it.out); });
}
template <class Of, class Dims, class It>
uint32_t mat_vec(It& it) {
  return board::instructions_of([&] { Of::mat_vec_f32(Dims{}, it.matrix, it.x, it.out); });
}
template <class Of, class Dims, class It>
uint32_t best_row(It& it) {
  return board::instructions_of([&] { sink = Of::best_row_q15(Dims{}, it.rows, vectors, it.q.data()); });
}

template <size_t S>
void every_kernel_of_size() {
  using Dims = StaticDims<S, 1, 1>;
  using Portable = PortableKernels<Dims>;
  using Library = LibraryKernels<Dims>;
  using Tick = Kernels<Dims>;
  static_assert(sizeof(Operands<S>) <= sizeof memory, "");
  auto& it = *new (memory) Operands<S>;
  Candidates of_hadamard{hadamard<Portable, Dims>(it), hadamard<Library, Dims>(it)};
  Candidates of_scale{scale<Portable, Dims>(it), scale<Library, Dims>(it)};
  Candidates of_mat_vec{mat_vec<Portable, Dims>(it), mat_vec<Library, Dims>(it)};
  Candidates of_best_row{best_row<Portable, Dims>(it), best_row<Library, Dims>(it)};
#if defined(__ARM_FEATURE_SIMD32)
  of_best_row.simd = best_row<SimdKernels<Dims>, Dims>(it);
#endif
#if defined(__ARM_FEATURE_MVE)
  of_hadamard.helium = hadamard<HeliumKernels<Dims>, Dims>(it);
  of_scale.helium = scale<HeliumKernels<Dims>, Dims>(it);
  of_best_row.helium = best_row<HeliumKernels<Dims>, Dims>(it);
#endif
  wrong = 0;
  compare("hadamard_f32", S, of_hadamard, hadamard<Tick, Dims>(it));
  compare("scale_f32   ", S, of_scale, scale<Tick, Dims>(it));
  compare("mat_vec_f32 ", S, of_mat_vec, mat_vec<Tick, Dims>(it));
  compare("best_row_q15", S, of_best_row, best_row<Tick, Dims>(it));
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, wrong, "kernel_choice.hpp takes a slower kernel");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_kernel_of_size<1>);
  RUN_TEST(every_kernel_of_size<2>);
  RUN_TEST(every_kernel_of_size<3>);
  RUN_TEST(every_kernel_of_size<4>);
  RUN_TEST(every_kernel_of_size<5>);
  RUN_TEST(every_kernel_of_size<6>);
  RUN_TEST(every_kernel_of_size<7>);
  RUN_TEST(every_kernel_of_size<8>);
  RUN_TEST(every_kernel_of_size<9>);
  RUN_TEST(every_kernel_of_size<10>);
  RUN_TEST(every_kernel_of_size<11>);
  RUN_TEST(every_kernel_of_size<12>);
  RUN_TEST(every_kernel_of_size<13>);
  RUN_TEST(every_kernel_of_size<14>);
  RUN_TEST(every_kernel_of_size<15>);
  RUN_TEST(every_kernel_of_size<16>);
  RUN_TEST(every_kernel_of_size<17>);
  RUN_TEST(every_kernel_of_size<20>);
  RUN_TEST(every_kernel_of_size<24>);
  RUN_TEST(every_kernel_of_size<32>);
#if PENUMBRA_LARGEST_KERNEL >= 64
  RUN_TEST(every_kernel_of_size<33>);
  RUN_TEST(every_kernel_of_size<48>);
  RUN_TEST(every_kernel_of_size<64>);
#endif
  return UNITY_END();
}

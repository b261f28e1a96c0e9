// Which kernel is the faster one at which size, in instructions, on this board; and where port/kernels' table of that is wrong.
// The candidates are measured beside each other in one run. "ours" is the portable template, or for 16-bit products the DSP or Helium
// instructions where the core has them; a size at which the table takes the slower one by more than 5 % fails.
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

void compare(const char* kernel, size_t size, uint32_t ours, uint32_t library, bool takes_library) {
  const uint32_t taken = takes_library ? library : ours;
  const uint32_t best = library < ours ? library : ours;
  print(kernel, "  S", size, "  ours ", ours, "  CMSIS-DSP ", library, "  takes ", takes_library ? "CMSIS-DSP" : "ours",
        taken == best ? "" : "  (not the faster one)", "\n");
  if (taken > best + best / 20U) ++wrong;
}

volatile size_t sink;
volatile float float_sink;

template <size_t S>
void every_kernel_of_size() {
  using Dims = StaticDims<S, 1, 1>;
  using Ours = PortableKernels<Dims>;
  using Library = CmsisDspKernels<Dims>;
  static_assert(sizeof(Operands<S>) <= sizeof memory, "");
  auto& it = *new (memory) Operands<S>;
  using board::instructions_of;
  wrong = 0;
  compare("hadamard_f32", S, instructions_of([&] { float_sink = Ours::hadamard_f32({}, it.x, it.y, it.out); }),
          instructions_of([&] { float_sink = Library::hadamard_f32({}, it.x, it.y, it.out); }), KernelChoice::library_hadamard(S));
  compare("scale_f32   ", S, instructions_of([&] { Ours::scale_f32({}, 1.5F, it.out); }),
          instructions_of([&] { Library::scale_f32({}, 1.5F, it.out); }), KernelChoice::library_scale(S));
  compare("mat_vec_f32 ", S, instructions_of([&] { Ours::mat_vec_f32({}, it.matrix, it.x, it.out); }),
          instructions_of([&] { Library::mat_vec_f32({}, it.matrix, it.x, it.out); }), KernelChoice::library_mat_vec(S));
  compare("best_row_q15", S, instructions_of([&] { sink = OurVectorKernels<Dims>::best_row_q15({}, it.rows, vectors, it.q.data()); }),
          instructions_of([&] { sink = Library::best_row_q15({}, it.rows, vectors, it.q.data()); }), KernelChoice::library_best_row(S));
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, wrong, "kernel_choice.hpp takes a slower kernel");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_kernel_of_size<2>);
  RUN_TEST(every_kernel_of_size<3>);
  RUN_TEST(every_kernel_of_size<4>);
  RUN_TEST(every_kernel_of_size<6>);
  RUN_TEST(every_kernel_of_size<8>);
  RUN_TEST(every_kernel_of_size<10>);
  RUN_TEST(every_kernel_of_size<12>);
  RUN_TEST(every_kernel_of_size<16>);
  RUN_TEST(every_kernel_of_size<17>);
  RUN_TEST(every_kernel_of_size<20>);
  RUN_TEST(every_kernel_of_size<24>);
  RUN_TEST(every_kernel_of_size<32>);
#if PENUMBRA_LARGEST_KERNEL >= 64
  RUN_TEST(every_kernel_of_size<48>);
  RUN_TEST(every_kernel_of_size<64>);
#endif
  return UNITY_END();
}

// What main() may rely on: initialised and zeroed statics, constructors run in order, floating point, the platform's types.
#include "board.hpp"
#include "board_constants.hpp"

#include <unity.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace {

volatile std::uint32_t initialised = 0x1234'5678;
volatile std::uint32_t zeroed[64];
double constructed_from = 2.25;

struct Constructed {
  Constructed() : root{std::sqrt(constructed_from)} {}
  double root;
};
Constructed constructed;

void statics_have_their_values() {
  TEST_ASSERT_EQUAL_HEX32(0x1234'5678, initialised);
  for (const volatile std::uint32_t& word : zeroed) TEST_ASSERT_EQUAL_HEX32(0, word);
}

void constructors_have_run() { TEST_ASSERT_EQUAL_DOUBLE(1.5, constructed.root); }

void floating_point_computes() {
  volatile float half = 0.5F;
  volatile double third = 1.0 / 3.0;
  TEST_ASSERT_EQUAL_FLOAT(0.25F, half * half);
  TEST_ASSERT_EQUAL_DOUBLE(1.0, third * 3.0);
  TEST_ASSERT_FLOAT_WITHIN(1e-6F, 1.6487213F, std::exp(half));
}

#if defined(__ARM_FEATURE_MVE)
void helium_computes() {
  const std::int32_t numbers[4] = {1, 2, 3, 4};
  TEST_ASSERT_EQUAL_INT32(10, vaddvq_s32(vld1q_s32(numbers)));
}
#endif

void the_board_has_a_name() { TEST_ASSERT_GREATER_THAN(0, std::strlen(penumbra::board::name)); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(statics_have_their_values);
  RUN_TEST(constructors_have_run);
  RUN_TEST(floating_point_computes);
#if defined(__ARM_FEATURE_MVE)
  RUN_TEST(helium_computes);
#endif
  RUN_TEST(the_board_has_a_name);
  return UNITY_END();
}

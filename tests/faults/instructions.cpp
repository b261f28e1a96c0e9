// The instruction counter is exact, and so is the stack painter: what other tests measure rests on these.
#include "instructions.hpp"
#include "stack.hpp"

#include <unity.h>

#include <cstdint>

namespace {

using penumbra::board::instructions_of;

void nothing_takes_no_instructions() {
  TEST_ASSERT_EQUAL_UINT32(0, instructions_of([] {}));
}

void a_hundred_nops_take_a_hundred() {
  TEST_ASSERT_EQUAL_UINT32(100, instructions_of([] { asm volatile(".rept 100\n nop\n .endr"); }));
}

void a_thousand_nops_take_a_thousand() {
  TEST_ASSERT_EQUAL_UINT32(1000, instructions_of([] { asm volatile(".rept 1000\n nop\n .endr"); }));
}

// A loop of two instructions a round.
std::uint32_t instructions_of_rounds(std::uint32_t rounds) {
  return instructions_of([rounds] {
    std::uint32_t left = rounds;
    asm volatile(
        ".syntax unified \n"
        "0: subs %0, #1 \n"
        "bne 0b         \n"
        : "+l"(left)
        :
        : "cc");
  });
}

// SysTick has 24 bits; on every board it wraps several times within the longer count.
void counting_stays_exact_when_the_timer_wraps() {
  TEST_ASSERT_EQUAL_UINT32(2 * 3'000'000, instructions_of_rounds(3'000'001) - instructions_of_rounds(1));
}

void counts_repeat() {
  const auto nops = [] { asm volatile(".rept 37\n nop\n .endr"); };
  for (int i = 0; i < 20; ++i) TEST_ASSERT_EQUAL_UINT32(37, instructions_of(nops));
}

[[gnu::noinline]] void use_stack_of_200_bytes() {
  char bytes[200];
  for (char& byte : bytes) {
    volatile char& slot = byte;
    slot = 1;
  }
}

void an_untouched_stack_reads_as_unused() {
  penumbra::board::paint_stack();
  TEST_ASSERT_EQUAL_UINT32(0, penumbra::board::used_stack());
}

void the_deepest_use_of_the_stack_is_remembered() {
  penumbra::board::paint_stack();
  use_stack_of_200_bytes();
  const auto used = penumbra::board::used_stack();
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(200, used);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(232, used);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(nothing_takes_no_instructions);
  RUN_TEST(a_hundred_nops_take_a_hundred);
  RUN_TEST(a_thousand_nops_take_a_thousand);
  RUN_TEST(counting_stays_exact_when_the_timer_wraps);
  RUN_TEST(counts_repeat);
  RUN_TEST(an_untouched_stack_reads_as_unused);
  RUN_TEST(the_deepest_use_of_the_stack_is_remembered);
  return UNITY_END();
}

// Periods of the control timer that went by without a tick: the next tick is told of each, however it was lost, so that a firmware makes no
// pair across it (device_port.hpp). With reset=1 and flash=FILE on the command line: a reset from within a tick of the timer.
#include "device_port.hpp"

#include "instructions.hpp"
#include "standstill.hpp"

#include <unity.h>

#include <cstring>

#if !defined(__arm__)
#include <csignal>
#endif

namespace {

using namespace penumbra;

constexpr std::uint32_t period_us = 10'000;

volatile std::uint32_t wanted = 0;  // so many ticks are looked at: the timer goes on, and what they have told is left alone
volatile std::uint32_t ticks = 0;
volatile std::uint32_t lost = 0;  // as the ticks were told
volatile std::uint32_t overran = 0;
volatile std::uint32_t first_at = 0, last_at = 0;    // microseconds
volatile std::uint32_t before_us = 0, after_us = 0;  // how long a tick takes, before it asks whether it has overrun and after
volatile std::uint32_t long_ticks = 0;               // that take so long
volatile bool resets = false;

void wait_us(std::uint32_t us) {
  const std::uint32_t begin = board::microseconds();
  while (board::microseconds() - begin < us) {
  }
}

// Looks at so many ticks, of which the first `how_many` take long.
void begin(std::uint32_t of, std::uint32_t how_many, std::uint32_t before, std::uint32_t after) {
  wanted = 0;
  ticks = lost = overran = 0;
  before_us = before;
  after_us = after;
  long_ticks = how_many;
  board::start_control_timer(period_us);
  wanted = of;
}
void wait_for(std::uint32_t how_many) {
  while (ticks < how_many) board::idle();
}

// Ticks of the timer, those that were not asked for, and lost periods together are the periods that have passed.
void assert_all_told(std::uint32_t expected_lost, std::uint32_t asked = 0) {
  const std::uint32_t of_timer = ticks - 1 - asked;
  const std::uint32_t periods = (last_at - first_at + period_us / 2) / period_us;
  if (board::counts_instructions) {
    TEST_ASSERT_EQUAL_UINT32(expected_lost, lost);
    TEST_ASSERT_EQUAL_UINT32(periods, of_timer + lost);
  } else {  // a workstation may be late with any of them
    TEST_ASSERT_GREATER_OR_EQUAL_UINT32(expected_lost, lost);
    TEST_ASSERT_UINT32_WITHIN(1, periods, of_timer + lost);
  }
}

void ticks_in_time_have_lost_nothing() {
  begin(10, 0, 0, 0);
  wait_for(10);
  assert_all_told(0);
}

void a_tick_that_was_asked_for_has_lost_nothing() {
  begin(12, 0, 0, 0);
  wait_for(3);
  for (int i = 0; i < 5; ++i) board::request_control();
  wait_for(12);
  assert_all_told(0, 5);
}

void periods_that_a_tick_ran_over_are_told_to_the_next() {
  begin(8, 3, 25'000, 0);  // two periods each
  wait_for(8);
  assert_all_told(6);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(3, overran);
}

// The timer may fire between the question and the end of the tick: nobody has seen it, and it counts all the same.
void a_period_that_ends_after_the_tick_has_asked_is_told_too() {
  begin(8, 3, 0, 15'000);
  wait_for(8);
  assert_all_told(3);
  if (board::counts_instructions) TEST_ASSERT_EQUAL_UINT32(0, overran);
}

// As a flash does that stops the core while it erases.
#if defined(__ARM_ARCH_6M__) || !defined(__arm__)
void periods_in_which_the_core_stood_still_are_told_and_no_tick_has_overrun() {
  begin(8, 0, 0, 0);
  wait_for(3);
#if defined(__arm__)
  asm volatile("cpsid i" : : : "memory");
  wait_us(35'000);
  asm volatile("cpsie i" : : : "memory");
#else
  sigset_t timer;
  sigemptyset(&timer);
  sigaddset(&timer, SIGALRM);
  sigprocmask(SIG_BLOCK, &timer, nullptr);
  wait_us(35'000);
  sigprocmask(SIG_UNBLOCK, &timer, nullptr);
#endif
  wait_for(8);
  assert_all_told(2);
  if (board::counts_instructions) TEST_ASSERT_EQUAL_UINT32(0, overran);
}
#else
// SysTick cannot tell how often it came round meanwhile: whoever stops the core says so, and the next tick is told of one.
void stand_still(std::uint32_t us) {
  const board::Standstill standstill;
  asm volatile("cpsid i" : : : "memory");
  for (std::uint32_t i = us / 2; i != 0; --i) asm volatile("nop");  // at least two instructions, of about a microsecond each
  asm volatile("cpsie i" : : : "memory");
}
void periods_in_which_the_core_stood_still_are_told_and_no_tick_has_overrun() {
  for (const std::uint32_t control_period_us : {period_us, 3 * period_us}) {  // a period of SysTick's, or several
    begin(8, 0, 0, 0);
    board::start_control_timer(control_period_us);
    wait_for(3);
    stand_still(45'000);
    wait_for(8);
    TEST_ASSERT_EQUAL_UINT32(1, lost);
    TEST_ASSERT_EQUAL_UINT32(0, overran);
  }
}
void a_core_that_stood_still_for_a_moment_has_lost_nothing() {
  begin(8, 0, 0, 0);
  wait_for(3);
  for (int i = 0; i < 4; ++i) {
    wait_for(ticks + 1);
    stand_still(1'000);
  }
  wait_for(8);
  assert_all_told(0);
}
#endif

// The first time there is no mark: it is made, and the next tick resets. The second time the timer ticks as it did the first time.
void a_reset_from_a_tick_starts_a_program_that_ticks() {
  board::BoardFlash flash;
  TEST_ASSERT_TRUE(flash.start());
  const link::FlashGeometry geometry = flash.geometry();
  std::uint8_t mark[link::max_write_size];
  std::memset(mark, 0xA5, sizeof mark);
  const bool first = std::memcmp(flash.data(), mark, geometry.write_size) != 0;
  TEST_ASSERT_TRUE(flash.erase(0));
  if (first) TEST_ASSERT_TRUE(flash.program(0, {mark, geometry.write_size}));
  resets = first;
  begin(5, 0, 0, 0);
  wait_for(5);
  TEST_ASSERT_FALSE(first);
}

}  // namespace

extern "C" void control_interrupt() {
  const std::uint32_t now = board::microseconds();
  if (ticks >= wanted) return;
  if (resets) board::reset();
  last_at = now;
  if (ticks == 0) {
    first_at = last_at;
  } else {
    lost = lost + board::control_periods_lost();
  }
  const bool is_long = long_ticks != 0;
  if (is_long) {
    long_ticks = long_ticks - 1;
    wait_us(before_us);
  }
  if (board::control_overran()) overran = overran + 1;
  if (is_long) wait_us(after_us);
  ticks = ticks + 1;
}

int main() {
  board::start();
  UNITY_BEGIN();
  std::uint32_t with_reset = 0;
  if (board::argument("reset", with_reset) && with_reset != 0) {
    RUN_TEST(a_reset_from_a_tick_starts_a_program_that_ticks);
    return UNITY_END();
  }
  RUN_TEST(ticks_in_time_have_lost_nothing);
  RUN_TEST(a_tick_that_was_asked_for_has_lost_nothing);
  RUN_TEST(periods_that_a_tick_ran_over_are_told_to_the_next);
  RUN_TEST(a_period_that_ends_after_the_tick_has_asked_is_told_too);
  RUN_TEST(periods_in_which_the_core_stood_still_are_told_and_no_tick_has_overrun);
#if defined(__arm__) && !defined(__ARM_ARCH_6M__)
  RUN_TEST(a_core_that_stood_still_for_a_moment_has_lost_nothing);
#endif
  return UNITY_END();
}

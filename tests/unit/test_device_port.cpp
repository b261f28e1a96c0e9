// Clock, control interrupt, arguments and identity of every platform (device_port.hpp). The serial line is tested in tests/loop, the flash
// in test_flash.cpp. Arguments: id=0x1234abcd word=some-text.
#include "device_port.hpp"

#include "instructions.hpp"

#include <unity.h>

#include <cstring>

namespace {

using namespace penumbra;

// To a hundredth. A workstation has other things to do: there a moment may be as late as it likes.
void assert_took(std::uint32_t expected_us, std::uint32_t begin) {
  const std::uint32_t us = board::microseconds() - begin;
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(expected_us - expected_us / 100, us);
  if (board::counts_instructions) TEST_ASSERT_LESS_OR_EQUAL_UINT32(expected_us + expected_us / 100, us);
}

volatile std::uint32_t ticks = 0;
volatile std::uint32_t overruns = 0;
volatile std::uint32_t long_ticks = 0;  // that many of the next take 25 ms

// A workstation may stop a program in the middle of a tick.
void assert_overruns(std::uint32_t expected) {
  if (board::counts_instructions) TEST_ASSERT_EQUAL_UINT32(expected, overruns);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(expected, overruns);
}

void wait_us(std::uint32_t us) {
  const std::uint32_t begin = board::microseconds();
  while (board::microseconds() - begin < us) {
  }
}

void the_clock_goes_forward_through_many_of_its_periods() {
  std::uint32_t last = board::microseconds();
  const std::uint32_t begin = last;
  while (last - begin < 200'000) {
    const std::uint32_t now = board::microseconds();
    TEST_ASSERT_LESS_THAN_UINT32(0x8000'0000, now - last);
    last = now;
  }
}

// The milliseconds at some moment between two of the microseconds, however far these are apart.
struct Moment {
  std::uint32_t us_before, ms, us_after;
};
Moment moment() {
  const std::uint32_t before = board::microseconds(), ms = board::milliseconds();
  return {before, ms, board::microseconds()};
}

void milliseconds_are_thousands_of_microseconds() {
  constexpr std::uint32_t rounding_us = 1'001;  // both clocks cut what is over
  const Moment begin = moment();
  for (int i = 0; i < 70; ++i) {
    wait_us(1'500);
    static_cast<void>(board::milliseconds());
  }
  const Moment end = moment();
  const std::uint32_t us = (end.ms - begin.ms) * 1'000;
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(end.us_before - begin.us_after, us + rounding_us);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(end.us_after - begin.us_before + rounding_us, us);
}

void a_requested_control_interrupt_has_run_when_the_request_returns() {
  for (std::uint32_t i = 1; i <= 100; ++i) {
    const std::uint32_t before = ticks;
    board::request_control();
    TEST_ASSERT_EQUAL_UINT32(before + 1, ticks);
  }
  assert_overruns(0);
}

void the_control_timer_keeps_its_period() {
  const std::uint32_t begin = board::microseconds();
  board::start_control_timer(10'000);
  ticks = 0;
  while (ticks < 30) board::idle();
  assert_took(300'000, begin);
  assert_overruns(0);
}

void a_period_longer_than_the_timers_counter_is_kept() {
  const std::uint32_t begin = board::microseconds();
  board::start_control_timer(250'000);
  ticks = 0;
  while (ticks < 2) board::idle();
  assert_took(500'000, begin);
}

void a_tick_that_takes_longer_than_the_period_has_overrun_and_the_background_still_runs() {
  board::start_control_timer(10'000);
  overruns = 0;
  long_ticks = 3;
  while (long_ticks != 0) board::idle();
  assert_overruns(3);
  ticks = 0;
  while (ticks < 3) board::idle();
  assert_overruns(3);
}

void the_command_line_is_read() {
  char text[16];
  if (!board::argument("word", text)) TEST_IGNORE_MESSAGE("no command line");
  TEST_ASSERT_EQUAL_STRING("some-text", text);
  std::uint32_t number = 7;
  TEST_ASSERT_TRUE(board::argument("id", number));
  TEST_ASSERT_EQUAL_HEX32(0x1234'ABCD, number);
  TEST_ASSERT_EQUAL_HEX32(0x1234'ABCD, board::device_id());

  number = 7;
  TEST_ASSERT_FALSE(board::argument("word", number));
  TEST_ASSERT_FALSE(board::argument("wor", text));
  TEST_ASSERT_FALSE(board::argument("absent", text));
  TEST_ASSERT_FALSE(board::argument("word", etl::span<char>(text, 9)));  // one too few for the zero
  TEST_ASSERT_EQUAL_UINT32(7, number);
}

}  // namespace

extern "C" void control_interrupt() {
  if (long_ticks != 0) {
    long_ticks = long_ticks - 1;
    wait_us(25'000);
  }
  if (board::control_overran()) overruns = overruns + 1;
  ticks = ticks + 1;
}

int main() {
  board::start();
  UNITY_BEGIN();
  RUN_TEST(the_command_line_is_read);
  RUN_TEST(the_clock_goes_forward_through_many_of_its_periods);
  RUN_TEST(milliseconds_are_thousands_of_microseconds);
  RUN_TEST(a_requested_control_interrupt_has_run_when_the_request_returns);
  RUN_TEST(the_control_timer_keeps_its_period);
  RUN_TEST(a_period_longer_than_the_timers_counter_is_kept);
  RUN_TEST(a_tick_that_takes_longer_than_the_period_has_overrun_and_the_background_still_runs);
  return UNITY_END();
}

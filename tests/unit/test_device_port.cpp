// Clock, control interrupt, arguments and identity of every platform (device_port.hpp). The serial line is tested in tests/loop, the flash
// in test_flash.cpp. Arguments: id=0x1234abcd word=some-text.
#include "device_port.hpp"

#include "instructions.hpp"

#include <unity.h>

#include <cstring>

namespace {

using namespace penumbra;

// How late a moment may be, in parts of a thousand: a workstation has other things to do.
constexpr std::uint32_t slack = board::counts_instructions ? 10 : 1'000;

void assert_took(std::uint32_t expected_us, std::uint32_t begin) {
  const std::uint32_t us = board::microseconds() - begin;
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(expected_us - expected_us / 100, us);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(expected_us + expected_us / 1'000 * slack, us);
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

void milliseconds_are_thousands_of_microseconds() {
  const std::uint32_t begin_ms = board::milliseconds(), begin_us = board::microseconds();
  for (int i = 0; i < 70; ++i) {
    wait_us(1'500);
    static_cast<void>(board::milliseconds());
  }
  const std::uint32_t us = board::microseconds() - begin_us, ms = board::milliseconds() - begin_ms;
  TEST_ASSERT_UINT32_WITHIN(us / 200 + 2'000, us, ms * 1'000);
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
  board::start_control_timer(10'000);
  ticks = 0;
  const std::uint32_t begin = board::microseconds();
  while (ticks < 30) board::idle();
  assert_took(300'000, begin);
  assert_overruns(0);
}

void a_period_longer_than_the_timers_counter_is_kept() {
  board::start_control_timer(250'000);
  ticks = 0;
  const std::uint32_t begin = board::microseconds();
  while (ticks < 2) board::idle();
  assert_took(500'000, begin);
}

void a_tick_that_takes_longer_than_the_period_has_overrun_and_the_background_still_runs() {
  board::start_control_timer(10'000);
  overruns = 0;
  ticks = 0;
  long_ticks = 3;
  while (ticks < 3) board::idle();
  assert_overruns(3);
  while (ticks < 6) board::idle();
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

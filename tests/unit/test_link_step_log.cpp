#include "penumbra/link/step_log.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;

using Dims = StaticDims<2, 4, 4>;
using Log = StepLog<Dims, 8>;

// Step n of a log that nothing broke: told by its number, so that a wrong place shows.
Action action_of(uint32_t n) { return Action{static_cast<uint8_t>(n % 4U)}; }
Observation observation_of(uint32_t n) { return Observation{static_cast<uint8_t>(n / 4U % 4U)}; }

template <class TheLog>
void record(TheLog& log, uint32_t n) {
  static_cast<void>(log.record(action_of(n), observation_of(n)));
}

uint8_t room[steps_in_part * step_size];
bool wrapping;  // step 0 is one like others

// Reads from `from` on, and checks that what comes are the steps `first` … `first` + `steps` - 1.
template <class TheLog>
void reads(const TheLog& log, uint32_t from, uint32_t first, size_t steps) {
  const auto reading = log.read(from, room);
  TEST_ASSERT_EQUAL_UINT32(first, reading.first);
  TEST_ASSERT_EQUAL_UINT32(steps * step_size, reading.size);
  for (uint32_t i = 0; i < steps; ++i) {
    TEST_ASSERT_EQUAL(index(action_of(first + i)), room[i * step_size]);
    TEST_ASSERT_EQUAL(index(observation_of(first + i)), room[i * step_size + 1U]);
    TEST_ASSERT_EQUAL(first + i == 0U && !wrapping ? 1 : 0, room[i * step_size + 2U]);
  }
}

void steps_are_numbered_from_zero_and_come_back() {
  Log log;
  TEST_ASSERT_EQUAL_UINT32(0, log.next_step());
  reads(log, 0, 0, 0);
  for (uint32_t n = 0; n < 8U; ++n) record(log, n);
  TEST_ASSERT_EQUAL_UINT32(8, log.next_step());
  reads(log, 0, 0, 8);
  reads(log, 5, 5, 3);
  reads(log, 8, 8, 0);
}

void what_was_overwritten_is_a_gap_in_the_numbers() {
  Log log;
  for (uint32_t n = 0; n < 21U; ++n) record(log, n);
  reads(log, 0, 13, 8);
  reads(log, 12, 13, 8);
  reads(log, 13, 13, 8);
  reads(log, 14, 14, 7);
}

void a_step_that_has_not_happened_is_answered_with_nothing() {
  Log log;
  for (uint32_t n = 0; n < 3U; ++n) record(log, n);
  reads(log, 4, 3, 0);
  reads(log, 3 + 8, 3, 0);
  reads(log, 1000, 3, 0);
  reads(log, 0x7FFFFFFF, 3, 0);
  reads(log, 0x80000003, 3, 0);
  reads(log, UINT32_MAX, 3, 0);
  for (uint32_t n = 3; n < 30U; ++n) record(log, n);
  reads(log, 30 + 8, 30, 0);
  reads(log, 1000, 22, 8);  // nobody who reads along asks that: as for a step long gone
  reads(log, 0x7FFFFFFF, 22, 8);
}

// A log is put to a number by its last word, which is the number of the next step.
void count_from(Log& log, uint32_t number) {
  void* last_word = reinterpret_cast<uint8_t*>(&log) + sizeof log - sizeof number;
  memcpy(last_word, &number, sizeof number);
  TEST_ASSERT_EQUAL_UINT32(number, log.next_step());
}

void a_host_that_begins_late_is_answered_from_the_oldest_step() {
  for (const uint32_t start : {0x7FFFFFF0U, 0x80000000U, 0xC0000000U, ~30U}) {
    Log log;
    count_from(log, start);
    for (uint32_t n = start; n < start + 20U; ++n) record(log, n);
    reads(log, 0, start + 12U, 8);
  }
}

void a_part_takes_what_fits() {
  static StepLog<Dims, 64> log;
  for (uint32_t n = 0; n < 64U; ++n) record(log, n);
  reads(log, 0, 0, steps_in_part);
  reads(log, steps_in_part, steps_in_part, 64U - steps_in_part);
  const auto reading = log.read(0, {room, 2U * step_size + 1U});  // no half steps
  TEST_ASSERT_EQUAL_UINT32(2U * step_size, reading.size);
}

void a_break_shows_in_the_step_behind_it() {
  Log log;
  record(log, 0);
  record(log, 1);
  log.break_pair();
  record(log, 2);
  record(log, 3);
  TEST_ASSERT_EQUAL_UINT32(4U * step_size, log.read(0, room).size);
  const uint8_t broken[] = {room[2], room[5], room[8], room[11]};
  const uint8_t expected[] = {1, 0, 1, 0};
  TEST_ASSERT_EQUAL_UINT8_ARRAY(expected, broken, 4);
}

void counts_may_be_kept_beside_it() {
  StepLog<Dims, 8, PairCounts> both;
  for (uint32_t n = 0; n < 21U; ++n) record(both, n);
  reads(both, 0, 13, 8);
  uint32_t sum = 0;
  for (size_t cell = 0; cell < both.cell_count(); ++cell) sum += both.count(cell);
  TEST_ASSERT_EQUAL_UINT32(20, sum);
}

// Numbers wrap after 2^32 steps, and places do not.
void numbers_wrap_and_nothing_else_does() {
  static Log log;
  wrapping = true;
  const uint32_t start = UINT32_MAX - 20U;
  count_from(log, start);
  static_cast<void>(log.record(Action{0}, Observation{0}));  // it has no step before, unlike those that follow
  for (uint32_t n = start + 1U; n != 30U; ++n) {
    record(log, n);
    const uint32_t kept = n - start < 8U ? n - start : 8U;
    reads(log, n + 1U - kept, n + 1U - kept, kept);
    if (kept == 8U) reads(log, n - 15U, n - 7U, 8);  // a gap, across the wrap too
    reads(log, n + 5U, n + 1U, 0);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(steps_are_numbered_from_zero_and_come_back);
  RUN_TEST(what_was_overwritten_is_a_gap_in_the_numbers);
  RUN_TEST(a_step_that_has_not_happened_is_answered_with_nothing);
  RUN_TEST(a_host_that_begins_late_is_answered_from_the_oldest_step);
  RUN_TEST(a_part_takes_what_fits);
  RUN_TEST(a_break_shows_in_the_step_behind_it);
  RUN_TEST(counts_may_be_kept_beside_it);
  RUN_TEST(numbers_wrap_and_nothing_else_does);
  return UNITY_END();
}

#include "penumbra/link/tally.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using Dims = StaticDims<2, 2, 2>;

void it_counts_what_the_recorder_counts() {
  link::Tally<PairCounts<Dims>> tally;
  TEST_ASSERT_FALSE(tally.record(Action{0}, Observation{0}).counted);
  TEST_ASSERT_EQUAL_UINT32(0, tally.pairs());
  TEST_ASSERT_TRUE(tally.record(Action{1}, Observation{1}).counted);
  TEST_ASSERT_TRUE(tally.record(Action{0}, Observation{1}).counted);
  tally.break_pair();
  TEST_ASSERT_FALSE(tally.record(Action{0}, Observation{1}).counted);
  TEST_ASSERT_EQUAL_UINT32(2, tally.pairs());
  TEST_ASSERT_EQUAL_UINT32(0, tally.saturations());
  uint32_t sum = 0;
  for (size_t cell = 0; cell < tally.cell_count(); ++cell) sum += tally.count(cell);
  TEST_ASSERT_EQUAL_UINT32(sum, tally.pairs());
}

// The pair that a full cell cannot take is told, and in neither sum: the host compares the two.
void a_full_cell_is_a_saturation_and_no_pair() {
  uint32_t cells[4] = {UINT32_MAX - 1U, 0, 0, 0};
  uint32_t changed[1]{};
  uint32_t taken[1]{};
  const RuntimeDims dims(1, 1, 2);
  CountStorage<RuntimeDims> storage;
  storage.cells = cells;
  storage.changed = changed;
  storage.taken = taken;
  link::Tally<PairCounts<RuntimeDims>> tally(dims, storage);
  static_cast<void>(tally.record(Action{0}, Observation{0}));
  for (uint32_t again = 0; again < 3U; ++again) {
    const Recorded recorded = tally.record(Action{0}, Observation{0});
    TEST_ASSERT_EQUAL(again == 0U ? Status::ok : Status::count_saturated, recorded.status);
    TEST_ASSERT_EQUAL_UINT32(1, tally.pairs());
    TEST_ASSERT_EQUAL_UINT32(again, tally.saturations());
  }
  TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, cells[0]);
}

void a_recorder_that_keeps_nothing_is_counted_too() {
  link::Tally<UncountedPairs<Dims>> tally{UncountedPairs<Dims>()};
  for (int i = 0; i < 5; ++i) static_cast<void>(tally.record(Action{0}, Observation{0}));
  TEST_ASSERT_EQUAL_UINT32(4, tally.pairs());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(it_counts_what_the_recorder_counts);
  RUN_TEST(a_full_cell_is_a_saturation_and_no_pair);
  RUN_TEST(a_recorder_that_keeps_nothing_is_counted_too);
  return UNITY_END();
}

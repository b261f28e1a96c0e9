// Pair counts: what is a pair and what is not, saturation, and the hand-over to the upload while the tick goes on.
#include "penumbra/pair_counts.hpp"

#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

using Dims = StaticDims<3, 3, 4>;
using Counts = PairCounts<Dims>;

constexpr Action action(unsigned a) { return Action{static_cast<uint8_t>(a)}; }
constexpr Observation seen(unsigned o) { return Observation{static_cast<uint8_t>(o)}; }

uint32_t total(const Counts& counts) {
  uint32_t sum = 0;
  for (size_t cell = 0; cell < counts.cell_count(); ++cell) sum += counts.count(cell);
  return sum;
}

void two_steps_make_a_pair_and_one_does_not() {
  Counts counts;
  TEST_ASSERT_FALSE(counts.record(action(2), seen(3)).counted);
  TEST_ASSERT_EQUAL_UINT32(0, total(counts));
  const Recorded recorded = counts.record(action(1), seen(0));
  TEST_ASSERT_TRUE(recorded.counted);
  TEST_ASSERT_EQUAL(action(2), recorded.first);
  TEST_ASSERT_EQUAL_UINT32(1, total(counts));
  TEST_ASSERT_EQUAL_UINT32(1, counts.count(counts.cell_of(action(2), action(1), seen(3), seen(0))));
}

void no_pair_spans_a_break() {
  Counts counts;
  static_cast<void>(counts.record(action(0), seen(0)));
  counts.break_pair();
  TEST_ASSERT_FALSE(counts.record(action(1), seen(1)).counted);
  TEST_ASSERT_TRUE(counts.record(action(2), seen(2)).counted);
  TEST_ASSERT_EQUAL_UINT32(1, total(counts));
}

void cells_are_in_the_order_of_the_counts_file() {
  const Counts counts;
  size_t expected = 0;
  for (unsigned a = 0; a < 3; ++a) {
    for (unsigned next = 0; next < 3; ++next) {
      for (unsigned o = 0; o < 4; ++o) {
        for (unsigned o_next = 0; o_next < 4; ++o_next) {
          TEST_ASSERT_EQUAL_UINT32(expected++, counts.cell_of(action(a), action(next), seen(o), seen(o_next)));
        }
      }
    }
  }
  TEST_ASSERT_EQUAL_UINT32(expected, counts.cell_count());
}

void a_long_run_is_counted_pair_by_pair() {
  static Counts counts;
  static uint32_t expected[9 * 16] = {};
  Random random(1);
  unsigned a_before = 0;
  unsigned o_before = 0;
  for (unsigned t = 0; t < 20000; ++t) {
    const unsigned a = random.below(3);
    const unsigned o = random.below(4);
    if (t > 0) ++expected[((a_before * 3 + a) * 4 + o_before) * 4 + o];
    TEST_ASSERT_EQUAL(Status::ok, counts.record(action(a), seen(o)).status);
    a_before = a;
    o_before = o;
  }
  for (size_t cell = 0; cell < counts.cell_count(); ++cell) TEST_ASSERT_EQUAL_UINT32(expected[cell], counts.count(cell));
}

void a_full_cell_stays_full_and_says_so() {
  uint32_t cells[1] = {UINT32_MAX - 1};
  uint32_t changed[1] = {};
  uint32_t taken[1] = {};
  const RuntimeDims one{1, 1, 1};
  PairCounts<RuntimeDims> counts(one, {cells, changed, taken});
  TEST_ASSERT_EQUAL(Status::ok, counts.record(action(0), seen(0)).status);
  TEST_ASSERT_EQUAL(Status::ok, counts.record(action(0), seen(0)).status);
  TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, counts.count(0));
  const Recorded recorded = counts.record(action(0), seen(0));
  TEST_ASSERT_EQUAL(Status::count_saturated, recorded.status);
  TEST_ASSERT_TRUE(recorded.counted);
  TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, counts.count(0));
  counts.break_pair();
  TEST_ASSERT_EQUAL_MESSAGE(Status::ok, counts.record(action(0), seen(0)).status, "no pair, nothing to saturate");
}

void changed_cells_are_handed_out_once() {
  Counts counts;
  TEST_ASSERT_EQUAL_UINT32(counts.cell_count(), counts.take_changed(0));
  static_cast<void>(counts.record(action(2), seen(3)));
  static_cast<void>(counts.record(action(2), seen(3)));
  static_cast<void>(counts.record(action(2), seen(3)));
  static_cast<void>(counts.record(action(0), seen(1)));
  const size_t twice = counts.cell_of(action(2), action(2), seen(3), seen(3));
  const size_t once = counts.cell_of(action(2), action(0), seen(3), seen(1));
  TEST_ASSERT_EQUAL_UINT32(once, counts.take_changed(0));
  TEST_ASSERT_EQUAL_UINT32(twice, counts.take_changed(once + 1));
  TEST_ASSERT_EQUAL_UINT32(counts.cell_count(), counts.take_changed(twice + 1));
  TEST_ASSERT_EQUAL_UINT32(counts.cell_count(), counts.take_changed(0));
  TEST_ASSERT_EQUAL_UINT32(2, counts.count(twice));
  counts.touch(twice);
  counts.touch(twice);
  TEST_ASSERT_EQUAL_UINT32(twice, counts.take_changed(0));
  TEST_ASSERT_EQUAL_UINT32(counts.cell_count(), counts.take_changed(0));
}

// A copy kept by absolute values, in random order of ticks and uploads, ends up equal: nothing is lost, nothing is doubled.
void a_copy_kept_by_changes_equals_the_counts() {
  static Counts counts;
  static uint32_t copy[9 * 16] = {};
  Random random(2);
  size_t cursor = 0;
  for (int t = 0; t < 20000; ++t) {
    if (random.below(3) != 0) {
      static_cast<void>(counts.record(action(random.below(3)), seen(random.below(4))));
      if (random.below(50) == 0) counts.break_pair();
    } else {
      const size_t cell = counts.take_changed(cursor);
      if (cell < counts.cell_count()) {
        copy[cell] = counts.count(cell);
        if (random.below(10) == 0) counts.touch(cell);
      }
      cursor = cell < counts.cell_count() ? cell + 1 : 0;
    }
  }
  for (size_t cell = counts.take_changed(0); cell < counts.cell_count(); cell = counts.take_changed(cell + 1)) {
    copy[cell] = counts.count(cell);
  }
  for (size_t cell = 0; cell < counts.cell_count(); ++cell) TEST_ASSERT_EQUAL_UINT32(counts.count(cell), copy[cell]);
}

void uncounted_pairs_know_a_pair_all_the_same() {
  UncountedPairs<Dims> pairs;
  TEST_ASSERT_FALSE(pairs.record(action(1), seen(0)).counted);
  const Recorded recorded = pairs.record(action(2), seen(1));
  TEST_ASSERT_TRUE(recorded.counted);
  TEST_ASSERT_EQUAL(action(1), recorded.first);
  pairs.break_pair();
  TEST_ASSERT_FALSE(pairs.record(action(0), seen(2)).counted);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(two_steps_make_a_pair_and_one_does_not);
  RUN_TEST(no_pair_spans_a_break);
  RUN_TEST(cells_are_in_the_order_of_the_counts_file);
  RUN_TEST(a_long_run_is_counted_pair_by_pair);
  RUN_TEST(a_full_cell_stays_full_and_says_so);
  RUN_TEST(changed_cells_are_handed_out_once);
  RUN_TEST(a_copy_kept_by_changes_equals_the_counts);
  RUN_TEST(uncounted_pairs_know_a_pair_all_the_same);
  return UNITY_END();
}

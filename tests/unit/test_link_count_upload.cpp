#include "penumbra/link/count_upload.hpp"

#include "penumbra/pair_counts.hpp"
#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;

using Dims = StaticDims<2, 2, 4>;  // 64 cells
constexpr uint32_t cell_count = 64;

PairCounts<Dims> counts;
CountUpload upload;
uint32_t seen[cell_count];  // what the host has: the largest of each cell
uint8_t room[cells_in_part * cell_size];

void start_over() {
  counts = PairCounts<Dims>();
  upload = CountUpload();
  memset(seen, 0, sizeof seen);
}

// Counts cell number `cell` once more.
void count(uint32_t cell) {
  counts.break_pair();
  static_cast<void>(counts.record(Action{static_cast<uint8_t>(cell / 32U)}, Observation{static_cast<uint8_t>(cell / 4U % 4U)}));
  static_cast<void>(counts.record(Action{static_cast<uint8_t>(cell / 16U % 2U)}, Observation{static_cast<uint8_t>(cell % 4U)}));
}

CountsPart part(uint32_t from, bool all = false) { return upload.part(counts, from, all, room); }

// The host takes a part in, and returns how many cells it had.
size_t take(const CountsPart& part) {
  TEST_ASSERT_EQUAL_UINT32(0, part.cells.size() % cell_size);
  for (size_t at = 0; at < part.cells.size(); at += cell_size) {
    uint32_t cell;
    uint32_t value;
    memcpy(&cell, part.cells.data() + at, 4);
    memcpy(&value, part.cells.data() + at + 4, 4);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT32(part.from, cell);
    TEST_ASSERT_LESS_THAN_UINT32(part.next, cell);
    if (value > seen[cell]) seen[cell] = value;
  }
  return part.cells.size() / cell_size;
}

// All parts, and the question behind the last one, which says that it arrived.
size_t sweep(bool all = false) {
  size_t cells = 0;
  for (uint32_t from = 0; from < cell_count;) {
    const CountsPart p = part(from, all);
    TEST_ASSERT_EQUAL_UINT32(from, p.from);
    TEST_ASSERT_GREATER_THAN_UINT32(from, p.next);
    cells += take(p);
    from = p.next;
  }
  TEST_ASSERT_EQUAL_UINT32(0, take(part(cell_count, all)));
  return cells;
}

void host_has_all() {
  for (uint32_t cell = 0; cell < cell_count; ++cell) TEST_ASSERT_EQUAL_UINT32(counts.count(cell), seen[cell]);
}

void a_sweep_hands_out_what_changed_and_nothing_else() {
  start_over();
  TEST_ASSERT_EQUAL_UINT32(0, sweep());
  for (uint32_t cell = 0; cell < cell_count; cell += 3) count(cell);
  TEST_ASSERT_EQUAL_UINT32(22, sweep());
  host_has_all();
  TEST_ASSERT_EQUAL_UINT32(0, sweep());
  count(7);
  count(7);
  count(63);
  TEST_ASSERT_EQUAL_UINT32(2, sweep());
  TEST_ASSERT_EQUAL_UINT32(2, seen[7]);
  host_has_all();
}

void a_part_ends_where_its_room_does() {
  start_over();
  for (uint32_t cell = 0; cell < cell_count; ++cell) count(cell);
  const CountsPart first = part(0);
  TEST_ASSERT_EQUAL_UINT32(cells_in_part * cell_size, first.cells.size());
  TEST_ASSERT_EQUAL_UINT32(cells_in_part, first.next);
  const CountsPart second = part(first.next);
  TEST_ASSERT_EQUAL_UINT32(2U * cells_in_part, second.next);
}

void cells_and_values_are_little_endian_words() {
  start_over();
  for (int i = 0; i < 0x0102; ++i) count(5);
  const CountsPart p = part(0);
  const uint8_t expected[] = {5, 0, 0, 0, 0x02, 0x01, 0, 0};
  TEST_ASSERT_EQUAL_UINT32(sizeof expected, p.cells.size());
  TEST_ASSERT_EQUAL_HEX8_ARRAY(expected, p.cells.data(), sizeof expected);
  TEST_ASSERT_EQUAL_UINT32(cell_count, p.next);
}

void what_was_not_acknowledged_is_handed_out_again() {
  start_over();
  for (uint32_t cell = 0; cell < 30U; ++cell) count(cell);
  const uint32_t next = part(0).next;                      // lost on the line
  TEST_ASSERT_EQUAL_UINT32(cells_in_part, take(part(0)));  // asked again: the same cells
  static_cast<void>(part(next));                           // the first is acknowledged, this one is lost
  TEST_ASSERT_EQUAL_UINT32(30U - cells_in_part, sweep());  // a host that begins again gets the rest
  host_has_all();
  TEST_ASSERT_EQUAL_UINT32(0, sweep());
}

void all_hands_out_every_count_above_zero_whatever_changed() {
  start_over();
  for (uint32_t cell = 0; cell < 20U; ++cell) count(2U * cell);
  static_cast<void>(sweep());
  memset(seen, 0, sizeof seen);  // the host died, and its store with it
  TEST_ASSERT_EQUAL_UINT32(20, sweep(true));
  host_has_all();
}

void asking_behind_the_last_cell_is_answered_with_nothing() {
  start_over();
  count(1);
  for (const uint32_t from : {cell_count, cell_count + uint32_t{1}, uint32_t{1} << 31U, uint32_t{UINT32_MAX}}) {
    for (const bool all : {false, true}) {
      const CountsPart p = part(from, all);
      TEST_ASSERT_EQUAL_UINT32(0, p.cells.size());
      TEST_ASSERT_EQUAL_UINT32(cell_count, p.next);
    }
  }
  TEST_ASSERT_EQUAL_UINT32(1, sweep());
}

// Questions and answers get lost, repeated and late while counting goes on: the host is behind, never wrong, and has all at the end.
void under_loss_nothing_is_lost_or_made_up() {
  start_over();
  test::Random random(6);
  uint32_t from = 0;
  uint32_t late = 0;
  for (uint32_t round = 0; round < 3000U; ++round) {
    count(random.below(cell_count));
    const bool old_question = random.below(10) == 0U;
    const CountsPart p = part(old_question ? late : from, random.below(50) == 0U);
    if (random.below(3) == 0U) continue;  // the answer is lost
    take(p);
    for (uint32_t cell = 0; cell < cell_count; ++cell) TEST_ASSERT_LESS_OR_EQUAL_UINT32(counts.count(cell), seen[cell]);
    if (old_question) continue;
    late = from;
    from = p.next >= cell_count ? 0U : p.next;
  }
  for (int i = 0; i < 2; ++i) static_cast<void>(sweep());
  host_has_all();
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_sweep_hands_out_what_changed_and_nothing_else);
  RUN_TEST(a_part_ends_where_its_room_does);
  RUN_TEST(cells_and_values_are_little_endian_words);
  RUN_TEST(what_was_not_acknowledged_is_handed_out_again);
  RUN_TEST(all_hands_out_every_count_above_zero_whatever_changed);
  RUN_TEST(asking_behind_the_last_cell_is_answered_with_nothing);
  RUN_TEST(under_loss_nothing_is_lost_or_made_up);
  return UNITY_END();
}

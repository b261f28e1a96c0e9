// What a session tells, in the store.
#include "penumbra/host/device_record.hpp"

#include "simulated_board.hpp"

#include <unity.h>

#include <filesystem>

namespace {

using namespace penumbra::host;
namespace link = penumbra::link;
using penumbra::test::SimulatedBoard;

Model rover() { return penumbra::test::random_model(3, 4, 4, 1); }

Store fresh_store() {
  const std::string path = PENUMBRA_SCRATCH "/record.db";
  std::filesystem::remove(path);
  return std::move(Store::open(path).value());
}

// How far the store thinks that the device has come.
std::uint64_t ticks_in(Store& store, std::uint32_t incarnation) {
  return store.begin_life(7, incarnation, CountedBy::device, false).value().ticks;
}

// Gives the events to the record, but for those that are to be lost.
template <class Board, class Lost>
void keep(Board& board, DeviceRecord& record, const Lost& lost) {
  for (const SessionEvent& event : std::exchange(board.events, {})) {
    if (!lost(event)) TEST_ASSERT_TRUE(record.take(event, *board.session).has_value());
  }
}
bool is_status(const SessionEvent& event) { return std::holds_alternative<StatusCame>(event); }

void a_new_boot_has_the_ticks_of_its_own() {
  const Model model = rover();
  Store store = fresh_store();
  DeviceRecord record(store);
  SimulatedBoard<> board(model);
  board.connect();
  const auto run = [&](std::uint64_t steps, auto lost) {
    const std::uint64_t end = board.world.steps() + steps;
    TEST_ASSERT_TRUE(board.run([&] {
      keep(board, record, lost);
      return board.world.steps() >= end;
    }));
  };
  run(5000, [](const SessionEvent&) { return false; });
  board.session->ask_status();
  run(5000, [](const SessionEvent&) { return false; });
  board.reset();
  // A sweep is over before the status of this boot has come.
  run(100, is_status);
  board.session->start_counts();
  run(100, is_status);
  TEST_ASSERT_TRUE(store.pairs(7, 2).value() > 0);
  TEST_ASSERT_TRUE(ticks_in(store, 2) < 1000);
}

// The host was busy: when the record is told of the last status of a boot, the session is in the next one.
void a_status_that_comes_with_the_news_of_a_reset_is_of_the_boot_before() {
  const Model model = rover();
  Store store = fresh_store();
  DeviceRecord record(store);
  SimulatedBoard<> board(model);
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(5000));
  keep(board, record, [](const SessionEvent&) { return false; });
  TEST_ASSERT_TRUE(board.run_until<StatusCame>());  // of tick 5000 or so, as the record asks
  board.reset();
  TEST_ASSERT_TRUE(board.run_until<Reset>());
  keep(board, record, [](const SessionEvent&) { return false; });
  TEST_ASSERT_TRUE(board.run_steps(10));
  TEST_ASSERT_TRUE(board.run_until<StatusCame>());
  keep(board, record, [](const SessionEvent&) { return false; });
  TEST_ASSERT_TRUE(ticks_in(store, 2) < 1000);
}

void a_status_tells_the_store_how_far_the_device_has_come() {
  const Model model = rover();
  Store store = fresh_store();
  DeviceRecord record(store);
  SimulatedBoard<> board(model);
  board.connect();
  for (std::uint64_t steps = 1000; steps <= 3000; steps += 1000) {
    TEST_ASSERT_TRUE(board.run_steps(1000));
    keep(board, record, [](const SessionEvent&) { return false; });
    board.session->ask_status();
    TEST_ASSERT_TRUE(board.run_until<StatusCame>());
    keep(board, record, [](const SessionEvent&) { return false; });
    TEST_ASSERT_TRUE(ticks_in(store, 1) + 1 >= steps);
  }
}

void ticks_are_more_than_32_bits() {
  const Model model = rover();
  Store store = fresh_store();
  SimulatedBoard<> board(model);
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  TEST_ASSERT_TRUE(board.run_steps(100));
  std::uint32_t pairs = 0;
  const auto at_tick = [&](DeviceRecord& record, std::uint32_t tick) {
    link::DeviceStatus status;
    status.incarnation = 1;
    status.ticks = tick;
    TEST_ASSERT_TRUE(record.take(StatusCame{status}, *board.session).has_value());
    board.session->start_counts();
    TEST_ASSERT_TRUE(board.run([&] { return !board.session->is_sweeping(); }));
    TEST_ASSERT_TRUE(board.run_steps(10));
    TEST_ASSERT_TRUE(record.take(CountsSwept{true, false, ++pairs}, *board.session).has_value());
  };
  // Hosts come and go, a thousand million ticks each.
  for (std::uint64_t tick = 1000; tick < 20'000'000'000; tick += 1'000'000'000) {
    DeviceRecord record(store);
    TEST_ASSERT_TRUE(record.take(Ready{}, *board.session).has_value());
    at_tick(record, static_cast<std::uint32_t>(tick));
    TEST_ASSERT_EQUAL_UINT64(tick, ticks_in(store, 1));
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_new_boot_has_the_ticks_of_its_own);
  RUN_TEST(a_status_that_comes_with_the_news_of_a_reset_is_of_the_boot_before);
  RUN_TEST(a_status_tells_the_store_how_far_the_device_has_come);
  RUN_TEST(ticks_are_more_than_32_bits);
  return UNITY_END();
}

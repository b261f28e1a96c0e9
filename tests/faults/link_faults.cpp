// The link under faults, for long: the firmware's own code at one end, a session at the other, and between them a line that loses, doubles, reorders,
// changes, cuts or delays frames. While the device acts, its counts are uploaded and images follow one another. At the end the
// host's counts are the device's and the world's own log, cell by cell; every step was executed once; every image arrived.
//
// The soak has all faults at once, for two million ticks, or as many as PENUMBRA_SOAK says.
#include "penumbra/host/device_record.hpp"
#include "penumbra/host/store.hpp"
#include "sanitized.hpp"
#include "simulated_board.hpp"

#include <unity.h>

#include <malloc.h>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::image_bytes;
using penumbra::test::sanitized;
using Board = penumbra::test::SimulatedBoard<>;

const Model& rover() {
  static const Model model = penumbra::test::random_model(3, 4, 4, 1);
  return model;
}

// The device stands still, and the host has every cell of it.
void assert_device_is_swept(Board& board) {
  board.session->hold();
  board.events.clear();
  board.session->start_counts();
  TEST_ASSERT_TRUE(board.run_until<CountsSwept>(600000));
  TEST_ASSERT_TRUE(board.last<CountsSwept>()->agree && board.last<CountsSwept>()->exact);
  const LifeCounts& life = board.session->counts().at(board.device->incarnation());
  for (std::uint32_t cell = 0; cell < board.device->agent().recorder().cell_count(); ++cell) {
    const auto found = life.cells.find(cell);
    TEST_ASSERT_EQUAL_UINT32(board.device->agent().recorder().count(cell), found == life.cells.end() ? 0 : found->second);
  }
}

// And the world's own log says the same.
void assert_counts_are_exact(Board& board) {
  assert_device_is_swept(board);
  const std::vector<std::uint64_t>& log = board.world.lives().back().counts().pairs;
  for (std::uint32_t cell = 0; cell < log.size(); ++cell) {
    TEST_ASSERT_EQUAL_UINT64(log[cell], board.device->agent().recorder().count(cell));
  }
}

void assert_no_step_was_missed(Board& board) {
  board.session->ask_status();
  TEST_ASSERT_TRUE(board.run_until<StatusCame>(600000));
  const penumbra::link::DeviceStatus& status = board.last<StatusCame>()->status;
  TEST_ASSERT_EQUAL_UINT32(board.world.steps() + board.session->moved() + 1, status.ticks);  // the first one has no observation
  TEST_ASSERT_EQUAL_UINT32(0, status.missed_observations + status.missed_deadlines + status.observations_out_of_range + status.safe);
  TEST_ASSERT_EQUAL_UINT64(1, board.session->moved());
  TEST_ASSERT_EQUAL_UINT32(0, board.flash.rules_broken());
}

struct Done {
  std::uint64_t ticks = 0;
  std::uint64_t sweeps = 0;
  std::uint32_t images = 0;
  double seconds = 0;
};

// `ticks` steps; whenever a sweep or an image is through, the next one begins after some steps.
Done run(
    Board& board, std::uint64_t ticks, std::uint64_t pause, const std::function<void()>& watch = [] {}) {
  const auto start = std::chrono::steady_clock::now();
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  Done done;
  std::uint64_t next_image = 0;
  std::uint64_t next_sweep = 0;
  while (board.world.steps() < ticks) {
    if (board.world.steps() >= next_image && !board.session->is_sending()) {
      TEST_ASSERT_TRUE(board.session->send_image(image_bytes(rover(), ++done.images, 200), "image").has_value());
      next_image = board.world.steps() + pause;
    }
    if (board.world.steps() >= next_sweep && !board.session->is_sweeping()) {
      board.session->start_counts();
      ++done.sweeps;
      next_sweep = board.world.steps() + pause / 4;
    }
    board.turn();
    watch();
    for (const SessionEvent& event : board.events) {
      const CountsSwept* swept = std::get_if<CountsSwept>(&event);
      TEST_ASSERT_TRUE(swept == nullptr || swept->agree);
      TEST_ASSERT_FALSE(std::holds_alternative<ImageRefused>(event) || std::holds_alternative<ImageFellBack>(event));
    }
    board.events.clear();
  }
  TEST_ASSERT_TRUE(board.run([&] { return !board.session->is_sending(); }, 600000));
  TEST_ASSERT_EQUAL_UINT32(done.images, board.device->images().image().header().sequence);
  assert_counts_are_exact(board);
  assert_no_step_was_missed(board);
  done.ticks = board.world.steps();
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return done;
}

void print_heading() {
  std::printf("%-10s %6s %9s %10s %9s %9s %9s %7s %7s %9s %7s\n", "fault", "rate", "ticks", "frames", "faults", "asked", "answered",
              "sweeps", "images", "line s", "wall s");
  std::printf("%-10s %6s %9s %10s %9s %9s %9s\n", "", "", "", "", "", "again", "again");
}

void print_row(const char* name, double rate, const Board& board, const Done& done) {
  const std::uint64_t faults = board.to_device.count().faults() + board.to_host.count().faults();
  const SessionStatistics& statistics = board.session->statistics();
  std::printf("%-10s %5.1f%% %9" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %7u %9.1f %7.2f\n", name,
              100 * rate, done.ticks, board.to_device.count().frames + board.to_host.count().frames, faults, statistics.asked_again,
              statistics.answered_again, done.sweeps, done.images, static_cast<double>(board.now) / 1000, done.seconds);
  std::fflush(stdout);
}

struct Kind {
  const char* name;
  double LineFaults::*rate;
};

void each_fault_alone_loses_and_doubles_nothing() {
  const std::uint64_t ticks = sanitized ? 50000 : 100000;
  print_heading();
  std::uint64_t seed = 0;
  for (const Kind& kind :
       {Kind{"drop", &LineFaults::drop}, Kind{"duplicate", &LineFaults::duplicate}, Kind{"reorder", &LineFaults::reorder},
        Kind{"corrupt", &LineFaults::corrupt}, Kind{"truncate", &LineFaults::truncate}, Kind{"delay", &LineFaults::delay}}) {
    for (const double rate : {0.001, 0.01, 0.1}) {
      LineFaults faults;
      faults.*kind.rate = rate;
      Board board(rover(), faults, ++seed);
      const Done done = run(board, ticks, ticks / 10);
      TEST_ASSERT_TRUE(board.to_device.count().faults() > 0 && board.to_host.count().faults() > 0);
      TEST_ASSERT_TRUE(done.images >= (sanitized ? 2 : 5));
      print_row(kind.name, rate, board, done);
    }
  }
}

// What is in use after a tenth of the run and at its end differ by what is on the line at that moment, and not by what has passed.
void all_faults_at_once_lose_and_double_nothing_and_memory_stays_flat() {
  const char* asked = std::getenv("PENUMBRA_SOAK");
  const std::uint64_t ticks = asked != nullptr ? std::strtoull(asked, nullptr, 10) : sanitized ? 200000 : 2000000;
  print_heading();
  Board board(rover(), LineFaults::all_at(0.01), 100);
  std::size_t early = 0;
  const Done done = run(board, ticks, 10000, [&] {
    if (early == 0 && board.world.steps() > ticks / 10) early = mallinfo2().uordblks;
  });
  print_row("all", 0.01, board, done);
  const std::size_t late = mallinfo2().uordblks;
  std::printf("memory in use after a tenth and at the end: %zu and %zu bytes\n", early, late);
  TEST_ASSERT_TRUE(sanitized || late < early + 20000);
  Board worse(rover(), LineFaults::all_at(0.1), 101);
  print_row("all", 0.1, worse, run(worse, ticks / 10, 5000));
}

// --- Resets of the board and deaths of the host

std::string store_path() { return std::string(PENUMBRA_SCRATCH) + "/link_faults.db"; }

void keep(Board& board, DeviceRecord& record) {
  for (const SessionEvent& event : board.events) TEST_ASSERT_TRUE(record.take(event, *board.session).has_value());
  board.events.clear();
}

// What the store has of each life is within the world's log of it, and nothing is gone that was there before.
std::uint64_t check_store(const Board& board, const Store& store, std::vector<std::map<std::uint32_t, std::uint32_t>>& before) {
  const std::vector<PairCounter>& lives = board.world.lives();
  std::uint64_t sum = 0;
  before.resize(lives.size());
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    const std::vector<CountCell> cells = store.cells(7, life + 1).value();
    std::map<std::uint32_t, std::uint32_t> now;
    for (const CountCell& cell : cells) {
      TEST_ASSERT_TRUE(cell.value <= lives[life].counts().pairs.at(cell.cell));
      now[cell.cell] = cell.value;
      sum += cell.value;
    }
    for (const auto& [cell, value] : before[life]) TEST_ASSERT_TRUE(now[cell] >= value);
    before[life] = now;
  }
  return sum;
}

void resets_and_deaths_at_random_moments_lose_nothing_that_was_kept_and_count_nothing_twice() {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(store_path() + suffix);
  Random random(4, Stream::runs);
  Board board(rover(), LineFaults::all_at(0.01), 200);
  std::optional<Store> store;
  std::optional<DeviceRecord> record;
  std::vector<std::map<std::uint32_t, std::uint32_t>> before;
  std::uint32_t sequence = 0;
  int resets = 0;
  int deaths = 0;
  for (int i = 0; i < 200; ++i) {
    if (!board.session) {
      store.emplace(std::move(Store::open(store_path()).value()));
      TEST_ASSERT_TRUE(store->check().has_value());
      record.emplace(*store);
      board.connect();
    }
    const std::uint64_t turns = 100 + random.below(sanitized ? 2000 : 20000);
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      board.turn();
      keep(board, *record);
      if (!board.session->device()) continue;
      if (!board.session->is_sweeping()) board.session->start_counts();
      const bool known = board.session->image().has_value();
      if (known && !board.session->is_sending()) {
        sequence = std::max(sequence, board.session->image()->sequence) + 1;
        TEST_ASSERT_TRUE(board.session->send_image(image_bytes(rover(), sequence, 100), "image").has_value());
      }
    }
    static_cast<void>(check_store(board, *store, before));
    if (random.below(2) == 0) {
      board.reset();
      ++resets;
    } else {
      board.session.reset();
      store.reset();
      ++deaths;
    }
  }
  store.emplace(std::move(Store::open(store_path()).value()));
  record.emplace(*store);
  board.events.clear();
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>(600000));
  keep(board, *record);
  TEST_ASSERT_TRUE(board.run_until<StatusCame>(600000));
  keep(board, *record);
  assert_device_is_swept(board);
  keep(board, *record);
  const std::uint64_t kept = check_store(board, *store, before);
  std::uint64_t seen = 0;
  for (const PairCounter& life : board.world.lives()) {
    for (const std::uint64_t cell : life.counts().pairs) seen += cell;
  }
  std::printf("%d resets of the board and %d deaths of the host: %" PRIu64 " steps, %" PRIu64 " pairs in the world's log, %" PRIu64
              " in the store; %u images\n",
              resets, deaths, board.world.steps(), seen, kept, sequence);
  TEST_ASSERT_TRUE(kept > seen / 2);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(each_fault_alone_loses_and_doubles_nothing);
  RUN_TEST(resets_and_deaths_at_random_moments_lose_nothing_that_was_kept_and_count_nothing_twice);
  RUN_TEST(all_faults_at_once_lose_and_double_nothing_and_memory_stays_flat);
  return UNITY_END();
}

// Kills: a host that is killed and a board that is reset at random moments, two hundred times. The board is here, the firmware's own code on
// a socket; the host is a child with a session, a world, a store and its record, and says through a pipe what it has safely stored. After each kill
// the store opens clean, no cell of it is above what the board counted in that boot, and nothing of what was said to be safe is missing.
//
// Seeds are fixed; at which instruction a kill comes is the machine's choice. Under sanitizers there are fewer.
#include "penumbra/host/device_record.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/simulate.hpp"
#include "penumbra/host/store.hpp"
#include "penumbra/link/device.hpp"
#include "penumbra/link/testing/simulated_flash.hpp"

#include "recipe.hpp"
#include "sanitized.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using Clock = std::chrono::steady_clock;

constexpr int kills = test::sanitized ? 40 : 200;
constexpr std::uint32_t number = 7;  // of the device

const Model& world_model() {
  static const Model model = test::random_model(3, 4, 4, 1);
  return model;
}

std::uint64_t milliseconds() {
  static const Clock::time_point start = Clock::now();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
}

void set_nonblocking(int file) { ::fcntl(file, F_SETFL, O_NONBLOCK); }

// --- The host, in a process of its own

class SimulatedPlant final : public Plant {
 public:
  explicit SimulatedPlant(std::uint64_t seed) : world_(world_model(), seed) {}
  std::optional<std::uint8_t> act(std::uint8_t action) override { return static_cast<std::uint8_t>(world_.act(action).observation); }

 private:
  World world_;
};

// What is in the store for sure.
struct Safe {
  std::uint32_t incarnation;
  std::uint32_t pairs;
};

[[noreturn]] void be_host(int line, int report, const std::string& path, std::uint64_t seed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Outcome<Store> store = Store::open(path);
  if (!store) _exit(3);
  DeviceRecord record(store.value());
  bool known = false;  // to the record: from now on it keeps what comes
  SimulatedPlant plant(seed);
  SessionOptions options;  // this line is never late
  options.repeat_ms = 5;
  options.settle_ms = 3;
  Session session(options, milliseconds());
  session.set_plant(&plant);
  std::uint8_t bytes[512];
  for (;;) {
    pollfd wait{line, POLLIN, 0};
    ::poll(&wait, 1, 1);
    const ssize_t size = ::recv(line, bytes, sizeof bytes, 0);
    session.receive({bytes, size > 0 ? static_cast<std::size_t>(size) : 0U}, milliseconds());
    session.advance(milliseconds());
    const std::string out = session.take_output();
    if (!out.empty()) static_cast<void>(::send(line, out.data(), out.size(), MSG_NOSIGNAL));  // what does not fit is lost, as on a wire
    for (const SessionEvent& event : session.take_events()) {
      if (!record.take(event, session)) _exit(4);
      known = known || std::holds_alternative<StatusCame>(event);
      if (!known || !std::holds_alternative<CountsSwept>(event)) continue;
      for (const auto& [incarnation, life] : session.counts()) {
        const Safe safe{incarnation, life.pairs};
        if (::write(report, &safe, sizeof safe) != sizeof safe) _exit(5);
      }
    }
    if (session.device() && !session.is_sweeping()) session.start_counts();
  }
}

// --- The board, in this process

struct Line {
  int file = -1;
  std::size_t read(etl::span<std::uint8_t> room) noexcept {
    const ssize_t size = ::recv(file, room.data(), room.size(), 0);
    return size > 0 ? static_cast<std::size_t>(size) : 0U;
  }
  std::size_t write(etl::span<const std::uint8_t> bytes) noexcept {
    if (bytes.empty()) return 0;
    const ssize_t size = ::send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return size > 0 ? static_cast<std::size_t>(size) : bytes.size();  // nobody listens: it is gone
  }
};

using Flash = link::testing::SimulatedFlash<10, 1024, 4>;
using Device = link::Device<StaticDims<3, 4, 4>, PairCounts, Line, Flash>;

struct Board {
  Line line;
  Flash flash;
  std::unique_ptr<Device> device;

  void boot() {
    device = std::make_unique<Device>(line, flash, link::DeviceOptions{number, "simulated", Action{}, 1});
    TEST_ASSERT_TRUE(device->start());
    device->start_plant();
  }
  // As many ticks as that, and then a moment more: the kill comes in the middle of something.
  void run(std::size_t ticks, std::chrono::microseconds more) {
    const Clock::time_point give_up = Clock::now() + std::chrono::seconds(30);
    while (ticks != 0 && Clock::now() < give_up) ticks -= static_cast<std::size_t>(poll());
    TEST_ASSERT_EQUAL_MESSAGE(0, ticks, "the host does not answer");
    const Clock::time_point end = Clock::now() + more;
    while (Clock::now() < end) poll();
  }
  bool poll() {
    const bool ticked = device->poll(static_cast<std::uint32_t>(milliseconds()));
    if (ticked) device->plant_tick();
    return ticked;
  }
  [[nodiscard]] std::vector<std::uint32_t> cells() const {
    std::vector<std::uint32_t> cells;
    for (std::size_t cell = 0; cell < device->agent().recorder().cell_count(); ++cell)
      cells.push_back(device->agent().recorder().count(cell));
    return cells;
  }
};

struct Host {
  pid_t process = -1;
  int report = -1;
};

Host start_host(Board& board, const std::string& path, std::uint64_t seed) {
  int line[2];
  int pipe[2];
  TEST_ASSERT_EQUAL(0, ::socketpair(AF_UNIX, SOCK_STREAM, 0, line));
  TEST_ASSERT_EQUAL(0, ::pipe(pipe));
  TEST_ASSERT_TRUE(::fcntl(pipe[0], F_SETPIPE_SZ, 1 << 20) > 0);  // it is read when the host is dead
  for (const int file : line) set_nonblocking(file);
  const pid_t process = ::fork();
  TEST_ASSERT_TRUE(process >= 0);
  if (process == 0) {
    ::close(line[0]);
    ::close(pipe[0]);
    be_host(line[1], pipe[1], path, seed);
  }
  ::close(line[1]);
  ::close(pipe[1]);
  if (board.line.file >= 0) ::close(board.line.file);
  board.line.file = line[0];
  return {process, pipe[0]};
}

void kill_host(Host& host, std::map<std::uint32_t, std::uint32_t>& safe) {
  ::kill(host.process, SIGKILL);
  int status = 0;
  ::waitpid(host.process, &status, 0);
  TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(status), "the host ended by itself");
  Safe told{};
  while (::read(host.report, &told, sizeof told) == sizeof told) safe[told.incarnation] = told.pairs;
  ::close(host.report);
  host = {};
}

void nothing_is_counted_twice_and_nothing_safe_is_lost() {
  const std::string path = std::string(PENUMBRA_SCRATCH) + "/kills.db";
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
  Random random(1, Stream::runs);
  Board board;
  board.boot();
  std::map<std::uint32_t, std::vector<std::uint32_t>> truth;  // [incarnation][cell], when it was last looked at
  std::map<std::uint32_t, std::uint32_t> safe;
  Host host = start_host(board, path, 1);
  int resets = 0;
  std::uint64_t pairs_kept = 0;
  for (int i = 0; i < kills; ++i) {
    board.run(random.below(4) == 0 ? 0 : random.below(200), std::chrono::microseconds(random.below(3000)));
    truth[board.device->incarnation()] = board.cells();
    if (random.below(2) == 0) {
      ++resets;
      board.boot();
    } else {
      kill_host(host, safe);
      truth[board.device->incarnation()] = board.cells();
      Outcome<Store> store = Store::open(path);
      TEST_ASSERT_TRUE_MESSAGE(store.has_value(), store ? "" : to_text(store.error()).c_str());
      TEST_ASSERT_TRUE(store.value().check().has_value());
      for (const auto& [incarnation, cells] : truth) {
        const auto kept = store.value().cells(number, incarnation);
        TEST_ASSERT_TRUE(kept.has_value());
        std::uint64_t sum = 0;
        for (const CountCell& cell : kept.value()) {
          TEST_ASSERT_LESS_OR_EQUAL_UINT32(cells[cell.cell], cell.value);  // never more than was counted
          sum += cell.value;
        }
        TEST_ASSERT_GREATER_OR_EQUAL_UINT32(safe[incarnation], static_cast<std::uint32_t>(sum));  // never less than was said to be safe
      }
      store = fail(Fault::system, "", "closed");
      host = start_host(board, path, static_cast<std::uint64_t>(i) + 2);
    }
  }
  // Left in peace, the store ends with all that the last boot counted, and with nothing else.
  const std::uint32_t last = board.device->incarnation();
  board.run(2000, std::chrono::milliseconds(100));
  set_nonblocking(host.report);
  const Clock::time_point give_up = Clock::now() + std::chrono::seconds(30);
  for (Safe told{}; safe[last] != board.device->agent().recorder().pairs() && Clock::now() < give_up;) {
    static_cast<void>(board.device->poll(static_cast<std::uint32_t>(milliseconds())));  // and no tick
    while (::read(host.report, &told, sizeof told) == sizeof told) safe[told.incarnation] = told.pairs;
  }
  kill_host(host, safe);
  const Outcome<Store> store = Store::open(path);
  TEST_ASSERT_TRUE(store.has_value());
  for (const auto& [incarnation, cells] : truth) pairs_kept += store.value().pairs(number, incarnation).value();
  TEST_ASSERT_TRUE(store.value().pairs(number, last).value() > 0);
  std::vector<std::uint32_t> in_store(board.cells().size(), 0);
  const auto cells_kept = store.value().cells(number, last);
  TEST_ASSERT_TRUE(cells_kept.has_value());
  for (const CountCell& cell : cells_kept.value()) in_store[cell.cell] = cell.value;
  TEST_ASSERT_TRUE_MESSAGE(in_store == board.cells(), "the store and the device disagree on the last boot");
  TEST_ASSERT_GREATER_THAN_UINT64(20U * kills, pairs_kept);  // else the kills hit hosts that had nothing to lose
  std::printf("%d kills: %d resets of the board, %d hosts killed; %u boots, %llu pairs in the store\n", kills, resets, kills - resets, last,
              static_cast<unsigned long long>(pairs_kept));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(nothing_is_counted_twice_and_nothing_safe_is_lost);
  return UNITY_END();
}

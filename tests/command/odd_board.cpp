// A board of this machine that is not the rover's. Its command line says how it differs:
//
//   keeps=0|1|2|3 pair counts, a step log in their place, neither, both
//   own_world=1   its timer ticks, and its sensor is its own
//   wrong=N       every Nth step is counted as another one
//   late=N        tick N misses its deadline
//   fails=1       every image on trial misses its deadline
//   restart=N     tick N never ends: the board starts again, once for each flash that it was started with
//   stands=N      tick N is the last, and the background goes on; in a world of its own there is none at all
#include "board_constants.hpp"
#include "device_port.hpp"
#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

std::uint32_t keeps = 0, own_world = 0, wrong = 0, late = 0, fails = 0, restart = 0, stands = 0;

template <class Dims>
class Counts : public PairCounts<Dims> {
 public:
  Recorded record(Action action, Observation observation) noexcept {
    const bool is_wrong = wrong != 0 && ++steps_ % wrong == 0;
    return PairCounts<Dims>::record(action, is_wrong ? static_cast<Observation>((index(observation) + 1) % 4) : observation);
  }

 private:
  std::uint32_t steps_ = 0;
};
template <class Dims>
using Log = link::StepLog<Dims, 256>;
template <class Dims>
using Both = link::StepLog<Dims, 256, PairCounts>;

board::Uart uart;
board::BoardFlash flash;
void (*tick)() = nullptr;

template <template <class> class Recorder>
void run() {
  using Device = link::Device<StaticDims<3, 4, 4>, Recorder, board::Uart, board::BoardFlash>;
  static Device device(uart, flash, {board::device_id(), board::name, Action{2}});
  static std::uint32_t ticks = 0;
  if (!device.start()) return;
  tick = [] {
    ++ticks;
    if (own_world != 0) {
      static_cast<void>(device.tick(static_cast<Observation>(ticks * ticks % 7 % 4)));
    } else {
      static_cast<void>(device.plant_tick());
    }
    if (ticks == late || (fails != 0 && device.images().on_trial())) device.deadline_missed();
    if (ticks == restart && device.incarnation() == 1) board::reset();
  };
  if (own_world != 0) {
    if (stands == 0) board::start_control_timer(1'000);
  } else {
    device.start_plant();
  }
  for (;;) {
    if (device.poll(board::milliseconds())) {
      if (stands == 0 || ticks < stands) board::request_control();
    } else if (device.is_quiet()) {
      board::idle();
    }
  }
}

}  // namespace

extern "C" void control_interrupt() { tick(); }

int main() {
  board::start();
  if (!flash.start()) return 1;
  uart.start();
  static_cast<void>(board::argument("keeps", keeps));
  static_cast<void>(board::argument("own_world", own_world));
  static_cast<void>(board::argument("wrong", wrong));
  static_cast<void>(board::argument("late", late));
  static_cast<void>(board::argument("fails", fails));
  static_cast<void>(board::argument("restart", restart));
  static_cast<void>(board::argument("stands", stands));
  if (keeps == 0) run<Counts>();
  if (keeps == 1) run<Log>();
  if (keeps == 2) run<UncountedPairs>();
  if (keeps == 3) run<Both>();
  return 2;
}

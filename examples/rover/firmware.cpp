// The rover's firmware: a warehouse rover that cannot see whether it stands at the dock, is in the aisle or has stuck wheels, and does not
// know how its world moves either. It acts, counts what it saw, and takes the tables that the host plans from its counts. The host is
// also its world here: `penumbra device learn examples/rover/world.json --board …` answers its actions.
//
// A rover with wheels of its own would call device.tick(read_sensor()) from a timer: examples/agent is that.
#include "board.hpp"
#include "board_constants.hpp"
#include "device_port.hpp"

#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

using Sizes = StaticDims<PENUMBRA_FIRMWARE_SIZES>;  // states, actions, observations: 3, 4, 4 for the rover
using Rover = link::Device<Sizes, PairCounts, board::Uart, board::BoardFlash>;

constexpr Action scan{2 % Sizes::actions()};  // stands still: what to do while there is nothing better

board::Uart uart;
board::BoardFlash flash;
Rover* rover = nullptr;
uint32_t deadline_us = 1000000;  // of a tick; an emulator shares its processor, so it is generous unless deadline=… says otherwise

}  // namespace

extern "C" void control_interrupt() {
  const uint32_t begin = board::microseconds();
  rover->plant_tick();
  if (board::microseconds() - begin > deadline_us) rover->deadline_missed();
}

int main() {
  board::start();
  if (!flash.start()) return 1;
  uart.start();
  static_cast<void>(board::argument("deadline", deadline_us));

  constexpr uint32_t seed = 1;  // the same for all: with the same world a loop test repeats
  static Rover device(uart, flash, {board::device_id(), board::name, scan, seed});
  if (!device.start()) return 2;  // without a number for this boot its counts could be taken for those of another
  rover = &device;
  device.start_plant();
  for (;;) {
    if (device.poll(board::milliseconds())) {
      board::request_control();
    } else if (device.is_quiet()) {
      board::idle();
    }
  }
}

// The full agent in forty lines: a timer ticks it, its tables live in flash, and whoever is at the other end of the serial line can read its
// counts and its health and send it a better table, while it goes on acting. `penumbra device status --port /dev/ttyACM0` talks to it.
#include "hardware.hpp"  // yours: read_sensor(), drive()

#include "board_constants.hpp"
#include "device_port.hpp"
#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

using Robot = StaticDims<3, 4, 4>;  // states, actions, observations
using Device = link::Device<Robot, PairCounts, board::Uart, board::BoardFlash>;

constexpr uint32_t period_us = 10000;  // 100 ticks a second
constexpr Action stand_still{2};       // the safe one

board::Uart uart;
board::BoardFlash flash;
Device* device = nullptr;

}  // namespace

extern "C" void control_interrupt() {
  const bool lost = board::control_periods_lost() != 0;  // a late tick, or flash that stopped the core: the sensor's answer makes no pair
  drive((lost ? device->missed() : device->tick(read_sensor())).action);
  if (board::control_overran()) device->deadline_missed();  // a table that is too slow goes by itself
}

int main() {
  board::start();
  if (!flash.start()) return 1;
  uart.start();

  static Device robot(uart, flash, {board::device_id(), board::name, stand_still});
  if (!robot.start()) return 2;
  device = &robot;
  board::start_control_timer(period_us);
  while (keep_running()) {
    robot.poll(board::milliseconds());
    if (robot.is_quiet()) board::idle();
  }
  return 0;
}

// Firmware ticked by a timer, like examples/agent, which some images spoil: while the agent acts by an image of episode 1001 a tick resets
// the board, by one of 1002 each tick lasts longer than its period. tests/loop/trial_test sends such images.
#include "board_constants.hpp"
#include "device_port.hpp"

#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

using Robot = StaticDims<3, 4, 4>;  // states, actions, observations
using Device = link::Device<Robot, PairCounts, board::Uart, board::BoardFlash>;

constexpr std::uint32_t period_us = 20'000;
constexpr std::uint32_t resetting = 1001, dawdling = 1002;
constexpr Action stand_still{2};

board::Uart uart;
board::BoardFlash flash;
Device* device = nullptr;

void suffer_from_image(std::uint32_t episode) {
  if (episode == resetting) board::reset();
  const std::uint32_t begin = board::microseconds();
  while (episode == dawdling && board::microseconds() - begin < 2 * period_us + period_us / 2) {
  }
}

}  // namespace

extern "C" void control_interrupt() {
  static std::uint32_t sensor = 0;  // that counts
  const auto observation = static_cast<Observation>(sensor++ % Robot::observations());
  const Decision decision = board::control_periods_lost() != 0 ? device->missed() : device->tick(observation);
  if (decision.status != Status::no_image) suffer_from_image(device->agent().episode().k());
  if (board::control_overran()) device->deadline_missed();
}

int main() {
  board::start();
  if (!flash.start()) return 1;
  uart.start();

  static Device robot(uart, flash, {board::device_id(), board::name, stand_still});
  if (!robot.start()) return 2;
  device = &robot;
  board::start_control_timer(period_us);
  for (;;) {
    robot.poll(board::milliseconds());
    if (robot.is_quiet()) board::idle();
  }
}

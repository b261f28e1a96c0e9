// The firmware of lib/link/README.md: it is compiled, and a test compares.
// README: begin
#include "hardware.hpp"  // yours: Uart, Flash, read_sensor(), drive(), milliseconds(), and the timer
#include "penumbra/link/device.hpp"

using namespace penumbra;
using Rover = StaticDims<3, 4, 4>;  // states, actions, observations

Uart serial;   // two calls that never wait: transport.hpp
Flash images;  // geometry, where it can be read, erase, program: flash.hpp
link::Device<Rover, PairCounts, Uart, Flash> device(serial, images, {1, "rover", Action{0}});  // number, name, safe action

extern "C" void control_interrupt() {     // every control period
  const bool lost = periods_lost() != 0;  // since the last tick: it took too long, or flash stopped the core
  drive((lost ? device.missed() : device.tick(read_sensor())).action);
  if (overran()) device.deadline_missed();  // this one took too long
}

int main() {
  if (!device.start()) return 1;  // the flash does not work
  start_control_timer();
  for (;;) device.poll(milliseconds());
}
// README: end

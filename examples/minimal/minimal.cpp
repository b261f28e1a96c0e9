// All that a firmware needs. The README shows these lines, and a test compares.
// README: begin
#include "hardware.hpp"  // yours: read_sensor(), drive()
#include "penumbra/agent.hpp"

using Rover = penumbra::StaticDims<3, 4, 4>;  // states, actions, observations
penumbra::Agent<Rover> agent;                 // everything it will ever need is in here

bool use_table(etl::span<const uint8_t> flash) {  // once, or whenever a new table is there
  const auto image = penumbra::PolicyImage::open(flash);
  return image && agent.adopt(image.value()) == penumbra::Status::ok;
}

void control_tick() { drive(agent.step(read_sensor()).action); }
// README: end

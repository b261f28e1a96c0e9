// The smallest firmware that is worth flashing: open the image in flash, adopt it, act. Nothing is printed and nothing else is linked,
// so its size is what Penumbra costs. minimal_flash weighs it, and the tests budget.minimal_runs_… run it with an image in its slot.
#include "image_slot.hpp"

#include "penumbra/agent.hpp"

namespace {

using Rover = penumbra::StaticDims<3, 4, 4>;
penumbra::Agent<Rover> agent;

constexpr uint32_t ticks = 1000;  // a real firmware does not stop

// Stands in for a sensor: something that depends on what was done, and does not repeat soon.
penumbra::Observation read_sensor(penumbra::Action action, uint32_t tick) noexcept {
  return penumbra::Observation{static_cast<uint8_t>((penumbra::index(action) + (tick >> 3U)) % Rover::observations())};
}

}  // namespace

// 0 when all went well: the tester sees it.
int main() {
  const auto image = penumbra::PolicyImage::open({penumbra::board::image_slot(), penumbra::board::image_slot_size()});
  if (!image.has_value()) return 1;
  if (agent.adopt(image.value()) != penumbra::Status::ok) return 2;
  penumbra::Action action{};
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    const penumbra::Decision decision = agent.step(read_sensor(action, tick));
    if (decision.status != penumbra::Status::ok) return 3;
    if (penumbra::index(decision.action) >= Rover::actions()) return 4;
    action = decision.action;
  }
  return agent.episode().executed() == ticks - 1U ? 0 : 5;
}

// The smallest firmware with a link: the agent, a line and a flash. Nothing is printed; line and flash are stand-ins that cost nothing, so its
// size is what Penumbra costs with its link. minimal_flash weighs it, and the test budget.device_runs runs it.
#include "image_slot.hpp"

#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

// A register with a byte in it now and then.
struct Uart {
  size_t read(etl::span<uint8_t> room) noexcept {
    room[0] = data;
    return ++reads % 8U == 0U ? 1U : 0U;
  }
  size_t write(etl::span<const uint8_t> bytes) noexcept {
    for (const uint8_t byte : bytes) data = byte;
    return bytes.size();
  }
  volatile uint8_t data = 0;
  uint32_t reads = 0;
};

// Says that it does what it is told.
struct NoFlash {
  [[nodiscard]] link::FlashGeometry geometry() const noexcept { return {1024, 32, 4}; }
  [[nodiscard]] const uint8_t* data() const noexcept { return board::image_slot(); }
  bool erase(uint32_t offset) noexcept {
    last = offset;
    return true;
  }
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    last = offset + bytes[0];
    return true;
  }
  volatile uint32_t last = 0;
};

using Rover = StaticDims<3, 4, 4>;
Uart uart;
NoFlash flash;
link::Device<Rover, PairCounts, Uart, NoFlash> device(uart, flash, {7, "rover", Action{0}, 1});

}  // namespace

// 0 when all went well: the tester sees it.
int main() {
  if (!device.start()) return 1;
  Action action{};
  for (uint32_t tick = 0; tick < 1000U; ++tick) {
    const Decision decision = device.tick(Observation{static_cast<uint8_t>((index(action) + (tick >> 3U)) % Rover::observations())});
    if (index(decision.action) >= Rover::actions()) return 2;
    action = decision.action;
    if (device.poll(tick)) return 3;  // the host is no plant here
  }
  return device.agent().episode().executed() == 999U ? 0 : 4;
}

// A board of your own: what the link asks of it is two small classes over whatever your vendor gave you. Nothing else of the port is needed,
// neither its start-up code nor its timers. To have the board in the tests too, port/PORTING.md tells how to copy port/template.
#include "hal.hpp"  // your vendor's: hal_uart_…, hal_flash_…, hal_timer_periods(), hal_milliseconds()

#include "penumbra/link/device.hpp"

namespace {

using namespace penumbra;

// penumbra/link/transport.hpp says what these promise: they never wait.
struct Uart {
  size_t read(etl::span<uint8_t> room) noexcept { return hal_uart_read(room.data(), room.size()); }
  size_t write(etl::span<const uint8_t> bytes) noexcept { return hal_uart_write(bytes.data(), bytes.size()); }
};

// penumbra/link/flash.hpp says what these promise.
struct Flash {
  [[nodiscard]] link::FlashGeometry geometry() const noexcept { return {hal_flash_page_size, hal_flash_pages, hal_flash_write_size}; }
  [[nodiscard]] const uint8_t* data() const noexcept { return hal_flash_data(); }
  bool erase(uint32_t offset) noexcept { return hal_flash_erase(offset); }
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept { return hal_flash_program(offset, bytes.data(), bytes.size()); }
};

Uart uart;
Flash flash;
link::Device<StaticDims<3, 4, 4>, PairCounts, Uart, Flash> device(uart, flash, {1, "mine", Action{2}});

}  // namespace

// From your timer's interrupt. A period that went by without a tick makes no pair; a tick that is not done when the next one is due has missed
// its deadline, and a table on trial goes for that.
void hal_timer_interrupt() {
  static uint32_t last = 0;
  const uint32_t period = hal_timer_periods();
  const bool lost = period - last > 1U;
  last = period;
  hal_motor(static_cast<uint8_t>((lost ? device.missed() : device.tick(Observation{hal_sensor()})).action));
  if (hal_timer_periods() != period) device.deadline_missed();
}

int main() {
  if (!device.start()) return 1;
  while (hal_has_power()) device.poll(hal_milliseconds());
  return hal_what_was_said();
}

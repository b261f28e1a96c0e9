// Firmware that fills its flash from the start, a write unit at a time, and says so over its serial line: first the geometry (three words,
// little-endian), then a byte for each operation that is done, 'e' for an erased page and 'p' for a programmed unit. Unit k
// holds the number k in all its words. tests/loop/flash_log_test kills it somewhere.
#include "device_port.hpp"

using namespace penumbra;

extern "C" void control_interrupt() {}

namespace {

board::Uart uart;

void say(etl::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t taken = uart.write(bytes);
    bytes = bytes.subspan(taken);
    if (taken == 0) board::idle();
  }
}

void put(std::uint32_t word, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(word >> 8 * i);
}

}  // namespace

int main() {
  board::start();
  uart.start();
  board::BoardFlash flash;
  if (!flash.start()) return 1;
  const link::FlashGeometry geometry = flash.geometry();
  std::uint8_t unit[32];
  put(geometry.page_size, unit);
  put(geometry.page_count, unit + 4);
  put(geometry.write_size, unit + 8);
  say({unit, 12});

  static constexpr std::uint8_t erased[] = {'e'}, programmed[] = {'p'};
  const std::uint32_t units = geometry.page_size / geometry.write_size * geometry.page_count;
  for (std::uint32_t k = 0; k < units; ++k) {
    const std::uint32_t offset = k * geometry.write_size;
    if (offset % geometry.page_size == 0) {
      if (!flash.erase(offset)) return 2;
      say(erased);
    }
    for (std::uint32_t i = 0; i < geometry.write_size; i += 4) put(k, unit + i);
    if (!flash.program(offset, {unit, geometry.write_size})) return 3;
    say(programmed);
  }
  for (;;) board::idle();
}

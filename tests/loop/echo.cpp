// Firmware that says it is ready with one zero byte, and then sends back whatever comes over its serial line. With pause=MICROSECONDS on
// the command line it dawdles after each thousand bytes, so that its receiver fills up; with reset=BYTES it resets after so many.
// tests/loop/echo_test talks to it.
#include "device_port.hpp"

using namespace penumbra;

extern "C" void control_interrupt() {}

namespace {

void wait_us(std::uint32_t us) {
  const std::uint32_t begin = board::microseconds();
  while (board::microseconds() - begin < us) {
  }
}

}  // namespace

int main() {
  board::start();
  board::Uart uart;
  uart.start();
  std::uint32_t pause = 0, reset_after = 0;
  static_cast<void>(board::argument("pause", pause));
  static_cast<void>(board::argument("reset", reset_after));

  std::uint8_t bytes[64] = {};
  static_cast<void>(uart.write({bytes, 1}));
  for (std::size_t total = 0, since_pause = 0;;) {
    etl::span<const std::uint8_t> left{bytes, uart.read(bytes)};
    if (left.empty()) board::idle();
    total += left.size();
    since_pause += left.size();
    while (!left.empty()) {
      left = left.subspan(uart.write(left));
      if (!left.empty()) board::idle();
    }
    if (reset_after != 0 && total >= reset_after) {
      wait_us(100'000);  // until all is sent
      board::reset();
    }
    if (since_pause >= 1000) {
      since_pause = 0;
      wait_us(pause);
    }
  }
}

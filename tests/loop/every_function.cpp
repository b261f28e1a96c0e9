// Calls everything that a platform offers to a firmware with a link, so that the linker looks for it: what a board lacks, it names.
#include "device_port.hpp"

#include "board.hpp"

using namespace penumbra;

extern "C" void control_interrupt() {
  if (board::control_overran() || board::control_periods_lost() > 100) board::reset();
}

int main() {
  board::start();
  board::Uart uart;
  uart.start();
  board::BoardFlash flash;
  if (!flash.start()) return 1;
  char word[8];
  std::uint32_t period_us = 0;
  if (!board::argument("word", word) || !board::argument("period", period_us)) period_us = 1'000;
  board::start_control_timer(period_us);
  board::request_control();
  const std::uint32_t values[] = {board::device_id(), board::milliseconds(), board::microseconds(), flash.geometry().page_size};
  std::uint8_t bytes[sizeof values];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(values[i / 4] >> i % 4 * 8);
  if (uart.write(bytes) != uart.read(bytes)) board::idle();
  if (!flash.erase(0) || !flash.program(0, bytes)) return flash.data()[0];
  return 0;
}

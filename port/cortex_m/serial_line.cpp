// board::Uart over the board's registers (uart.hpp): a ring each way, and all the work in the interrupt. The background puts and takes,
// and then raises the interrupt itself, so that the UART's registers are touched in one place only and nothing is ever locked.
//
// Back-pressure: while the receiving ring is full the interrupt is off and the byte stays in the UART. The emulator then stops reading its
// socket, so the host's writes wait.
#include "board_constants.hpp"
#include "byte_ring.hpp"
#include "device_port.hpp"
#include "interrupts.hpp"
#include "uart.hpp"

namespace penumbra {
namespace {

using namespace penumbra::cortex_m;
namespace uart = board::uart;

ByteRing<256> received;
ByteRing<256> to_send;
volatile bool held_back = true;  // the receiver's interrupt is off
bool sending = false;            // the sender's is on

}  // namespace

// After an interrupt has been turned on it looks again, for what came before. The receiver's goes off before the byte is taken that fills
// the ring, because the emulated STM32 keeps raising one that the next byte has raised already.
void cortex_m::serve_uart() noexcept {
  uart::acknowledge();
  for (;;) {
    while (received.room() != 0 && uart::has_received()) {
      if (received.room() == 1) uart::interrupt_on(false, sending);
      received.put(uart::receive());
    }
    while (!to_send.empty() && uart::can_send()) uart::send(to_send.take());
    const bool hold = received.room() == 0, more = !to_send.empty();
    if (hold == held_back && more == sending) break;
    held_back = hold;
    sending = more;
    uart::interrupt_on(!hold, more);
  }
  wake();
}

namespace board {

void Uart::start() noexcept {
  uart::start();
  for (const unsigned number : uart_interrupts) enable_interrupt(number, uart_priority);
  raise_interrupt(uart_interrupts[0]);
}

std::size_t Uart::read(etl::span<std::uint8_t> room) noexcept {
  std::size_t count = 0;
  while (count < room.size() && !received.empty()) room[count++] = received.take();
  if (held_back && count != 0) raise_interrupt(uart_interrupts[0]);
  return count;
}

std::size_t Uart::write(etl::span<const std::uint8_t> bytes) noexcept {
  std::size_t count = 0;
  while (count < bytes.size() && to_send.room() != 0) to_send.put(bytes[count++]);
  if (count != 0) raise_interrupt(uart_interrupts[0]);
  return count;
}

}  // namespace board
}  // namespace penumbra

// UART of the nRF51822, sending on pin 24 and receiving on pin 25, where the micro:bit's USB chip listens: 115200 baud, 8N1, no flow control.
// The receiver has a buffer of six bytes.
#include "uart.hpp"

#include "registers.hpp"

namespace penumbra::board::uart {
namespace {

constexpr std::uint32_t base = 0x4000'2000;
volatile std::uint32_t& task_start_receiver() noexcept { return cortex_m::at(base + 0x000); }
volatile std::uint32_t& task_start_sender() noexcept { return cortex_m::at(base + 0x008); }
volatile std::uint32_t& event_received() noexcept { return cortex_m::at(base + 0x108); }
volatile std::uint32_t& event_sent() noexcept { return cortex_m::at(base + 0x11C); }
volatile std::uint32_t& interrupt_set() noexcept { return cortex_m::at(base + 0x304); }
volatile std::uint32_t& interrupt_clear() noexcept { return cortex_m::at(base + 0x308); }
volatile std::uint32_t& enable() noexcept { return cortex_m::at(base + 0x500); }
volatile std::uint32_t& pin_send() noexcept { return cortex_m::at(base + 0x50C); }
volatile std::uint32_t& pin_receive() noexcept { return cortex_m::at(base + 0x514); }
volatile std::uint32_t& received_byte() noexcept { return cortex_m::at(base + 0x518); }
volatile std::uint32_t& byte_to_send() noexcept { return cortex_m::at(base + 0x51C); }
volatile std::uint32_t& baud_rate() noexcept { return cortex_m::at(base + 0x524); }

constexpr std::uint32_t interrupt_received = 1U << 2, interrupt_sent = 1U << 7;

bool sending = false;       // a byte was given whose event_sent has not come
std::uint32_t enabled = 0;  // interrupts

}  // namespace

void start() noexcept {
  constexpr std::uint32_t output = 1, baud_115200 = 0x01D7'E000, enabled_value = 4;
  cortex_m::at(0x5000'0508) = 1U << 24;         // high while it is silent
  cortex_m::at(0x5000'0700 + 4 * 24) = output;  // pin 25 is an input already
  pin_send() = 24;
  pin_receive() = 25;
  baud_rate() = baud_115200;
  enable() = enabled_value;
  event_received() = 0;
  event_sent() = 0;
  task_start_receiver() = 1;
  task_start_sender() = 1;
}

// The event goes first: the next byte of the buffer raises it again when this one is taken.
bool has_received() noexcept { return event_received() != 0; }
std::uint8_t receive() noexcept {
  event_received() = 0;
  return static_cast<std::uint8_t>(received_byte());
}

bool can_send() noexcept {
  if (sending && event_sent() != 0) {
    event_sent() = 0;
    sending = false;
  }
  return !sending;
}

void send(std::uint8_t byte) noexcept {
  sending = true;
  byte_to_send() = byte;
}

void interrupt_on(bool received, bool sendable) noexcept {
  const std::uint32_t wanted = (received ? interrupt_received : 0U) | (sendable ? interrupt_sent : 0U);
  if ((enabled & ~wanted) != 0) interrupt_clear() = enabled & ~wanted;
  if ((wanted & ~enabled) != 0) interrupt_set() = wanted & ~enabled;
  enabled = wanted;
}

void acknowledge() noexcept {}  // receive() and can_send() do

}  // namespace penumbra::board::uart

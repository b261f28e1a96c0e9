// The UART of Arm's FPGA boards (CMSDK APB UART), at 115200 baud, 8N1, from the clock that board_constants.hpp tells. It has a byte of
// buffer each way and remembers its interrupts until they are acknowledged.
#include "board_constants.hpp"
#include "registers.hpp"
#include "uart.hpp"

namespace penumbra::board::uart {
namespace {

volatile std::uint32_t& data() noexcept { return cortex_m::at(uart_base); }
volatile std::uint32_t& state() noexcept { return cortex_m::at(uart_base + 0x04); }
volatile std::uint32_t& control() noexcept { return cortex_m::at(uart_base + 0x08); }
volatile std::uint32_t& interrupt_clear() noexcept { return cortex_m::at(uart_base + 0x0C); }
volatile std::uint32_t& baud_divider() noexcept { return cortex_m::at(uart_base + 0x10); }

constexpr std::uint32_t state_send_full = 1, state_received = 2;
constexpr std::uint32_t control_send = 1, control_receive = 2, control_interrupt_sent = 4, control_interrupt_received = 8;
constexpr std::uint32_t all_interrupts = 0xF;

std::uint32_t enabled = 0;  // as it was written to control() last

}  // namespace

void start() noexcept {
  baud_divider() = uart_clock_hz / 115'200;
  control() = enabled = control_send | control_receive;
  // The emulator asks whether there is room before the receiver is on, is told no, and asks again a second later, or after a byte was
  // taken: this one.
  static_cast<void>(receive());
}

bool has_received() noexcept { return (state() & state_received) != 0; }
std::uint8_t receive() noexcept { return static_cast<std::uint8_t>(data()); }

bool can_send() noexcept { return (state() & state_send_full) == 0; }
void send(std::uint8_t byte) noexcept { data() = byte; }

void interrupt_on(bool received, bool sendable) noexcept {
  const std::uint32_t wanted =
      control_send | control_receive | (received ? control_interrupt_received : 0U) | (sendable ? control_interrupt_sent : 0U);
  if (wanted != enabled) control() = enabled = wanted;
}

void acknowledge() noexcept { interrupt_clear() = all_interrupts; }

}  // namespace penumbra::board::uart

// The UART of your board: seven short functions, whose contracts are in cortex_m/uart.hpp. The registers here are those of no part. Parts
// with one register for data, one for status and one for control differ in little more than addresses: netduinoplus2/uart.cpp is such a one,
// microbit/uart.cpp one with tasks and events, cortex_m/cmsdk_uart.cpp one that remembers its interrupts.
#include "uart.hpp"

#include "registers.hpp"

namespace penumbra::board::uart {
namespace {

constexpr std::uint32_t base = 0x4000'0000;
volatile std::uint32_t& status() noexcept { return cortex_m::at(base + 0x00); }
volatile std::uint32_t& data() noexcept { return cortex_m::at(base + 0x04); }
volatile std::uint32_t& control() noexcept { return cortex_m::at(base + 0x08); }

constexpr std::uint32_t status_received = 1, status_sendable = 2;
constexpr std::uint32_t control_enable = 1, control_interrupt_received = 2, control_interrupt_sendable = 4;

}  // namespace

// Clocks on, pins to the UART, 115200 baud at 8N1, then the UART on, interrupts off.
void start() noexcept { control() = control_enable; }

bool has_received() noexcept { return (status() & status_received) != 0; }
std::uint8_t receive() noexcept { return static_cast<std::uint8_t>(data()); }

bool can_send() noexcept { return (status() & status_sendable) != 0; }
void send(std::uint8_t byte) noexcept { data() = byte; }

void interrupt_on(bool received, bool sendable) noexcept {
  control() = control_enable | (received ? control_interrupt_received : 0U) | (sendable ? control_interrupt_sendable : 0U);
}

// Empty where receive() and send() take the interrupt back by themselves.
void acknowledge() noexcept {}

}  // namespace penumbra::board::uart

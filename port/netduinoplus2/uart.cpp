// USART1 of the STM32F405, sending on PA9 and receiving on PA10: 115200 baud, 8N1, from the clock that board_constants.hpp tells.
#include "board_constants.hpp"

#include "registers.hpp"
#include "uart.hpp"

namespace penumbra::board::uart {
namespace {

using cortex_m::at;

constexpr std::uint32_t rcc_ahb1enr = 0x4002'3830, rcc_apb2enr = 0x4002'3844;
constexpr std::uint32_t gpioa_moder = 0x4002'0000, gpioa_afrh = 0x4002'0024;
constexpr std::uint32_t usart1_sr = 0x4001'1000, usart1_dr = 0x4001'1004, usart1_brr = 0x4001'1008, usart1_cr1 = 0x4001'100C;
constexpr std::uint32_t baud = 115'200;
constexpr std::uint32_t sr_overrun = 1U << 3, sr_received = 1U << 5, sr_transmit_empty = 1U << 7;
constexpr std::uint32_t cr1_receive = 1U << 2, cr1_transmit = 1U << 3, cr1_enable = 1U << 13;
constexpr std::uint32_t cr1_interrupt_received = 1U << 5, cr1_interrupt_empty = 1U << 7;
constexpr std::uint32_t running = cr1_enable | cr1_transmit | cr1_receive;

std::uint32_t cr1 = 0;  // as it was written last

}  // namespace

void start() noexcept {
  at(rcc_ahb1enr) = at(rcc_ahb1enr) | 1U;                            // clock of port A
  at(rcc_apb2enr) = at(rcc_apb2enr) | 1U << 4;                       // clock of USART1
  at(gpioa_moder) = (at(gpioa_moder) & ~(0xFU << 18)) | 0xAU << 18;  // PA9 and PA10: alternate function
  at(gpioa_afrh) = (at(gpioa_afrh) & ~(0xFFU << 4)) | 0x77U << 4;    // … 7, USART1
  at(usart1_brr) = (uart_clock_hz + baud / 2) / baud;                // rounded
  at(usart1_cr1) = cr1 = running;
}

bool has_received() noexcept { return (at(usart1_sr) & sr_received) != 0; }
std::uint8_t receive() noexcept { return static_cast<std::uint8_t>(at(usart1_dr)); }

// The emulated one can always: each byte goes to the host at once, and the emulator waits while the host does not take it.
bool can_send() noexcept { return (at(usart1_sr) & sr_transmit_empty) != 0; }
void send(std::uint8_t byte) noexcept { at(usart1_dr) = byte; }

void interrupt_on(bool received, bool sendable) noexcept {
  const std::uint32_t wanted = running | (received ? cr1_interrupt_received : 0U) | (sendable ? cr1_interrupt_empty : 0U);
  if (wanted != cr1) at(usart1_cr1) = cr1 = wanted;
}

// receive() and send() do, but for a byte that came too late to be kept: its overrun interrupts until the data register is read.
void acknowledge() noexcept {
  if ((at(usart1_sr) & (sr_overrun | sr_received)) == sr_overrun) static_cast<void>(receive());
}

}  // namespace penumbra::board::uart

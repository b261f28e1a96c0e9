// USART1 of the STM32F405, transmitting on PA9: 115200 baud, 8N1, from the 16 MHz clock that the part starts with.
#include "uart.hpp"

#include "registers.hpp"

namespace penumbra::board {
namespace {

using cortex_m::at;

constexpr std::uint32_t rcc_ahb1enr = 0x4002'3830, rcc_apb2enr = 0x4002'3844;
constexpr std::uint32_t gpioa_moder = 0x4002'0000, gpioa_afrh = 0x4002'0024;
constexpr std::uint32_t usart1_sr = 0x4001'1000, usart1_dr = 0x4001'1004, usart1_brr = 0x4001'1008, usart1_cr1 = 0x4001'100C;
constexpr std::uint32_t transmit_empty = 1U << 7, enable_and_transmit = 1U << 13 | 1U << 3;

}  // namespace

void start_uart() noexcept {
  at(rcc_ahb1enr) = at(rcc_ahb1enr) | 1U;                        // clock of port A
  at(rcc_apb2enr) = at(rcc_apb2enr) | 1U << 4;                   // clock of USART1
  at(gpioa_moder) = (at(gpioa_moder) & ~(3U << 18)) | 2U << 18;  // PA9: alternate function
  at(gpioa_afrh) = (at(gpioa_afrh) & ~(0xFU << 4)) | 7U << 4;    // … 7, USART1
  at(usart1_brr) = 16'000'000 / 115'200;
  at(usart1_cr1) = enable_and_transmit;
}

void send_byte(char byte) noexcept {
  while ((at(usart1_sr) & transmit_empty) == 0) {
  }
  at(usart1_dr) = static_cast<unsigned char>(byte);
}

}  // namespace penumbra::board

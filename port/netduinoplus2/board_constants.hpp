// netduinoplus2 in numbers: what the shared Cortex-M code needs to know about this board (Cortex-M4F).
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "netduinoplus2";
inline constexpr std::uint32_t systick_hz = 168'000'000;    // SysTick on the processor's clock
inline constexpr std::size_t interrupt_count = 82;          // vectors behind the sixteen of the core
inline constexpr std::uint32_t uart_clock_hz = 16'000'000;  // of the bus that USART1 is on: the part starts so
inline constexpr unsigned uart_interrupts[] = {37};         // USART1

}  // namespace penumbra::board

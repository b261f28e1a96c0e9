// mps3_an547 in numbers: what the shared Cortex-M code needs to know about this board (Cortex-M55 with Helium).
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "mps3_an547";
inline constexpr std::uint32_t systick_hz = 32'000'000;  // SysTick on the processor's clock
inline constexpr std::size_t interrupt_count = 96;       // vectors behind the sixteen of the core
inline constexpr std::uint32_t uart_base = 0x5930'3000;  // secure alias
inline constexpr std::uint32_t uart_clock_hz = 25'000'000;
inline constexpr unsigned uart_interrupts[] = {33, 34};  // received, sent

}  // namespace penumbra::board

// mps2_an500 in numbers: what the shared Cortex-M code needs to know about this board (Cortex-M7).
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "mps2_an500";
inline constexpr std::uint32_t systick_hz = 25'000'000;  // SysTick on the processor's clock
inline constexpr std::size_t interrupt_count = 32;       // vectors behind the sixteen of the core
inline constexpr std::uint32_t uart_base = 0x4000'4000;
inline constexpr std::uint32_t uart_clock_hz = 25'000'000;
inline constexpr unsigned uart_interrupts[] = {0, 1};  // received, sent

}  // namespace penumbra::board

// mps2_an505 in numbers: what the shared Cortex-M code needs to know about this board (Cortex-M33).
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "mps2_an505";
inline constexpr std::uint32_t systick_hz = 20'000'000;  // SysTick on the processor's clock
inline constexpr std::size_t interrupt_count = 92;       // vectors behind the sixteen of the core
inline constexpr std::uint32_t uart_base = 0x5020'0000;  // secure alias
inline constexpr std::uint32_t uart_clock_hz = 20'000'000;
inline constexpr unsigned uart_interrupts[] = {32, 33};  // received, sent

}  // namespace penumbra::board

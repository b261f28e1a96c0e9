// microbit in numbers: what the shared Cortex-M code needs to know about this board (Cortex-M0). Real nRF51 parts
// have no SysTick; the emulated one does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "microbit";
inline constexpr std::uint32_t systick_hz = 16'000'000;  // SysTick on the processor's clock
inline constexpr std::size_t interrupt_count = 32;       // vectors behind the sixteen of the core
inline constexpr unsigned uart_interrupts[] = {2};

}  // namespace penumbra::board

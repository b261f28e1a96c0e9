// A board in numbers: what the shared Cortex-M code needs to know about it. Copy the folder, then put your board's figures and name here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr const char* name = "template";
inline constexpr std::uint32_t systick_hz = 16'000'000;  // SysTick on the processor's clock, as your start-up code leaves it
inline constexpr std::size_t interrupt_count = 64;       // vectors behind the sixteen of the core

// Interrupt numbers of the UART, counted from 0 as in the part's manual. One, or one for each direction.
inline constexpr unsigned uart_interrupts[] = {0};

}  // namespace penumbra::board

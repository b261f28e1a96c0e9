// Who interrupts whom on a board with a link, and what its drivers tell each other. From the top: the clock (a few instructions), the
// control interrupt, the UART, the background.
#pragma once

#include "registers.hpp"

#include <cstdint>

namespace penumbra::cortex_m {

// Priorities as the hardware has them, lower first; the Cortex-M0 keeps the upper two bits.
inline constexpr std::uint32_t clock_priority = 0x00, control_priority = 0x40, uart_priority = 0x80;

inline void enable_interrupt(unsigned number, std::uint32_t priority) noexcept {
  volatile std::uint32_t& four = at(0xE000E400 + number / 4 * 4);  // words only: the Cortex-M0 has no bytes there
  const unsigned shift = number % 4 * 8;
  four = (four & ~(0xFFU << shift)) | priority << shift;
  at(0xE000E100 + number / 32 * 4) = 1U << number % 32;
}

// Has the interrupt come, as if its device had raised it: now, when the caller has a lower priority.
inline void raise_interrupt(unsigned number) noexcept {
  at(0xE000E200 + number / 32 * 4) = 1U << number % 32;
  asm volatile("dsb\n\tisb" : : : "memory");
}

// The clock's part of the port, with board::microseconds() and start_control_timer(): cortex_m/systick_clock.cpp, or a board's own.
// clock_interrupt() takes the board's interrupts that are not the UART's.
void start_clock() noexcept;
void clock_interrupt(unsigned number) noexcept;

// The clock calls it when control periods, if any have been asked for, are over: one, or more when it comes to it late.
void control_timer_fired(std::uint32_t periods) noexcept;

// The clock calls it when it may have slept through the end of a control period: the next tick is told of one that was lost.
void control_period_hidden() noexcept;

// The UART's interrupt.
void serve_uart() noexcept;

// idle() has something to return for.
void wake() noexcept;

}  // namespace penumbra::cortex_m

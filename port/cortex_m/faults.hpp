// The end of a program that did something the core refuses: entry point and report of the fault exceptions.
#pragma once

#include <cstdint>

namespace penumbra::cortex_m {

// The vector of HardFault, MemManage, BusFault, UsageFault and SecureFault: prints what the core knows, ends the program.
void fault_entry();

// The end of an exception that nothing handles; `number` counts as the core does, interrupts from 16.
[[noreturn]] void unexpected(std::uint32_t number) noexcept;

// The number of the exception being handled, 0 outside of one.
inline std::uint32_t exception_number() noexcept {
  std::uint32_t number;
  asm volatile("mrs %0, ipsr" : "=r"(number));
  return number & 0x1FFU;
}

}  // namespace penumbra::cortex_m

// What a platform offers to a program: a way to say something and a way to end. Every folder beside this file that is a
// platform (the boards, and the workstation in host/) implements these two functions, and penumbra::board links one of them.
// Beside them a platform has "instructions.hpp" (how many instructions something takes) and "stack.hpp" (how deep it goes).
#pragma once

#include <cstddef>

namespace penumbra::board {

// Sends bytes to whoever runs the program. Blocks until all are taken; callable from fault handlers.
void write(const char* text, std::size_t size) noexcept;

// Ends the program. 0 is success; other statuses reach the tester as 1..255 (a multiple of 256 as 1).
[[noreturn]] void exit(int status) noexcept;

// The status a program ends with when it did not end by itself.
inline constexpr int status_fault = 70;      // HardFault and its kin: the report shows the registers
inline constexpr int status_interrupt = 71;  // an interrupt that nothing handles
inline constexpr int status_abort = 72;      // abort(), a failed assert(), a pure virtual call

// How a status travels: in a byte, and no failure as success.
[[nodiscard]] constexpr int exit_code(int status) noexcept { return status != 0 && (status & 0xFF) == 0 ? 1 : status & 0xFF; }

}  // namespace penumbra::board

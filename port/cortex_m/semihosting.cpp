// The tester's side of a Cortex-M board: text and exit status travel through Arm semihosting, which both the emulator and
// a debug probe serve. On a board without either, the breakpoint instruction below faults: replace this file by a UART.
#include "board.hpp"

#include <cstddef>
#include <cstdint>

namespace penumbra::board {
namespace {

enum Operation : std::uint32_t { sys_open = 0x01, sys_write = 0x05, sys_exit_extended = 0x20 };

// Arguments are the words of a block in memory; the answer comes back in r0.
std::int32_t call(Operation operation, const std::uint32_t* block) noexcept {
  register std::uint32_t r0 asm("r0") = operation;
  register const std::uint32_t* r1 asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return static_cast<std::int32_t>(r0);
}

std::uint32_t word(const void* pointer) noexcept { return reinterpret_cast<std::uint32_t>(pointer); }

// The console is opened at the first write; 0 means not yet (semihosting never hands out 0).
std::uint32_t console = 0;

}  // namespace

void write(const char* text, std::size_t size) noexcept {
  if (console == 0) {
    static constexpr char terminal[] = ":tt";
    constexpr std::uint32_t mode_write = 4;
    const std::uint32_t block[] = {word(terminal), mode_write, sizeof terminal - 1};
    const std::int32_t handle = call(sys_open, block);
    if (handle <= 0) return;
    console = static_cast<std::uint32_t>(handle);
  }
  while (size != 0) {
    const std::uint32_t block[] = {console, word(text), size};
    const auto left = static_cast<std::uint32_t>(call(sys_write, block));  // bytes not written
    if (left >= size) return;
    text += size - left;
    size = left;
  }
}

void exit(int status) noexcept {
  constexpr std::uint32_t application_exit = 0x20026;
  const std::uint32_t block[] = {application_exit, static_cast<std::uint32_t>(exit_code(status))};
  for (;;) call(sys_exit_extended, block);
}

}  // namespace penumbra::board

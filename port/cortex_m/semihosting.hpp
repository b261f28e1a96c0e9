// Arm semihosting: the program asks whoever runs it, an emulator or a debug probe, through a breakpoint instruction. Where nobody
// listens the instruction faults.
#pragma once

#include <cstdint>

namespace penumbra::cortex_m {

enum class Semihosting : std::uint32_t {
  open = 0x01,
  close = 0x02,
  write = 0x05,
  read = 0x06,
  seek = 0x0A,
  get_command_line = 0x15,
  exit_extended = 0x20
};

// Modes of open, as fopen() names them.
inline constexpr std::uint32_t mode_read_and_write = 3 /* r+b */, mode_write = 4 /* w */, mode_create = 7 /* w+b */;

// Arguments are the words of a block in memory; the answer comes back in r0.
inline std::int32_t semihosting(Semihosting operation, const std::uint32_t* block) noexcept {
  register std::uint32_t r0 asm("r0") = static_cast<std::uint32_t>(operation);
  register const std::uint32_t* r1 asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return static_cast<std::int32_t>(r0);
}

inline std::uint32_t word(const void* pointer) noexcept { return reinterpret_cast<std::uint32_t>(pointer); }

}  // namespace penumbra::cortex_m

// The tester's side of a Cortex-M board: text and exit status travel through Arm semihosting, which both the emulator and
// a debug probe serve. On a board without either, use a UART instead (PENUMBRA_REPORT).
#include "semihosting.hpp"

#include "board.hpp"

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

using namespace penumbra::cortex_m;

namespace {

// The console is opened at the first write; 0 means not yet (semihosting never hands out 0).
std::uint32_t console = 0;

}  // namespace

void write(const char* text, std::size_t size) noexcept {
  if (console == 0) {
    static constexpr char terminal[] = ":tt";
    const std::uint32_t block[] = {word(terminal), mode_write, sizeof terminal - 1};
    const std::int32_t handle = semihosting(Semihosting::open, block);
    if (handle <= 0) return;
    console = static_cast<std::uint32_t>(handle);
  }
  while (size != 0) {
    const std::uint32_t block[] = {console, word(text), size};
    const auto left = static_cast<std::uint32_t>(semihosting(Semihosting::write, block));  // bytes not written
    if (left >= size) return;
    text += size - left;
    size = left;
  }
}

void exit(int status) noexcept {
  constexpr std::uint32_t application_exit = 0x20026;
  const std::uint32_t block[] = {application_exit, static_cast<std::uint32_t>(exit_code(status))};
  for (;;) semihosting(Semihosting::exit_extended, block);
}

}  // namespace penumbra::board

// The instruction counter. One routine times every function, the empty one included, so that its own share is the same
// in both and subtracts to nothing. SysTick has 24 bits; its exception counts the wraps, and the instructions of that
// handler are taken off again.
#include "instructions.hpp"

#include "board_constants.hpp"
#include "exceptions.hpp"
#include "registers.hpp"

#include <cstdint>

namespace penumbra::board::detail {

extern "C" {
volatile std::uint32_t penumbra_systick_wraps = 0;
}

namespace {

using namespace penumbra::cortex_m;

constexpr std::uint32_t reload = 0x00FF'FFFF;
constexpr std::uint32_t handler_instructions = 5;  // systick_handler, below

// Instructions from the start of the clock to the reading of it.
[[gnu::noinline]] std::uint32_t time(void (*function)(void*), void* context) noexcept {
  constexpr std::uint32_t enable = 1, interrupt = 2, processor_clock = 4;
  syst_csr() = 0;
  icsr() = icsr_pendstclr;
  penumbra_systick_wraps = 0;
  syst_rvr() = reload;
  syst_cvr() = 0;
  syst_csr() = processor_clock | interrupt | enable;
  while (syst_cvr() == 0) {  // the counter takes its first value a clock after it is enabled
  }

  const std::uint32_t begin = syst_cvr();
  asm volatile("" : : : "memory");
  function(context);
  asm volatile("cpsid i" : : : "memory");
  const std::uint32_t end = syst_cvr();

  const std::uint32_t handled = penumbra_systick_wraps;
  const bool pending = (icsr() & icsr_pendstset) != 0 && end > reload / 2;  // wrapped since interrupts are off
  syst_csr() = 0;
  icsr() = icsr_pendstclr;
  asm volatile("cpsie i" : : : "memory");

  const std::uint64_t wraps = handled + (pending ? 1U : 0U);
  const std::uint64_t ticks = wraps * (std::uint64_t{reload} + 1) + begin - end;
  constexpr std::uint64_t ticks_per_million = std::uint64_t{systick_hz / 1000} * 1024;
  const std::uint64_t instructions = (ticks * 1'000'000 + ticks_per_million / 2) / ticks_per_million;
  return static_cast<std::uint32_t>(instructions) - handled * handler_instructions;
}

void nothing(void*) {}

}  // namespace

std::uint32_t count_instructions(void (*function)(void*), void* context) noexcept {
  static const std::uint32_t own = time(&nothing, nullptr);
  return time(function, context) - own;
}

}  // namespace penumbra::board::detail

// Counts a wrap, in exactly handler_instructions instructions.
extern "C" [[gnu::naked]] void systick_handler() {
  asm volatile(
      ".syntax unified \n"
      "ldr r0, =penumbra_systick_wraps \n"
      "ldr r1, [r0]                    \n"
      "adds r1, #1                     \n"
      "str r1, [r0]                    \n"
      "bx lr                           \n"
      ".ltorg                          \n");
}

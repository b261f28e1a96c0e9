// A tick that comes after so many instructions of the background, as a control interrupt does. Boards only: the emulator counts instructions
// instead of time, so every run is the same. One program has one SysTick, so this is included once, and not with instructions.hpp.
#pragma once

#include "board_constants.hpp"
#include "exceptions.hpp"
#include "registers.hpp"

namespace penumbra::test {

struct Interrupt {
  volatile bool fired = false;
  volatile bool inside = false;  // the background's call has begun and is not over
  uint32_t hits = 0;             // ticks that came inside
  uint32_t latency = 0;          // instructions from the moment it was due to the first of the handler, the most so far
  void (*tick)() = nullptr;
  uint32_t again = 0;  // a tick may ask for another one, after so many instructions
};
inline Interrupt interrupt;

constexpr uint64_t clocks_a_million = uint64_t{1024} * (board::systick_hz / 1000U);  // SysTick's, in a million instructions

inline void come_after(uint32_t instructions) {
  using namespace penumbra::cortex_m;
  constexpr uint32_t enable = 1, irq = 2, processor_clock = 4;
  syst_rvr() = static_cast<uint32_t>(instructions * clocks_a_million / 1000000U) + 1U;
  syst_cvr() = 0;
  syst_csr() = processor_clock | irq | enable;
}

// Calls `background` with a tick that many instructions after the timer's start; false: `background` was over before it.
template <class Background>
bool interrupt_after(uint32_t instructions, void (*tick)(), Background background) {
  const uint32_t hits = interrupt.hits;
  interrupt.tick = tick;
  interrupt.fired = false;
  come_after(instructions);
  interrupt.inside = true;
  background();
  interrupt.inside = false;
  while (!interrupt.fired) {
  }
  return interrupt.hits != hits;
}

}  // namespace penumbra::test

extern "C" void systick_handler() {
  using namespace penumbra::cortex_m;
  using penumbra::test::interrupt;
  const uint32_t left = syst_cvr();  // it began again when it was due
  const uint32_t late = syst_rvr() - left;
  syst_csr() = 0;
  icsr() = icsr_pendstclr;  // a short count may have ended again
  const auto instructions = static_cast<uint32_t>(uint64_t{late} * 1000000U / penumbra::test::clocks_a_million);
  if (interrupt.inside) {
    ++interrupt.hits;
    if (instructions > interrupt.latency) interrupt.latency = instructions;
  }
  interrupt.tick();
  if (interrupt.again != 0) {
    penumbra::test::come_after(interrupt.again);
    interrupt.again = 0;
  } else {
    interrupt.fired = true;
  }
}

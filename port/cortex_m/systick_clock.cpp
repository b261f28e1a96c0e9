// The clock and the control timer out of SysTick, for the cores that have it: microseconds are the periods that have passed and the part of
// the present one that the counter shows. No period is longer than idle() may rest. It cannot be in one program with instructions_of(), which
// has SysTick to itself: the linker finds two systick_handler().
//
// SysTick remembers one wrap: where the core stands still or interrupts are off for longer than a period, time goes missing. A flash that does
// that says so (standstill.hpp), and the tick behind it is one that lost a period; a part that is to keep the time all the same needs a timer
// that counts on, as in microbit/clock.cpp.
#include "board_constants.hpp"
#include "device_port.hpp"
#include "exceptions.hpp"
#include "faults.hpp"
#include "interrupts.hpp"
#include "standstill.hpp"

namespace penumbra {
namespace {

using namespace penumbra::cortex_m;

constexpr std::uint32_t ticks_a_us = board::systick_hz / 1'000'000;
static_assert(ticks_a_us * 1'000'000 == board::systick_hz, "a microsecond is a whole number of SysTick's clocks");
constexpr std::uint32_t longest_us = 0x0100'0000 / ticks_a_us;  // SysTick has 24 bits
constexpr std::uint32_t idle_us = 10'000;                       // idle() returns after that at the latest
static_assert(idle_us <= longest_us);

volatile std::uint32_t passed_us = 0;  // at the start of the present period
volatile std::uint32_t period_us = 0;
volatile std::uint32_t periods = 0;  // that make a control period; 0: there is none
volatile std::uint32_t left = 0;     // of them
volatile bool stands_still = false;  // the core, now and then

void begin(std::uint32_t us) noexcept {
  constexpr std::uint32_t enable = 1, interrupt = 2, processor_clock = 4;
  period_us = us;
  syst_csr() = 0;
  syst_rvr() = us * ticks_a_us - 1;
  syst_cvr() = 0;
  icsr() = icsr_pendstclr;
  syst_csr() = processor_clock | interrupt | enable;
  while (syst_cvr() == 0) {  // the counter takes its first value a clock after it is enabled
  }
}

}  // namespace

void cortex_m::start_clock() noexcept { begin(idle_us); }

void cortex_m::clock_interrupt(unsigned number) noexcept { unexpected(number + 16U); }

// A wrap that is still pending counts: the caller may have interrupts off.
std::uint32_t board::microseconds() noexcept {
  for (;;) {
    const std::uint32_t before = passed_us;
    const std::uint32_t ticks = period_us * ticks_a_us;
    const std::uint32_t count = syst_cvr();
    const bool wrapped = (icsr() & icsr_pendstset) != 0 && count > ticks / 2;
    if (before == passed_us) return before + (wrapped ? period_us : 0) + (ticks - 1 - count) / ticks_a_us;
  }
}

// Whether one wrap was seen or is still to be seen: there may have been more.
board::Standstill::Standstill() noexcept { stands_still = true; }
board::Standstill::~Standstill() noexcept {
  stands_still = false;
  if (periods != 0 && (icsr() & icsr_pendstset) != 0) control_period_hidden();
}

// A period that is no whole number of its parts is a little shorter: by a microsecond in ten milliseconds at most.
void board::start_control_timer(std::uint32_t us) noexcept {
  asm volatile("cpsid i" : : : "memory");
  passed_us = microseconds();
  periods = (us - 1) / idle_us + 1;
  left = periods;
  begin(us / periods);
  asm volatile("cpsie i" : : : "memory");
}

}  // namespace penumbra

extern "C" void systick_handler() {
  using namespace penumbra;
  passed_us = passed_us + period_us;
  cortex_m::wake();
  if (periods == 0) return;
  if (stands_still) cortex_m::control_period_hidden();
  left = left - 1;
  if (left != 0) return;
  left = periods;
  cortex_m::control_timer_fired(1);
}

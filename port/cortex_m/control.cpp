// The control interrupt, and what runs below it: PendSV calls the firmware's control_interrupt(), whether the background or the timer
// asked for it. The timer's own interrupt lies above and does nothing but count and ask, so that it also sees a tick that takes too long.
#include "board_constants.hpp"
#include "device_port.hpp"
#include "exceptions.hpp"
#include "interrupts.hpp"

namespace penumbra {
namespace {

volatile bool awake = false;
volatile std::uint32_t fired = 0;   // times that the control timer has
volatile std::uint32_t served = 0;  // of them, those that a control_interrupt() has answered, and those that were let go
volatile std::uint32_t let_go = 0;  // of them, those that no control_interrupt() has been told of
volatile std::uint32_t hidden = 0;  // times that the clock may have slept through some
volatile std::uint32_t found = 0;   // of them, those that a control_interrupt() has been told of
volatile std::uint32_t lost = 0;    // what the present or last one is told

}  // namespace

namespace cortex_m {

void control_timer_fired(std::uint32_t periods) noexcept {
  fired = fired + periods;
  board::request_control();
}

void control_period_hidden() noexcept { hidden = hidden + 1; }

void wake() noexcept { awake = true; }

}  // namespace cortex_m

namespace board {

using namespace penumbra::cortex_m;

void start() noexcept {
  shpr3() = clock_priority << 24 | control_priority << 16;  // SysTick, PendSV
  start_clock();
}

// With interrupts off the sleep still ends when one comes, and one that came after the question was asked is not slept through.
void idle() noexcept {
  asm volatile("cpsid i" : : : "memory");
  if (!awake) asm volatile("dsb\n\twfi" : : : "memory");
  awake = false;
  asm volatile("cpsie i" : : : "memory");
}

void request_control() noexcept {
  icsr() = icsr_pendsvset;
  asm volatile("dsb\n\tisb" : : : "memory");
}

bool control_overran() noexcept { return fired != served; }

std::uint32_t control_periods_lost() noexcept { return lost; }

// The hour of microseconds() is longer than that of the wrap: what is left of a millisecond is kept for the next call.
std::uint32_t milliseconds() noexcept {
  static std::uint32_t last = 0, rest = 0, sum = 0;
  const std::uint32_t now = microseconds();
  const std::uint32_t passed = now - last;
  last = now;
  sum += passed / 1000;
  rest += passed % 1000;
  if (rest >= 1000) rest -= 1000, ++sum;
  return sum;
}

void reset() noexcept {
  constexpr std::uint32_t key = 0x05FA'0000, system_reset_request = 4;
  asm volatile("dsb" : : : "memory");
  aircr() = key | system_reset_request;
  for (;;) asm volatile("");
}

}  // namespace board
}  // namespace penumbra

extern "C" void pendsv_handler() {
  using namespace penumbra;
  const std::uint32_t due = fired - served;  // none: the background has asked
  const std::uint32_t slept = hidden;
  lost = let_go + (slept != found ? 1 : 0) + (due > 1 ? due - 1 : 0);
  let_go = 0;
  found = slept;
  served = served + due;
  control_interrupt();
  const std::uint32_t over = fired - served;
  if (over != 0) {  // the background is to get its share
    cortex_m::icsr() = cortex_m::icsr_pendsvclr;
    let_go = over;
    served = served + over;
  }
  cortex_m::wake();
}

extern "C" void board_interrupt(unsigned number) {
  for (const unsigned uart : penumbra::board::uart_interrupts)
    if (number == uart) return penumbra::cortex_m::serve_uart();
  penumbra::cortex_m::clock_interrupt(number);
}

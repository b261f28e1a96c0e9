// The clock and the control timer out of TIMER0 of the nRF51, because real parts have no SysTick. It counts microseconds in 32 bits and is
// never stopped; a compare register holds the moment of the next tick, another catches the present one.
#include "board_constants.hpp"
#include "device_port.hpp"
#include "faults.hpp"
#include "interrupts.hpp"
#include "standstill.hpp"

namespace penumbra {
namespace {

using cortex_m::at;

constexpr unsigned timer0_interrupt = 8;
constexpr std::uint32_t base = 0x4000'8000;
volatile std::uint32_t& task_start_crystal() noexcept { return at(0x4000'0000); }
volatile std::uint32_t& event_crystal_runs() noexcept { return at(0x4000'0100); }
volatile std::uint32_t& task_start() noexcept { return at(base + 0x000); }
volatile std::uint32_t& task_capture_now() noexcept { return at(base + 0x044); }
volatile std::uint32_t& event_tick() noexcept { return at(base + 0x140); }
volatile std::uint32_t& event_idle() noexcept { return at(base + 0x148); }
volatile std::uint32_t& interrupt_set() noexcept { return at(base + 0x304); }
volatile std::uint32_t& bit_mode() noexcept { return at(base + 0x508); }
volatile std::uint32_t& prescaler() noexcept { return at(base + 0x510); }
volatile std::uint32_t& next_tick() noexcept { return at(base + 0x540); }
volatile std::uint32_t& now() noexcept { return at(base + 0x544); }
volatile std::uint32_t& next_idle() noexcept { return at(base + 0x548); }

constexpr std::uint32_t interrupt_tick = 1U << 16, interrupt_idle = 1U << 18;
constexpr std::uint32_t idle_us = 10'000;  // idle() returns after that at the latest

volatile std::uint32_t period_us = 0;

// Moves a compare register on by a period, and again while that moment has passed (the core may have stood still): the timer would come round
// to it in an hour. Returns how many periods are over. The event is cleared after the move, because the emulated timer raises it again
// while the register still holds the present moment.
std::uint32_t move_on(volatile std::uint32_t& compare, volatile std::uint32_t& event, std::uint32_t period) noexcept {
  std::uint32_t periods = 0;
  do {
    compare = compare + period;
    event = 0;
    ++periods;
  } while (static_cast<std::int32_t>(compare - board::microseconds()) <= 0);
  return periods;
}

}  // namespace

void cortex_m::start_clock() noexcept {
  // The part wakes on its own oscillator, which is good for neither 115200 baud nor a control period: from here on the crystal's 16 MHz.
  task_start_crystal() = 1;
  while (event_crystal_runs() == 0) {
  }
  constexpr std::uint32_t bits_32 = 3, sixteen_clocks = 4;
  bit_mode() = bits_32;
  prescaler() = sixteen_clocks;  // of 16 MHz
  next_idle() = idle_us;
  interrupt_set() = interrupt_idle;
  enable_interrupt(timer0_interrupt, clock_priority);
  task_start() = 1;
}

void cortex_m::clock_interrupt(unsigned number) noexcept {
  if (number != timer0_interrupt) unexpected(number + 16U);
  if (event_idle() != 0) {
    static_cast<void>(move_on(next_idle(), event_idle(), idle_us));
    // The emulated UART does not interrupt for a byte that the host was slow to take.
    raise_interrupt(board::uart_interrupts[0]);
  }
  if (period_us != 0 && event_tick() != 0) {
    control_timer_fired(move_on(next_tick(), event_tick(), period_us));
  }
  wake();
}

// An interrupt between the two makes the moment a little later, and no harm.
std::uint32_t board::microseconds() noexcept {
  task_capture_now() = 1;
  return now();
}

// This timer counts on.
board::Standstill::Standstill() noexcept = default;
board::Standstill::~Standstill() noexcept = default;

void board::start_control_timer(std::uint32_t us) noexcept {
  asm volatile("cpsid i" : : : "memory");
  period_us = us;
  next_tick() = microseconds() + us;
  event_tick() = 0;
  interrupt_set() = interrupt_tick;
  asm volatile("cpsie i" : : : "memory");
}

}  // namespace penumbra

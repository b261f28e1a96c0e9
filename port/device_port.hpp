// What a platform offers to a firmware with a link: a serial line, a clock, the control interrupt, a flash for policy images, an
// identity and a reset. The boards and the workstation implement these and penumbra::device_port links one of them; PORTING.md tells
// what a new board writes. One of each kind: the classes hold nothing themselves, every object of a class is the same device.
//
//   int main() {
//     board::start();
//     board::Uart uart;
//     uart.start();
//     board::BoardFlash flash;
//     if (!flash.start()) return 1;
//     for (;;) { …poll…; board::idle(); }
//   }
//   extern "C" void control_interrupt() { …tick… }
#pragma once

#include "penumbra/link/flash.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>

// The firmware defines it: the control tick. It preempts everything but the clock's own few instructions and the faults.
extern "C" void control_interrupt();

namespace penumbra::board {

// Starts the clock and settles who interrupts whom. Once, first thing in main().
void start() noexcept;

// Rests until something has interrupted since the last call: a byte, a tick, the clock. It may return at any time, and does within
// 10 ms, so that what is to be repeated is repeated in time. Background only.
void idle() noexcept;

// --- serial line: 115200 8N1 where there is a wire. Fulfils the contract of penumbra/link/transport.hpp.

class Uart {
 public:
  // Once, after board::start().
  void start() noexcept;

  // Both return at once, and are for the background alone. When the receiver's 256 bytes are full the sender is held back, where the
  // hardware can; without flow control lines on a real wire, what comes then is lost.
  [[nodiscard]] std::size_t read(etl::span<std::uint8_t> room) noexcept;
  [[nodiscard]] std::size_t write(etl::span<const std::uint8_t> bytes) noexcept;
};

// --- clock: both count from some moment and wrap at 2^32

// To the microsecond and never backwards; from anywhere.
[[nodiscard]] std::uint32_t microseconds() noexcept;

// Background only, and at least once an hour: it adds up microseconds.
[[nodiscard]] std::uint32_t milliseconds() noexcept;

// --- control interrupt

// Has control_interrupt() run, now: before the call returns when the background calls.
void request_control() noexcept;

// Has control_interrupt() run every `period_us` microseconds from now on (at least 100). A tick that takes longer than the period costs
// those that it ran over: they are not made up for, so that the background gets its share even then.
void start_control_timer(std::uint32_t period_us) noexcept;

// For control_interrupt(), at its end: the timer has fired again while it runs, so this tick has missed its deadline. It is the tick's own
// doing: what stopped the core before it is not held against it, but has left it only the rest of its period.
[[nodiscard]] bool control_overran() noexcept;

// For control_interrupt(): how many periods of the timer went by without a tick between the one before and this one, because that one took
// too long, or because the core stood still (a flash that erases; where the clock cannot tell how long, this is 1 when it may have been one, see
// standstill.hpp). The last action has lasted longer than a period then, and the sensor's answer makes no pair: the tick is a missed() one.
[[nodiscard]] std::uint32_t control_periods_lost() noexcept;

// --- flash: the area that belongs to policy images. Fulfils the contract of penumbra/link/flash.hpp.

class BoardFlash {
 public:
  // Once, before anything else. Where flash is a file (flash=PATH on the command line), the file is read, and made if there is none;
  // false: it cannot be, and nothing else may be called. Without a file that flash starts erased whenever the program starts.
  [[nodiscard]] bool start() noexcept;

  [[nodiscard]] link::FlashGeometry geometry() const noexcept;
  [[nodiscard]] const std::uint8_t* data() const noexcept;

  // What breaks flash's rules is refused and changes nothing: an offset that is no page's start; bytes that are no whole write
  // units, leave their page, or would set a bit.
  [[nodiscard]] bool erase(std::uint32_t offset) noexcept;
  [[nodiscard]] bool program(std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept;
};

// --- identity, arguments, reset

// Tells boards apart: id=NUMBER on the command line, else the number that the part was made with, else 1.
[[nodiscard]] std::uint32_t device_id() noexcept;

// The value of `name=VALUE` on the command line. False: it is not there, or does not fit. A board has a command line only where
// somebody serves semihosting. The text ends with a zero; the number is decimal or 0x….
[[nodiscard]] bool argument(const char* name, etl::span<char> value) noexcept;
[[nodiscard]] bool argument(const char* name, std::uint32_t& value) noexcept;

// Starts the firmware again from the beginning, as the reset button does: flash stays, everything else is lost.
[[noreturn]] void reset() noexcept;

}  // namespace penumbra::board

// For the driver of a flash that stops the core while it works: say so around each operation. A clock that remembers but one of its own
// interrupts (SysTick) does not know how many of them it slept through; with this the next control_interrupt() is told of a lost period
// whenever there may have been one, at the price of a pair where there was none.
#pragma once

namespace penumbra::board {

class Standstill {
 public:
  Standstill() noexcept;
  ~Standstill() noexcept;
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;
};

}  // namespace penumbra::board

// Step log: the last steps of the agent, numbered from the start, as a ring that the tick writes and the background reads. For models whose
// counts do not fit the device, and for estimators that want the trajectory: the host counts. What the ring has overwritten before it
// was read is a gap that shows in the numbers; a pair across it is never made.
//
//   template <class Dims> using Log = penumbra::link::StepLog<Dims, 256>;                 instead of counts
//   template <class Dims> using Both = penumbra::link::StepLog<Dims, 256, PairCounts>;    beside them
#pragma once

#include "penumbra/link/detail/word.hpp"
#include "penumbra/link/messages.hpp"
#include "penumbra/pair_counts.hpp"

namespace penumbra::link {

template <class Dims, size_t Steps, template <class> class Base = UncountedPairs>
class StepLog : public Base<Dims> {
 public:
  static_assert(Steps >= 2U && (Steps & (Steps - 1U)) == 0U, "a power of two: numbers wrap, and places must not");
  using Base<Dims>::Base;

  Recorded record(Action action, Observation observation) noexcept {
    const Recorded recorded = Base<Dims>::record(action, observation);
    const uint32_t number = next_.load();
    ring_[number % Steps] = {static_cast<uint8_t>(action), static_cast<uint8_t>(observation), static_cast<uint8_t>(!recorded.counted)};
    if (number % Steps == Steps - 1U) full_.store(1);
    next_.store(number + 1U);
    return recorded;
  }

  // The number of the step that comes next.
  [[nodiscard]] uint32_t next_step() const noexcept { return next_.load(); }

  // Steps from number `from` on, as LogPart has them; from the oldest that is kept, when that one is gone. A number ahead of the newest by no
  // more than the ring is one that has not happened yet, and gives none; any other is one of long ago, however many steps there were. Until
  // the ring is full for the first time there is no such one.
  struct Reading {
    uint32_t first;
    size_t size;  // bytes
  };
  [[nodiscard]] Reading read(uint32_t from, etl::span<uint8_t> room) const noexcept {
    const bool full = full_.load() != 0U;  // before the number: a tick in between makes it more careful
    const uint32_t newest = next_.load();
    uint32_t kept = newest - from;  // wraps to something large when `from` has not happened yet
    if (kept > (full ? static_cast<uint32_t>(Steps) : newest)) {
      kept = full && from - newest > Steps ? static_cast<uint32_t>(Steps) : 0U;
      from = newest - kept;
    }
    size_t size = 0;
    for (uint32_t i = 0; i < kept && size + step_size <= room.size(); ++i, size += step_size) {
      const Entry entry = ring_[(from + i) % Steps];
      room[size] = entry.action;
      room[size + 1U] = entry.observation;
      room[size + 2U] = entry.broken;
    }
    // Ticks that came meanwhile have overwritten what is older than `Steps` now: then nothing was read, and the host asks again.
    if (next_.load() - from > Steps) return {from, 0};
    return {from, size};
  }

 private:
  struct Entry {
    uint8_t action;
    uint8_t observation;
    uint8_t broken;  // 1: no pair with the step before
  };
  etl::array<Entry, Steps> ring_{};
  detail::Word full_;  // 1: every place has a step
  detail::Word next_;
};

}  // namespace penumbra::link

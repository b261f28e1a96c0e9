// Pair counts: how often the agent saw (a, a', o, o') in two consecutive steps, all that the host needs to estimate how the world
// moves (paper, Algorithm 1, lines 7 to 10). One increment a tick.
//
// A cell is a grow-only 32-bit counter; it saturates instead of wrapping. The pair that spans a reset, a missed tick or a change of
// policy is no pair: break_pair() leaves it out.
//
// Upload. take_changed() hands out the cells that changed since each was last taken, while the tick goes on adding: one caller
// in the control interrupt (record) and one in the background (take_changed, touch) need no lock. Of the two bits a cell has, the
// tick writes only `changed` and the background only `taken`; a cell has news while they differ. A taken cell that is counted
// again between the two reads differs again and is taken once more: with absolute values that is harmless, a lost change would not be.
#pragma once

#include "penumbra/detail/assert.hpp"
#include "penumbra/dims.hpp"
#include "penumbra/status.hpp"

#include <etl/array.h>
#include <etl/span.h>

namespace penumbra {

// What became of a recorded step.
struct Recorded {
  bool counted;   // it was the second of a pair
  Action first;   // the pair's first action, a_{t-1} in Algorithm 2
  Status status;  // ok or count_saturated
};

// The step before this one, if nothing came between.
class PairTracker {
 public:
  void break_pair() noexcept { open_ = false; }

 protected:
  struct Previous {
    bool open;
    Action action;
    Observation observation;
  };
  Previous replace(Action action, Observation observation) noexcept {
    const Previous previous{open_, action_, observation_};
    open_ = true;
    action_ = action;
    observation_ = observation;
    return previous;
  }

 private:
  bool open_ = false;
  Action action_{};
  Observation observation_{};
};

// Where the cells live: inside the object when the sizes are known to the compiler, with the caller otherwise.
template <class Dims>
class CountStorage;

constexpr size_t changed_words(size_t cells) noexcept { return (cells + 31U) / 32U; }

template <size_t S, size_t A, size_t O>
class CountStorage<StaticDims<S, A, O>> {
 public:
  static constexpr size_t cell_count = A * A * O * O;
  etl::array<uint32_t, cell_count> cells{};
  etl::array<uint32_t, changed_words(cell_count)> changed{};
  etl::array<uint32_t, changed_words(cell_count)> taken{};
};

template <>
class CountStorage<RuntimeDims> {
 public:
  // All zero at the start: A*A*O*O cells and twice changed_words() of that.
  etl::span<uint32_t> cells;
  etl::span<uint32_t> changed;
  etl::span<uint32_t> taken;
};

template <class Dims>
class PairCounts : public PairTracker {
 public:
  PairCounts() = default;
  PairCounts(const Dims& dims, const CountStorage<Dims>& storage) noexcept : dims_(dims), storage_(storage) {
    PENUMBRA_ASSERT(storage.cells.size() == cell_count());
    PENUMBRA_ASSERT(storage.changed.size() == changed_words(cell_count()) && storage.taken.size() == storage.changed.size());
  }

  // The agent executed `action` and saw `observation`.
  Recorded record(Action action, Observation observation) noexcept {
    const Previous previous = replace(action, observation);
    const size_t cell = cell_of(previous.action, action, previous.observation, observation);
    const uint32_t before = storage_.cells[cell];
    const uint32_t after = before + static_cast<uint32_t>(previous.open);
    const bool full = after < before;
    storage_.cells[cell] = full ? UINT32_MAX : after;
    note_change(cell, previous.open);
    return {previous.open, previous.action, full ? Status::count_saturated : Status::ok};
  }

  [[nodiscard]] size_t cell_count() const noexcept {
    return dims_.actions() * dims_.actions() * dims_.observations() * dims_.observations();
  }

  // Cells in the order of the counts file: [a][a'][o][o'].
  [[nodiscard]] size_t cell_of(Action first, Action second, Observation first_seen, Observation second_seen) const noexcept {
    return ((index(first) * dims_.actions() + index(second)) * dims_.observations() + index(first_seen)) * dims_.observations() +
           index(second_seen);
  }

  [[nodiscard]] uint32_t count(size_t cell) const noexcept { return load(storage_.cells[cell]); }

  // The first changed cell at or behind `from`, which then counts as taken; cell_count() when there is none. Read its count afterwards.
  [[nodiscard]] size_t take_changed(size_t from) noexcept {
    for (size_t cell = from; cell < cell_count(); ++cell) {
      const size_t word = cell / 32U;
      const uint32_t bit = uint32_t{1} << (cell % 32U);
      const uint32_t news = load(storage_.changed[word]) ^ storage_.taken[word];
      if ((news & bit) != 0U) {
        store(storage_.taken[word], storage_.taken[word] ^ bit);
        return cell;
      }
    }
    return cell_count();
  }

  // Hand this cell out again: its upload was lost.
  void touch(size_t cell) noexcept {
    const size_t word = cell / 32U;
    const uint32_t bit = uint32_t{1} << (cell % 32U);
    // Once more if a tick came in between: its news and this flip would cancel out.
    while (((load(storage_.changed[word]) ^ storage_.taken[word]) & bit) == 0U) {
      store(storage_.taken[word], storage_.taken[word] ^ bit);
    }
  }

 private:
  // 32-bit accesses are single instructions on every core here; volatile keeps the compiler from tearing, caching or moving them.
  static uint32_t load(const uint32_t& shared) noexcept { return *static_cast<const volatile uint32_t*>(&shared); }
  static void store(uint32_t& shared, uint32_t value) noexcept { *static_cast<volatile uint32_t*>(&shared) = value; }

  void note_change(size_t cell, bool counted) noexcept {
    const size_t word = cell / 32U;
    const uint32_t bit = static_cast<uint32_t>(counted) << (cell % 32U);
    const uint32_t changed = load(storage_.changed[word]);
    const uint32_t taken = load(storage_.taken[word]);
    store(storage_.changed[word], (changed & ~bit) | (~taken & bit));
  }

  Dims dims_;
  CountStorage<Dims> storage_;
};

// Records nothing, and still knows which steps make a pair: the episode rule needs that. For models whose counts do not fit.
template <class Dims>
class UncountedPairs : public PairTracker {
 public:
  Recorded record(Action action, Observation observation) noexcept {
    const Previous previous = replace(action, observation);
    return {previous.open, previous.action, Status::ok};
  }
};

}  // namespace penumbra

// A word that the control interrupt and the background share: 32 bits are read and written by single instructions on every core here, and
// volatile keeps the compiler from tearing or caching them. What is published by a word, or checked by one, is not moved across it either:
// the fences cost no instruction, on one core the compiler is the only one that reorders. One side writes a word, or both write whole
// messages to each other.
//
// It is not etl::atomic: that one brings two barrier instructions with every access, for cores that are not there, and its addition is a
// library call on the Cortex-M0.
#pragma once

#include <stdint.h>

namespace penumbra::link::detail {

class Word {
 public:
  explicit Word(uint32_t value = 0) noexcept : value_(value) {}
  [[nodiscard]] uint32_t load() const noexcept {
    fence();
    const uint32_t value = value_;
    fence();
    return value;
  }
  void store(uint32_t value) noexcept {
    fence();
    value_ = value;
    fence();
  }
  // A load and a store: for the one side that writes the word, or for the tick, which the background does not interrupt.
  void add(uint32_t more) noexcept { value_ = value_ + more; }

 private:
  static void fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

  volatile uint32_t value_;
};

}  // namespace penumbra::link::detail

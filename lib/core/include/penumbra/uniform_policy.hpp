// Uniform policy: every action with the same probability, from a small seeded generator. It is the policy of the first episode
// (paper, Algorithm 2), before anything is known.
#pragma once

#include "penumbra/dims.hpp"

namespace penumbra {

class UniformPolicy {
 public:
  explicit UniformPolicy(uint32_t seed) noexcept : state_(seed) {
    // Neighbouring seeds part only after a few steps.
    for (int i = 0; i < 4; ++i) static_cast<void>(random());
  }

  // The high word of a product: no division, the same number of instructions each time, a bias below A / 2^32.
  [[nodiscard]] Action choose(size_t actions) noexcept { return static_cast<Action>((uint64_t{random()} * actions) >> 32U); }

 private:
  // PCG-XSH-RR, 64 bits of state. ETL's generators have a destructor that the compiler cannot drop, and with it every global agent
  // would register an exit handler that no firmware calls.
  uint32_t random() noexcept {
    const uint64_t state = state_;
    state_ = state * 6364136223846793005U + 1442695040888963407U;
    const auto mixed = static_cast<uint32_t>(((state >> 18U) ^ state) >> 27U);
    const auto turn = static_cast<uint32_t>(state >> 59U);
    return (mixed >> turn) | (mixed << ((32U - turn) % 32U));
  }

  uint64_t state_;
};

}  // namespace penumbra

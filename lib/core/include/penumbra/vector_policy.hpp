// Value-vector policy: a few vectors, each with an action; act by the vector with the largest product with the belief, the lowest
// index on a tie. Vectors are int16 and the belief is rounded to Q15, so that a core without floating point is not punished.
// With sum_s q_s = 32767 (and at most S/2 more by rounding) a product stays below 2^31 for every S the format allows.
// Cost: K*S multiply-adds of 16 bits and K compares.
#pragma once

#include "penumbra/kernels.hpp"

namespace penumbra {

// Numbers behind the last vector that are readable: vector kernels may load past its end.
constexpr size_t vector_padding = 8;

template <class Dims>
struct VectorPolicy {
  const uint8_t* actions = nullptr;  // one a vector
  const int16_t* vectors = nullptr;  // rows of q15_stride(S), and vector_padding more
  uint16_t count = 0;

  [[nodiscard]] Action choose(const Dims& dims, const Belief<Dims>& belief) const noexcept {
    PENUMBRA_ASSERT(count != 0U && actions != nullptr && vectors != nullptr);
    BeliefQ15<Dims> q;
    Kernels<Dims>::quantise_q15(dims, belief.data(), q.data());
    return Action{actions[Kernels<Dims>::best_row_q15(dims, vectors, count, q.data())]};
  }
};

}  // namespace penumbra

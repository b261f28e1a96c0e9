// The rover's model. A warehouse rover brings goods to a dock. It cannot see whether it stands at the dock, is in the aisle or has
// stuck wheels; it only gets noisy answers to what it does. The tables are in the order of the model file, rows side by side.
//
// Every transition has a positive probability and every observation matrix has full rank, which is what learning needs; the
// compiler checks both below.
#pragma once

#include "penumbra/dims.hpp"

namespace rover {

using Dims = penumbra::StaticDims<3, 4, 4>;
constexpr size_t S = Dims::states();
constexpr size_t A = Dims::actions();
constexpr size_t O = Dims::observations();

constexpr const char* state_names[S] = {"dock", "aisle", "stuck"};
constexpr const char* action_names[A] = {"drive", "unload", "scan", "rock"};
constexpr const char* observation_names[O] = {"delivered", "marker", "floor", "slip"};

// What an observation is worth: the average reward is deliveries a tick.
constexpr float reward[O] = {1.0F, 0.0F, 0.0F, 0.0F};

// T_a(s'|s), [action][state][next state]
constexpr float transition[A * S * S] = {
    // to  dock   aisle  stuck
    /**/ 0.05F, 0.55F, 0.40F,  // drive: from the dock, into the wall
    /**/ 0.65F, 0.32F, 0.03F,  //        from the aisle, towards the dock
    /**/ 0.02F, 0.08F, 0.90F,  //        stuck: the wheels only dig in
    /**/ 0.10F, 0.88F, 0.02F,  // unload: at the dock, then off for the next load
    /**/ 0.02F, 0.18F, 0.80F,  //         in the aisle: the goods fall before the wheels
    /**/ 0.01F, 0.04F, 0.95F,  //
    /**/ 0.97F, 0.02F, 0.01F,  // scan: stands still
    /**/ 0.02F, 0.97F, 0.01F,  //
    /**/ 0.01F, 0.04F, 0.95F,  //
    /**/ 0.40F, 0.50F, 0.10F,  // rock: back and forth, which frees the wheels in the end
    /**/ 0.15F, 0.80F, 0.05F,  //
    /**/ 0.05F, 0.35F, 0.60F,  //
};

// O_a(o|s), [action][state][observation]: emitted by the state that the action leaves
constexpr float observation[A * S * O] = {
    // sees delivered marker floor slip
    /**/ 0.01F, 0.64F, 0.30F, 0.05F,  // drive: at the dock
    /**/ 0.01F, 0.15F, 0.74F, 0.10F,  //        in the aisle
    /**/ 0.01F, 0.04F, 0.15F, 0.80F,  //        stuck
    /**/ 0.90F, 0.05F, 0.03F, 0.02F,  // unload
    /**/ 0.01F, 0.15F, 0.69F, 0.15F,  //
    /**/ 0.01F, 0.04F, 0.15F, 0.80F,  //
    /**/ 0.01F, 0.90F, 0.07F, 0.02F,  // scan: the clearest answers
    /**/ 0.01F, 0.07F, 0.87F, 0.05F,  //
    /**/ 0.01F, 0.03F, 0.08F, 0.88F,  //
    /**/ 0.01F, 0.45F, 0.40F, 0.14F,  // rock
    /**/ 0.01F, 0.14F, 0.60F, 0.25F,  //
    /**/ 0.01F, 0.04F, 0.15F, 0.80F,  //
};

constexpr const float* transition_row(size_t a, size_t s) noexcept { return transition + (a * S + s) * S; }
constexpr const float* observation_row(size_t a, size_t s) noexcept { return observation + (a * S + s) * O; }

namespace check {

constexpr bool is_distribution(const float* row, size_t count) noexcept {
  float sum = 0.0F;
  for (size_t i = 0; i < count; ++i) sum += row[i] > 0.0F ? row[i] : 2.0F;  // a zero spoils the sum
  return sum > 0.999999F && sum < 1.000001F;
}

// The rank is full when the Gram matrix of the states' rows has a determinant above zero.
constexpr float gram_determinant(size_t a) noexcept {
  float g[3][3] = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t o = 0; o < O; ++o) g[i][j] += observation_row(a, i)[o] * observation_row(a, j)[o];
    }
  }
  return g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) - g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
         g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
}

constexpr bool model() noexcept {
  for (size_t a = 0; a < A; ++a) {
    for (size_t s = 0; s < S; ++s) {
      if (!is_distribution(transition_row(a, s), S) || !is_distribution(observation_row(a, s), O)) return false;
    }
    if (gram_determinant(a) < 1e-3F) return false;
  }
  return true;
}

static_assert(model(), "each row sums to 1 with no zero in it, and each observation matrix has full rank");

}  // namespace check
}  // namespace rover

// The model as the tick reads it: pointers into an image in flash, or into arrays of the caller's. Nothing is owned or copied.
//
//   transition    A matrices of S x S, transposed: element [s'][s] of action a is T_a(s'|s), so that the filter reads rows
//   observation   for each action and observation a row of S: element [a][o][s] is O_a(o|s)
//   prior         S probabilities: the belief before the first tick, and after an impossible observation;
//                 null stands for uniform
#pragma once

#include "penumbra/dims.hpp"

namespace penumbra {

// Which state emits the observation of an action: the one it leaves (the paper) or the one it reaches (.pomdp files).
enum class Emission : uint8_t { departure, arrival };

// Floats behind the transition matrices that are readable and finite: vector kernels may load past the end of the last matrix.
constexpr size_t transition_padding = 4;

template <class Dims>
struct ModelView {
  Dims dims;
  Emission emission = Emission::departure;
  const float* transition = nullptr;
  const float* observation = nullptr;
  const float* prior = nullptr;

  [[nodiscard]] const float* transition_of(Action action) const noexcept {
    return transition + index(action) * dims.states() * dims.states();
  }
  [[nodiscard]] const float* likelihood_of(Action action, Observation seen) const noexcept {
    return observation + (index(action) * dims.observations() + index(seen)) * dims.states();
  }
};

}  // namespace penumbra

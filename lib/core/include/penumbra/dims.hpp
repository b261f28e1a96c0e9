// Sizes and indices. S states, A actions and O observations are a type of their own, so that one algorithm serves both storages:
//
//   StaticDims<3, 4, 4>     the compiler knows the sizes; storage is inside the objects and small loops are unrolled
//   RuntimeDims{3, 4, 4}    sizes come from a model file; large storage is owned by the caller
//
// State, Action and Observation are distinct types: one cannot be passed for another.
#pragma once

#include "penumbra/detail/assert.hpp"

#include <etl/array.h>

#include <stddef.h>
#include <stdint.h>

namespace penumbra {

enum class State : uint8_t {};
enum class Action : uint8_t {};
enum class Observation : uint8_t {};

[[nodiscard]] constexpr size_t index(State state) noexcept { return static_cast<size_t>(state); }
[[nodiscard]] constexpr size_t index(Action action) noexcept { return static_cast<size_t>(action); }
[[nodiscard]] constexpr size_t index(Observation observation) noexcept { return static_cast<size_t>(observation); }

// The image format stores sizes in a byte.
constexpr size_t max_size = 255;

template <size_t S, size_t A, size_t O>
struct StaticDims {
  static_assert(S >= 1 && S <= max_size, "states: 1 to 255");
  static_assert(A >= 1 && A <= max_size, "actions: 1 to 255");
  static_assert(O >= 1 && O <= max_size, "observations: 1 to 255");

  static constexpr size_t max_states = S;
  static constexpr size_t max_actions = A;

  [[nodiscard]] static constexpr size_t states() noexcept { return S; }
  [[nodiscard]] static constexpr size_t actions() noexcept { return A; }
  [[nodiscard]] static constexpr size_t observations() noexcept { return O; }
};

class RuntimeDims {
 public:
  static constexpr size_t max_states = max_size;
  static constexpr size_t max_actions = max_size;

  // Each is at least 1: whoever reads them from outside checks that first.
  constexpr RuntimeDims(uint8_t states, uint8_t actions, uint8_t observations) noexcept
      : states_(states), actions_(actions), observations_(observations) {
    PENUMBRA_ASSERT(states != 0U && actions != 0U && observations != 0U);
  }

  // Said again for the compiler: loops over states run at least once, so that what they fill is not "maybe uninitialised".
  [[nodiscard]] constexpr size_t states() const noexcept {
    if (states_ == 0U) __builtin_unreachable();
    return states_;
  }
  [[nodiscard]] constexpr size_t actions() const noexcept { return actions_; }
  [[nodiscard]] constexpr size_t observations() const noexcept { return observations_; }

 private:
  uint8_t states_;
  uint8_t actions_;
  uint8_t observations_;
};

template <class Left, class Right>
[[nodiscard]] constexpr bool same_sizes(const Left& left, const Right& right) noexcept {
  return left.states() == right.states() && left.actions() == right.actions() && left.observations() == right.observations();
}

// Room for one value a state; the first dims.states() are in use.
template <class Dims, class Value>
using StateVector = etl::array<Value, Dims::max_states>;

// Probability of each state.
template <class Dims>
using Belief = StateVector<Dims, float>;

// Vectors of 16-bit numbers take whole 32-bit words, because the DSP instructions read two at once; what is over is zero.
[[nodiscard]] constexpr size_t q15_stride(size_t states) noexcept { return (states + 1U) & ~size_t{1}; }

// A belief in Q15, with room for the eight numbers that a Helium load takes.
template <class Dims>
struct alignas(4) BeliefQ15 : etl::array<int16_t, (Dims::max_states + 7U) / 8U * 8U> {};

}  // namespace penumbra

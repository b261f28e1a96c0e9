// Random models in the layout that the tick reads, of any size up to a small limit, with or without zeros.
#pragma once

#include "penumbra/model_view.hpp"
#include "random_model.hpp"

namespace penumbra::test {

class RandomView {
 public:
  static constexpr size_t max_S = 8;
  static constexpr size_t max_A = 3;
  static constexpr size_t max_O = 6;

  // About one entry in `zero_one_in` becomes zero (0: none); one entry of a row always stays.
  RandomView(Random& random, uint32_t zero_one_in, Emission emission) noexcept
      : dims_(static_cast<uint8_t>(1 + random.below(max_S)), static_cast<uint8_t>(1 + random.below(max_A)),
              static_cast<uint8_t>(1 + random.below(max_O))),
        emission_(emission) {
    const size_t S = dims_.states();
    const size_t O = dims_.observations();
    float row[max_S > max_O ? max_S : max_O];
    for (size_t a = 0; a < dims_.actions(); ++a) {
      for (size_t s = 0; s < S; ++s) {
        sparse_row(random, row, S, zero_one_in);
        for (size_t next = 0; next < S; ++next) transition_[(a * S + next) * S + s] = row[next];
        sparse_row(random, row, O, zero_one_in);
        for (size_t o = 0; o < O; ++o) observation_[(a * O + o) * S + s] = row[o];
      }
    }
    sparse_row(random, prior_, S, zero_one_in);
  }

  [[nodiscard]] const RuntimeDims& dims() const noexcept { return dims_; }
  [[nodiscard]] ModelView<RuntimeDims> view() const noexcept { return {dims_, emission_, transition_, observation_, prior_}; }

  Action any_action(Random& random) const noexcept {
    return Action{static_cast<uint8_t>(random.below(static_cast<uint32_t>(dims_.actions())))};
  }
  Observation any_observation(Random& random) const noexcept {
    return Observation{static_cast<uint8_t>(random.below(static_cast<uint32_t>(dims_.observations())))};
  }

 private:
  static void sparse_row(Random& random, float* row, size_t count, uint32_t zero_one_in) noexcept {
    random_row(random, row, count);
    if (zero_one_in == 0) return;
    const size_t kept = random.below(static_cast<uint32_t>(count));
    float left = 0.0F;
    for (size_t i = 0; i < count; ++i) {
      if (i != kept && random.below(zero_one_in) == 0) row[i] = 0.0F;
      left += row[i];
    }
    for (size_t i = 0; i < count; ++i) row[i] /= left;
  }

  RuntimeDims dims_;
  Emission emission_;
  float transition_[max_A * max_S * max_S + transition_padding]{};
  float observation_[max_A * max_O * max_S]{};
  float prior_[max_S]{};
};

}  // namespace penumbra::test

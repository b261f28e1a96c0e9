// Belief filter: what the agent knows about the hidden state, brought up to date once a tick.
//
//   departure   b'(s') = sum_s b(s) O_a(o|s) T_a(s'|s) / sum_s b(s) O_a(o|s)          (paper, Eq. 1)
//   arrival     b'(s') = O_a(o|s') sum_s b(s) T_a(s'|s) / (the sum of that over s')
//
// The belief is a distribution at all times. Each update divides by the probability of the observation that it computes from the
// belief as it is, so that rounding never adds up: the sum does not drift, however long the agent runs. An observation of probability
// zero, or so near to it that single precision could not divide by it, is impossible: the belief restarts from the prior, and the
// caller is told.
// Cost: S*S + 2*S multiply-adds and one division, whatever the data; an impossible observation takes less.
#pragma once

#include "penumbra/kernels.hpp"
#include "penumbra/model_view.hpp"
#include "penumbra/status.hpp"

namespace penumbra {

// Observations rarer than this count as impossible. It leaves 26 bits above the smallest normal float, so that every product that
// matters in the sum is a normal number, on cores that flush smaller ones to zero too.
constexpr float least_probability = 0x1p-100F;

template <class Dims>
class BeliefFilter {
 public:
  explicit BeliefFilter(const ModelView<Dims>& model) noexcept : model_(model) { reset(); }

  // Back to the prior.
  void reset() noexcept {
    const float uniform = 1.0F / static_cast<float>(model_.dims.states());
    for (size_t s = 0; s < model_.dims.states(); ++s) belief_[s] = model_.prior != nullptr ? model_.prior[s] : uniform;
  }

  // A better model of the same world: the belief goes on from where it is (Algorithm 2 keeps b_t across episodes).
  void use(const ModelView<Dims>& model) noexcept { model_ = model; }

  // `observation` is what the world answered to `action`, which is below A. One that is not below O leaves the belief as it is.
  Status update(Action action, Observation observation) noexcept {
    if (index(observation) >= model_.dims.observations()) return Status::observation_out_of_range;
    const float* likelihood = model_.likelihood_of(action, observation);
    StateVector<Dims, float> scratch;
    float probability = 0.0F;
    if (model_.emission == Emission::departure) {
      probability = Kernels<Dims>::hadamard_f32(model_.dims, belief_.data(), likelihood, scratch.data());
      if (!(probability >= least_probability)) return restart();
      Kernels<Dims>::scale_f32(model_.dims, 1.0F / probability, scratch.data());
      Kernels<Dims>::mat_vec_f32(model_.dims, model_.transition_of(action), scratch.data(), belief_.data());
    } else {
      Kernels<Dims>::mat_vec_f32(model_.dims, model_.transition_of(action), belief_.data(), scratch.data());
      probability = Kernels<Dims>::hadamard_f32(model_.dims, scratch.data(), likelihood, belief_.data());
      if (!(probability >= least_probability)) return restart();
      Kernels<Dims>::scale_f32(model_.dims, 1.0F / probability, belief_.data());
    }
    return Status::ok;
  }

  // `action` was executed, and what it answered is lost.
  void predict(Action action) noexcept {
    float sum = 0.0F;
    for (size_t s = 0; s < model_.dims.states(); ++s) sum += belief_[s];
    StateVector<Dims, float> before = belief_;
    Kernels<Dims>::scale_f32(model_.dims, 1.0F / sum, before.data());
    Kernels<Dims>::mat_vec_f32(model_.dims, model_.transition_of(action), before.data(), belief_.data());
  }

  [[nodiscard]] const Belief<Dims>& belief() const noexcept { return belief_; }

 private:
  Status restart() noexcept {
    reset();
    return Status::impossible_observation;
  }

  ModelView<Dims> model_;
  Belief<Dims> belief_;
};

}  // namespace penumbra

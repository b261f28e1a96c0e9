// The belief in double precision, by the rule of lib/core's BeliefFilter (both emission timings; an impossible observation restarts from
// the prior). For simulation and for `filter --scalar f64`; what the firmware itself computes is lib/core's, which the host runs too.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/status.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host {

// O_a(o|s) in the order in which Bayes' rule reads it: [action][observation][state].
[[nodiscard]] std::vector<double> likelihoods(const Model& model);

class BeliefTracker {
 public:
  // The model has a transition.
  explicit BeliefTracker(const Model& model);

  void reset() { belief_ = initial_; }

  // Another transition for the same sensors, [action][state][next state]: the belief goes on from where it is.
  void use_transition(const std::vector<double>& transition) { transition_ = transition; }

  // `observation` is what the world answered to `action`.
  Status update(size_t action, size_t observation) noexcept;

  [[nodiscard]] const std::vector<double>& belief() const noexcept { return belief_; }

 private:
  [[nodiscard]] bool weigh(const double* likelihood) noexcept;
  void move(const double* transition) noexcept;

  size_t states_;
  size_t observations_;
  Emission emission_;
  std::vector<double> transition_;  // [action][state][next state]: the sum over states is then one over rows
  std::vector<double> likelihood_;  // [action][observation][state]
  std::vector<double> initial_;
  std::vector<double> belief_;
  std::vector<double> next_;
};

// The numbers of a model as lib/core reads them: single precision, transposed and padded. They outlive the views made of them.
class DeviceModel {
 public:
  // The model has a transition and at most 255 states, actions and observations each.
  explicit DeviceModel(const Model& model);

  [[nodiscard]] ModelView<RuntimeDims> view() const noexcept {
    return {dims_, emission_, transition_.data(), observation_.data(), prior_.data()};
  }

 private:
  RuntimeDims dims_;
  Emission emission_;
  std::vector<float> transition_;
  std::vector<float> observation_;
  std::vector<float> prior_;
};

// Whether the device's code can hold a model of these sizes.
[[nodiscard]] inline bool fits_device(const Model& model) noexcept {
  return model.states.size() <= max_size && model.actions.size() <= max_size && model.observations.size() <= max_size;
}

}  // namespace penumbra::host

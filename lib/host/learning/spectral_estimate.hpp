// The spectral estimate as a learner keeps it: where the decomposition fails for an action, the one before stays.
#pragma once

#include "spectral.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace penumbra::host {

class SpectralEstimate {
 public:
  // Uniform, and of no samples. The sensors outlive it.
  explicit SpectralEstimate(const Model& sensors);

  // Anew from these triples, which were taken under a policy with these next actions (spectral.hpp).
  void update(const Triples& triples, const std::vector<double>& next_action);

  [[nodiscard]] const std::vector<double>& transition() const noexcept { return transition_; }   // [action][state][next state]
  [[nodiscard]] const std::vector<std::uint64_t>& samples() const noexcept { return samples_; }  // [action]: those that its estimate is of

  // Where it failed, a sentence an action.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  const Model& sensors_;
  std::vector<double> transition_;
  std::vector<std::uint64_t> samples_;
  std::uint64_t updates_ = 0;
  std::vector<std::uint64_t> failures_;  // [action]
};

}  // namespace penumbra::host

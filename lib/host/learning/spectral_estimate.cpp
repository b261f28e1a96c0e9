// Keeping what was had before.
#include "spectral_estimate.hpp"

#include "belief_policy.hpp"

#include <fmt/format.h>

namespace penumbra::host {

SpectralEstimate::SpectralEstimate(const Model& sensors)
    : sensors_(sensors),
      transition_(uniform_transition(sensors)),
      samples_(sensors.actions.size(), 0),
      failures_(sensors.actions.size(), 0) {}

void SpectralEstimate::update(const Triples& triples, const std::vector<double>& next_action) {
  const std::size_t S = sensors_.states.size();
  ++updates_;
  for (std::size_t a = 0; a < sensors_.actions.size(); ++a) {
    if (estimate_by_moments(sensors_, triples, next_action, a, transition_.data() + a * S * S)) {
      samples_[a] = static_cast<std::uint64_t>(triples.samples(a));
    } else {
      ++failures_[a];
    }
  }
}

std::vector<std::string> SpectralEstimate::remarks() const {
  std::vector<std::string> remarks;
  for (std::size_t a = 0; a < failures_.size(); ++a) {
    if (failures_[a] == 0) continue;
    // Without how often: remarks of several runs are told once.
    remarks.push_back(fmt::format("the spectral decomposition failed for action {}, {}", sensors_.actions.of(a),
                                  failures_[a] == updates_ ? "which stayed uniform" : "at times: the earlier estimate was kept"));
  }
  return remarks;
}

}  // namespace penumbra::host

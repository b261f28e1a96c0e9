// The radius of the confidence regions.
#include "confidence.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

std::vector<double> confidence_radius(const Model& sensors, const LearnerOptions& options, std::uint64_t k,
                                      const std::vector<std::uint64_t>& samples) {
  const auto A = static_cast<double>(sensors.actions.size());
  const auto O = static_cast<double>(sensors.observations.size());
  const auto episode = static_cast<double>(k);
  const double delta = options.delta / (A * episode * episode * episode);
  const double width = std::log(2 * A * O * O * episode / delta);
  std::vector<double> radius;
  for (const std::uint64_t count : samples) {
    radius.push_back(count == 0 ? 2.0 : std::min(2.0, options.radius * std::sqrt(width / static_cast<double>(count))));
  }
  return radius;
}

}  // namespace penumbra::host

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

std::vector<bool> starved_actions(const std::vector<std::uint64_t>& samples, double least) {
  double all = 0;
  for (const std::uint64_t count : samples) all += static_cast<double>(count);
  std::vector<bool> starved;
  for (const std::uint64_t count : samples) starved.push_back(static_cast<double>(count) < least * std::sqrt(all));
  return starved;
}

std::vector<double> radius_of_rows(const std::vector<double>& radius, const std::vector<bool>& starved,
                                   const std::vector<double>& standard_error) {
  constexpr double mean_size = 0.7978845608028654;  // sqrt(2/pi): of a normal error, in times of its standard deviation
  const std::size_t A = radius.size();
  const auto S = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(standard_error.size() / A))));
  std::vector<double> rows;
  for (std::size_t row = 0; row < A * S; ++row) {
    double expected = 0;
    for (std::size_t next = 0; next < S; ++next) {
      const double error = standard_error[row * S + next];
      expected += std::isnan(error) ? 2.0 : mean_size * error;
    }
    rows.push_back(starved[row / S] ? std::max(radius[row / S], std::min(2.0, expected)) : radius[row / S]);
  }
  return rows;
}

}  // namespace penumbra::host

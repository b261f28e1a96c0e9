// How often two images choose differently, through lib/core's own policies, and how far their models are apart.
#pragma once

#include "penumbra/policy_image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace penumbra::host {

// What two images of the same sizes chose at the same beliefs.
struct Choices {
  explicit Choices(std::size_t of_actions) : actions(of_actions), count(of_actions * of_actions, 0) {}

  std::size_t actions;
  std::vector<std::uint64_t> count;  // [action of the first][action of the second]

  [[nodiscard]] std::uint64_t compared() const;
  [[nodiscard]] std::uint64_t different() const;
  void add(const Choices& others);
};

// At beliefs drawn uniformly from all of them.
[[nodiscard]] Choices compare_anywhere(const PolicyImage& first, const PolicyImage& second, std::uint64_t beliefs, std::uint64_t seed);

// At every point of a lattice, of which there are at most max_lattice_points.
[[nodiscard]] Choices compare_on_lattice(const PolicyImage& first, const PolicyImage& second, std::uint16_t resolution);

// Where one gets to: in the world of the first image's model and with its filter, half of the time by the choices of the first and half by
// those of the second.
[[nodiscard]] Choices compare_where_visited(const PolicyImage& first, const PolicyImage& second, std::uint64_t beliefs, std::uint64_t seed);

// Largest absolute differences of what images of the same sizes hold.
struct ModelDifference {
  double prior = 0;
  double transition = 0;
  double observation = 0;
  std::optional<double> reward;  // nothing where their rewards are of different kinds
  bool same_emission = true;
};
[[nodiscard]] ModelDifference model_difference(const PolicyImage& first, const PolicyImage& second);

}  // namespace penumbra::host

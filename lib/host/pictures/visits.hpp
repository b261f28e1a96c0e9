// Where a robot's beliefs have been: runs are followed by lib/core's own filter on the image's model, as the robot would, and beliefs that lie
// on a triangle or a strip are gathered in bins.
#pragma once

#include "penumbra/host/policy_picture.hpp"
#include "triangle_map.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

// Hands over the belief before each action; it has one number a state.
using BeliefSink = std::function<void(const float*)>;
void follow(const PolicyImage& image, const RunLog& runs, const BeliefSink& sink);

// A dot: where the beliefs of its bin are on average, and how many they are.
struct Dot {
  Weights at;
  std::uint64_t count;
};

// Beliefs with this much mass on the corners of a triangle are drawn on it.
constexpr double least_mass = 0.9;

// Hexagonal bins around the points of a triangular lattice with `cells` along a side.
class TriangleBins {
 public:
  TriangleBins(const Triple& states, size_t cells);

  void add(const float* belief);

  [[nodiscard]] std::vector<Dot> dots() const;
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

 private:
  struct Bin {
    Weights sum{};
    std::uint64_t count = 0;
  };
  Triple states_;
  size_t cells_;
  std::vector<Bin> bins_;  // [j][i], as the vertices of a TriangleMap
  std::uint64_t total_ = 0;
};

}  // namespace penumbra::host

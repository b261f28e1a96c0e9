// The regions of a triangle in which one action is chosen. The action is asked for at the vertices of a fine triangular grid, and where two
// neighbours differ their border is found between them by bisection, so that borders are where they are and not where the grid is. What
// is thinner than a cell may be missed.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace penumbra::host {

// A point by the weights of the three corners, bottom left, bottom right and top; they sum to 1.
using Weights = std::array<double, 3>;
using ActionAt = std::function<size_t(const Weights&)>;

// In the plane: the side is 1, the bottom left corner is the origin, y goes up.
struct PlanePoint {
  double x;
  double y;
};
constexpr double triangle_height = 0.86602540378443864676;
[[nodiscard]] inline PlanePoint in_plane(const Weights& at) noexcept { return {at[1] + at[2] / 2, at[2] * triangle_height}; }

struct Region {
  size_t action;
  std::vector<std::vector<Weights>> outlines;  // closed; the rest of the triangle lies to the right of them
  double share;                                // of the triangle's area
};

class TriangleMap {
 public:
  TriangleMap(size_t cells, const ActionAt& action_at);

  // In the order of the actions.
  [[nodiscard]] const std::vector<Region>& regions() const noexcept { return regions_; }

  // The middle of a place for a box of this size, in sides of the triangle, within the action's regions: the deepest one of which `may_be`
  // says yes.
  using Judge = std::function<bool(const PlanePoint& middle)>;
  [[nodiscard]] std::optional<Weights> room_for(size_t action, double width, double height, const Judge& may_be) const;

 private:
  [[nodiscard]] size_t vertex(size_t i, size_t j) const noexcept { return j * (cells_ + 1) + i; }
  [[nodiscard]] Weights at(size_t i, size_t j) const noexcept;
  [[nodiscard]] bool box_fits(size_t i, size_t j, double width, double height) const;
  void measure_depths();

  size_t cells_;
  std::vector<size_t> action_;  // [vertex]
  std::vector<size_t> depth_;   // [vertex]: steps to the next vertex of another action, or out of the triangle
  std::vector<Region> regions_;
};

}  // namespace penumbra::host

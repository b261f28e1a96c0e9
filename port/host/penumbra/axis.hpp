// An axis of a plot: from where to where it goes, and the ticks on it with their labels.
#pragma once

#include <string>
#include <vector>

namespace penumbra::command {

struct Tick {
  double at = 0;
  std::string label;
};

struct Axis {
  double low = 0;
  double high = 1;
  bool log = false;
  std::vector<Tick> ticks;
};

// Around the smallest and the largest value, which may be the same, with this share of the length as air at both ends. Where 0 is
// an end, or near one, it is the axis's end. A logarithmic axis takes values above 0.
[[nodiscard]] Axis axis_around(double smallest, double largest, bool log, double air);

}  // namespace penumbra::command

// Ticks at 1, 2 or 5 times a power of ten.
#include "axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace penumbra::command {

namespace {

// 20000 as 20k beside 100k. What an axis up to 9999 shows is written out.
std::string label_of(double value, double largest) {
  static constexpr std::array<std::pair<double, const char*>, 3> units = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  if (largest >= 1e4 && largest < 1e13) {
    for (const auto& [unit, letter] : units) {
      if (std::abs(value) >= unit) return fmt::format("{:.6g}{}", value / unit, letter);
    }
  }
  return fmt::format("{:.6g}", value);
}

void add_ticks(Axis& axis) {
  constexpr double most = 6;  // gaps
  const double rough = (axis.high - axis.low) / most;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * decade >= rough * (1 - 1e-9)) step = factor * decade;
  }
  const double slack = 1e-9 * (axis.high - axis.low);
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const double first = std::ceil((axis.low - slack) / step);
  for (int i = 0; i <= 2 * static_cast<int>(most); ++i) {  // a count: a step that is lost beside its position must not go on for ever
    const double at = (first + i) * step;
    if (at > axis.high + slack) break;
    axis.ticks.push_back({at, label_of(std::abs(at) < slack ? 0 : at, largest)});
  }
}

void add_log_ticks(Axis& axis) {
  const double decades = std::log10(axis.high / axis.low);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / 8)));
  const auto last = static_cast<int>(std::ceil(std::log10(axis.high)));
  for (int power = static_cast<int>(std::floor(std::log10(axis.low))); power <= last; ++power) {
    if (power % every != 0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && decades > 2.2) continue;
      const double at = factor * std::pow(10, power);
      if (at < axis.low * (1 - 1e-9) || at > axis.high * (1 + 1e-9)) continue;
      axis.ticks.push_back({at, label_of(at, axis.high)});
    }
  }
}

}  // namespace

Axis axis_around(double smallest, double largest, bool log, double air) {
  Axis axis;
  axis.log = log;
  if (log) {
    const double factor = smallest < largest * (1 - 1e-6) ? std::pow(largest / smallest, air) : 2;
    axis.low = smallest / factor * (1 - 1e-6);  // gnuplot loses a tick that is the very end
    axis.high = largest * factor * (1 + 1e-6);
    add_log_ticks(axis);
    if (axis.ticks.size() >= 2) return axis;
    axis.ticks.clear();  // less than an octave: ticks at equal distances tell more
    add_ticks(axis);
    return axis;
  }
  const double size = std::max(std::abs(smallest), std::abs(largest));
  double length = largest - smallest;
  if (length <= 1e-6 * size || length == 0) {
    length = size > 0 ? 0.2 * size : 1;
    axis.low = smallest - length / 2;
    axis.high = largest + length / 2;
  } else {
    axis.low = smallest - air * length;
    axis.high = largest + air * length;
  }
  constexpr double near = 0.1;  // of the length: 0 is then the end, as for steps that are counted from 500 on
  if (smallest >= 0 && smallest - near * length < 0) {
    axis.low = 0;
  } else if (largest <= 0 && largest + near * length > 0) {
    axis.high = 0;
  }
  add_ticks(axis);
  return axis;
}

}  // namespace penumbra::command

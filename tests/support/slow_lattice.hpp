// Average-reward planning on the belief lattice, written again from the equations and for nothing but plainness: points in a map,
// every interpolation worked out anew in every sweep. What the planner is compared with.
#pragma once

#include "penumbra/host/model.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace penumbra::test {

class SlowLattice {
 public:
  using Point = std::vector<int>;

  // `min_action`: of policies that play every action with this probability at least.
  SlowLattice(const host::Model& model, int resolution, double min_action = 0) : model_(model), n_(resolution), min_action_(min_action) {
    Point point(model.states.size());
    enumerate(point, 0, resolution);
  }

  // Half-way between the old and the new value, which makes every model aperiodic; the gain of that is the same.
  double gain(int sweeps) {
    double lowest = 0;
    double highest = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      std::map<Point, double> next;
      lowest = 1e300;
      highest = -1e300;
      for (const auto& [point, value] : values_) {
        const double step = best(point) - value;
        lowest = std::min(lowest, step);
        highest = std::max(highest, step);
        next[point] = value + step / 2;
      }
      const double shift = next.begin()->second;
      for (auto& [point, value] : next) value -= shift;
      values_ = next;
    }
    span = highest - lowest;
    return (lowest + highest) / 2;
  }
  double span = 0;

  // Kuhn's cell in cumulative sums from the right: at b the value is that of a walk whose every step adds one where the fraction is largest.
  [[nodiscard]] double value_at(const std::vector<double>& belief) const {
    const std::size_t S = belief.size();
    std::vector<double> sums(S);  // sums[i] = n (b_i + … + b_{S-1})
    double sum = 0;
    for (std::size_t i = S; i-- > 0;) sums[i] = (sum += belief[i]) * n_ / 1.0;
    std::vector<int> whole(S);
    std::vector<std::pair<double, int>> fractions;
    for (std::size_t i = 0; i < S; ++i) {
      whole[i] = i == 0 ? n_ : static_cast<int>(sums[i] + 1e-11);
      if (i > 0) fractions.emplace_back(std::max(0.0, sums[i] - whole[i]), static_cast<int>(i));
    }
    std::sort(fractions.begin(), fractions.end(),
              [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    double value = (1 - (fractions.empty() ? 0.0 : fractions[0].first)) * value_of(whole);
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      const double weight = fractions[i].first - (i + 1 < fractions.size() ? fractions[i + 1].first : 0.0);
      ++whole[static_cast<std::size_t>(fractions[i].second)];
      if (weight > 1e-13) value += weight * value_of(whole);
    }
    return value;
  }

 private:
  void enumerate(Point& point, std::size_t state, int left) {
    if (state + 1 == point.size()) {
      point[state] = left;
      values_[point] = 0;
      return;
    }
    for (int x = 0; x <= left; ++x) {
      point[state] = x;
      enumerate(point, state + 1, left - x);
    }
  }

  [[nodiscard]] double value_of(const std::vector<int>& sums) const {
    Point point(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) point[i] = sums[i] - (i + 1 < sums.size() ? sums[i + 1] : 0);
    return values_.at(point);
  }

  [[nodiscard]] double best(const Point& point) const {
    const std::size_t S = model_.states.size();
    const std::vector<double> reward = host::expected_reward(model_);
    double best = -1e300;
    double sum = 0;
    for (std::size_t a = 0; a < model_.actions.size(); ++a) {
      double value = 0;
      for (std::size_t s = 0; s < S; ++s) value += point[s] * reward[a * S + s] / n_;
      for (std::size_t o = 0; o < model_.observations.size(); ++o) {
        std::vector<double> next(S);
        double probability = 0;
        for (std::size_t s = 0; s < S; ++s) {
          for (std::size_t to = 0; to < S; ++to) {
            const std::size_t emitter = model_.emission == Emission::departure ? s : to;
            const double joint = model_.transition_row(a, s)[to] * model_.observation_row(a, emitter)[o] * point[s] / n_;
            next[to] += joint;
            probability += joint;
          }
        }
        if (probability <= 0) continue;
        for (double& entry : next) entry /= probability;
        value += probability * value_at(next);
      }
      best = std::max(best, value);
      sum += value;
    }
    return (1 - static_cast<double>(model_.actions.size()) * min_action_) * best + min_action_ * sum;
  }

  const host::Model& model_;
  int n_;
  double min_action_;
  std::map<Point, double> values_;
};

}  // namespace penumbra::test

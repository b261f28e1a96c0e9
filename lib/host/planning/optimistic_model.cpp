// The corners of the confidence region, as actions.
#include "optimistic_model.hpp"

#include <algorithm>

namespace penumbra::host {

namespace {

// Raises entries to epsilon at the cost of the others, in proportion to what they have above it: no row in T >= epsilon is nearer in L1.
// Returns how much was moved.
double raise_to(double epsilon, double* row, std::size_t width) {
  double missing = 0;
  double above = 0;
  for (std::size_t i = 0; i < width; ++i) {
    missing += std::max(epsilon - row[i], 0.0);
    above += std::max(row[i] - epsilon, 0.0);
  }
  if (missing <= 0 || above <= 0) return 0;
  const double keep = 1.0 - std::min(missing / above, 1.0);
  for (std::size_t i = 0; i < width; ++i) row[i] = row[i] > epsilon ? epsilon + keep * (row[i] - epsilon) : epsilon;
  return missing;
}

}  // namespace

OptimisticModel optimistic_model(const Model& model, const std::vector<double>& radius, double epsilon) {
  const std::size_t S = model.states.size();
  const std::size_t A = model.actions.size();
  const std::size_t variants = optimistic_transitions(S);
  OptimisticModel optimistic;
  Model& wide = optimistic.model;
  wide = model;
  wide.actions = Labels(A * variants);
  wide.transition.clear();
  wide.observation.clear();
  if (model.reward_kind == RewardKind::by_action_and_state) wide.reward.clear();

  for (std::size_t a = 0; a < A; ++a) {
    std::vector<double> nominal(model.transition_row(a, 0), model.transition_row(a, 0) + S * S);
    std::vector<double> budget(S);  // mass that each row may still move
    for (std::size_t s = 0; s < S; ++s) {
      const double of_row = radius.size() == A ? radius[a] : radius[a * S + s];
      budget[s] = std::max(of_row / 2 - raise_to(epsilon, nominal.data() + s * S, S), 0.0);
    }
    const auto add = [&](const std::vector<double>& transition) {
      optimistic.real.push_back(a);
      wide.transition.insert(wide.transition.end(), transition.begin(), transition.end());
      wide.observation.insert(wide.observation.end(), model.observation_row(a, 0),
                              model.observation_row(a, 0) + S * model.observations.size());
      if (model.reward_kind == RewardKind::by_action_and_state) {
        wide.reward.insert(wide.reward.end(), model.reward.data() + a * S, model.reward.data() + (a + 1) * S);
      }
    };
    add(nominal);
    for (std::size_t from = 0; from < S; ++from) {
      for (std::size_t to = 0; to < S; ++to) {
        if (from == to) continue;
        std::vector<double> moved = nominal;
        for (std::size_t s = 0; s < S; ++s) {
          double* row = moved.data() + s * S;
          const double mass = std::min(budget[s], std::max(row[from] - epsilon, 0.0));
          row[from] -= mass;
          row[to] += mass;
        }
        add(moved);
      }
    }
  }
  return optimistic;
}

}  // namespace penumbra::host

// The paper's constants of a model, and what they promise.
#include "penumbra/host/analysis.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

// Span of the bias function (proposition uniformBoundBias). Its alpha is not the sensors'.
std::optional<double> bias_span(double epsilon) {
  const double alpha = (1 - 2 * epsilon) / (1 - epsilon);
  if (!(alpha > 0 && alpha < 1)) return std::nullopt;
  const double logarithm = std::log((1 - alpha) / 8) / std::log(alpha);
  return 8 * (2 / ((1 - alpha) * (1 - alpha)) + (1 + alpha) * logarithm) / (1 - alpha);
}

// Where the state is in the long run when all actions are chosen evenly. Half-lazy, so that periodic chains converge as well.
std::vector<double> occupancy(const Model& model) {
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  std::vector<double> moves(S * S, 0.0);
  for (size_t a = 0; a < A; ++a) {
    for (size_t i = 0; i < S * S; ++i) moves[i] += model.transition[a * S * S + i] / static_cast<double>(A);
  }
  std::vector<double> now = model.initial;
  constexpr int rounds = 100000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> next(S, 0.0);
    for (size_t s = 0; s < S; ++s) {
      for (size_t to = 0; to < S; ++to) next[to] += 0.5 * now[s] * (moves[s * S + to] + (s == to ? 1.0 : 0.0));
    }
    double change = 0;
    for (size_t s = 0; s < S; ++s) change += std::abs(next[s] - now[s]);
    now.swap(next);
    if (change < 1e-14) break;
  }
  return now;
}

// How often each pair comes when all actions are chosen evenly: [a][a'][o][o'], a sum of 1 for each a.
std::vector<double> uniform_frequencies(const Model& model) {
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  const std::vector<double> occupied = occupancy(model);
  std::vector<double> frequencies(A * A * O * O, 0.0);
  for (size_t a = 0; a < A; ++a) {
    std::vector<double> seen_and_reached(O * S, 0.0);  // P(o, s' | a)
    for (size_t s = 0; s < S; ++s) {
      for (size_t o = 0; o < O; ++o) {
        const double seen = occupied[s] * model.observation_row(a, s)[o];
        for (size_t next = 0; next < S; ++next) seen_and_reached[o * S + next] += seen * model.transition_row(a, s)[next];
      }
    }
    for (size_t b = 0; b < A; ++b) {
      double* block = frequencies.data() + (a * A + b) * O * O;
      for (size_t o = 0; o < O; ++o) {
        for (size_t next = 0; next < S; ++next) {
          const double reached = seen_and_reached[o * S + next] / static_cast<double>(A);
          for (size_t p = 0; p < O; ++p) block[o * O + p] += reached * model.observation_row(b, next)[p];
        }
      }
    }
  }
  return frequencies;
}

}  // namespace

Analysis analyse(const Model& model) {
  Analysis analysis;
  if (model.has_transition()) analysis.epsilon = *std::min_element(model.transition.begin(), model.transition.end());
  analysis.sensors = invert_sensors(model);
  analysis.alpha = analysis.sensors[0].sigma_min;
  for (const SensorInverse& sensor : analysis.sensors) analysis.alpha = std::min(analysis.alpha, sensor.sigma_min);
  analysis.obstacles = obstacles_to_aoas(model, analysis.sensors);
  return analysis;
}

std::optional<ErrorBound> error_bound(const Model& model, double epsilon, double alpha, double samples, double policies, double delta) {
  if (!(epsilon > 0) || !(alpha > 0)) return std::nullopt;
  const auto S = static_cast<double>(model.states.size());
  const auto A = static_cast<double>(model.actions.size());
  const auto O = static_cast<double>(model.observations.size());
  ErrorBound bound;
  bound.samples = samples;
  bound.policies = policies;
  bound.delta = delta;
  bound.d_min = epsilon;
  // With a single state epsilon is 1, and nothing is left to contract.
  bound.eta = epsilon < 0.5 ? 1 - epsilon / (1 - epsilon) : 0;
  bound.L = 4 * std::pow(1 - epsilon, 2) / std::pow(epsilon, 3);
  bound.C = 4 * std::pow(1 - epsilon, 3) / std::pow(epsilon, 4);
  bound.D = bias_span(epsilon / 2);
  bound.error = 4 * bound.G / (alpha * alpha * bound.d_min * (1 - bound.eta)) *
                std::sqrt(2 * policies * S * A * std::log(2 * A * O * O * policies / delta) / samples);
  return bound;
}

std::vector<double> expected_errors(const Model& model, const std::vector<SensorInverse>& sensors, double samples) {
  const size_t cells = model.states.size() * model.states.size();
  const std::vector<double> deviations =
      standard_errors(model, sensors, uniform_frequencies(model), std::vector<double>(model.actions.size(), samples));
  std::vector<double> errors;
  for (size_t a = 0; a < model.actions.size(); ++a) {
    double square = 0;
    for (size_t i = a * cells; i < (a + 1) * cells; ++i) square += deviations[i] * deviations[i];
    errors.push_back(std::sqrt(square));
  }
  return errors;
}

}  // namespace penumbra::host

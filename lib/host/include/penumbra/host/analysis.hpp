// What can be said about a model before a robot has moved: the constants of the paper's assumptions, whether AOAS applies, and how large
// an estimation error to expect, by the paper's bound and by the delta method.
#pragma once

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/model.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

struct Analysis {
  std::optional<double> epsilon;  // the smallest transition probability (Assumption 1); nothing without a transition
  std::vector<SensorInverse> sensors;
  double alpha = 0;                    // the smallest sigma_min (Assumption 2)
  std::vector<std::string> obstacles;  // why AOAS does not apply; empty when it does
};
[[nodiscard]] Analysis analyse(const Model& model);

// The bound on ||T_a - estimate||_F that holds with probability 1 - delta (lemma combinedActionDistr):
//
//   4 G / (alpha² d_min (1 - eta)) · sqrt( 2 k S A log(2 A O² k / delta) / N )
//
// with N samples of the action from k policies. Of what depends on the policies eta and d_min are taken at their worst under the assumptions and
// G at its least, 1: the guarantee is this figure times the policies' G.
struct ErrorBound {
  double samples = 0;   // N
  double policies = 1;  // k
  double delta = 0;
  double G = 1;
  double d_min = 0;         // epsilon: every state is reached with that probability from everywhere
  double eta = 0;           // 1 - epsilon / (1 - epsilon)
  double L = 0;             // 4 (1 - epsilon)² / epsilon³: belief error from transition error
  double C = 0;             // 4 (1 - epsilon)³ / epsilon⁴ = L / (1 - eta)
  std::optional<double> D;  // D(epsilon/2): span of the bias function; nothing for a single state
  double error = 0;
};
// Nothing where the assumptions fail: epsilon or alpha is zero.
[[nodiscard]] std::optional<ErrorBound> error_bound(const Model& model, double epsilon, double alpha, double samples, double policies,
                                                    double delta);

// What to expect in practice: the root of the mean squared ||T_a - estimate||_F for `samples` pairs of each action when all are chosen
// evenly, by the delta method. The model has a transition and AOAS applies to it.
[[nodiscard]] std::vector<double> expected_errors(const Model& model, const std::vector<SensorInverse>& sensors, double samples);

}  // namespace penumbra::host

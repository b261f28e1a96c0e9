// Action-wise observation-aware spectral estimation (paper, Algorithm 1): the transition model from pair counts and the known sensors.
//
//   d(a) = O_a^+ · ( sum_a' C(a,a')/n(a) · (O_a'^+)^T ),     T_a(s'|s) = max(d(s,s'), 0) / sum_s'' max(d(s,s''), 0)
//
// by (O_a ⊗ O_a')^+ = O_a^+ ⊗ O_a'^+: A small pseudo-inverses instead of one of size AO² × AS² for each action. Clipping comes after the sum
// over a': under a policy that looks at o the block of one a' is no distribution, their sum is. Consistent for departure emission and any
// policies, also history-dependent ones, together or alone.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penumbra::host {

// The pseudo-inverse of one action's sensor matrix O_a (O × S, element (o,s) is O_a(o|s)), from its singular value decomposition.
struct SensorInverse {
  std::vector<double> pseudo_inverse;  // [state][observation]
  double sigma_min = 0;                // the S-th singular value; 0 when S > O
  size_t rank = 0;
};
[[nodiscard]] std::vector<SensorInverse> invert_sensors(const Model& model);  // [action]

// Why AOAS cannot be used on this model, a sentence each; empty when it can.
[[nodiscard]] std::vector<std::string> obstacles_to_aoas(const Model& model, const std::vector<SensorInverse>& sensors);

// The same as a problem of the model `name`: worth asking before a long log is read.
[[nodiscard]] Outcome<void> check_aoas_applies(const Model& model, const std::vector<SensorInverse>& sensors, const std::string& name);

struct Estimate {
  std::vector<double> transition;                 // [action][state][next state]
  std::vector<double> standard_error;             // the same; NaN where it is not known: rows made uniform, samples that never varied
  std::vector<std::uint64_t> samples;             // [action]
  std::vector<double> sigma_min;                  // [action]
  std::vector<size_t> rank;                       // [action]
  std::vector<size_t> clipped;                    // [action]: entries that came out below zero
  std::vector<std::vector<size_t>> uniform_rows;  // [action]: states whose row says nothing and was made uniform
};

// Counts of the model's sizes. Refused where AOAS does not apply; `name` is what the problem calls the model.
[[nodiscard]] Outcome<Estimate> estimate_transition(const Model& model, const Counts& counts, const std::string& name);

// The same where check_aoas_applies() has said yes to these sensors: they are not inverted again.
[[nodiscard]] Estimate estimate_transition(const Model& model, const std::vector<SensorInverse>& sensors, const Counts& counts);

// ||T_a - truth||_F for each action. Both are [action][state][next state].
[[nodiscard]] std::vector<double> frobenius_errors(const std::vector<double>& transition, const std::vector<double>& truth, size_t states);

// The standard errors above for given frequencies instead of counts: what `samples` pairs an action would give. `frequencies` is
// [a][a'][o][o'] and sums to 1 for each a.
[[nodiscard]] std::vector<double> standard_errors(const Model& model, const std::vector<SensorInverse>& sensors,
                                                  const std::vector<double>& frequencies, const std::vector<double>& samples);

}  // namespace penumbra::host

// Rewards, and value iteration over states.
#include "simple_policies.hpp"

#include <algorithm>
#include <numeric>

namespace penumbra::host::vector_planning {

namespace {

ValueVectors one_an_action(const JointModel& joint, std::vector<double> values) {
  ValueVectors vectors;
  vectors.actions.resize(joint.actions());
  std::iota(vectors.actions.begin(), vectors.actions.end(), size_t{0});
  vectors.values = std::move(values);
  return vectors;
}

}  // namespace

ValueVectors myopic_vectors(const JointModel& joint) { return one_an_action(joint, joint.rewards()); }

ValueVectors qmdp_vectors(const JointModel& joint, double discount) {
  const size_t S = joint.states();
  std::vector<double> values(S, 0.0);
  std::vector<double> q(joint.rewards().size());
  constexpr size_t most_sweeps = 3000;
  for (size_t sweep = 0; sweep < most_sweeps; ++sweep) {
    double least = 0;
    double most = 0;
    for (size_t a = 0; a < joint.actions(); ++a) {
      joint.expect(a, values.data(), q.data() + a * S);
      for (size_t s = 0; s < S; ++s) q[a * S + s] = joint.reward(a)[s] + discount * q[a * S + s];
    }
    for (size_t s = 0; s < S; ++s) {
      double best = q[s];
      for (size_t a = 1; a < joint.actions(); ++a) best = std::max(best, q[a * S + s]);
      least = s == 0 ? best - values[s] : std::min(least, best - values[s]);
      most = s == 0 ? best - values[s] : std::max(most, best - values[s]);
      values[s] = best;
    }
    if (most - least <= joint.tolerance(1e-6)) break;  // from here on only a constant is added
  }
  return one_an_action(joint, std::move(q));
}

}  // namespace penumbra::host::vector_planning

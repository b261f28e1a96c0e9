// Look-ahead in the order action, observation, state.
#include "vector_lookahead.hpp"

#include <algorithm>

namespace penumbra::host::vector_planning {

VectorLookahead::VectorLookahead(const JointModel& joint, const ValueVectors& values, double discount)
    : joint_(joint), values_(values, joint.states()), discount_(discount) {
  if (!joint.departure()) return;
  const size_t size = joint.states() * values_.width();
  expected_.resize(joint.actions() * size);
  for (size_t a = 0; a < joint.actions(); ++a) joint.expect_rows(a, values_.rows(), values_.width(), expected_.data() + a * size);
}

double VectorLookahead::action_value(const double* belief, size_t a, Scratch& scratch) const noexcept {
  const size_t S = joint_.states();
  const double* emitting = belief;
  if (!joint_.departure()) {
    joint_.move(a, belief, scratch.moved.data());
    emitting = scratch.moved.data();
  }
  double future = 0;
  bool impossible = false;
  const size_t none = values_.size();
  for (size_t o = 0; o < joint_.observations(); ++o) {
    scratch.weights.take_product(emitting, joint_.likelihood(a, o), S);
    if (scratch.weights.count() == 0) {
      scratch.winners[o] = none;
      impossible = true;
      continue;
    }
    const Winner winner = best_column(rows(a), values_.width(), scratch.weights);
    scratch.winners[o] = winner.vector;
    future += winner.value;
  }
  if (impossible) {
    scratch.weights.take(emitting, S);
    std::replace(scratch.winners.begin(), scratch.winners.end(), none, best_column(rows(a), values_.width(), scratch.weights).vector);
  }
  return joint_.expected_reward(a, belief) + discount_ * future;
}

void VectorLookahead::backed_up(size_t a, const std::vector<size_t>& winners, std::vector<double>& moved, double* vector) const noexcept {
  const size_t S = joint_.states();
  const double* values = rows(a);
  std::fill(moved.begin(), moved.end(), 0.0);
  for (size_t o = 0; o < winners.size(); ++o) {
    const double* likelihood = joint_.likelihood(a, o);
    for (size_t s = 0; s < S; ++s) moved[s] += likelihood[s] * values[s * values_.width() + winners[o]];
  }
  if (joint_.departure()) {
    std::copy(moved.begin(), moved.end(), vector);
  } else {
    joint_.expect(a, moved.data(), vector);
  }
  const double* reward = joint_.reward(a);
  for (size_t s = 0; s < S; ++s) vector[s] = reward[s] + discount_ * vector[s];
}

Choice best_action(const double* action_values, size_t actions, double tie) noexcept {
  const double best = *std::max_element(action_values, action_values + actions);
  size_t a = 0;
  while (action_values[a] < best - tie) ++a;
  return {a, action_values[a]};
}

}  // namespace penumbra::host::vector_planning

// Products with transitions, skipping their zeros.
#include "joint_model.hpp"

#include "vector_set.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host::vector_planning {

JointModel::JointModel(const Model& model)
    : model_(model),
      states_(model.states.size()),
      actions_(model.actions.size()),
      observations_(model.observations.size()),
      reward_(host::expected_reward(model)) {
  likelihood_.reserve(model.observation.size());
  for (size_t a = 0; a < actions_; ++a) {
    for (size_t o = 0; o < observations_; ++o) {
      for (size_t s = 0; s < states_; ++s) likelihood_.push_back(model.observation_row(a, s)[o]);
    }
  }
  for (size_t row = 0; row < actions_ * states_; ++row) {
    for (size_t next = 0; next < states_; ++next) {
      const double p = model.transition[row * states_ + next];
      if (p == 0) continue;
      next_state_.push_back(next);
      probability_.push_back(p);
    }
    row_end_.push_back(next_state_.size());
  }
  const auto [least, most] = std::minmax_element(reward_.begin(), reward_.end());
  reward_range_ = *most - *least;
  rounding_ = 1e-11 * std::max(std::abs(*least), std::abs(*most));
}

void JointModel::move(size_t a, const double* before, double* after) const noexcept {
  std::fill(after, after + states_, 0.0);
  for (size_t s = 0; s < states_; ++s) {
    const double weight = before[s];
    if (weight == 0) continue;
    const size_t end = row_end_[a * states_ + s];
    for (size_t i = row_begin(a * states_ + s); i < end; ++i) after[next_state_[i]] += weight * probability_[i];
  }
}

void JointModel::expect(size_t a, const double* next, double* values) const noexcept {
  for (size_t s = 0; s < states_; ++s) {
    double sum = 0;
    const size_t end = row_end_[a * states_ + s];
    for (size_t i = row_begin(a * states_ + s); i < end; ++i) sum += probability_[i] * next[next_state_[i]];
    values[s] = sum;
  }
}

void JointModel::expect_rows(size_t a, const double* next, size_t width, double* values) const noexcept {
  std::fill(values, values + states_ * width, 0.0);
  for (size_t s = 0; s < states_; ++s) {
    const size_t end = row_end_[a * states_ + s];
    for (size_t i = row_begin(a * states_ + s); i < end; ++i) {
      const double* row = next + next_state_[i] * width;
      for (size_t k = 0; k < width; ++k) values[s * width + k] += probability_[i] * row[k];
    }
  }
}

double JointModel::expected_reward(size_t a, const double* belief) const noexcept { return dot(belief, reward(a), states_); }

}  // namespace penumbra::host::vector_planning

// A model as planning reads it: P(s', o | s, a) in factors, transitions without their zeros. Both emission timings become one form:
//
//   departure   P(s', o | s, a) = O_a(o|s) T_a(s'|s)        arrival   P(s', o | s, a) = T_a(s'|s) O_a(o|s')
//
// so that the belief is weighed by O_a(o|.) in the emitting states, which are those before the move or those after it.
#pragma once

#include "penumbra/host/model.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host::vector_planning {

class JointModel {
 public:
  // The model has a transition and outlives this.
  explicit JointModel(const Model& model);

  [[nodiscard]] const Model& model() const noexcept { return model_; }
  [[nodiscard]] size_t states() const noexcept { return states_; }
  [[nodiscard]] size_t actions() const noexcept { return actions_; }
  [[nodiscard]] size_t observations() const noexcept { return observations_; }
  [[nodiscard]] bool departure() const noexcept { return model_.emission == Emission::departure; }

  [[nodiscard]] const double* reward(size_t a) const noexcept { return reward_.data() + a * states_; }  // [state]
  [[nodiscard]] const double* likelihood(size_t a, size_t o) const noexcept {                           // [state]
    return likelihood_.data() + (a * observations_ + o) * states_;
  }
  [[nodiscard]] const std::vector<double>& rewards() const noexcept { return reward_; }  // [action][state]

  // Differences of value below these are not worth a vector: a part of the range of rewards, and never below what rounding leaves.
  [[nodiscard]] double tolerance(double part) const noexcept { return part * reward_range_ + rounding_; }

  // after = before T_a
  void move(size_t a, const double* before, double* after) const noexcept;
  // values(s) = sum_s' T_a(s'|s) next(s')
  void expect(size_t a, const double* next, double* values) const noexcept;
  // The same for many at a time: rows are states, `width` numbers in each.
  void expect_rows(size_t a, const double* next, size_t width, double* values) const noexcept;

  [[nodiscard]] double expected_reward(size_t a, const double* belief) const noexcept;

 private:
  const Model& model_;
  size_t states_;
  size_t actions_;
  size_t observations_;
  std::vector<double> reward_;      // [action][state]
  std::vector<double> likelihood_;  // [action][observation][state]
  std::vector<size_t> row_end_;     // [action][state]: where the row's entries end; they begin where the one before ended
  std::vector<size_t> next_state_;
  std::vector<double> probability_;
  double reward_range_ = 0;
  double rounding_ = 0;

  [[nodiscard]] size_t row_begin(size_t row) const noexcept { return row == 0 ? 0 : row_end_[row - 1]; }
};

}  // namespace penumbra::host::vector_planning

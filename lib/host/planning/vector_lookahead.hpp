// One step ahead of value vectors: what each action is worth at a belief, and the vector that says so for every belief (the point-based
// backup). The winning vector after each observation is found from products with T_a V, made once for all beliefs.
#pragma once

#include "joint_model.hpp"
#include "vector_set.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host::vector_planning {

class VectorLookahead {
 public:
  // The model outlives this.
  VectorLookahead(const JointModel& joint, const ValueVectors& values, double discount);

  // What one thread needs to look ahead.
  struct Scratch {
    explicit Scratch(const JointModel& joint) : moved(joint.states()), weights(joint.states()), winners(joint.observations()) {}
    std::vector<double> moved;
    SparseWeights weights;
    std::vector<size_t> winners;  // [observation]
  };

  // R_a.b + discount * sum_o max_k (b M(a,o)).V_k; leaves the winners in `scratch`. An observation that cannot come takes the vector
  // that is best at b T_a: the backed-up vector serves other beliefs too, where it can.
  double action_value(const double* belief, size_t a, Scratch& scratch) const noexcept;

  // The vector of these winners: R_a + discount * sum_o M(a,o) V_winner(o)
  void backed_up(size_t a, const std::vector<size_t>& winners, std::vector<double>& moved, double* vector) const noexcept;

  [[nodiscard]] const VectorSet& values() const noexcept { return values_; }

 private:
  const JointModel& joint_;
  VectorSet values_;
  double discount_;
  std::vector<double> expected_;  // departure: [action][state][width], T_a V

  // What the weights of emitting states are multiplied with.
  [[nodiscard]] const double* rows(size_t a) const noexcept {
    return joint_.departure() ? expected_.data() + a * joint_.states() * values_.width() : values_.rows();
  }
};

// The best action and its value: the lowest within rounding of the best, so that equal actions do not take turns.
struct Choice {
  size_t action = 0;
  double value = 0;
};
[[nodiscard]] Choice best_action(const double* action_values, size_t actions, double tie) noexcept;

}  // namespace penumbra::host::vector_planning

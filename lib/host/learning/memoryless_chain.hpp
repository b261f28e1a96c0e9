// What a memoryless policy earns in a world, and which way it would earn more.
//
// Under such a policy (s_t, a_t) is a Markov chain: s' ~ T_a(.|s) and, independent of it, a' ~ sum_o O_a(o|s) pi(.|o). With its stationary
// distribution d, and its bias q, the solution of Poisson's equation, the slope of the gain is exact:
//
//   d gain / d pi(a'|o)  =  sum_s' F(s',o) q(s',a'),     F(s',o) = sum_{s,a} d(s,a) O_a(o|s) T_a(s'|s)
//
// One factorisation of a matrix of size A S gives gain, d and q. The chain of (s_t, o_{t-1}) gives the same, but has S O states.
#pragma once

#include "penumbra/host/model.hpp"

#include <Eigen/LU>

namespace penumbra::host {

class MemorylessChain {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // The uniform policy in the model's world.
  explicit MemorylessChain(const Model& model);

  [[nodiscard]] const Matrix& policy() const noexcept { return policy_; }          // [observation][action]
  [[nodiscard]] const Matrix& transition() const noexcept { return transition_; }  // [action, state][next state]
  [[nodiscard]] double gain() const noexcept { return gain_; }

  void set(const Matrix& policy, const Matrix& transition);

  // How the gain changes with each entry of the policy.
  [[nodiscard]] Matrix slope() const { return arrivals().transpose() * by_state(bias_); }
  // What each action is worth at once after each observation, [observation][action], in units of how often that comes.
  [[nodiscard]] Matrix immediate() const { return arrivals().transpose() * by_state(reward_); }
  // What it is worth to arrive at each state, but for a constant, after an action in a state, by action · S + state.
  [[nodiscard]] Eigen::VectorXd worth(Eigen::Index step) const {
    return by_state(bias_) * (policy_.transpose() * observation_.row(step).transpose());
  }

 private:
  void evaluate();
  [[nodiscard]] Matrix arrivals() const;
  // A vector of [action, state] as [state][action].
  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> by_state(const Eigen::VectorXd& vector) const {
    return {vector.data(), transition_.cols(), policy_.cols()};
  }

  Matrix policy_;
  Matrix transition_;
  Matrix observation_;      // [action, state][observation]
  Eigen::VectorXd reward_;  // [action, state]
  Eigen::VectorXd start_;   // the same: the initial belief, and a uniform action
  Eigen::PartialPivLU<Matrix> factors_;
  Eigen::VectorXd bias_;
  double gain_ = 0;
};

}  // namespace penumbra::host

// Poisson's equation.
#include "memoryless_chain.hpp"

#include <vector>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Chance that the world begins anew after a step. It makes one recurrent class of those that a transition with zeros may have, weighted
// as the beginning does, and costs a gain no more than this times the span of the bias.
constexpr double restart = 1e-9;

}  // namespace

MemorylessChain::MemorylessChain(const Model& model) {
  const auto S = static_cast<Index>(model.states.size());
  const auto A = static_cast<Index>(model.actions.size());
  const auto O = static_cast<Index>(model.observations.size());
  const std::vector<double> reward = expected_reward(model);
  observation_ = Eigen::Map<const Matrix>(model.observation.data(), A * S, O);
  reward_ = Eigen::Map<const VectorXd>(reward.data(), A * S);
  start_ = Eigen::Map<const VectorXd>(model.initial.data(), S).replicate(A, 1) / static_cast<double>(A);
  set(Matrix::Constant(O, A, 1.0 / static_cast<double>(A)), Eigen::Map<const Matrix>(model.transition.data(), A * S, S));
}

void MemorylessChain::set(const Matrix& policy, const Matrix& transition) {
  policy_ = policy;
  transition_ = transition;
  evaluate();
}

// For any distribution u, and e the vector of ones, (1 - P + e u^T) q = r gives the gain as u·q, and q is the bias; the transpose with u in
// place of r gives the stationary distribution. Here u is the start, where the restarts in P lead too.
void MemorylessChain::evaluate() {
  const Index S = transition_.cols();
  const Matrix follows = observation_ * policy_;  // [action, state][next action]
  Matrix system(transition_.rows(), transition_.rows());
  for (Index next = 0; next < policy_.cols(); ++next) {
    system.middleCols(next * S, S) = (restart - 1) * (transition_.array().colwise() * follows.col(next).array()).matrix();
  }
  system.rowwise() += (1 - restart) * start_.transpose();
  system.diagonal().array() += 1;
  factors_.compute(system);
  bias_ = factors_.solve(reward_);
  gain_ = start_.dot(bias_);
}

// How often each state follows each observation, [next state][observation].
MemorylessChain::Matrix MemorylessChain::arrivals() const {
  const VectorXd visits = factors_.transpose().solve(start_);
  return transition_.transpose() * visits.asDiagonal() * observation_;
}

}  // namespace penumbra::host

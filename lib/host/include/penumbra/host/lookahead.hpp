// Acting by one step of looking ahead, where the workstation has the time for it: the action with the largest
//
//   r(b,a) + sum_o p(o|b,a) V(b')          b' the belief after a and o, V what a belief is worth
//
// A board reads its table instead; how much that gives away is the difference between the two. Cost of a choice: A*O evaluations of V
// and A*O*S*S multiply-adds, A*S*S of them with arrival emission.
#pragma once

#include "penumbra/host/belief.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace penumbra::host {

// What a belief (a distribution over the states) is worth, up to a constant. Called from several threads at once.
using BeliefValue = std::function<double(const double* belief)>;

class LookaheadActor final : public Actor {
 public:
  // `believed` is the actor's own model, with a transition; it need not be the world's. Both outlive the actor.
  LookaheadActor(const Model& believed, const BeliefValue& value);

  size_t choose() override;  // of equal ones the lowest
  void observe(size_t action, size_t observation) override;

 private:
  [[nodiscard]] double worth(size_t action);
  void move(const std::vector<double>& from, const double* transition, std::vector<double>& to) const;

  const Model& believed_;
  const BeliefValue& value_;
  BeliefTracker tracker_;
  std::vector<double> reward_;  // [action][state]
  std::vector<double> moved_;
  std::vector<double> weighed_;
  std::vector<double> next_;
};

}  // namespace penumbra::host

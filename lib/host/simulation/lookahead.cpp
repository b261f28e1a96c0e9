// One step ahead, in double precision.
#include "penumbra/host/lookahead.hpp"

namespace penumbra::host {

namespace {

// What is rarer adds nothing that a double would show, and its belief could not be scaled.
constexpr double least_probability = 1e-300;

}  // namespace

LookaheadActor::LookaheadActor(const Model& believed, const BeliefValue& value)
    : believed_(believed),
      value_(value),
      tracker_(believed),
      reward_(expected_reward(believed)),
      moved_(believed.states.size()),
      weighed_(believed.states.size()),
      next_(believed.states.size()) {}

void LookaheadActor::move(const std::vector<double>& from, const double* transition, std::vector<double>& to) const {
  const size_t S = from.size();
  for (size_t next = 0; next < S; ++next) to[next] = from[0] * transition[next];
  for (size_t s = 1; s < S; ++s) {
    for (size_t next = 0; next < S; ++next) to[next] += from[s] * transition[s * S + next];
  }
}

double LookaheadActor::worth(size_t action) {
  const std::vector<double>& belief = tracker_.belief();
  const size_t S = belief.size();
  const size_t O = believed_.observations.size();
  const double* transition = believed_.transition_row(action, 0);
  const bool departure = believed_.emission == Emission::departure;
  if (!departure) move(belief, transition, moved_);
  const std::vector<double>& emitting = departure ? belief : moved_;
  double worth = 0;
  for (size_t s = 0; s < S; ++s) worth += belief[s] * reward_[action * S + s];
  for (size_t o = 0; o < O; ++o) {
    double probability = 0;
    for (size_t s = 0; s < S; ++s) {
      weighed_[s] = emitting[s] * believed_.observation_row(action, s)[o];
      probability += weighed_[s];
    }
    if (!(probability >= least_probability)) continue;
    for (double& entry : weighed_) entry /= probability;
    if (departure) move(weighed_, transition, next_);
    worth += probability * value_(departure ? next_.data() : weighed_.data());
  }
  return worth;
}

size_t LookaheadActor::choose() {
  size_t best = 0;
  double best_worth = worth(0);
  for (size_t a = 1; a < believed_.actions.size(); ++a) {
    const double worth_of_a = worth(a);
    if (!(worth_of_a > best_worth)) continue;
    best = a;
    best_worth = worth_of_a;
  }
  return best;
}

void LookaheadActor::observe(size_t action, size_t observation) {
  static_cast<void>(tracker_.update(action, observation));  // what its model holds for impossible restarts its belief
}

}  // namespace penumbra::host

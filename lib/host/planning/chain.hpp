// A simulated run of value vectors in double precision: for sampling beliefs, and for scoring policies. Nothing is allocated on the way.
// The luck of the world depends on the seed alone, so that policies scored with the same seeds can be compared.
#pragma once

#include "joint_model.hpp"
#include "look_ahead.hpp"
#include "vector_set.hpp"

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/random.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host::vector_planning {

// The dice of a model, shared by all its chains.
struct Dice {
  explicit Dice(const Model& model)
      : initial(model.initial, model.states.size()),
        next_state(model.transition, model.states.size()),
        observation(model.observation, model.observations.size()) {}
  RowSampler initial;
  RowSampler next_state;
  RowSampler observation;
};

// All that a planner's parts share.
struct Workshop {
  explicit Workshop(const Model& model, std::uint64_t thread_limit) : joint(model), dice(model), threads(thread_limit) {}
  JointModel joint;
  Dice dice;
  std::uint64_t threads;
};

class Chain {
 public:
  // Chooses as `policy` does, or, with probability `explore`, anything. All three outlive the chain.
  Chain(const Workshop& workshop, const VectorSet& policy, double explore, std::uint64_t seed);

  void restart() noexcept;  // from the initial belief, with luck that goes on
  void step() noexcept;

  [[nodiscard]] const std::vector<double>& belief() const noexcept { return belief_; }
  [[nodiscard]] size_t action() const noexcept { return action_; }  // the next
  [[nodiscard]] double value() const noexcept { return value_; }    // of the best vector at the belief
  // Of the next action, expected under the belief: the same on average as what comes, with less noise.
  [[nodiscard]] double reward() const noexcept { return joint_.expected_reward(action_, belief_.data()); }

 private:
  void update(size_t observation) noexcept;
  void choose() noexcept;

  const JointModel& joint_;
  const Dice& dice_;
  const VectorSet& policy_;
  double explore_;
  Random world_;
  Random exploring_;
  size_t state_ = 0;
  size_t action_ = 0;
  double value_ = 0;
  std::vector<double> belief_;
  std::vector<double> next_;
  SparseWeights weights_;
};

// Beliefs, one after another.
struct Beliefs {
  explicit Beliefs(size_t state_count) : states(state_count) {}
  size_t states;
  std::vector<double> numbers;

  [[nodiscard]] size_t size() const noexcept { return numbers.size() / states; }
  [[nodiscard]] const double* operator[](size_t i) const noexcept { return numbers.data() + i * states; }
  void add(const double* belief) { numbers.insert(numbers.end(), belief, belief + states); }
  void add(const Beliefs& more) { numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end()); }
};

struct Visit {
  size_t chains = 1;
  size_t steps = 100;  // of each chain
  size_t every = 1;    // one belief in so many steps
  double explore = 0;
};
// The beliefs that chains visit, those of the first chain first.
[[nodiscard]] Beliefs visited(const Workshop& workshop, const ValueVectors& policy, const Visit& visit, std::uint64_t seed);

struct ScoreSize {
  size_t chains = 12;
  size_t steps = 5000;  // of each
};
struct Score {
  Average average;
  double plain = 0;  // average of the runs as they were: the same for two policies that did the same in the same luck
};
// The average reward of a policy. Where the policy's own values explain the luck of the observations, that luck is taken out: the
// average of r + E[h(b')] - h(b') is that of r for any h, and has next to no noise where h is the true value. Of both averages the one
// with the narrower interval is returned.
[[nodiscard]] Score score(const Workshop& workshop, const ValueVectors& policy, const ScoreSize& size, std::uint64_t seed);

[[nodiscard]] inline double lower_bound(const Average& average) noexcept { return average.mean - average.ci95; }

}  // namespace penumbra::host::vector_planning

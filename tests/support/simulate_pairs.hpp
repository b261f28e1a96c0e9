// Random models as in the paper's appendix, and a plain simulator that acts in them and counts pairs. Written for the tests of
// estimation alone, apart from the library's own simulator, so that neither can hide the other's mistakes.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/random.hpp"
#include "penumbra/host/run_log.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace penumbra::test {

inline std::vector<double> random_distribution(host::Random& random, size_t count) {
  std::vector<double> row(count);
  double total = 0;
  for (double& entry : row) total += entry = random.exponential();
  for (double& entry : row) entry /= total;
  return row;
}

// [action][state][next state], no entry below 1/(20 S).
inline std::vector<double> random_transition(host::Random& random, size_t S, size_t A) {
  const double least = 1.0 / (20.0 * static_cast<double>(S));
  std::vector<double> transition;
  for (size_t row = 0; row < A * S; ++row) {
    for (const double entry : random_distribution(random, S)) transition.push_back(least + (1 - least * static_cast<double>(S)) * entry);
  }
  return transition;
}

// Each state has its own likely observation under each action, `peak` above the random rest. Takes S <= O.
inline host::Model random_host_model(std::uint64_t seed, size_t S, size_t A, size_t O, double peak = 0.6) {
  host::Random random(seed, host::Stream::generate);
  host::Model model;
  model.states = host::Labels(S);
  model.actions = host::Labels(A);
  model.observations = host::Labels(O);
  model.transition = random_transition(random, S, A);
  for (size_t a = 0; a < A; ++a) {
    std::vector<size_t> likely(O);
    for (size_t o = 0; o < O; ++o) likely[o] = o;
    for (size_t o = O; o > 1; --o) std::swap(likely[o - 1], likely[random.below(o)]);
    for (size_t s = 0; s < S; ++s) {
      std::vector<double> row = random_distribution(random, O);
      for (double& entry : row) entry *= 1 - peak;
      row[likely[s]] += peak;
      model.observation.insert(model.observation.end(), row.begin(), row.end());
    }
  }
  for (size_t o = 0; o < O; ++o) model.reward.push_back(random.uniform());
  model.initial.assign(S, 1.0 / static_cast<double>(S));
  return model;
}

inline size_t draw(host::Random& random, const double* row, size_t count) {
  double left = random.uniform();
  for (size_t i = 0; i + 1 < count; ++i) {
    left -= row[i];
    if (left < 0) return i;
  }
  return count - 1;
}

// A policy is asked with `random` for the first action, and then told each observation and asked for the next one.
class UniformPolicy {
 public:
  UniformPolicy(const host::Model& model, std::uint64_t /*seed*/) : actions_(model.actions.size()) {}
  size_t first(host::Random& random) { return random.below(actions_); }
  size_t next(host::Random& random, size_t /*action*/, size_t /*observation*/) { return random.below(actions_); }

 private:
  size_t actions_;
};

// The paper's estimation experiment: the action of highest expected reward under a belief whose transition model has nothing to do with
// the true one and changes every 10 000 steps; every action has probability 0.15 at least.
class MyopicPolicy {
 public:
  MyopicPolicy(const host::Model& model, std::uint64_t seed)
      : model_(model), reward_(host::expected_reward(model)), random_(seed, host::Stream::internal_model), belief_(model.initial) {}

  size_t first(host::Random& random) { return choose(random); }

  size_t next(host::Random& random, size_t action, size_t observation) {
    const size_t S = belief_.size();
    if (steps_++ % 10000 == 0) transition_ = random_transition(random_, S, model_.actions.size());
    std::vector<double>& after = scratch_;
    after.assign(S, 0.0);
    double total = 0;
    for (size_t s = 0; s < S; ++s) {
      const double weight = belief_[s] * model_.observation_row(action, s)[observation];
      const double* row = transition_.data() + (action * S + s) * S;
      for (size_t to = 0; to < S; ++to) after[to] += weight * row[to];
      total += weight;
    }
    for (double& entry : after) entry /= total;
    belief_.swap(after);
    return choose(random);
  }

 private:
  size_t choose(host::Random& random) {
    const size_t S = belief_.size();
    const size_t A = model_.actions.size();
    const double left = random.uniform() - least_ * static_cast<double>(A);
    if (left < 0) return random.below(A);
    size_t best = 0;
    double highest = -1;
    for (size_t a = 0; a < A; ++a) {
      double expected = 0;
      for (size_t s = 0; s < S; ++s) expected += belief_[s] * reward_[a * S + s];
      if (expected > highest) {
        highest = expected;
        best = a;
      }
    }
    return best;
  }

  static constexpr double least_ = 0.15;
  const host::Model& model_;
  std::vector<double> reward_;
  host::Random random_;
  std::vector<double> transition_;
  std::vector<double> belief_;
  std::vector<double> scratch_;
  std::uint64_t steps_ = 0;
};

// No randomness at all: a function of the last two observations and of the action between them.
class HistoryPolicy {
 public:
  HistoryPolicy(const host::Model& model, std::uint64_t /*seed*/) : actions_(model.actions.size()) {}
  size_t first(host::Random& /*random*/) { return 0; }
  size_t next(host::Random& /*random*/, size_t action, size_t observation) {
    const size_t chosen = (observation + before_ + action) % actions_;
    before_ = observation;
    return chosen;
  }

 private:
  size_t actions_;
  size_t before_ = 0;
};

// One run in a world of departure emission, step by step.
template <class Policy>
class Run {
 public:
  Run(const host::Model& model, std::uint64_t seed)
      : model_(model), world_(seed, host::Stream::world), choice_(seed, host::Stream::policy), policy_(model, seed) {
    state_ = draw(world_, model.initial.data(), model.states.size());
    action_ = policy_.first(choice_);
    observation_ = draw(world_, model.observation_row(action_, state_), model.observations.size());
  }

  // Adds `pairs` more pairs.
  void count(std::uint64_t pairs, host::Counts& counts) {
    const size_t A = model_.actions.size();
    const size_t O = model_.observations.size();
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const size_t action = action_;
      const size_t observation = observation_;
      go_on();
      ++counts.pairs[((action * A + action_) * O + observation) * O + observation_];
    }
  }

  // Adds `steps` steps, this one and those that follow, to the log's last run.
  void record(std::uint64_t steps, host::RunLog& log) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      log.add(action_, observation_);
      go_on();
    }
  }

 private:
  void go_on() {
    state_ = draw(world_, model_.transition_row(action_, state_), model_.states.size());
    action_ = policy_.next(choice_, action_, observation_);
    observation_ = draw(world_, model_.observation_row(action_, state_), model_.observations.size());
  }

  const host::Model& model_;
  host::Random world_;
  host::Random choice_;
  Policy policy_;
  size_t state_ = 0;
  size_t action_ = 0;
  size_t observation_ = 0;
};

template <class Policy>
host::Counts simulated_counts(const host::Model& model, std::uint64_t seed, std::uint64_t pairs) {
  host::Counts counts = host::Counts::of(model, "model").value();
  Run<Policy>(model, seed).count(pairs, counts);
  return counts;
}

// One run.
template <class Policy>
host::RunLog simulated_log(const host::Model& model, std::uint64_t seed, std::uint64_t steps) {
  host::RunLog log(model);
  log.begin_run();
  Run<Policy>(model, seed).record(steps, log);
  return log;
}

}  // namespace penumbra::test

// Learners at work: many runs in a simulated world, each with luck of its own, and what they lose against the best policy on the way.
//
//   regret       t rho* - the rewards so far (paper, def:regret): noisy, it has the luck of the observations in it
//   gap regret   the sum of the Bellman gaps of the true model at the beliefs passed (reference.hpp): the same but for that luck, and for the
//                start and the end
//   error        the mean over the actions of ||T_a - estimate||_F, for the transition that the learner believes in at that time; before its
//                first estimate that is the uniform one
//
// Run i has the same luck whatever the learner, the number of threads and of the other runs.
#pragma once

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/learner.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/reference.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace penumbra::host {

struct LearningSize {
  std::uint64_t steps = 0;  // of a run: 1 to most_learning_steps
  std::uint64_t runs = 10;
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;   // 0: as many as the machine has
  std::uint64_t points = 400;  // of a curve, evenly spaced; fewer where there are fewer steps
};

// Counts have 32 bits.
constexpr std::uint64_t most_learning_steps = 4000000000;

// The steps at which curves have their points.
[[nodiscard]] std::vector<std::uint64_t> curve_steps(const LearningSize& size);

struct LearningRun {
  std::uint64_t steps = 0;  // done
  // [point], as far as the run has come.
  std::vector<double> regret;
  std::vector<double> gap_regret;
  std::vector<double> error;         // empty: the learner shows no estimate
  std::vector<double> action_error;  // [action], at the end; empty likewise
  std::vector<double> plays;         // [action]: steps that it was played in
  std::uint64_t episodes = 0;        // begun
  std::uint64_t first_episode = 0;   // its steps
  double first_regret = 0;           // its part of the regret
  double first_gap_regret = 0;
  double seconds = 0;           // in all
  double planning_seconds = 0;  // of that, estimating and planning
  std::vector<std::string> remarks;
};

// Runs by their number, those that are done or were begun.
using LearningRuns = std::map<std::uint64_t, LearningRun>;

struct LearningWatch {
  const std::atomic<bool>* stop = nullptr;                        // raised: end soon; runs under way are given as far as they came
  std::function<void(std::uint64_t steps)> progress;              // of all runs; from any thread, one call at a time
  std::function<void(const LearningRuns& finished)> run_is_done;  // likewise
};

// Runs that are not in `finished` yet, and those. The model has passed check_learnable(). A problem of one run is that of all.
[[nodiscard]] Outcome<LearningRuns> learn(const Model& world, const Reference& reference, const LearnerKind& kind,
                                          const LearnerOptions& options, const LearningSize& size, LearningRuns finished = {},
                                          const LearningWatch& watch = {});

}  // namespace penumbra::host

// What came of the runs of a learner: curves of averages with their confidence, the figures at the end, and how fast the regret grows.
#pragma once

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/learning.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

struct Curve {
  std::vector<std::uint64_t> steps;
  std::vector<Average> average;           // over the runs, [point]
  std::vector<std::vector<double>> runs;  // [run][point]
};

// Fills in the averages of its runs.
void average_runs(Curve& curve);

// `step,mean,ci95`, and with `each_run` a column `run_0`, `run_1`, … for each. What is not finite is left empty.
[[nodiscard]] std::string to_csv(const Curve& curve, bool each_run);

// The exponent of the power law that the curve's mean follows over the last nine tenths of its steps: the slope of a straight line through its
// logarithms, all parts of the logarithmic axis weighing the same. `offset` is taken off the mean first. Nothing where what is left is
// not above zero all the way.
[[nodiscard]] std::optional<double> power_law(const Curve& curve, double offset = 0);

// The mean at the end over that after a quarter of the steps: 2 for a square root, 4 for a straight line. Nothing where that is not above zero.
[[nodiscard]] std::optional<double> growth(const Curve& curve);

// Where one run ended.
struct RunEnd {
  double gap_regret = 0;
  bool stuck = false;                // is_stuck()
  std::vector<double> plays;         // [action]: share of the steps
  std::vector<double> action_error;  // [action]; empty: the learner shows no estimate
};

// A run that goes on losing, and no less than before: in the second half of its steps it gives away more a step than a four-hundredth of what its first
// episode did, and than four fifths of what the quarter before did. That says something of learners whose first episode acts uniformly (LearnerKind::explores_first), and of runs whose half is 25 times as long as it: false
// for shorter ones, which are still learning.
[[nodiscard]] bool is_stuck(const LearningRun& run, const std::vector<std::uint64_t>& steps);

struct LearningSummary {
  bool whole =
      false;  // all runs came to their end; else the figures are of those that did, or, where none did, of as many steps as all made
  std::uint64_t runs = 0;   // that the figures are of
  std::uint64_t steps = 0;  // of each
  Curve regret;
  Curve gap_regret;
  Curve error;  // no points: the learner shows no estimate
  // What follows is of where each run ended, also where it was interrupted.
  std::vector<Average> action_error;  // [action]; empty likewise
  std::optional<double> slope;        // of the gap regret
  // The first episode explores, and what it costs grows linearly: its part apart, and the slope of the rest.
  Average first_episode;  // steps
  Average first_regret;
  Average first_gap_regret;
  std::optional<double> slope_of_rest;
  Average episodes;
  std::vector<RunEnd> ends;          // [run]
  std::uint64_t stuck = 0;           // of them
  double seconds = 0;                // of a run, on average
  double planning_seconds = 0;       // of that
  std::vector<std::string> remarks;  // distinct
};

// `runs` has one at least.
[[nodiscard]] LearningSummary summarise(const LearningRuns& runs, const LearningSize& size);

}  // namespace penumbra::host

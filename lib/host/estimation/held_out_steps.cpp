// Steps held out: the last of each run, predicted by a belief that has seen all before them.
#include "held_out.hpp"

#include "penumbra/host/belief.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

// Neighbouring steps are correlated: an estimate that is wrong about a state is wrong for as long as the world stays there. So the held-out steps, in the order of
// runs and time, are cut into blocks, which are taken as independent. The error of the mean is that of the blocks' means.
constexpr std::size_t most_blocks = 64;
constexpr std::size_t least_steps_of_block = 16;
constexpr std::size_t least_blocks = 8;  // fewer tell no error

std::size_t fitted_steps(std::size_t steps) { return steps - steps / 5; }

struct Sum {
  double of = 0;
  double count = 0;
};

// The mean over all blocks, and its standard error as a ratio of sums: blocks that have lost steps weigh less.
Sum total(const std::vector<Sum>& blocks) {
  Sum all;
  for (const Sum& block : blocks) {
    all.of += block.of;
    all.count += block.count;
  }
  return all;
}

double error_of_mean(const std::vector<Sum>& blocks) {
  const auto used = static_cast<std::size_t>(std::count_if(blocks.begin(), blocks.end(), [](const Sum& block) { return block.count > 0; }));
  if (used < least_blocks) return not_known;
  const Sum all = total(blocks);
  double squares = 0;
  for (const Sum& block : blocks) squares += std::pow(block.of - all.of / all.count * block.count, 2);
  return std::sqrt(squares * static_cast<double>(used) / static_cast<double>(used - 1)) / all.count;
}

}  // namespace

RunLog fitted_part(const Model& model, const RunLog& runs) {
  RunLog part(model);
  for (std::size_t i = 0; i < runs.runs(); ++i) {
    part.begin_run();
    const etl::span<const std::uint16_t> run = runs.run(i);
    for (std::size_t t = 0; t < fitted_steps(run.size()); ++t) part.add(runs.step_of(run[t]));
  }
  return part;
}

Scores score_steps(const Model& model, const std::vector<std::vector<double>>& transitions, const RunLog& runs) {
  const std::size_t S = model.states.size();
  const std::size_t n = transitions.size();
  const std::vector<double> likelihood = likelihoods(model);
  std::size_t held_out = 0;
  for (std::size_t i = 0; i < runs.runs(); ++i) held_out += runs.run(i).size() - fitted_steps(runs.run(i).size());
  const std::size_t blocks = std::clamp<std::size_t>(held_out / least_steps_of_block, 1, most_blocks);

  std::vector<BeliefTracker> trackers;
  for (const std::vector<double>& transition : transitions) {
    Model believed = model;
    believed.transition = transition;
    trackers.emplace_back(believed);
  }
  std::vector<Sum> sums(n);
  std::vector<std::vector<Sum>> differences(n * n, std::vector<Sum>(blocks));
  Scores scores;
  scores.impossible.assign(n, 0);
  std::vector<double> now(n);  // log p of the step, by transition
  std::size_t position = 0;    // among the held-out steps
  for (std::size_t r = 0; r < runs.runs(); ++r) {
    const etl::span<const std::uint16_t> run = runs.run(r);
    for (BeliefTracker& tracker : trackers) tracker.reset();
    for (std::size_t t = 0; t < run.size(); ++t) {
      const Step step = runs.step_of(run[t]);
      const bool scored = t >= fitted_steps(run.size());
      for (std::size_t i = 0; i < n; ++i) {
        double probability = 0;
        for (std::size_t s = 0; s < S && scored; ++s) probability += trackers[i].belief()[s] * likelihood[run[t] * S + s];
        const bool possible = trackers[i].update(step.action, step.observation) == Status::ok;
        now[i] = possible ? std::log(probability) : not_known;
      }
      if (!scored) continue;
      const std::size_t block = position++ * blocks / held_out;
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(now[i])) {
          ++scores.impossible[i];
          continue;
        }
        sums[i].of += now[i];
        ++sums[i].count;
        for (std::size_t j = 0; j < n; ++j) {
          if (std::isnan(now[j])) continue;
          differences[i * n + j][block].of += now[i] - now[j];
          ++differences[i * n + j][block].count;
        }
      }
    }
  }
  for (const Sum& sum : sums) scores.log_likelihood.push_back(sum.count > 0 ? sum.of / sum.count : not_known);
  for (const std::vector<Sum>& difference : differences) {
    const Sum all = total(difference);
    scores.gain.push_back(all.count > 0 ? all.of / all.count : not_known);
    scores.standard_error.push_back(error_of_mean(difference));
  }
  return scores;
}

}  // namespace penumbra::host

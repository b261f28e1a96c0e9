// The loop that all learners share.
#include "penumbra/host/learning.hpp"

#include "belief_policy.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <utility>

namespace penumbra::host {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One run, from its beginning to its end or to where it is stopped.
class Running {
 public:
  Running(const Model& world, const Reference& reference, const LearnerKind& kind, const LearnerSetting& setting, std::uint64_t seed)
      : world_(world), gain_(reference.gain().mean), dice_(world, seed), belief_(reference.values()), learner_(kind.make(setting, seed)) {
    run_.plays.assign(world.actions.size(), 0.0);
  }

  Outcome<void> begin() {
    return timed([this] { return learner_->begin(); });
  }

  // Goes on to step `until`. A problem is the learner's.
  Outcome<void> run(std::uint64_t until) {
    while (run_.steps < until) {
      const std::size_t action = learner_->choose();
      gap_regret_ += belief_.gap(action);
      ++run_.plays[action];
      const World::Answer answer = dice_.act(action);
      belief_.observe(action, answer.observation);
      reward_ += answer.reward;
      ++run_.steps;
      if (!learner_->observe(answer)) continue;
      if (run_.episodes++ == 0) end_of_first_episode();
      const Outcome<void> planned = timed([this] { return learner_->next_episode(); });
      if (!planned) return planned;
    }
    return {};
  }

  void point() {
    run_.regret.push_back(regret());
    run_.gap_regret.push_back(gap_regret_);
    const std::vector<double> errors = action_errors();
    if (!errors.empty()) run_.error.push_back(std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size()));
  }

  LearningRun finish(double seconds) {
    if (run_.episodes++ == 0) end_of_first_episode();  // the last one is under way
    run_.action_error = action_errors();
    run_.remarks = learner_->remarks();
    run_.seconds = seconds;
    return std::move(run_);
  }

 private:
  template <class Plan>
  Outcome<void> timed(const Plan& plan) {
    const Clock::time_point start = Clock::now();
    const Outcome<void> planned = plan();
    run_.planning_seconds += seconds_since(start);
    return planned;
  }
  [[nodiscard]] double regret() const { return static_cast<double>(run_.steps) * gain_ - reward_; }
  [[nodiscard]] std::vector<double> action_errors() const {
    const std::vector<double>& transition = learner_->transition();
    if (transition.empty()) return {};
    return frobenius_errors(transition, world_.transition, world_.states.size());
  }
  void end_of_first_episode() {
    run_.first_episode = run_.steps;
    run_.first_regret = regret();
    run_.first_gap_regret = gap_regret_;
  }

  const Model& world_;
  double gain_;
  World dice_;
  TrueBelief belief_;
  std::unique_ptr<Learner> learner_;
  double reward_ = 0;
  double gap_regret_ = 0;
  LearningRun run_;
};

}  // namespace

std::vector<std::uint64_t> curve_steps(const LearningSize& size) {
  const std::uint64_t points = std::min(std::max<std::uint64_t>(size.points, 1), size.steps);
  std::vector<std::uint64_t> steps;
  // Without a product that could overflow: whole spacings, and what is left of them spread over the points.
  const std::uint64_t spacing = size.steps / points;
  const std::uint64_t rest = size.steps % points;
  for (std::uint64_t i = 1; i <= points; ++i) steps.push_back(spacing * i + rest * i / points);
  return steps;
}

Outcome<LearningRuns> learn(const Model& world, const Reference& reference, const LearnerKind& kind, const LearnerOptions& options,
                            const LearningSize& size, LearningRuns finished, const LearningWatch& watch) {
  const LearnerSetting setting(world, options, &reference);
  const std::vector<std::uint64_t> steps = curve_steps(size);
  const std::vector<std::uint64_t> seeds = run_seeds(size.seed, size.runs);
  std::vector<std::uint64_t> todo;
  for (std::uint64_t run = 0; run < size.runs; ++run) {
    if (finished.count(run) == 0) todo.push_back(run);
  }

  std::mutex sharing;  // what follows
  LearningRuns begun;
  std::map<std::uint64_t, Problem> problems;  // by the run's number
  std::uint64_t done = finished.size() * size.steps;
  std::atomic<bool> failed{false};
  const auto stopped = [&] { return failed || (watch.stop != nullptr && *watch.stop); };
  detail::in_parallel(todo.size(), size.threads, [&](std::size_t i) {
    if (stopped()) return;
    const Clock::time_point start = Clock::now();
    Running running(world, reference, kind, setting, seeds[todo[i]]);
    Outcome<void> going = running.begin();
    std::size_t point = 0;
    for (std::uint64_t t = 0; going && t < size.steps && !stopped();) {
      constexpr std::uint64_t a_while = 4096;  // steps between looks at whether to stop
      const std::uint64_t until = std::min(steps[point], t + a_while);
      going = running.run(until);
      if (going && until == steps[point]) {
        running.point();
        ++point;
      }
      const std::lock_guard<std::mutex> lock(sharing);
      done += until - t;
      if (watch.progress) watch.progress(done);
      t = until;
    }
    const std::lock_guard<std::mutex> lock(sharing);
    if (!going) {
      problems.emplace(todo[i], going.error());
      failed = true;
      return;
    }
    const bool whole = point == steps.size();
    LearningRun run = running.finish(seconds_since(start));
    if (run.steps == 0) return;
    (whole ? finished : begun).emplace(todo[i], std::move(run));
    if (whole && watch.run_is_done) watch.run_is_done(finished);
  });
  if (!problems.empty()) return fail(problems.begin()->second);
  finished.merge(begun);
  return finished;
}

}  // namespace penumbra::host

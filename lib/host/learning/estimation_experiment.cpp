// Runs of the estimation experiment, in parallel.
#include "penumbra/host/estimation_experiment.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/detail/parallel.hpp"
#include "penumbra/host/simulate.hpp"

#include <mutex>

namespace penumbra::host {

EstimationResult estimation_experiment(const Model& model, const EstimationSize& size, const std::function<void(std::uint64_t)>& progress,
                                       const std::atomic<bool>* stop) {
  const std::size_t A = model.actions.size();
  const std::vector<std::uint64_t> steps = curve_steps({size.steps, 1, 1, 1, size.points});
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  EstimationResult result;
  result.error.resize(A);
  result.pulls.assign(A, std::vector<double>(size.runs));
  for (Curve& curve : result.error) {
    curve.steps = steps;
    curve.runs.assign(size.runs, std::vector<double>(steps.size()));
  }
  const std::vector<std::uint64_t> seeds = run_seeds(size.seed, size.runs);

  std::mutex telling;
  std::uint64_t finished = 0;
  detail::in_parallel(size.runs, size.threads, [&](std::size_t run) {
    World world(model, seeds[run]);
    MyopicActor actor(model, size.min_action, seeds[run]);
    actor.change_transition_every(size.change_every);
    PairCounter pairs(model);
    std::uint64_t done = 0;
    for (std::size_t point = 0; point < steps.size(); ++point) {
      if (stop != nullptr && *stop) return;
      simulate(world, actor, steps[point] - done, [&](etl::span<const SimulatedStep> batch) {
        for (const SimulatedStep& step : batch) pairs.add(step.action, step.observation);
        return true;
      });
      done = steps[point];
      const Estimate estimate = estimate_transition(model, sensors, pairs.counts());
      const std::vector<double> errors = frobenius_errors(estimate.transition, model.transition, model.states.size());
      for (std::size_t a = 0; a < A; ++a) result.error[a].runs[run][point] = errors[a];
    }
    const std::vector<std::uint64_t> samples = pairs.counts().samples();
    for (std::size_t a = 0; a < A; ++a) result.pulls[a][run] = static_cast<double>(samples[a]);
    const std::lock_guard<std::mutex> lock(telling);
    if (progress) progress(++finished);
  });
  for (Curve& curve : result.error) average_runs(curve);
  return result;
}

}  // namespace penumbra::host

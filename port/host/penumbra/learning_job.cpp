// Runs, and the file that remembers them.
#include "learning_job.hpp"

#include "learner_options.hpp"

#include "penumbra/host/learning_file.hpp"

#include <filesystem>

namespace penumbra::command {

namespace {

// All that the bytes of the runs depend on. How many there are is not among it: a checkpoint of ten serves for twenty.
host::LearningJob job_of(const LearningTask& task) {
  host::LearningJob job{{"algorithm", task.kind.name},
                        {"model", host::fingerprint(task.world)},
                        {"steps", std::to_string(task.size.steps)},
                        {"seed", std::to_string(task.size.seed)},
                        {"points", std::to_string(task.size.points)},
                        {"version", PENUMBRA_VERSION}};
  const Json options = to_json(task.options, task.kind);
  for (const auto& [name, value] : options.items()) job[name] = value.dump();
  return job;
}

}  // namespace

Outcome<host::LearningRuns> run_task(const LearningTask& task, const std::atomic<bool>& stop,
                                     const std::function<void(std::uint64_t steps)>& progress) {
  const host::LearningJob job = job_of(task);
  host::LearningRuns before;
  std::error_code ignored;
  if (!task.checkpoint.empty() && std::filesystem::exists(task.checkpoint, ignored)) {
    Outcome<host::Input> input = host::Input::open(task.checkpoint);
    if (!input) return fail(input.error());
    Outcome<host::LearningRuns> runs = host::read_learning(input.value(), job, task.size, task.world.actions.size());
    if (!runs) return fail(runs.error());
    before = std::move(runs.value());
  }
  host::LearningWatch watch;
  watch.stop = &stop;
  watch.progress = progress;
  Outcome<void> kept;
  if (!task.checkpoint.empty()) {
    kept = host::write_file(task.checkpoint, host::to_json(job, before));  // better now than after the first run
    if (!kept) return fail(kept.error());
    watch.run_is_done = [&](const host::LearningRuns& finished) {
      if (kept) kept = host::write_file(task.checkpoint, host::to_json(job, finished));
    };
  }
  Outcome<host::LearningRuns> runs = host::learn(task.world, task.reference, task.kind, task.options, task.size, std::move(before), watch);
  if (!kept) say(kept.error());  // what was computed is there all the same
  return runs;
}

Line line_of(const std::string& name, const host::Curve& curve) {
  Line line;
  line.name = name;
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    line.x.push_back(static_cast<double>(curve.steps[i]));
    line.mean.push_back(curve.average[i].mean);
    line.band.push_back(curve.average[i].ci95);
  }
  return line;
}

}  // namespace penumbra::command

// Runs, and the file that remembers them.
#include "learning_job.hpp"

#include "learner_options.hpp"

#include "penumbra/host/learning_file.hpp"

#include <etl/fnv_1.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>

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
  for (const auto& [name, value] : options.items()) job[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return job;
}

// Finished runs on their way into the file. The longer that takes, the less often it is done.
class CheckpointFile {
 public:
  CheckpointFile(const std::string& path, const host::LearningJob& job) : path_(path), job_(job) {
    std::error_code ignored;
    is_new_ = !path.empty() && !std::filesystem::exists(path, ignored);
  }

  [[nodiscard]] Outcome<void> write(const host::LearningRuns& finished) {
    const auto start = Clock::now();
    Outcome<void> written = host::write_file(path_, host::to_json(job_, finished));
    written_ = Clock::now();
    took_ = written_ - start;
    kept_ = finished.size();
    return written;
  }

  void write_now_and_then(const host::LearningRuns& finished) {
    if (problem_ || Clock::now() - written_ < 20 * took_) return;
    write_or_note(finished);
  }

  // What is not in it yet, of the runs that are whole. A file that was made and holds nothing goes. Where it cannot be written, what was
  // computed is there all the same.
  void end(host::LearningRuns runs, std::uint64_t steps) {
    for (auto run = runs.begin(); run != runs.end();) run = run->second.steps == steps ? std::next(run) : runs.erase(run);
    if (!path_.empty() && !problem_ && runs.size() > kept_) write_or_note(runs);
    std::error_code ignored;
    if (is_new_ && kept_ == 0) std::filesystem::remove(path_, ignored);
    if (problem_) say(*problem_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void write_or_note(const host::LearningRuns& finished) {
    const Outcome<void> written = write(finished);
    if (!written) problem_ = written.error();
  }

  const std::string& path_;
  const host::LearningJob& job_;
  bool is_new_ = false;
  Clock::time_point written_;
  Clock::duration took_{};
  std::size_t kept_ = 0;
  std::optional<Problem> problem_;
};

}  // namespace

std::string task_name(const LearningTask& task) {
  std::string text;
  for (const auto& [name, value] : job_of(task)) text += name + "=" + value + ";";
  return fmt::format("{:016x}", etl::fnv_1a_64(text.begin(), text.end()).value());
}

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
  CheckpointFile file(task.checkpoint, job);
  if (!task.checkpoint.empty()) {
    const Outcome<void> writable = file.write(before);  // better now than after the first run
    if (!writable) return fail(writable.error());
    watch.run_is_done = [&](const host::LearningRuns& finished) { file.write_now_and_then(finished); };
  }
  Outcome<host::LearningRuns> runs = host::learn(task.world, task.reference, task.kind, task.options, task.size, std::move(before), watch);
  file.end(runs ? runs.value() : host::LearningRuns{}, task.size.steps);
  return runs;
}

std::string interval(const host::Average& average, int digits) {
  const std::string mean = fmt::format("{:.{}f}", average.mean, digits);
  return std::isfinite(average.ci95) ? fmt::format("{} ± {:.{}f}", mean, average.ci95, digits) : mean;
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

// Fuzzer of the checkpoint reader: every input is read, and then written and read again as the same runs, or refused with file and reason.
#include "penumbra/host/learning_file.hpp"

#include "promises.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;

using fuzz::promise;

constexpr std::size_t actions = 2;

LearningSize size_of() {
  LearningSize size;
  size.steps = 7;
  size.points = 2;
  size.runs = 3;
  return size;
}

Outcome<LearningRuns> read(const std::string& text) {
  static const LearningJob job{{"seed", "1"}};
  Input input = Input::of_text("c.json", text);
  return read_learning(input, job, size_of(), actions);
}

void check_run(const LearningRun& run) {
  promise(run.steps == 7, "a run that is kept is whole");
  promise(run.regret.size() == 2 && run.gap_regret.size() == 2, "curves have their points");
  promise(run.error.empty() || run.error.size() == 2, "and an error all of them or none");
  promise(run.plays.size() == actions, "each action has been played so often");
  promise(run.action_error.size() == actions || (run.error.empty() && run.action_error.empty()), "each action has an error, or none");
  for (const auto* numbers : {&run.regret, &run.gap_regret, &run.error, &run.action_error, &run.plays}) {
    for (const double number : *numbers) promise(std::isfinite(number), "numbers are finite");
  }
}

bool same(const LearningRun& a, const LearningRun& b) {
  return a.steps == b.steps && a.regret == b.regret && a.gap_regret == b.gap_regret && a.error == b.error &&
         a.action_error == b.action_error && a.plays == b.plays && a.episodes == b.episodes && a.first_episode == b.first_episode &&
         a.first_regret == b.first_regret && a.first_gap_regret == b.first_gap_regret && a.seconds == b.seconds &&
         a.planning_seconds == b.planning_seconds && a.remarks == b.remarks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::Answers answers;
  const Outcome<LearningRuns> runs = read(std::string(reinterpret_cast<const char*>(data), size));
  answers.note(runs.has_value());
  if (!runs) {
    fuzz::check_problem(runs.error(), "c.json");
    return 0;
  }
  for (const auto& [number, run] : runs.value()) {
    promise(number < 3, "runs are those that were asked for");
    check_run(run);
  }
  const Outcome<LearningRuns> again = read(to_json({{"seed", "1"}}, runs.value()));
  promise(again.has_value() && again.value().size() == runs.value().size(), "what is written can be read");
  for (const auto& [number, run] : runs.value()) promise(same(run, again.value().at(number)), "what is written is what was read");
  return 0;
}

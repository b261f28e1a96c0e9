// One learner in one world, as a job that can be interrupted and gone on with: what `learn` does once and `reproduce` many times.
#pragma once

#include "command.hpp"
#include "plot.hpp"

#include "penumbra/host/learning.hpp"
#include "penumbra/host/learning_summary.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace penumbra::command {

struct LearningTask {
  const Model& world;
  const host::Reference& reference;
  const host::LearnerKind& kind;
  host::LearnerOptions options;
  host::LearningSize size;
  std::string checkpoint;  // empty: none is kept
};

// A name that tasks of different results do not share; how many runs there are does not matter.
[[nodiscard]] std::string task_name(const LearningTask& task);

// The runs that were done before it was asked to stop, and those under way as far as they came.
[[nodiscard]] Outcome<host::LearningRuns> run_task(const LearningTask& task, const std::atomic<bool>& stop,
                                                   const std::function<void(std::uint64_t steps)>& progress);

// For people: "76.2 ± 48.4".
[[nodiscard]] std::string interval(const host::Average& average, int digits = 1);

// A curve as a line of a plot.
[[nodiscard]] Line line_of(const std::string& name, const host::Curve& curve);

}  // namespace penumbra::command

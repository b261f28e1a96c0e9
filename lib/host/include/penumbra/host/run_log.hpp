// Runs of steps kept in memory, two bytes a step: what estimates from whole trajectories read many times over, and what pictures show.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/trajectory.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penumbra::host {

// Where a run begins: with the model's initial belief, or in the middle of things, where nothing is known.
enum class RunStart : std::uint8_t { initial, anywhere };

class RunLog {
 public:
  // Of a model whose actions and observations make no more than 2^16 choices, so that a step fits two bytes: one whose pairs can be counted
  // (Counts::of(), check_learnable()), or one that an image can hold.
  explicit RunLog(const Model& model) : actions_(model.actions.size()), observations_(model.observations.size()) {}

  // The steps that follow belong to a run of their own.
  void begin_run(RunStart start = RunStart::initial) {
    starts_.push_back(steps_.size());
    begins_.push_back(start);
  }
  // `action` was executed and answered with `observation`. There is a run.
  void add(std::size_t action, std::size_t observation) {
    steps_.push_back(static_cast<std::uint16_t>(action * observations_ + observation));
  }
  void add(const Step& step) { add(step.action, step.observation); }

  // A run of the trajectory's steps; returns how many there were. Throws std::bad_alloc where they do not fit into memory.
  [[nodiscard]] Outcome<std::uint64_t> add_trajectory(Input& input, const Model& model, const Progress& progress = {});

  [[nodiscard]] std::size_t runs() const noexcept { return starts_.size(); }
  [[nodiscard]] RunStart start_of(std::size_t run) const noexcept { return begins_[run]; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_.size(); }
  // action * observations + observation, each: the index of a row of likelihoods().
  [[nodiscard]] etl::span<const std::uint16_t> run(std::size_t i) const noexcept {
    const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : steps_.size();
    if (starts_[i] == end) return {};  // a span looks at its first element
    return {steps_.data() + starts_[i], end - starts_[i]};
  }
  // What stands in a run.
  [[nodiscard]] Step step_of(std::uint16_t code) const noexcept {
    const auto O = static_cast<std::uint32_t>(observations_);
    return {code / O, code % O};
  }

  // Its pairs, of a model whose pairs can be counted: none spans two runs.
  [[nodiscard]] Counts counts() const;

 private:
  std::size_t actions_;
  std::size_t observations_;
  std::vector<std::uint16_t> steps_;
  std::vector<std::size_t> starts_;
  std::vector<RunStart> begins_;
};

// Trajectories alone, a run each, in the order given; "-" is standard input. A counts file is refused: it has forgotten the order of its steps.
[[nodiscard]] Outcome<RunLog> read_runs(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                                        const Progress& progress = {});

// Runs, and the pairs of logs that have forgotten the order of their steps.
struct MixedLogs {
  RunLog runs;
  Counts pairs;
};

// Any mix of trajectories and counts files, in the order given; "-" is standard input.
[[nodiscard]] Outcome<MixedLogs> read_mixed_logs(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                                                 const Progress& progress = {});

}  // namespace penumbra::host

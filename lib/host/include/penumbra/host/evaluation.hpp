// What a policy really earns: many long runs in a simulated world, each from the initial belief, and the average of their averages with a
// confidence interval. Run i has the same luck whatever the policy, the number of threads and of the other runs.
#pragma once

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace penumbra::host {

struct EvaluationSize {
  std::uint64_t runs = 16;
  std::uint64_t steps = 100000;  // a run
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;  // 0: as many as the machine has
};

struct Average {
  double mean = 0;
  double ci95 = 0;  // half the width, by Student's t; infinite for one run, which does not show its own spread
};
[[nodiscard]] Average average_of(const std::vector<double>& values);

// A seed for each run: the first of them are the same however many there are.
[[nodiscard]] std::vector<std::uint64_t> run_seeds(std::uint64_t seed, std::uint64_t runs);

// A fresh actor, whose own draws come from `seed`. Called from several threads at once.
using ActorFactory = std::function<std::unique_ptr<Actor>(std::uint64_t seed)>;

// Told how many runs are done; from any thread, one call at a time.
using RunsDone = std::function<void(std::uint64_t)>;

// The average reward of each run. The model has a transition.
[[nodiscard]] std::vector<double> evaluate(const Model& world, const ActorFactory& actor, const EvaluationSize& size,
                                           const RunsDone& done = {});

// The same for an image of the model's sizes, through lib/core's own filter and policy.
[[nodiscard]] std::vector<double> evaluate(const Model& world, const PolicyImage& image, const EvaluationSize& size,
                                           const RunsDone& done = {});

}  // namespace penumbra::host

// The paper's estimation experiment (Fig. 1): how AOAS's error falls while samples of ever other policies are put together. Every policy is
// myopic under a belief that moves by a random transition of its own, and plays each action with a least probability.
#pragma once

#include "penumbra/host/learning_summary.hpp"
#include "penumbra/host/model.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

struct EstimationSize {
  std::uint64_t steps = 1000000;
  std::uint64_t change_every = 10000;  // steps of a policy
  double min_action = 0.15;
  std::uint64_t points = 100;  // of a curve
  std::uint64_t runs = 10;
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;  // 0: as many as the machine has
};

struct EstimationResult {
  std::vector<Curve> error;                // [action]: ||T_a - estimate||_F
  std::vector<std::vector<double>> pulls;  // [action][run]: pairs that begin with it
};

// The model has passed check_learnable(). `progress` is told how many runs are done, from any thread, one call at a time. Raised, `stop` ends it
// soon, and what it gives is of no use.
[[nodiscard]] EstimationResult estimation_experiment(const Model& model, const EstimationSize& size,
                                                     const std::function<void(std::uint64_t runs)>& progress = {},
                                                     const std::atomic<bool>* stop = nullptr);

}  // namespace penumbra::host

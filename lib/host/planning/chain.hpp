// A simulated run of value vectors in double precision: for sampling beliefs, and for scoring policies. Nothing is allocated on the way.
// The luck of the world depends on the seed alone, so that policies scored with the same seeds can be compared.
#pragma once

#include "vector_set.hpp"
#include "workshop.hpp"

#include "penumbra/host/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host::vector_planning {

class Chain {
 public:
  // Chooses as `policy` does, or, with probability `explore`, anything. Workshop and policy outlive the chain.
  Chain(const Workshop& workshop, const VectorSet& policy, double explore, std::uint64_t seed);

  void step() noexcept;

  [[nodiscard]] const std::vector<double>& belief() const noexcept { return belief_; }
  [[nodiscard]] size_t action() const noexcept { return action_; }  // the next
  [[nodiscard]] double value() const noexcept { return value_; }    // of the best vector at the belief
  // Of the next action, expected under the belief: the same on average as what comes, with less noise.
  [[nodiscard]] double reward() const noexcept { return joint_.expected_reward(action_, belief_.data()); }

 private:
  void update(size_t observation) noexcept;
  void choose() noexcept;

  const JointModel& joint_;
  const Dice& dice_;
  const VectorSet& policy_;
  double explore_;
  Random world_;
  Random exploring_;
  size_t state_ = 0;
  size_t action_ = 0;
  double value_ = 0;
  std::vector<double> belief_;
  std::vector<double> next_;
  SparseWeights weights_;
};

// A seed for each of so many chains.
[[nodiscard]] std::vector<std::uint64_t> chain_seeds(size_t chains, std::uint64_t seed);

}  // namespace penumbra::host::vector_planning

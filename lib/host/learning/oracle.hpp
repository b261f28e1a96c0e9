// The planning oracle that learners call (paper, eq:oracleOutput): optimistic on the belief lattice for up to six states, each plan going
// on from the one before. Beyond, where no lattice is fine enough, it plans for the estimate itself with value vectors, and says so.
#pragma once

#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/learner.hpp"
#include "penumbra/host/policy_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

// With more states, a lattice that fits is too coarse to plan on.
constexpr std::size_t most_lattice_states = 6;

class Oracle {
 public:
  // `min_action`: the policies that it chooses among play every action with this probability at least.
  Oracle(const Model& sensors, const LearnerOptions& options, std::uint64_t seed, double min_action = 0);

  // A policy for the best world within `radius` (an L1 radius for each action, or for each of its rows; empty: the estimate alone) of the estimate.
  [[nodiscard]] Outcome<PolicyTable> plan(const std::vector<double>& transition, const std::vector<double>& radius);

  // Of the policy planned last, in the world that it was planned for; nothing before the first.
  [[nodiscard]] std::optional<double> gain() const noexcept { return gain_; }

  // What the user should know about it; empty: nothing.
  [[nodiscard]] std::vector<std::string> remarks() const;

 private:
  Model model_;  // the sensors, and whatever transition is planned for
  LatticeRequest request_;
  LatticePlan earlier_;
  bool planned_ = false;
  std::optional<double> gain_;
  std::uint64_t seed_;
};

}  // namespace penumbra::host

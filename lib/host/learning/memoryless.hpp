// Stochastic memoryless policies: the next action is drawn by the last observation alone, pi(a|o), every action with a least probability
// (Azizzadenesheli et al. 2016). Their average reward, and the best one that is found.
#pragma once

#include "penumbra/host/model.hpp"

#include <cstdint>
#include <vector>

namespace penumbra::host {

// The average reward of policy[observation][action] in the model, whose emission is departure. Where it depends on the beginning: of the
// initial belief and a uniform first action.
[[nodiscard]] double memoryless_gain(const Model& model, const std::vector<double>& policy);

struct MemorylessRequest {
  double min_action = 0;         // every action's least probability; at most 1/A
  std::vector<double> optimism;  // L1 radius of every row of each action's transition, [action]; empty: none
  double epsilon = 0;            // transitions of the optimistic model are at least this
  std::uint64_t seed = 0;        // of the random ones among the policies that it starts from
};

struct MemorylessPlan {
  std::vector<double> policy;      // [observation][action]
  std::vector<double> transition;  // the one of the region that it was made for, [action][state][next state]
  double gain = 0;                 // of the policy in that
};

// The best of what ascent finds from several starts: the gain has local maxima. Policy and transition take turns; each step is kept only
// if it raises the gain, so that optimism never lowers it.
[[nodiscard]] MemorylessPlan plan_memoryless(const Model& model, const MemorylessRequest& request);

}  // namespace penumbra::host

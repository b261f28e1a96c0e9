// Optimism as more actions (paper, eq:oracleOutput; extended value iteration): an action of the optimistic model is an action of the
// model together with one transition out of its confidence region. A planner for the one is then a planner for the other.
//
// Of each region, an L1 ball of radius beta around every row, intersected with T >= epsilon, it has the nominal transition and those that
// move beta/2 of every row's mass, as far as it is there, from one state to another, for all ordered pairs of states.
#pragma once

#include "penumbra/host/model.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host {

struct OptimisticModel {
  Model model;                    // its actions have no names
  std::vector<std::size_t> real;  // [its action]: the action of the model that it stands for; the same one's are neighbours
};

// Transitions a real action stands for.
[[nodiscard]] constexpr std::size_t optimistic_transitions(std::size_t states) noexcept { return 1 + states * (states - 1); }

// `radius` is one number an action, or one a row: [action] or [action][state]. The nominal row that has entries below epsilon, which is then outside the region, is replaced by
// the nearest one inside T >= epsilon, and what that took of the radius cannot be moved again. epsilon is at most 1/S.
[[nodiscard]] OptimisticModel optimistic_model(const Model& model, const std::vector<double>& radius, double epsilon);

}  // namespace penumbra::host

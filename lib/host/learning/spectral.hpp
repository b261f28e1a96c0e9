// The transition by spectral decomposition of moments (Anandkumar et al. 2014; Azizzadenesheli et al. 2016), as the paper's appendix
// modifies it: what is known of a step is not the observation that came but the distribution it came from, O_a(.|s) of the action and the
// hidden state. For each action l, over the triples of consecutive steps with l in the middle,
//
//   v1 = e_a ⊗ O_a(.|s) of the step before,     v2 = O_l(.|s) of the step itself,     v3 = e_a ⊗ O_a(.|s) of the step after
//
// are independent given the state in the middle. The means of v3 given it are the components of the third moment, and by them
//
//   E[v3 | s, l] restricted to a'  =  P(a'|s,l) O_a' T_l(.|s),     P(a'|s,l) how often a' follows
#pragma once

#include "triples.hpp"

#include "penumbra/host/model.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host {

// How often each action follows, [action][state][next action].
[[nodiscard]] std::vector<double> uniform_next_action(const Model& sensors);
// Where the next action is drawn by the observation, policy[observation][action].
[[nodiscard]] std::vector<double> memoryless_next_action(const Model& sensors, const std::vector<double>& policy);

// Writes the estimate of one action to `rows`, [state][next state]. False, and nothing written, where the moments do not tell the states
// apart: too few samples, sensors or a transition without full rank, noise larger than what is looked for. Rows about which nothing
// can be said are uniform. Needs sizes, observation model and departure emission of `sensors`.
[[nodiscard]] bool estimate_by_moments(const Model& sensors, const Triples& triples, const std::vector<double>& next_action,
                                       std::size_t action, double* rows);

}  // namespace penumbra::host

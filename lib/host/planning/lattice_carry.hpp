// Planning again from an earlier bias, with optimism and departure emission. The nominal transition of each action tells, at that bias, how
// much any transition of its confidence region can be worth, so that those that cannot win need neither be built nor swept:
//
//   Q(b, T') <= Q(b, T) + sum_s b(s) sum_k [ u_k^+ (tail_k of (T' - T)(s,.))^+ + u_k^- (tail_k of (T' - T)(s,.))^- ],
//
// where u_k^+ and u_k^- are the largest slopes of the bias up and down tail k (belief_lattice.hpp): interpolation is linear in every cell,
// each cell has one edge along every tail, and p(o|b,a) and the reward do not depend on T.
#pragma once

#include "belief_lattice.hpp"
#include "optimistic_model.hpp"

#include <vector>

namespace penumbra::host {

// [point][action]: how much more than the nominal transition of its real action each can be worth; 0 for the nominal ones.
[[nodiscard]] std::vector<double> most_it_adds(const OptimisticModel& wide, const BeliefLattice& lattice, const std::vector<double>& bias);

}  // namespace penumbra::host

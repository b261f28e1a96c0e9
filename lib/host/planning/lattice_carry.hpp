// Planning again from an earlier bias, with optimism and departure emission: what an action can be worth at most, from the bias alone, so that
// rows that cannot win need neither be built nor swept. The next belief lies among the rows of its transitions, in a box of tails
// (belief_lattice.hpp), so that no transition of a region leads to more than the largest bias there,
//
//   Q(b, T') <= r(b,a) + max over the box of h,
//
// and once the value of the nominal transition T is known,
//
//   Q(b, T') <= Q(b, T) + sum_s b(s) sum_k [ u_k^+ (tail_k of (T' - T)(s,.))^+ + u_k^- (tail_k of (T' - T)(s,.))^- ],
//
// where u_k^+ and u_k^- are the largest slopes of the bias up and down tail k in the box: interpolation is linear in every cell, each cell
// has one edge along every tail, and p(o|b,a) and the reward do not depend on T.
#pragma once

#include "belief_lattice.hpp"
#include "optimistic_model.hpp"

#include <vector>

namespace penumbra::host {

struct CarryBounds {
  std::vector<double> leads_to;  // [action]: the largest bias that one of its real action's transitions leads to
  std::vector<double> adds;      // [action][state]: what it can be worth more than the nominal transition; 0 for the nominal ones
};
[[nodiscard]] CarryBounds carry_bounds(const OptimisticModel& wide, const BeliefLattice& lattice, const std::vector<double>& bias);

}  // namespace penumbra::host

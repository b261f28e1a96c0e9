// The bias within the boxes that actions lead to: its slopes, its largest value, and what they allow.
#include "lattice_carry.hpp"

#include <algorithm>

namespace penumbra::host {

namespace {

struct Slopes {
  std::vector<double> up;    // [k-1]
  std::vector<double> down;  // the same for a tail that becomes shorter
  double largest;            // bias
};

// The tails that the next belief can have after one of these actions, in units of the lattice, and one more to either side: every cell that
// meets them is inside.
struct Box {
  std::vector<double> least;  // [k-1]
  std::vector<double> most;
};

Box box_of(const Model& model, std::size_t first, std::size_t end, double resolution) {
  const std::size_t S = model.states.size();
  Box box{std::vector<double>(S - 1, resolution), std::vector<double>(S - 1, 0.0)};
  for (std::size_t a = first; a < end; ++a) {
    for (std::size_t s = 0; s < S; ++s) {
      double tail = 0;
      for (std::size_t k = 1; k < S; ++k) {
        tail += model.transition_row(a, s)[S - k] * resolution;
        box.least[k - 1] = std::min(box.least[k - 1], tail - 1.001);
        box.most[k - 1] = std::max(box.most[k - 1], tail + 1.001);
      }
    }
  }
  return box;
}

// The largest bias in the box, and its largest differences along each tail, for a whole unit of belief.
Slopes slopes_of(const BeliefLattice& lattice, const std::vector<double>& bias, const Box& box) {
  const std::size_t S = lattice.states();
  constexpr double none = -1e300;
  Slopes slopes{std::vector<double>(S - 1, none), std::vector<double>(S - 1, none), none};
  std::vector<std::uint32_t> point(S);
  lattice.unrank(0, point.data());
  for (std::uint32_t rank = 0; rank < lattice.points(); ++rank, lattice.next(point.data())) {
    bool inside = true;
    std::uint32_t tail = 0;
    for (std::size_t k = 1; k < S && inside; ++k) {
      tail += point[S - k];
      inside = tail >= box.least[k - 1] && tail <= box.most[k - 1];
    }
    if (!inside) continue;
    slopes.largest = std::max(slopes.largest, bias[rank]);
    tail = 0;
    for (std::size_t k = 1; k < S; ++k) {
      tail += point[S - k];
      if (point[S - 1 - k] == 0) continue;  // it is as long as the next one, and cannot grow alone
      const double difference = (bias[rank + lattice.step(k, tail)] - bias[rank]) * lattice.resolution();
      slopes.up[k - 1] = std::max(slopes.up[k - 1], difference);
      slopes.down[k - 1] = std::max(slopes.down[k - 1], -difference);
    }
  }
  return slopes;
}

}  // namespace

CarryBounds carry_bounds(const OptimisticModel& wide, const BeliefLattice& lattice, const std::vector<double>& bias) {
  const std::size_t S = lattice.states();
  const std::size_t A = wide.real.size();
  const std::size_t transitions = optimistic_transitions(S);
  CarryBounds bounds{std::vector<double>(A), std::vector<double>(A * S)};
  for (std::size_t nominal = 0; nominal < A; nominal += transitions) {
    const Slopes slopes = slopes_of(lattice, bias, box_of(wide.model, nominal, nominal + transitions, lattice.resolution()));
    for (std::size_t a = nominal; a < nominal + transitions; ++a) {
      bounds.leads_to[a] = slopes.largest;
      for (std::size_t s = 0; s < S; ++s) {
        double tail = 0;
        for (std::size_t k = 1; k < S; ++k) {
          tail += wide.model.transition_row(a, s)[S - k] - wide.model.transition_row(nominal, s)[S - k];
          bounds.adds[a * S + s] += tail > 0 ? tail * slopes.up[k - 1] : -tail * slopes.down[k - 1];
        }
      }
    }
  }
  return bounds;
}

}  // namespace penumbra::host

// Farthest-point sampling: every candidate keeps its distance to the nearest belief that was taken.
#include "belief_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penumbra::host::vector_planning {

namespace {

double distance(const double* one, const double* other, size_t states) noexcept {
  double sum = 0;
  for (size_t s = 0; s < states; ++s) sum += std::abs(one[s] - other[s]);
  return sum;
}

}  // namespace

void add_farthest(Beliefs& beliefs, const Beliefs& pool, size_t wanted) {
  constexpr double as_good_as_there = 1e-6;
  const size_t S = beliefs.states;
  std::vector<double> nearest(pool.size(), std::numeric_limits<double>::infinity());
  size_t compared = 0;
  while (beliefs.size() < wanted) {
    for (; compared < beliefs.size(); ++compared) {
      for (size_t i = 0; i < pool.size(); ++i) {
        if (nearest[i] < as_good_as_there) continue;
        nearest[i] = std::min(nearest[i], distance(pool[i], beliefs[compared], S));
      }
    }
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (farthest == nearest.end() || *farthest < as_good_as_there) return;
    beliefs.add(pool[static_cast<size_t>(farthest - nearest.begin())]);
  }
}

}  // namespace penumbra::host::vector_planning

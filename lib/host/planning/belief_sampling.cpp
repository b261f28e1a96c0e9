// Chains in parallel; and farthest-point sampling, where every candidate keeps its distance to the nearest belief that was taken.
#include "belief_sampling.hpp"

#include "chain.hpp"

#include "penumbra/host/detail/parallel.hpp"

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

Beliefs visited(const Workshop& workshop, const ValueVectors& policy, const Visit& visit, std::uint64_t seed) {
  const size_t S = workshop.joint.states();
  const VectorSet set(policy, S);
  const std::vector<std::uint64_t> seeds = chain_seeds(visit.chains, seed);
  const size_t each = visit.steps / visit.every;
  Beliefs beliefs(S);
  beliefs.numbers.resize(visit.chains * each * S);
  detail::in_parallel(visit.chains, workshop.threads, [&](size_t c) {
    Chain chain(workshop, set, visit.explore, seeds[c]);
    double* to = beliefs.numbers.data() + c * each * S;
    for (size_t i = 0; i < each; ++i, to += S) {
      for (size_t t = 0; t < visit.every; ++t) chain.step();
      std::copy(chain.belief().begin(), chain.belief().end(), to);
    }
  });
  return beliefs;
}

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

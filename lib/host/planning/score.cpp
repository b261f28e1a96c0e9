// Chains in parallel, each with two averages: of what it earned, and of that less its luck.
#include "score.hpp"

#include "chain.hpp"
#include "vector_lookahead.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <vector>

namespace penumbra::host::vector_planning {

Score score(const Workshop& workshop, const ValueVectors& policy, const ScoreSize& size, std::uint64_t seed) {
  const VectorLookahead ahead(workshop.joint, policy, 1.0);
  const std::vector<std::uint64_t> seeds = chain_seeds(size.chains, seed);
  std::vector<double> plain(size.chains);
  std::vector<double> explained(size.chains);
  detail::in_parallel(size.chains, workshop.threads, [&](size_t c) {
    Chain chain(workshop, ahead.values(), 0, seeds[c]);
    VectorLookahead::Scratch scratch(workshop.joint);
    double rewards = 0;
    double luck = 0;
    for (size_t t = 0; t < size.steps; ++t) {
      const double expected = ahead.action_value(chain.belief().data(), chain.action(), scratch);
      const double reward = chain.reward();
      rewards += reward;
      chain.step();
      luck += chain.value() - (expected - reward);
    }
    plain[c] = rewards / static_cast<double>(size.steps);
    explained[c] = (rewards - luck) / static_cast<double>(size.steps);
  });
  const Average one = average_of(plain);
  const Average other = average_of(explained);
  return {other.ci95 < one.ci95 ? other : one, one.mean};
}

}  // namespace penumbra::host::vector_planning

// Rounds of pruning. A round ends with long runs of the small set; where these lead to beliefs that the large set never met, the next round
// knows what the right action is there. Without this a small set can walk into a corner and stay.
#include "shrink.hpp"

#include "pruning.hpp"
#include "refit.hpp"
#include "vector_set.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace penumbra::host::vector_planning {

namespace {

constexpr size_t rounds = 10;
constexpr ScoreSize look{12, 5000};
constexpr Visit of_the_full{15, 1000, 10, 0.05};
constexpr Visit of_the_small{8, 4960, 80, 0.0};
constexpr Visit of_the_many{12, 1000, 4, 0.05};

Candidate best_of_rounds(const Workshop& workshop, const Candidate& full, const VectorLookahead& ahead, size_t most, bool with_refit,
                         Random& seeds, const PlanProgress& progress) {
  const size_t A = workshop.joint.actions();
  const double negligible = workshop.joint.tolerance(1e-9);
  const std::uint64_t look_seed = seeds.bits();
  JudgedBeliefs judged(workshop.joint.states());
  judge(workshop, ahead, visited(workshop, full.vectors, of_the_full, seeds.bits()), judged);
  Candidate best;
  for (size_t round = 0; round < rounds; ++round) {
    if (progress) progress("pruning", round + (with_refit ? rounds : 0), 2 * rounds);
    Candidate small{prune(full.vectors, judged, A, most), full.discount, {}};
    if (with_refit) small.vectors = refit(small.vectors, judged, A, negligible);
    small.score = score(workshop, small.vectors, look, look_seed);
    if (round + 1 < rounds) judge(workshop, ahead, visited(workshop, small.vectors, of_the_small, seeds.bits()), judged);
    if (round == 0 || lower_bound(small.score.average) > lower_bound(best.score.average)) best = std::move(small);
    if (lower_bound(best.score.average) >= full.score.average.mean - workshop.joint.tolerance(2e-5)) break;  // nothing was lost
  }
  return best;
}

}  // namespace

ValueVectors thinned(const Workshop& workshop, const ValueVectors& vectors, Random& seeds) {
  if (vectors.actions.size() <= manageable_vectors) return vectors;
  const size_t S = workshop.joint.states();
  Beliefs beliefs = visited(workshop, vectors, of_the_many, seeds.bits());
  beliefs.add(workshop.joint.model().initial.data());
  std::vector<double> corner(S, 0.0);
  for (size_t s = 0; s < S; ++s) {
    corner[s] = 1;
    beliefs.add(corner.data());
    corner[s] = 0;
  }
  return winners(vectors, beliefs);
}

std::vector<Candidate> shrink(const Workshop& workshop, const Candidate& full, const Candidate& judge, size_t most, Random& seeds,
                              const PlanProgress& progress) {
  if (full.vectors.actions.size() <= most) return {full};
  const VectorLookahead ahead(workshop.joint, judge.vectors, judge.discount);
  std::vector<Candidate> small;
  for (const bool with_refit : {false, true}) {
    small.push_back(best_of_rounds(workshop, full, ahead, most, with_refit, seeds, progress));
  }
  return small;
}

ValueVectors ordered_by_use(const Workshop& workshop, const ValueVectors& vectors, std::uint64_t seed) {
  const size_t S = workshop.joint.states();
  const std::vector<size_t> uses = wins(vectors, visited(workshop, vectors, {8, 2000, 4, 0.0}, seed));
  std::vector<size_t> order(uses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t one, size_t other) { return uses[one] > uses[other]; });
  ValueVectors ordered;
  for (const size_t k : order) append(ordered, vectors, k, S);
  return ordered;
}

}  // namespace penumbra::host::vector_planning

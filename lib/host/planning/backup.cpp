// Backups in parallel over beliefs, then the cover in one thread.
#include "backup.hpp"

#include "vector_lookahead.hpp"
#include "vector_set.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>
#include <vector>

namespace penumbra::host::vector_planning {

namespace {

// What the beliefs back up: one vector each.
struct Backups {
  ValueVectors vectors;
  std::vector<double> gain;  // of value at the belief
};

Backups back_up(const Workshop& workshop, const ValueVectors& values, const Beliefs& beliefs, const SweepRule& rule) {
  const JointModel& joint = workshop.joint;
  const size_t S = joint.states();
  const size_t A = joint.actions();
  const VectorLookahead ahead(joint, values, rule.discount);
  const double tie = joint.tolerance(1e-12);
  Backups backups;
  backups.vectors.actions.resize(beliefs.size());
  backups.vectors.values.resize(beliefs.size() * S);
  backups.gain.resize(beliefs.size());
  constexpr size_t together = 4;  // beliefs of one piece of work share its scratch
  detail::in_parallel((beliefs.size() + together - 1) / together, workshop.threads, [&](size_t piece) {
    VectorLookahead::Scratch scratch(joint);
    std::vector<double> q(A);
    std::vector<size_t> winners(A * joint.observations());
    for (size_t i = piece * together; i < std::min(beliefs.size(), (piece + 1) * together); ++i) {
      for (size_t a = 0; a < A; ++a) {
        q[a] = ahead.action_value(beliefs[i], a, scratch);
        std::copy(scratch.winners.begin(), scratch.winners.end(), winners.begin() + static_cast<std::ptrdiff_t>(a * joint.observations()));
      }
      const Choice choice = best_action(q.data(), A, tie);
      double* vector = backups.vectors.values.data() + i * S;
      std::copy_n(winners.begin() + static_cast<std::ptrdiff_t>(choice.action * joint.observations()), joint.observations(),
                  scratch.winners.begin());
      ahead.backed_up(choice.action, scratch.winners, scratch.moved, vector);
      scratch.weights.take(beliefs[i], S);
      const Winner old = ahead.values().best(scratch.weights);
      if (rule.damping > 0) {
        const double* kept = values.values.data() + old.vector * S;
        for (size_t s = 0; s < S; ++s) vector[s] = rule.damping * kept[s] + (1 - rule.damping) * vector[s];
      }
      backups.vectors.actions[i] = choice.action;
      backups.gain[i] = choice.value - old.value;
    }
  });
  return backups;
}

// Greedy: the vector of the belief that is served worst, until none is served badly. The first belief's comes first.
ValueVectors cover(const ValueVectors& vectors, const Beliefs& beliefs, double deficit) {
  const size_t S = beliefs.states;
  const size_t N = beliefs.size();
  std::vector<double> own(N);
  std::vector<double> served(N);
  for (size_t i = 0; i < N; ++i) own[i] = dot(beliefs[i], vectors.values.data() + i * S, S);
  ValueVectors chosen;
  size_t worst = 0;
  while (chosen.actions.size() < N) {
    const double* vector = vectors.values.data() + worst * S;
    const bool first = chosen.actions.empty();
    append(chosen, vectors, worst, S);
    double worst_deficit = 0;
    for (size_t i = 0; i < N; ++i) {
      const double value = dot(beliefs[i], vector, S);
      served[i] = first ? value : std::max(served[i], value);
      if (own[i] - served[i] > worst_deficit) {
        worst_deficit = own[i] - served[i];
        worst = i;
      }
    }
    if (worst_deficit <= deficit) break;
  }
  return chosen;
}

}  // namespace

Sweep sweep(const Workshop& workshop, const ValueVectors& values, const Beliefs& beliefs, const SweepRule& rule) {
  const size_t S = beliefs.states;
  const Backups backups = back_up(workshop, values, beliefs, rule);
  Sweep result;
  const auto [least, most] = std::minmax_element(backups.gain.begin(), backups.gain.end());
  result.bracket = *most - *least;
  result.values = cover(backups.vectors, beliefs, rule.deficit);
  double at_first = dot(beliefs[0], result.values.values.data(), S);
  for (size_t k = 1; k < result.values.actions.size(); ++k) {
    at_first = std::max(at_first, dot(beliefs[0], result.values.values.data() + k * S, S));
  }
  for (double& value : result.values.values) value -= at_first;
  return result;
}

double span_at(const ValueVectors& values, const Beliefs& beliefs) {
  const VectorSet set(values, beliefs.states);
  SparseWeights weights(beliefs.states);
  double least = 0;
  double most = 0;
  for (size_t i = 0; i < beliefs.size(); ++i) {
    weights.take(beliefs[i], beliefs.states);
    const double value = set.best(weights).value;
    least = i == 0 ? value : std::min(least, value);
    most = i == 0 ? value : std::max(most, value);
  }
  return most - least;
}

}  // namespace penumbra::host::vector_planning

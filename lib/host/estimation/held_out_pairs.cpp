// Pairs held out: any of them, as counts have no order.
#include "held_out.hpp"
#include "pair_fit.hpp"

#include "penumbra/host/detail/parallel.hpp"
#include "penumbra/host/random.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

constexpr std::uint64_t seed = 1;
constexpr double share = 0.2;

// How many of so many are held out. Large counts take the limit for large counts, with twelve uniform numbers for a normal one: the same on every machine.
std::uint64_t drawn_of(std::uint64_t count, Random& random) {
  constexpr std::uint64_t one_by_one = 4096;
  if (count <= one_by_one) {
    std::uint64_t drawn = 0;
    for (std::uint64_t i = 0; i < count; ++i) drawn += static_cast<std::uint64_t>(random.uniform() < share);
    return drawn;
  }
  double normal = -6;
  for (int i = 0; i < 12; ++i) normal += random.uniform();
  const auto all = static_cast<double>(count);
  return static_cast<std::uint64_t>(share * all + normal * std::sqrt(share * (1 - share) * all));
}

// Sums over the pairs that two transitions both call possible.
struct Difference {
  double count = 0;
  double sum = 0;
  double squares = 0;
};

}  // namespace

SplitPairs split_pairs(const Counts& counts) {
  SplitPairs split{counts, counts};
  Random random(seed, Stream::hold_out);
  const std::size_t O = counts.observations;
  for (std::size_t row = 0; row < counts.pairs.size(); row += O) {  // of one a, a' and o
    std::uint64_t left = 0;
    for (std::size_t cell = row; cell < row + O; ++cell) {
      split.held_out.pairs[cell] = drawn_of(counts.pairs[cell], random);
      left += split.fitted.pairs[cell] -= split.held_out.pairs[cell];
    }
    for (std::size_t cell = row; left == 0 && cell < row + O; ++cell) {
      split.fitted.pairs[cell] = counts.pairs[cell];
      split.held_out.pairs[cell] = 0;
    }
  }
  return split;
}

Scores score_pairs(const Model& model, const std::vector<std::vector<double>>& transitions, const SplitPairs& pairs,
                   std::uint64_t threads) {
  const std::size_t A = model.actions.size();
  const std::size_t cells = model.states.size() * model.states.size();
  const std::size_t block = pairs.fitted.pairs.size() / A;
  const std::size_t n = transitions.size();
  struct OfAction {
    std::vector<Difference> differences;
    std::vector<std::uint64_t> impossible;
    std::vector<double> sums;
    std::vector<double> counts;
  };
  std::vector<OfAction> results(A);
  detail::in_parallel(A, threads, [&](std::size_t a) {
    OfAction& result = results[a];
    result.differences.resize(n * n);
    result.impossible.assign(n, 0);
    result.sums.assign(n, 0.0);
    result.counts.assign(n, 0.0);
    const std::uint64_t* held_out = pairs.held_out.pairs.data() + a * block;
    if (std::all_of(held_out, held_out + block, [](std::uint64_t count) { return count == 0; })) return;
    const std::vector<double> fitted(pairs.fitted.pairs.data() + a * block, pairs.fitted.pairs.data() + (a + 1) * block);
    std::vector<std::vector<double>> probability;
    for (const std::vector<double>& transition : transitions) {
      PairFit fit(model, fitted.data(), a, transition.data() + a * cells, 0.0, NextAction::observation_and_state);
      fit.fit_rest();
      probability.push_back(fit.probabilities());
    }
    for (std::size_t cell = 0; cell < block; ++cell) {
      if (held_out[cell] == 0) continue;
      const auto count = static_cast<double>(held_out[cell]);
      for (std::size_t i = 0; i < n; ++i) {
        if (!(probability[i][cell] > 0)) {
          result.impossible[i] += held_out[cell];
          continue;
        }
        result.sums[i] += count * std::log(probability[i][cell]);
        result.counts[i] += count;
        for (std::size_t j = 0; j < n; ++j) {
          if (!(probability[j][cell] > 0)) continue;
          const double gain = std::log(probability[i][cell]) - std::log(probability[j][cell]);
          Difference& difference = result.differences[i * n + j];
          difference.count += count;
          difference.sum += count * gain;
          difference.squares += count * gain * gain;
        }
      }
    }
  });
  Scores scores;
  scores.impossible.assign(n, 0);
  std::vector<double> sums(n, 0.0);
  std::vector<double> counts(n, 0.0);
  std::vector<Difference> differences(n * n);
  for (const OfAction& result : results) {  // in the order of actions, whichever was done first
    for (std::size_t i = 0; i < n; ++i) {
      scores.impossible[i] += result.impossible[i];
      sums[i] += result.sums[i];
      counts[i] += result.counts[i];
    }
    for (std::size_t i = 0; i < n * n; ++i) {
      differences[i].count += result.differences[i].count;
      differences[i].sum += result.differences[i].sum;
      differences[i].squares += result.differences[i].squares;
    }
  }
  for (std::size_t i = 0; i < n; ++i) scores.log_likelihood.push_back(counts[i] > 0 ? sums[i] / counts[i] : not_known);
  constexpr double fewest = 128;  // pairs that tell an error, as many as steps do
  for (const Difference& difference : differences) {
    const double mean = difference.count > 0 ? difference.sum / difference.count : not_known;
    scores.gain.push_back(mean);
    const double variance = std::max(difference.squares / difference.count - mean * mean, 0.0);
    scores.standard_error.push_back(difference.count >= fewest ? std::sqrt(variance / (difference.count - 1)) : not_known);
  }
  return scores;
}

}  // namespace penumbra::host

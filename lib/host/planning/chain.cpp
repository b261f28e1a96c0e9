// Chains, and what is asked of many of them.
#include "chain.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>

namespace penumbra::host::vector_planning {

namespace {

std::vector<std::uint64_t> seeds_of(size_t chains, std::uint64_t seed) {
  Random random(seed, Stream::planning);
  std::vector<std::uint64_t> seeds(chains);
  for (std::uint64_t& each : seeds) each = random.bits();
  return seeds;
}

}  // namespace

Chain::Chain(const Workshop& workshop, const VectorSet& policy, double explore, std::uint64_t seed)
    : joint_(workshop.joint),
      dice_(workshop.dice),
      policy_(policy),
      explore_(explore),
      world_(seed, Stream::world),
      exploring_(seed, Stream::policy),
      belief_(joint_.states()),
      next_(joint_.states()),
      weights_(joint_.states()) {
  restart();
}

void Chain::restart() noexcept {
  std::copy(joint_.model().initial.begin(), joint_.model().initial.end(), belief_.begin());
  state_ = dice_.initial.draw(0, world_.uniform());
  choose();
}

void Chain::choose() noexcept {
  weights_.take(belief_.data(), joint_.states());
  const Winner winner = policy_.best(weights_);
  value_ = winner.value;
  action_ = policy_.action(winner.vector);
  if (explore_ > 0 && exploring_.uniform() < explore_) action_ = exploring_.below(joint_.actions());
}

void Chain::step() noexcept {
  const size_t S = joint_.states();
  const size_t before = state_;
  state_ = dice_.next_state.draw(action_ * S + before, world_.uniform());
  const size_t emitter = joint_.departure() ? before : state_;
  update(dice_.observation.draw(action_ * S + emitter, world_.uniform()));
  choose();
}

void Chain::update(size_t observation) noexcept {
  const size_t S = joint_.states();
  if (!joint_.departure()) {
    joint_.move(action_, belief_.data(), next_.data());
    belief_.swap(next_);
  }
  const double* likelihood = joint_.likelihood(action_, observation);
  double probability = 0;
  for (size_t s = 0; s < S; ++s) {
    belief_[s] *= likelihood[s];
    probability += belief_[s];
  }
  constexpr double least = 0x1p-900;
  if (!(probability >= least)) {  // as the device would: from the prior
    std::copy(joint_.model().initial.begin(), joint_.model().initial.end(), belief_.begin());
    return;
  }
  const double scale = 1.0 / probability;
  for (size_t s = 0; s < S; ++s) belief_[s] *= scale;
  if (joint_.departure()) {
    joint_.move(action_, belief_.data(), next_.data());
    belief_.swap(next_);
  }
}

Beliefs visited(const Workshop& workshop, const ValueVectors& policy, const Visit& visit, std::uint64_t seed) {
  const size_t S = workshop.joint.states();
  const VectorSet set(policy, S);
  const std::vector<std::uint64_t> seeds = seeds_of(visit.chains, seed);
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

Score score(const Workshop& workshop, const ValueVectors& policy, const ScoreSize& size, std::uint64_t seed) {
  const LookAhead ahead(workshop.joint, policy, 1.0);
  const std::vector<std::uint64_t> seeds = seeds_of(size.chains, seed);
  std::vector<double> plain(size.chains);
  std::vector<double> explained(size.chains);
  detail::in_parallel(size.chains, workshop.threads, [&](size_t c) {
    Chain chain(workshop, ahead.values(), 0, seeds[c]);
    LookAhead::Scratch scratch(workshop.joint);
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

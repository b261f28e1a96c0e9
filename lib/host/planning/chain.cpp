// The world's step, the belief's, and the choice between them.
#include "chain.hpp"

#include <algorithm>

namespace penumbra::host::vector_planning {

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

std::vector<std::uint64_t> chain_seeds(size_t chains, std::uint64_t seed) {
  Random random(seed, Stream::planning);
  std::vector<std::uint64_t> seeds(chains);
  for (std::uint64_t& each : seeds) each = random.bits();
  return seeds;
}

}  // namespace penumbra::host::vector_planning

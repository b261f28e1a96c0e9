// The world's dice, the actors, and the loop that brings them together.
#include "penumbra/host/simulate.hpp"

#include "penumbra/host/generate.hpp"

#include <algorithm>
#include <array>

namespace penumbra::host {

RowSampler::RowSampler(const std::vector<double>& rows, size_t width) : width_(width), cumulative_(rows.size()) {
  constexpr double beyond = 2.0;  // no draw reaches it: the last entry that has a probability takes what rounding leaves
  for (size_t row = 0; row < rows.size(); row += width) {
    double sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < width; ++i) {
      sum += rows[row + i];
      cumulative_[row + i] = sum;
      if (rows[row + i] > 0) last = i;
    }
    for (size_t i = last; i < width; ++i) cumulative_[row + i] = beyond;
  }
}

size_t RowSampler::draw(size_t row, double u) const noexcept {
  const double* first = cumulative_.data() + row * width_;
  constexpr size_t few = 16;  // up to here counting all entries, without a branch to guess, is faster than searching
  if (width_ > few) return static_cast<size_t>(std::upper_bound(first, first + width_, u) - first);
  size_t below = 0;
  for (size_t i = 0; i < width_; ++i) below += static_cast<size_t>(first[i] <= u);
  return below;
}

World::World(const Model& model, std::uint64_t seed)
    : model_(model),
      random_(seed, Stream::world),
      next_state_(model.transition, model.states.size()),
      observation_(model.observation, model.observations.size()),
      state_(RowSampler(model.initial, model.states.size()).draw(0, random_.uniform())) {}

World::Answer World::act(size_t action) noexcept {
  const size_t S = model_.states.size();
  const size_t before = state_;
  state_ = next_state_.draw(action * S + before, random_.uniform());
  const size_t emitter = model_.emission == Emission::departure ? before : state_;
  const size_t observation = observation_.draw(action * S + emitter, random_.uniform());
  const bool by_observation = model_.reward_kind == RewardKind::by_observation;
  return {before, observation, model_.reward[by_observation ? observation : action * S + before]};
}

MyopicActor::MyopicActor(const Model& believed, double min_action, std::uint64_t seed)
    : believed_(believed),
      tracker_(believed),
      reward_(expected_reward(believed)),
      min_action_(min_action),
      random_(seed, Stream::policy),
      internal_(seed, Stream::internal_model) {}

void MyopicActor::change_transition_every(std::uint64_t steps) {
  change_every_ = steps;
  change_transition();
}

void MyopicActor::change_transition() {
  const size_t S = believed_.states.size();
  believed_.transition = random_transition(S, believed_.actions.size(), default_epsilon(S), internal_);
  tracker_.use_transition(believed_.transition);
  reward_ = expected_reward(believed_);  // with arrival emission it depends on the transition
  until_change_ = change_every_;
}

size_t MyopicActor::choose() {
  const size_t S = believed_.states.size();
  const size_t A = believed_.actions.size();
  if (min_action_ > 0) {
    const double drawn = random_.uniform() / min_action_;
    if (drawn < static_cast<double>(A)) return static_cast<size_t>(drawn);
  }
  const double* belief = tracker_.belief().data();
  const double* reward = reward_.data();
  size_t best = 0;
  double best_value = 0;
  for (size_t a = 0; a < A; ++a, reward += S) {
    double value = 0;
    for (size_t s = 0; s < S; ++s) value += belief[s] * reward[s];
    const bool better = a == 0 || value > best_value;
    best = better ? a : best;
    best_value = better ? value : best_value;
  }
  return best;
}

void MyopicActor::observe(size_t action, size_t observation) {
  static_cast<void>(tracker_.update(action, observation));  // what its model holds for impossible restarts its belief
  if (change_every_ != 0 && --until_change_ == 0) change_transition();
}

ImageActor::ImageActor(const PolicyImage& image, std::uint64_t seed)
    : filter_(image.model(image.dims())), policy_(image.dims(), folded(seed)) {
  // A uniform image would draw from a seed of its own; a simulation's draws all come from the user's.
  if (image.header().policy != PolicyKind::uniform) policy_.use(image);
}

double simulate(World& world, Actor& actor, std::uint64_t steps, const SimulationSink& sink) {
  std::array<SimulatedStep, 4096> batch;  // NOLINT: filled before it is read
  double total = 0;
  std::uint64_t done = 0;
  while (done < steps) {
    const auto size = static_cast<size_t>(std::min<std::uint64_t>(batch.size(), steps - done));
    double reward = 0;
    for (size_t i = 0; i < size; ++i) {
      const size_t action = actor.choose();
      const World::Answer answer = world.act(action);
      actor.observe(action, answer.observation);
      reward += answer.reward;
      batch[i] = {static_cast<std::uint32_t>(answer.state), static_cast<std::uint32_t>(action),
                  static_cast<std::uint32_t>(answer.observation)};
    }
    total += reward;
    done += size;
    if (!sink({batch.data(), size})) break;
  }
  return done == 0 ? 0.0 : total / static_cast<double>(done);
}

}  // namespace penumbra::host

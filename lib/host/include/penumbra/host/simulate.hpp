// A simulated world, and those who act in it. Each draws from a stream of its own: the world's luck does not depend on the actor's.
#pragma once

#include "penumbra/belief_filter.hpp"
#include "penumbra/host/belief.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/random.hpp"
#include "penumbra/policy.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

// Draws from the rows of a table of distributions, each `width` long.
class RowSampler {
 public:
  RowSampler(const std::vector<double>& rows, size_t width);

  // `u` is uniform in [0, 1). Entries of probability zero are never drawn.
  [[nodiscard]] size_t draw(size_t row, double u) const noexcept;

 private:
  size_t width_;
  std::vector<double> cumulative_;
};

// The state is hidden inside; act() is all that a robot can do.
class World {
 public:
  // The model has a transition and outlives the world.
  World(const Model& model, std::uint64_t seed);

  struct Answer {
    size_t state;  // before the action
    size_t observation;
    double reward;
  };
  Answer act(size_t action) noexcept;

 private:
  const Model& model_;
  Random random_;
  RowSampler next_state_;
  RowSampler observation_;
  size_t state_;
};

// Chooses, and is told what came of it.
class Actor {
 public:
  Actor() = default;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  virtual ~Actor() = default;
  virtual size_t choose() = 0;
  virtual void observe(size_t action, size_t observation) = 0;
};

class UniformActor final : public Actor {
 public:
  UniformActor(size_t actions, std::uint64_t seed) : actions_(actions), random_(seed, Stream::policy) {}
  size_t choose() override { return random_.below(actions_); }
  void observe(size_t /*action*/, size_t /*observation*/) override {}

 private:
  size_t actions_;
  Random random_;
};

// The action of the highest expected immediate reward under the belief (the lowest such index), and every action with probability
// `min_action` at least: that much each, the rest for the greedy one.
class MyopicActor final : public Actor {
 public:
  // `believed` is the actor's own model; it need not be the world's.
  MyopicActor(const Model& believed, double min_action, std::uint64_t seed);

  // From now on, and then every so many steps, the belief moves by a fresh random transition: the paper's estimation experiment.
  void change_transition_every(std::uint64_t steps);

  size_t choose() override;
  void observe(size_t action, size_t observation) override;

 private:
  void change_transition();

  Model believed_;
  BeliefTracker tracker_;
  std::vector<double> reward_;  // [action][state]
  double min_action_;
  Random random_;
  Random internal_;
  std::uint64_t change_every_ = 0;
  std::uint64_t until_change_ = 0;
};

// What a robot with this image does: lib/core's filter and policy, in single precision. The image outlives the actor.
class ImageActor final : public Actor {
 public:
  ImageActor(const PolicyImage& image, std::uint64_t seed);
  size_t choose() override { return index(policy_.choose(filter_.belief())); }
  void observe(size_t action, size_t observation) override {
    // An impossible observation restarts the belief, as it would on the robot.
    static_cast<void>(filter_.update(Action{static_cast<std::uint8_t>(action)}, Observation{static_cast<std::uint8_t>(observation)}));
  }

 private:
  BeliefFilter<RuntimeDims> filter_;
  Policy<RuntimeDims> policy_;
};

struct SimulatedStep {
  std::uint32_t state;
  std::uint32_t action;
  std::uint32_t observation;
};

// Lets the actor act, and hands the steps to `sink`, many at a time, until there were `steps` of them or the sink has had enough
// (returns false). Returns the average reward.
using SimulationSink = std::function<bool(etl::span<const SimulatedStep>)>;
double simulate(World& world, Actor& actor, std::uint64_t steps, const SimulationSink& sink);

}  // namespace penumbra::host

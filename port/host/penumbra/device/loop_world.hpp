// The world of a loop test, where the host is the plant: a model says how it answers. And the account of a loop: what the world saw, which
// the device's counts are held against.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace penumbra::command {

class LoopWorld final : public host::Plant {
 public:
  // The model has a transition and outlives the world. The same seed is the same luck.
  LoopWorld(const host::Model& model, std::uint64_t seed) : world_(model, seed) {}

  std::optional<std::uint8_t> act(std::uint8_t action) override {
    last_ = {action, world_.act(action)};
    ++steps_;
    reward_ += last_.answer.reward;
    return static_cast<std::uint8_t>(last_.answer.observation);
  }

  struct Step {
    std::size_t action = 0;
    host::World::Answer answer{};
  };
  [[nodiscard]] const Step& last() const noexcept { return last_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] double reward() const noexcept { return reward_; }  // the sum

 private:
  host::World world_;
  Step last_;
  std::uint64_t steps_ = 0;
  double reward_ = 0;
};

// Stands before a world, and counts what passes.
class LoopAccount final : public host::Plant {
 public:
  // World and session outlive it. What the device has counted by now is not of this world.
  LoopAccount(host::Plant& world, const host::Model& model, const host::Session& session)
      : world_(world), counter_(model), session_(session), before_(session.total_counts()) {}

  // Is told of each step.
  void watch(std::function<void(std::uint8_t action, std::uint8_t observation)> watcher) { watcher_ = std::move(watcher); }

  std::optional<std::uint8_t> act(std::uint8_t action) override {
    const std::optional<std::uint8_t> observation = world_.act(action);
    ++steps_;
    if (observation) {
      counter_.add(action, *observation);
      if (watcher_) watcher_(action, *observation);
    } else {
      counter_.break_pair();
    }
    return observation;
  }
  void cut() override {
    counter_.break_pair();
    world_.cut();
  }

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  struct Balance {
    std::uint64_t pairs = 0;    // that the world saw
    std::uint64_t counted = 0;  // by the device, as far as the session knows
    std::uint64_t more = 0;     // cells in which the device has more than the world
    std::uint64_t fewer = 0;
  };
  [[nodiscard]] Balance balance() const {
    const std::vector<std::uint64_t> now = session_.total_counts();
    const std::vector<std::uint64_t>& seen = counter_.counts().pairs;
    Balance sum;
    for (std::size_t cell = 0; cell < seen.size(); ++cell) {
      const std::uint64_t device = now[cell] - before_[cell];
      sum.pairs += seen[cell];
      sum.counted += device;
      sum.more += device > seen[cell] ? 1U : 0U;
      sum.fewer += device < seen[cell] ? 1U : 0U;
    }
    return sum;
  }

 private:
  host::Plant& world_;
  host::PairCounter counter_;
  const host::Session& session_;
  std::vector<std::uint64_t> before_;  // [cell]
  std::function<void(std::uint8_t, std::uint8_t)> watcher_;
  std::uint64_t steps_ = 0;
};

}  // namespace penumbra::command

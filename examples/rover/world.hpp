// The world that the rover acts in: the true state, which the agent never sees, moved by a seeded generator under the true model.
// It stands for motors and sensors, and is the same on every platform and in every run.
#pragma once

#include "rover.hpp"

#include <etl/random.h>

namespace rover {

constexpr uint32_t world_seed = 19;  // of the runs that are shown

class World {
 public:
  explicit World(uint32_t seed) noexcept : random_(seed) {
    for (int i = 0; i < 4; ++i) static_cast<void>(random_());  // the first numbers of small seeds are all small
  }

  [[nodiscard]] penumbra::State state() const noexcept { return state_; }

  // Executes `action`: the state it leaves answers, then the world moves.
  penumbra::Observation execute(penumbra::Action action) noexcept {
    const size_t a = index(action);
    const size_t s = index(state_);
    const size_t seen = draw(observation_row(a, s), O);
    state_ = static_cast<penumbra::State>(draw(transition_row(a, s), S));
    return static_cast<penumbra::Observation>(seen);
  }

 private:
  size_t draw(const float* row, size_t count) noexcept {
    float left = static_cast<float>(random_() >> 8U) * 0x1p-24F;  // [0, 1)
    size_t i = 0;
    while (i + 1U < count && left >= row[i]) left -= row[i++];
    return i;
  }

  etl::random_pcg random_;
  penumbra::State state_{1};  // in the aisle
};

}  // namespace rover

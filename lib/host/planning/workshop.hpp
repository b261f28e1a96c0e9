// What the parts of a vector planner share: the model in the forms that backups and simulations read, and how many threads there are.
#pragma once

#include "joint_model.hpp"

#include "penumbra/host/model.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstdint>

namespace penumbra::host::vector_planning {

// The dice of a model, shared by all its chains.
struct Dice {
  explicit Dice(const Model& model)
      : initial(model.initial, model.states.size()),
        next_state(model.transition, model.states.size()),
        observation(model.observation, model.observations.size()) {}
  RowSampler initial;
  RowSampler next_state;
  RowSampler observation;
};

// The model outlives this.
struct Workshop {
  explicit Workshop(const Model& model, std::uint64_t thread_limit) : joint(model), dice(model), threads(thread_limit) {}
  JointModel joint;
  Dice dice;
  std::uint64_t threads;
};

}  // namespace penumbra::host::vector_planning

// Policies that every model has at no cost, as value vectors: one an action. A plan starts from the best of them, and never ends below.
#pragma once

#include "joint_model.hpp"

#include "penumbra/host/vector_plan.hpp"

namespace penumbra::host::vector_planning {

// The best immediate reward.
[[nodiscard]] ValueVectors myopic_vectors(const JointModel& joint);

// QMDP: the best action if the state were told after it.
[[nodiscard]] ValueVectors qmdp_vectors(const JointModel& joint, double discount);

}  // namespace penumbra::host::vector_planning

// A table, through the image that a board would get.
#include "belief_policy.hpp"

#include "penumbra/host/random.hpp"

#include <utility>

namespace penumbra::host {

std::vector<double> uniform_transition(const Model& sensors) {
  const std::size_t S = sensors.states.size();
  return std::vector<double>(sensors.actions.size() * S * S, 1.0 / static_cast<double>(S));
}

BeliefPolicy::BeliefPolicy(const Model& sensors, std::uint64_t seed) : model_(sensors) {
  model_.transition = uniform_transition(sensors);
  Outcome<ImageFile> built = ImageFile::build(model_, {}, {}, "");
  image_ = std::move(built.value());  // check_learnable() has seen to it that a device can hold the model
  const RuntimeDims dims = image_->image().dims();
  filter_.emplace(image_->image().model(dims));
  policy_.emplace(dims, folded(seed));
}

Outcome<void> BeliefPolicy::use(const std::vector<double>& transition, const PolicyTable& table) {
  model_.transition = transition;
  Outcome<ImageFile> built = ImageFile::build(model_, table, {}, "the plan");
  if (!built) return fail(built.error());
  image_ = std::move(built.value());
  filter_->use(image_->image().model(image_->image().dims()));
  policy_->use(image_->image());
  return {};
}

}  // namespace penumbra::host

// Who there is, and what they can be asked to learn.
#include "kinds.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/belief.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::host {

const std::vector<double>& Learner::transition() const {
  static const std::vector<double> none;
  return none;
}

const std::vector<LearnerKind>& learner_kinds() {
  static const std::vector<LearnerKind> kinds{aoas_ucrl, oas_ucrl, psrl_pomdp, seeu, sm_ucrl, optimal, uniform, myopic};
  return kinds;
}

const LearnerKind* find_learner(const std::string& name) {
  const std::vector<LearnerKind>& kinds = learner_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const LearnerKind& kind) { return name == kind.name; });
  return found == kinds.end() ? nullptr : &*found;
}

Outcome<void> check_learnable(const Model& model, const std::string& name) {
  if (!model.has_transition()) {
    return fail(Fault::input, name, "has no transition, and a learner needs a world to act in",
                "add \"transition\": the world is simulated by it, and the learner does not see it");
  }
  const Outcome<void> applies = check_aoas_applies(model, invert_sensors(model), name);
  if (!applies) return applies;
  if (model.reward_kind != RewardKind::by_observation) {
    return fail(Fault::input, name, "has rewards of actions and states, which a learner does not see",
                "learning takes a reward for each observation, in [0,1]");
  }
  for (std::size_t o = 0; o < model.reward.size(); ++o) {
    if (model.reward[o] >= 0 && model.reward[o] <= 1) continue;
    return fail(Fault::input, name, fmt::format("reward of observation \"{}\" is {}", model.observations.of(o), model.reward[o]),
                "learning takes rewards in [0,1]: shift and scale them all alike");
  }
  if (!fits_device(model)) {
    return fail(Fault::input, name,
                fmt::format("has {} states, {} actions and {} observations, and a device takes at most {} of each", model.states.size(),
                            model.actions.size(), model.observations.size(), max_size));
  }
  const Outcome<Counts> countable = Counts::of(model, name);
  if (!countable) return fail(countable.error());
  return {};
}

}  // namespace penumbra::host

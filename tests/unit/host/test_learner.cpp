// Who can be asked to learn, and what: models that cannot be learned are refused with the reason, and every kind of learner can be made
// and acts.
#include "penumbra/host/learner.hpp"

#include "penumbra/host/reference.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

// "learnable", or the problem, which is always the input's.
std::string answer(const Model& model) {
  const Outcome<void> outcome = check_learnable(model, "m.json");
  if (outcome) return "learnable";
  TEST_ASSERT_TRUE(outcome.error().fault == Fault::input);
  return to_text(outcome.error());
}

void is(const char* expected, const Model& model) { TEST_ASSERT_EQUAL_STRING(expected, answer(model).c_str()); }

void a_generated_model_is_learnable() {
  is("learnable", random_model(3, 4, 4, 1));
  is("learnable", random_model(1, 1, 1, 1));
}

void a_model_without_a_world_to_act_in_is_refused() {
  Model model = random_model(3, 2, 4, 1);
  model.transition.clear();
  is("m.json: has no transition, and a learner needs a world to act in\n"
     "  add \"transition\": the world is simulated by it, and the learner does not see it",
     model);
}

void arrival_emission_is_refused() {
  Model model = random_model(3, 2, 4, 1);
  model.emission = Emission::arrival;
  is("m.json: observations come from the state that an action reaches (arrival): the next action is chosen after seeing them, which biases "
     "the pair counts\n"
     "  only models with departure emission can be learned; this one can be planned for and flashed",
     model);
}

void rewards_that_a_learner_does_not_see_are_refused() {
  Model model = random_model(3, 2, 4, 1);
  model.reward = expected_reward(model);
  model.reward_kind = RewardKind::by_action_and_state;
  is("m.json: has rewards of actions and states, which a learner does not see\n"
     "  learning takes a reward for each observation, in [0,1]",
     model);
}

void a_reward_outside_of_0_to_1_is_refused_with_the_name_of_its_observation() {
  const char* advice = "learning takes rewards in [0,1]: shift and scale them all alike";
  Model model = random_model(3, 2, 4, 1);
  model.reward = {0, 1, 0.5, 1};
  is("learnable", model);
  model.reward[2] = 1.5;
  is((std::string("m.json: reward of observation \"2\" is 1.5\n  ") + advice).c_str(), model);
  model.observations = Labels(std::vector<std::string>{"left", "right", "creak", "none"});
  is((std::string("m.json: reward of observation \"creak\" is 1.5\n  ") + advice).c_str(), model);
  model.reward[0] = -0.25;
  is((std::string("m.json: reward of observation \"left\" is -0.25\n  ") + advice).c_str(), model);
  model.reward[0] = std::numeric_limits<double>::quiet_NaN();
  TEST_ASSERT_FALSE(answer(model) == "learnable");
}

void sensors_that_do_not_tell_states_apart_are_refused() {
  Model model = random_model(3, 2, 4, 1);
  double* rows = model.observation.data() + 12;  // of the second action
  for (std::size_t o = 0; o < 4; ++o) rows[4 + o] = rows[o];
  is("m.json: action \"1\": two or more states, or mixtures of states, look the same to the sensors (rank 2, but 3 states), so their "
     "transitions cannot be told apart\n"
     "  add a sensor that tells them apart, or merge the states that look the same",
     model);
}

void fewer_observations_than_states_are_refused() {
  is("m.json: 3 observations cannot tell 4 states apart: there have to be at least as many observations as states\n"
     "  add a sensor that tells them apart, or merge the states that look the same",
     random_model(4, 2, 3, 1));
}

void what_no_device_could_hold_is_refused() {
  is("learnable", random_model(2, 1, 255, 1));
  is("m.json: has 2 states, 1 actions and 256 observations, and a device takes at most 255 of each", random_model(2, 1, 256, 1));
}

void pairs_that_cannot_be_counted_are_refused() {
  is("m.json: has 33 actions and 250 observations, too many to count their pairs\n"
     "  their product may be 8192 at most",
     random_model(2, 33, 250, 1));
}

void eight_learners_are_known_by_their_names_and_no_other() {
  const std::vector<std::string> names = {"aoas-ucrl", "oas-ucrl", "psrl-pomdp", "seeu", "sm-ucrl", "optimal", "uniform", "myopic"};
  TEST_ASSERT_EQUAL(names.size(), learner_kinds().size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LearnerKind* kind = find_learner(names[i]);
    TEST_ASSERT_EQUAL_PTR(&learner_kinds()[i], kind);
    TEST_ASSERT_EQUAL_STRING(names[i].c_str(), kind->name);
    TEST_ASSERT_EQUAL(i < 5, kind->learns);
    TEST_ASSERT_TRUE(std::string(kind->description).size() > 10);
    TEST_ASSERT_EQUAL(!kind->learns, kind->options.empty());
  }
  for (const char* other : {"", "aoas", "AOAS-UCRL", "aoas-ucrl ", "random"}) TEST_ASSERT_NULL(find_learner(other));
}

// Episodes are short, so that each learner that has any ends some of them.
void every_learner_acts_within_range_for_3000_steps() {
  const Model world = random_model(3, 4, 4, 1);
  const Reference reference = Reference::of(world, "m.json", 1).value();
  LearnerSetting setting(world);
  setting.reference = &reference;
  setting.options.first_episode = 200;
  setting.options.exploration = 300;
  setting.options.exploitation = 300;
  setting.options.resolution = 10;
  for (const LearnerKind& kind : learner_kinds()) {
    const std::unique_ptr<Learner> learner = kind.make(setting, 7);
    TEST_ASSERT_TRUE(learner->begin().has_value());
    World dice(world, 7);
    int episodes = 0;
    for (int t = 0; t < 3000; ++t) {
      const std::size_t action = learner->choose();
      TEST_ASSERT_TRUE_MESSAGE(action < 4, kind.name);
      if (!learner->observe(dice.act(action))) continue;
      ++episodes;
      TEST_ASSERT_TRUE_MESSAGE(learner->next_episode().has_value(), kind.name);
    }
    TEST_ASSERT_EQUAL_MESSAGE(kind.learns, episodes > 2, kind.name);
    TEST_ASSERT_EQUAL_MESSAGE(kind.learns ? 36 : 0, learner->transition().size(), kind.name);
    for (std::size_t row = 0; row < learner->transition().size(); row += 3) {
      double sum = 0;
      for (std::size_t i = row; i < row + 3; ++i) {
        TEST_ASSERT_TRUE_MESSAGE(learner->transition()[i] >= 0, kind.name);
        sum += learner->transition()[i];
      }
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, 1, sum, kind.name);
    }
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_generated_model_is_learnable);
  RUN_TEST(a_model_without_a_world_to_act_in_is_refused);
  RUN_TEST(arrival_emission_is_refused);
  RUN_TEST(rewards_that_a_learner_does_not_see_are_refused);
  RUN_TEST(a_reward_outside_of_0_to_1_is_refused_with_the_name_of_its_observation);
  RUN_TEST(sensors_that_do_not_tell_states_apart_are_refused);
  RUN_TEST(fewer_observations_than_states_are_refused);
  RUN_TEST(what_no_device_could_hold_is_refused);
  RUN_TEST(pairs_that_cannot_be_counted_are_refused);
  RUN_TEST(eight_learners_are_known_by_their_names_and_no_other);
  RUN_TEST(every_learner_acts_within_range_for_3000_steps);
  return UNITY_END();
}

// Looking one step ahead, against Bayes' rule written out, in both timings.
#include "penumbra/host/lookahead.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

// Convex and not symmetric.
double some_value(const double* b) { return 0.03 * b[0] * b[0] + 0.02 * b[1] + 0.01 * b[2] * b[2]; }

// The sum over all ways that things can go: from s to next, seeing o.
double worth_by_hand(const Model& model, const std::vector<double>& belief, size_t a) {
  const std::vector<double> reward = expected_reward(model);
  double worth = 0;
  for (size_t s = 0; s < 3; ++s) worth += belief[s] * reward[a * 3 + s];
  for (size_t o = 0; o < model.observations.size(); ++o) {
    double joint[3] = {};
    for (size_t s = 0; s < 3; ++s) {
      for (size_t next = 0; next < 3; ++next) {
        const size_t emitter = model.emission == Emission::departure ? s : next;
        joint[next] += belief[s] * model.transition_row(a, s)[next] * model.observation_row(a, emitter)[o];
      }
    }
    const double probability = joint[0] + joint[1] + joint[2];
    if (probability == 0) continue;
    const double after[3] = {joint[0] / probability, joint[1] / probability, joint[2] / probability};
    worth += probability * some_value(after);
  }
  return worth;
}

void the_action_is_the_best_of_one_step_ahead_in_both_timings() {
  const BeliefValue value = some_value;
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    Model model = random_model(3, 4, 5, 41);
    model.emission = emission;
    LookaheadActor actor(model, value);
    BeliefTracker tracker(model);
    World world(model, 3);
    const size_t first = actor.choose();
    size_t others = 0;
    for (int step = 0; step < 2000; ++step) {
      const size_t chosen = actor.choose();
      if (chosen != first) ++others;
      double best = -1e9;
      for (size_t a = 0; a < 4; ++a) best = std::max(best, worth_by_hand(model, tracker.belief(), a));
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, best, worth_by_hand(model, tracker.belief(), chosen));
      const size_t seen = world.act(chosen).observation;
      actor.observe(chosen, seen);
      TEST_ASSERT_TRUE(tracker.update(chosen, seen) == Status::ok);
    }
    TEST_ASSERT_TRUE(others > 0);  // it depends on the belief
  }
}

// Two states, known for certain. "stay" pays at once; "go" pays nothing and leads to where the value is.
Model two_rooms() {
  Model model;
  model.states = Labels(2);
  model.actions = Labels(2);
  model.observations = Labels(2);
  model.transition = {1, 0, 0, 1, 0, 1, 0, 1};
  model.observation = {1, 0, 0, 1, 1, 0, 0, 1};
  model.reward_kind = RewardKind::by_action_and_state;
  model.reward = {1, 0, 0, 0};
  model.initial = {1, 0};
  return model;
}

void what_comes_later_can_outweigh_what_is_paid_at_once() {
  const Model model = two_rooms();
  const BeliefValue little = [](const double* b) { return 0.5 * b[1]; };
  const BeliefValue much = [](const double* b) { return 2 * b[1]; };
  TEST_ASSERT_EQUAL(0, LookaheadActor(model, little).choose());
  TEST_ASSERT_EQUAL(1, LookaheadActor(model, much).choose());
}

void of_equal_actions_the_lowest_is_taken() {
  const Model model = two_rooms();
  const BeliefValue just_as_much = [](const double* b) { return b[1]; };
  TEST_ASSERT_EQUAL(0, LookaheadActor(model, just_as_much).choose());
}

void values_are_only_asked_of_distributions() {
  const Model model = random_model(3, 2, 4, 42);
  const BeliefValue value = [](const double* b) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, b[0] + b[1] + b[2]);
    TEST_ASSERT_TRUE(b[0] >= 0 && b[1] >= 0 && b[2] >= 0);
    return 0.0;
  };
  LookaheadActor actor(model, value);
  World world(model, 1);
  for (int step = 0; step < 100; ++step) {
    const size_t action = actor.choose();
    actor.observe(action, world.act(action).observation);
  }
}

void an_impossible_observation_restarts_the_belief() {
  const Model model = two_rooms();
  const BeliefValue much = [](const double* b) { return 2 * b[1]; };
  LookaheadActor actor(model, much);
  actor.observe(1, 0);
  TEST_ASSERT_EQUAL(0, actor.choose());  // it is where the value is, and nothing is to be won: the lowest
  actor.observe(0, 0);                   // which the second room never emits
  TEST_ASSERT_EQUAL(1, actor.choose());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_action_is_the_best_of_one_step_ahead_in_both_timings);
  RUN_TEST(what_comes_later_can_outweigh_what_is_paid_at_once);
  RUN_TEST(of_equal_actions_the_lowest_is_taken);
  RUN_TEST(values_are_only_asked_of_distributions);
  RUN_TEST(an_impossible_observation_restarts_the_belief);
  return UNITY_END();
}

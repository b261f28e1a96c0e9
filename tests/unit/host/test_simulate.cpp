// The world obeys its model, and the actors do what they are called.
#include "penumbra/host/simulate.hpp"

#include "penumbra/host/generate.hpp"
#include "penumbra/image_builder.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

std::vector<SimulatedStep> steps_of(const Model& model, Actor& actor, std::uint64_t count, std::uint64_t seed, double* average = nullptr) {
  World world(model, seed);
  std::vector<SimulatedStep> steps;
  const double reward = simulate(world, actor, count, [&](etl::span<const SimulatedStep> batch) {
    steps.insert(steps.end(), batch.begin(), batch.end());
    return true;
  });
  if (average != nullptr) *average = reward;
  return steps;
}

// Frequencies against probabilities: the largest deviation in standard errors. Above 5 for one of some 100 cells happens
// by chance once in 20,000 seeds, and the seeds are fixed.
constexpr double far_off = 5.0;
double deviation(double times, double of, double probability) {
  if (of == 0) return 0;
  const double error = std::sqrt(probability * (1 - probability) / of);
  return error == 0 ? (times == of * probability ? 0 : 1e9) : std::abs(times / of - probability) / error;
}

void the_world_moves_and_emits_by_its_model_in_both_timings() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    Model model = random_model(3, 2, 4, 21);
    model.emission = emission;
    UniformActor actor(2, 5);
    const std::vector<SimulatedStep> steps = steps_of(model, actor, 200000, 6);
    std::vector<double> visits(2 * 3, 0);
    std::vector<double> moves(2 * 3 * 3, 0);
    std::vector<double> emitters(2 * 3, 0);
    std::vector<double> seen(2 * 3 * 4, 0);
    for (size_t t = 0; t + 1 < steps.size(); ++t) {
      const size_t from = steps[t].action * 3 + steps[t].state;
      const size_t emitter = emission == Emission::departure ? from : steps[t].action * 3 + steps[t + 1].state;
      ++visits[from];
      ++moves[from * 3 + steps[t + 1].state];
      ++emitters[emitter];
      ++seen[emitter * 4 + steps[t].observation];
    }
    for (size_t i = 0; i < moves.size(); ++i) TEST_ASSERT_TRUE(deviation(moves[i], visits[i / 3], model.transition[i]) < far_off);
    for (size_t i = 0; i < seen.size(); ++i) TEST_ASSERT_TRUE(deviation(seen[i], emitters[i / 4], model.observation[i]) < far_off);
  }
}

void what_has_probability_zero_never_happens() {
  const RowSampler sampler({0, 0.5, 0, 0.5, 0}, 5);
  TEST_ASSERT_EQUAL(1, sampler.draw(0, 0.0));
  TEST_ASSERT_EQUAL(3, sampler.draw(0, 0.5));
  TEST_ASSERT_EQUAL(3, sampler.draw(0, std::nextafter(1.0, 0.0)));
  std::vector<double> wide(40, 0.0);  // beyond the size that is counted instead of searched
  wide[7] = 0.25;
  wide[38] = 0.75;
  const RowSampler large(wide, 40);
  TEST_ASSERT_EQUAL(7, large.draw(0, 0.0));
  TEST_ASSERT_EQUAL(38, large.draw(0, 0.25));
  TEST_ASSERT_EQUAL(38, large.draw(0, std::nextafter(1.0, 0.0)));
}

void the_worlds_luck_does_not_depend_on_who_acts() {
  const Model model = random_model(3, 1, 4, 22);  // with one action all actors do the same
  UniformActor uniform(1, 3);
  MyopicActor myopic(model, 0.5, 3);
  const std::vector<SimulatedStep> one = steps_of(model, uniform, 1000, 9);
  const std::vector<SimulatedStep> two = steps_of(model, myopic, 1000, 9);
  for (size_t t = 0; t < one.size(); ++t) TEST_ASSERT_TRUE(one[t].state == two[t].state && one[t].observation == two[t].observation);
}

void the_myopic_actor_takes_the_best_immediate_reward() {
  const Model model = random_model(3, 4, 4, 23);
  MyopicActor actor(model, 0, 1);
  BeliefTracker tracker(model);
  const std::vector<double> reward = expected_reward(model);
  World world(model, 2);
  for (int step = 0; step < 1000; ++step) {
    const size_t chosen = actor.choose();
    double best = -1;
    double value = 0;
    for (size_t a = 0; a < 4; ++a) {
      double expected = 0;
      for (size_t s = 0; s < 3; ++s) expected += tracker.belief()[s] * reward[a * 3 + s];
      best = std::max(best, expected);
      if (a == chosen) value = expected;
    }
    TEST_ASSERT_EQUAL_DOUBLE(best, value);
    const World::Answer answer = world.act(chosen);
    actor.observe(chosen, answer.observation);
    TEST_ASSERT_TRUE(tracker.update(chosen, answer.observation) == Status::ok);
  }
}

void every_action_has_its_least_probability() {
  Model model = random_model(2, 4, 4, 24);
  model.reward_kind = RewardKind::by_action_and_state;
  model.reward = {0, 0, 1, 1, 0, 0, 0, 0};  // action 1 is always the greedy one
  MyopicActor actor(model, 0.15, 7);
  double times[4] = {};
  const double n = 200000;
  for (const SimulatedStep& step : steps_of(model, actor, 200000, 8)) ++times[step.action];
  for (const size_t a : {0U, 2U, 3U}) TEST_ASSERT_TRUE(deviation(times[a], n, 0.15) < far_off);
  TEST_ASSERT_TRUE(deviation(times[1], n, 0.55) < far_off);
}

void the_average_reward_is_that_of_the_steps() {
  const Model model = random_model(3, 2, 4, 25);
  UniformActor actor(2, 1);
  double average = 0;
  double sum = 0;
  for (const SimulatedStep& step : steps_of(model, actor, 5000, 2, &average)) sum += model.reward[step.observation];
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sum / 5000, average);
}

void a_changing_internal_model_changes_what_is_done_and_not_the_world() {
  const Model model = random_model(3, 4, 4, 26);
  MyopicActor fixed(model, 0.15, 7);
  MyopicActor changing(model, 0.15, 7);
  changing.change_transition_every(100);
  MyopicActor again(model, 0.15, 7);
  again.change_transition_every(100);
  const std::vector<SimulatedStep> one = steps_of(model, fixed, 2000, 3);
  const std::vector<SimulatedStep> two = steps_of(model, changing, 2000, 3);
  const std::vector<SimulatedStep> three = steps_of(model, again, 2000, 3);
  size_t differ = 0;
  for (size_t t = 0; t < one.size(); ++t) {
    differ += static_cast<size_t>(one[t].action != two[t].action);
    TEST_ASSERT_TRUE(two[t].action == three[t].action && two[t].observation == three[t].observation);
  }
  TEST_ASSERT_TRUE(differ > 0);
}

void an_image_acts_as_the_robot_would() {
  const Model model = random_model(3, 2, 4, 27);
  const std::int16_t vectors[] = {100, 0, 0, 0, 80, 90};
  const std::uint8_t actions[] = {0, 1};
  ImageSource<double> source{RuntimeDims(3, 2, 4)};
  source.transition = model.transition.data();
  source.observation = model.observation.data();
  source.reward = model.reward.data();
  source.policy = PolicyKind::vectors;
  source.parameter = 2;
  source.actions = actions;
  source.vectors = vectors;
  alignas(4) std::uint8_t room[1024];
  const auto size = build_image(source, room);
  TEST_ASSERT_TRUE(size.has_value());
  const auto image = PolicyImage::open({room, size.value()});
  TEST_ASSERT_TRUE(image.has_value());

  ImageActor actor(image.value(), 1);
  BeliefFilter<RuntimeDims> filter(image.value().model(image.value().dims()));
  for (const SimulatedStep& step : steps_of(model, actor, 2000, 4)) {
    const float* b = filter.belief().data();
    const bool first = 100 * b[0] > 80 * b[1] + 90 * b[2];
    const float margin = 100 * b[0] - 80 * b[1] - 90 * b[2];
    if (std::abs(margin) > 0.1F) TEST_ASSERT_EQUAL(first ? 0 : 1, step.action);  // nearer, the 16 bits of the table decide
    TEST_ASSERT_TRUE(filter.update(Action{static_cast<uint8_t>(step.action)}, Observation{static_cast<uint8_t>(step.observation)}) ==
                     Status::ok);
  }
}

void a_sink_that_has_had_enough_ends_the_simulation() {
  const Model model = random_model(2, 2, 2, 28);
  UniformActor actor(2, 1);
  World world(model, 1);
  size_t batches = 0;
  simulate(world, actor, 1000000000000U, [&](etl::span<const SimulatedStep>) { return ++batches < 3; });
  TEST_ASSERT_EQUAL(3, batches);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_world_moves_and_emits_by_its_model_in_both_timings);
  RUN_TEST(what_has_probability_zero_never_happens);
  RUN_TEST(the_worlds_luck_does_not_depend_on_who_acts);
  RUN_TEST(the_myopic_actor_takes_the_best_immediate_reward);
  RUN_TEST(every_action_has_its_least_probability);
  RUN_TEST(the_average_reward_is_that_of_the_steps);
  RUN_TEST(a_changing_internal_model_changes_what_is_done_and_not_the_world);
  RUN_TEST(an_image_acts_as_the_robot_would);
  RUN_TEST(a_sink_that_has_had_enough_ends_the_simulation);
  return UNITY_END();
}

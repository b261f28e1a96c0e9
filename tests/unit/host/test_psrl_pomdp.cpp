// PSRL-POMDP: its episodes end when its schedule says, it believes in its particles and in nothing else, and it comes near a world that its
// sensors show plainly.
#include "kinds.hpp"

#include "penumbra/host/aoas.hpp"
#include "recipe.hpp"
#include "sanitized.hpp"

#include <unity.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;
using penumbra::test::sanitized;

LearnerSetting setting_of(const Model& world, double jitter) {
  LearnerSetting setting(world);
  setting.options.jitter = jitter;
  setting.options.resolution = 10;
  return setting;
}

struct Run {
  std::vector<std::vector<std::size_t>> actions;  // [episode][step]
  std::vector<std::vector<double>> believed;      // in each episode
};

Run run(const Model& world, const LearnerSetting& setting, std::uint64_t steps, std::uint64_t seed) {
  World dice(world, seed);
  const std::unique_ptr<Learner> learner = psrl_pomdp.make(setting, seed);
  TEST_ASSERT_TRUE(learner->begin().has_value());
  Run run;
  run.actions.emplace_back();
  for (std::uint64_t t = 0; t < steps; ++t) {
    run.actions.back().push_back(learner->choose());
    if (t == 0) run.believed.push_back(learner->transition());
    TEST_ASSERT_TRUE(run.believed.back() == learner->transition());  // one model an episode
    if (!learner->observe(dice.act(run.actions.back().back()))) continue;
    TEST_ASSERT_TRUE(learner->next_episode().has_value());
    run.believed.push_back(learner->transition());
    run.actions.emplace_back();
  }
  return run;
}

// SCHED(t_k, T_{k-1}) = t_k + T_{k-1}, and n_t(a) > 2 n_{t_k}(a): whichever comes first, and neither before the last step. An action that
// was never played counts as played once.
void episodes_end_one_step_longer_than_the_one_before_or_when_an_action_was_played_twice_as_often() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model world = random_model(3, 4, 4, seed);
    const Run found = run(world, setting_of(world, 0.01), sanitized ? 2000 : 6000, seed);
    std::vector<std::uint64_t> played(4);
    std::size_t before = 1;
    int by_length = 0;
    int by_action = 0;
    for (std::size_t k = 0; k + 1 < found.actions.size(); ++k) {  // the last one was cut short
      const std::vector<std::uint64_t> at_start = played;
      const std::vector<std::size_t>& actions = found.actions[k];
      for (std::size_t t = 0; t < actions.size(); ++t) {
        const std::size_t a = actions[t];
        ++played[a];
        const bool too_long = t + 1 > before;
        const bool twice = played[a] > 2 * std::max<std::uint64_t>(at_start[a], 1);
        TEST_ASSERT_EQUAL(t + 1 == actions.size(), too_long || twice);
        by_length += static_cast<int>(too_long);
        by_action += static_cast<int>(twice);
      }
      TEST_ASSERT_TRUE(actions.size() <= before + 1);
      before = actions.size();
    }
    TEST_ASSERT_TRUE(by_length > 5);
    TEST_ASSERT_TRUE(by_action > 0);
  }
}

void remarks_tell_the_particles_and_the_jitter() {
  const Model world = random_model(3, 2, 4, 1);
  TEST_ASSERT_TRUE(
      (psrl_pomdp.make(setting_of(world, 0.01), 1)->remarks() == std::vector<std::string>{"100 particles with a jitter of 0.01"}));
  LearnerSetting setting = setting_of(world, 0);
  setting.options.particles = 7;
  TEST_ASSERT_TRUE((psrl_pomdp.make(setting, 1)->remarks() == std::vector<std::string>{"7 particles with a jitter of 0"}));
}

void without_jitter_only_the_first_models_are_ever_believed_in() {
  const Model world = random_model(3, 4, 4, 2);
  const std::uint64_t steps = sanitized ? 4000 : 20000;
  const Run without = run(world, setting_of(world, 0), steps, 1);
  const std::set<std::vector<double>> models(without.believed.begin(), without.believed.end());
  TEST_ASSERT_TRUE(models.size() <= 100);
  // A hundred models drawn at random are far apart, and the data tell which are the nearest. Under fifty other seeds ten to twenty-one of
  // them were believed in, and three at most in the last quarter of the episodes.
  const std::set<std::vector<double>> late(without.believed.end() - static_cast<std::ptrdiff_t>(without.believed.size() / 4),
                                           without.believed.end());
  TEST_ASSERT_TRUE(models.size() > 5);
  TEST_ASSERT_TRUE(late.size() <= 5);

  const Run with = run(world, setting_of(world, 0.01), steps, 1);
  TEST_ASSERT_TRUE(std::set<std::vector<double>>(with.believed.begin(), with.believed.end()).size() > models.size());
  TEST_ASSERT_FALSE(with.believed.back() == with.believed[with.believed.size() - 2]);
}

// Two states that the sensors show almost plainly, and two actions.
Model plain_world() {
  Model world;
  world.states = Labels(2);
  world.actions = Labels(2);
  world.observations = Labels(2);
  world.transition = {0.9, 0.1, 0.3, 0.7, 0.4, 0.6, 0.6, 0.4};
  world.observation = {0.99, 0.01, 0.01, 0.99, 0.99, 0.01, 0.01, 0.99};
  world.reward = {0, 1};
  world.initial = {0.5, 0.5};
  return world;
}

// The mean over 8 runs of the error at the end, of the action that was played most. Under 240 other seeds it is 0.14 with a standard
// deviation of 0.035 for eight, after 0.67 at first: above 0.3 by chance once in 100,000 seeds, were it normal.
void it_comes_near_a_world_that_its_sensors_show_plainly() {
  const Model world = plain_world();
  double played_error = 0;
  double prior_error = 0;
  const int runs = sanitized ? 2 : 8;
  for (int seed = 1; seed <= runs; ++seed) {
    const Run found = run(world, setting_of(world, 0.01), sanitized ? 2000 : 8000, static_cast<std::uint64_t>(seed));
    std::vector<std::size_t> played(2);
    for (const std::vector<std::size_t>& episode : found.actions) {
      for (const std::size_t action : episode) ++played[action];
    }
    const std::size_t most = played[0] > played[1] ? 0 : 1;
    played_error += frobenius_errors(found.believed.back(), world.transition, 2)[most] / runs;
    prior_error += frobenius_errors(found.believed.front(), world.transition, 2)[most] / runs;
  }
  std::printf("error of the action played most: %.3f at first, %.3f at last\n", prior_error, played_error);
  TEST_ASSERT_TRUE(played_error < 0.3);
  TEST_ASSERT_TRUE(played_error < prior_error);
}

void rows_stay_distributions_above_epsilon_whatever_the_jitter() {
  const Model world = random_model(3, 4, 4, 2);
  LearnerSetting setting = setting_of(world, 0.3);
  setting.options.epsilon = 1.0 / 60;
  const Run found = run(world, setting, 2000, 1);
  for (const std::vector<double>& model : found.believed) {
    for (std::size_t row = 0; row < model.size(); row += 3) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, model[row] + model[row + 1] + model[row + 2]);
      for (std::size_t i = row; i < row + 3; ++i) TEST_ASSERT_TRUE(model[i] >= 1.0 / 60 - 1e-12);
    }
  }
}

void a_plan_that_does_not_fit_is_a_problem_before_the_first_step() {
  const Model world = random_model(3, 4, 4, 1);
  LearnerSetting setting = setting_of(world, 0.01);
  setting.options.resolution = 30000;
  const Outcome<void> planned = psrl_pomdp.make(setting, 1)->begin();
  TEST_ASSERT_FALSE(planned.has_value());
  TEST_ASSERT_EQUAL_STRING("the estimated model", planned.error().where.c_str());
}

void the_same_seed_gives_the_same_run_and_another_another() {
  const Model world = random_model(3, 4, 4, 2);
  const LearnerSetting setting = setting_of(world, 0.01);
  const Run first = run(world, setting, 1000, 5);
  const Run second = run(world, setting, 1000, 5);
  TEST_ASSERT_TRUE(first.actions == second.actions);
  TEST_ASSERT_TRUE(first.believed == second.believed);
  TEST_ASSERT_FALSE(first.believed == run(world, setting, 1000, 6).believed);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(episodes_end_one_step_longer_than_the_one_before_or_when_an_action_was_played_twice_as_often);
  RUN_TEST(remarks_tell_the_particles_and_the_jitter);
  RUN_TEST(without_jitter_only_the_first_models_are_ever_believed_in);
  RUN_TEST(it_comes_near_a_world_that_its_sensors_show_plainly);
  RUN_TEST(rows_stay_distributions_above_epsilon_whatever_the_jitter);
  RUN_TEST(a_plan_that_does_not_fit_is_a_problem_before_the_first_step);
  RUN_TEST(the_same_seed_gives_the_same_run_and_another_another);
  return UNITY_END();
}

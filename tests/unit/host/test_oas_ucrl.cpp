// OAS-UCRL: episodes of doubling length, an estimate from the last one alone, and every action now and then.
#include "kinds.hpp"

#include "penumbra/host/aoas.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <algorithm>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

LearnerSetting setting_of(const Model& world, std::uint64_t first_episode, double min_action) {
  LearnerSetting setting(world);
  setting.options.first_episode = first_episode;
  setting.options.min_action = min_action;
  setting.options.resolution = 20;
  return setting;
}

struct Run {
  std::vector<std::size_t> actions;                   // [step]
  std::vector<std::uint64_t> ends;                    // after how many steps
  std::vector<std::vector<double>> believed;          // after each episode
  std::vector<std::vector<double>> of_its_own_pairs;  // estimated from each episode's pairs alone
};

Run run(const Model& world, const LearnerSetting& setting, std::uint64_t steps, std::uint64_t seed) {
  World dice(world, seed);
  const std::unique_ptr<Learner> learner = oas_ucrl.make(setting, seed);
  Run run;
  PairCounter pairs(world);
  for (std::uint64_t t = 1; t <= steps; ++t) {
    run.actions.push_back(learner->choose());
    const World::Answer answer = dice.act(run.actions.back());
    pairs.add(run.actions.back(), answer.observation);
    if (!learner->observe(answer)) continue;
    TEST_ASSERT_TRUE(learner->next_episode().has_value());
    run.ends.push_back(t);
    run.believed.push_back(learner->transition());
    run.of_its_own_pairs.push_back(estimate_transition(world, pairs.counts(), "m").value().transition);
    pairs.clear();
  }
  return run;
}

void every_episode_is_twice_as_long_as_the_one_before() {
  const Model world = random_model(3, 4, 4, 1);
  const Run found = run(world, setting_of(world, 200, 0.025), 13000, 1);
  TEST_ASSERT_TRUE((found.ends == std::vector<std::uint64_t>{200, 600, 1400, 3000, 6200, 12600}));
}

void the_estimate_is_from_the_pairs_of_the_last_episode_alone() {
  const Model world = random_model(3, 4, 4, 1);
  const Run found = run(world, setting_of(world, 200, 0.025), 13000, 2);
  TEST_ASSERT_EQUAL(6, found.believed.size());
  for (std::size_t k = 0; k < 6; ++k) TEST_ASSERT_TRUE(found.believed[k] == found.of_its_own_pairs[k]);
}

// After 2000 steps of exploration, two episodes of 4000 and 8000 steps. An action that is not the policy's has iota = 0.1 each step, 1200
// times with a standard deviation of at most 33: below 1035 once in 3 million for each of four.
void every_action_has_the_least_probability_and_the_policy_the_rest() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model world = random_model(3, 4, 4, seed);
    const Run found = run(world, setting_of(world, 2000, 0.1), 14000, seed);
    std::vector<double> played(4);
    for (std::size_t t = 2000; t < 14000; ++t) ++played[found.actions[t]];
    for (const double times : played) TEST_ASSERT_TRUE(times > 1200 - 5 * 33);
    TEST_ASSERT_TRUE(*std::max_element(played.begin(), played.end()) > 3800);
  }
}

// With iota = 1/A nothing is left to the policy. 3000 each with a standard deviation of 47.4: one of four beyond 5 of them once in 400,000.
void a_least_probability_of_one_in_a_is_uniform() {
  const Model world = random_model(3, 4, 4, 1);
  const Run found = run(world, setting_of(world, 2000, 0.25), 14000, 3);
  std::vector<double> played(4);
  for (std::size_t t = 2000; t < 14000; ++t) ++played[found.actions[t]];
  for (const double times : played) TEST_ASSERT_DOUBLE_WITHIN(5 * 47.4, 3000, times);
}

// 2500 each with a standard deviation of 43.3: one of four beyond 5 of them once in 400,000.
void the_first_episode_is_uniform_whatever_the_least_probability() {
  const Model world = random_model(3, 4, 4, 1);
  for (const double iota : {0.0, 0.025, 0.2}) {
    const Run found = run(world, setting_of(world, 20000, iota), 10000, 4);
    std::vector<double> played(4);
    for (const std::size_t action : found.actions) ++played[action];
    for (const double times : played) TEST_ASSERT_DOUBLE_WITHIN(5 * 43.3, 2500, times);
  }
}

void the_same_seed_gives_the_same_run_and_another_another() {
  const Model world = random_model(3, 4, 4, 2);
  const LearnerSetting setting = setting_of(world, 200, 0.025);
  const Run first = run(world, setting, 3000, 5);
  TEST_ASSERT_TRUE(first.actions == run(world, setting, 3000, 5).actions);
  TEST_ASSERT_FALSE(first.actions == run(world, setting, 3000, 6).actions);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_episode_is_twice_as_long_as_the_one_before);
  RUN_TEST(the_estimate_is_from_the_pairs_of_the_last_episode_alone);
  RUN_TEST(every_action_has_the_least_probability_and_the_policy_the_rest);
  RUN_TEST(a_least_probability_of_one_in_a_is_uniform);
  RUN_TEST(the_first_episode_is_uniform_whatever_the_least_probability);
  RUN_TEST(the_same_seed_gives_the_same_run_and_another_another);
  return UNITY_END();
}

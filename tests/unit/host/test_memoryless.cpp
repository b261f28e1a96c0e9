// The average reward of memoryless policies is that of the world, the best one found is no worse than those one can list, and optimism
// stays in its region.
#include "memoryless.hpp"
#include "memoryless_chain.hpp"

#include "penumbra/host/simulate.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

constexpr double least = 0.025;

// [observation][action], every entry at least `least`.
std::vector<double> random_policy(const Model& model, std::uint64_t seed) {
  Random random(seed, Stream::policy);
  std::vector<double> policy;
  for (std::size_t o = 0; o < model.observations.size(); ++o) {
    const std::vector<double> square = random_transition(model.actions.size(), 1, least, random);
    policy.insert(policy.end(), square.begin(), square.begin() + static_cast<std::ptrdiff_t>(model.actions.size()));
  }
  return policy;
}

// Policy number n of those that are as deterministic as allowed; the number's digits are the actions.
std::vector<double> listed_policy(const Model& model, std::size_t n) {
  const std::size_t A = model.actions.size();
  std::vector<double> policy(model.observations.size() * A, least);
  for (std::size_t o = 0; o < model.observations.size(); ++o, n /= A) policy[o * A + n % A] += 1 - static_cast<double>(A) * least;
  return policy;
}

std::size_t listed_policies(const Model& model) {
  std::size_t count = 1;
  for (std::size_t o = 0; o < model.observations.size(); ++o) count *= model.actions.size();
  return count;
}

MemorylessPlan plan(const Model& model, double radius) {
  MemorylessRequest request;
  request.min_action = least;
  if (radius > 0) request.optimism.assign(model.actions.size(), radius);
  return plan_memoryless(model, request);
}

void the_gain_is_the_average_reward_of_a_long_run() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    const std::vector<double> policy = random_policy(model, seed);
    World world(model, seed);
    Random random(seed, Stream::policy);
    const RowSampler sampler(policy, 4);
    constexpr int batches = 100;
    constexpr int length = 3000;
    double sum = 0;
    double squares = 0;
    std::size_t action = 0;
    for (int batch = 0; batch < batches; ++batch) {
      double reward = 0;
      for (int t = 0; t < length; ++t) {
        const World::Answer answer = world.act(action);
        reward += answer.reward / length;
        action = sampler.draw(answer.observation, random.uniform());
      }
      sum += reward;
      squares += reward * reward;
    }
    const double mean = sum / batches;
    const double error = std::sqrt((squares / batches - mean * mean) / batches);
    // Off by 5 standard errors of 100 batches once in some 400,000 seeds.
    TEST_ASSERT_DOUBLE_WITHIN(5 * error, mean, memoryless_gain(model, policy));
    TEST_ASSERT_TRUE(error < 0.002);
  }
}

void a_world_in_two_halves_earns_what_its_beginning_leads_to() {
  Model model = random_model(2, 2, 2, 1);
  model.transition = {1, 0, 0, 1, 1, 0, 0, 1};
  model.observation = {1, 0, 0, 1, 1, 0, 0, 1};
  model.reward = {0.25, 0.75};
  model.initial = {0.3, 0.7};
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.3 * 0.25 + 0.7 * 0.75, memoryless_gain(model, {0.5, 0.5, 0.5, 0.5}));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.6, plan(model, 0).gain);
}

void a_world_that_alternates_has_a_gain_too() {
  Model model = random_model(2, 1, 2, 1);
  model.transition = {0, 1, 1, 0};
  model.observation = {1, 0, 0, 1};
  model.reward = {0, 1};
  model.initial = {1, 0};
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5, memoryless_gain(model, {1, 1}));
}

void the_slope_is_that_of_the_gain() {
  const Model model = random_model(3, 4, 4, 5);
  MemorylessChain chain(model);
  const std::vector<double> policy = random_policy(model, 5);
  const MemorylessChain::Matrix here = Eigen::Map<const MemorylessChain::Matrix>(policy.data(), 4, 4);
  const MemorylessChain::Matrix transition = chain.transition();
  chain.set(here, transition);
  const MemorylessChain::Matrix slope = chain.slope();
  for (Eigen::Index o = 0; o < 4; ++o) {
    for (Eigen::Index a = 1; a < 4; ++a) {
      constexpr double step = 1e-5;  // from action 0 to this one, so that it stays a policy
      MemorylessChain::Matrix moved = here;
      moved(o, 0) -= step;
      moved(o, a) += step;
      chain.set(moved, transition);
      const double above = chain.gain();
      moved(o, 0) += 2 * step;
      moved(o, a) -= 2 * step;
      chain.set(moved, transition);
      TEST_ASSERT_DOUBLE_WITHIN(1e-7, (above - chain.gain()) / (2 * step), slope(o, a) - slope(o, 0));
    }
  }
}

void no_policy_that_can_be_listed_is_better() {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const Model& model : {random_model(2, 3, 3, seed), random_model(3, 3, 3, seed), random_model(3, 4, 4, seed)}) {
      const double gain = plan(model, 0).gain;
      for (std::size_t n = 0; n < listed_policies(model); ++n) {
        TEST_ASSERT_TRUE(gain > memoryless_gain(model, listed_policy(model, n)) - 1e-9);
      }
    }
  }
}

void some_worlds_are_best_served_by_chance() {
  const Model model = random_model(3, 4, 4, 2);
  double listed = 0;
  for (std::size_t n = 0; n < listed_policies(model); ++n) listed = std::max(listed, memoryless_gain(model, listed_policy(model, n)));
  TEST_ASSERT_TRUE(plan(model, 0).gain > listed + 5e-4);
}

void every_action_keeps_its_least_probability() {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = random_model(3, 4, 4, seed);
    for (const double radius : {0.0, 0.2}) {
      const std::vector<double> policy = plan(model, radius).policy;
      for (std::size_t o = 0; o < 4; ++o) {
        double sum = 0;
        for (std::size_t a = 0; a < 4; ++a) {
          TEST_ASSERT_TRUE(policy[o * 4 + a] > least - 1e-12);
          sum += policy[o * 4 + a];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, sum);
      }
    }
  }
}

void optimism_never_lowers_the_gain_and_stays_in_its_region() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const Model& model : {random_model(2, 3, 3, seed), random_model(3, 4, 4, seed), random_model(5, 4, 8, seed)}) {
      const std::size_t S = model.states.size();
      const double nominal = plan(model, 0).gain;
      for (const double radius : {0.01, 0.1, 0.5, 2.0}) {
        const MemorylessPlan optimistic = plan(model, radius);
        TEST_ASSERT_TRUE(optimistic.gain > nominal);
        Model dreamt = model;
        dreamt.transition = optimistic.transition;
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, optimistic.gain, memoryless_gain(dreamt, optimistic.policy));
        for (std::size_t row = 0; row < dreamt.transition.size() / S; ++row) {
          double sum = 0;
          double distance = 0;
          for (std::size_t to = row * S; to < row * S + S; ++to) {
            TEST_ASSERT_TRUE(dreamt.transition[to] >= 0);
            sum += dreamt.transition[to];
            distance += std::abs(dreamt.transition[to] - model.transition[to]);
          }
          TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, sum);
          TEST_ASSERT_TRUE(distance < radius + 1e-9);
        }
      }
    }
  }
}

void the_same_request_gives_the_same_plan() {
  const Model model = random_model(3, 4, 4, 2);
  const MemorylessPlan first = plan(model, 0.1);
  const MemorylessPlan second = plan(model, 0.1);
  TEST_ASSERT_TRUE(first.policy == second.policy);
  TEST_ASSERT_TRUE(first.transition == second.transition);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_gain_is_the_average_reward_of_a_long_run);
  RUN_TEST(a_world_in_two_halves_earns_what_its_beginning_leads_to);
  RUN_TEST(a_world_that_alternates_has_a_gain_too);
  RUN_TEST(the_slope_is_that_of_the_gain);
  RUN_TEST(no_policy_that_can_be_listed_is_better);
  RUN_TEST(some_worlds_are_best_served_by_chance);
  RUN_TEST(every_action_keeps_its_least_probability);
  RUN_TEST(optimism_never_lowers_the_gain_and_stays_in_its_region);
  RUN_TEST(the_same_request_gives_the_same_plan);
  return UNITY_END();
}

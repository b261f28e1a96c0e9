// Averages of runs and their confidence: what is said of them holds.
#include "penumbra/host/evaluation.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

ActorFactory uniform(size_t actions) {
  return [actions](std::uint64_t seed) { return std::make_unique<UniformActor>(actions, seed); };
}

EvaluationSize size_of(std::uint64_t runs, std::uint64_t steps, std::uint64_t seed, std::uint64_t threads = 1) {
  EvaluationSize size;
  size.runs = runs;
  size.steps = steps;
  size.seed = seed;
  size.threads = threads;
  return size;
}

// Quantiles of Student's t from any table: 12.706 for 1 degree of freedom, 2.776 for 4, 2.0003 for 60.
void the_interval_is_students() {
  const Average two = average_of({1, 3});
  TEST_ASSERT_EQUAL_DOUBLE(2, two.mean);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 12.706, two.ci95);  // the standard error is 1
  const Average five = average_of({1, 2, 3, 4, 5});
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, five.mean);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.776 * std::sqrt(0.5), five.ci95);
  std::vector<double> many;
  for (int i = 0; i < 61; ++i) many.push_back(i % 2);
  const Average average = average_of(many);
  const double p = 30.0 / 61.0;
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 2.0003 * std::sqrt(p * (1 - p) / 60.0), average.ci95);
}

void equal_runs_have_no_spread_and_one_run_tells_none() {
  TEST_ASSERT_EQUAL_DOUBLE(0, average_of({0.5, 0.5, 0.5}).ci95);
  const Average one = average_of({0.25});
  TEST_ASSERT_EQUAL_DOUBLE(0.25, one.mean);
  TEST_ASSERT_FALSE(one.ci95 < std::numeric_limits<double>::infinity());
}

void threads_make_no_difference() {
  const Model model = random_model(3, 2, 4, 31);
  const std::vector<double> one = evaluate(model, uniform(2), size_of(9, 1000, 5, 1));
  TEST_ASSERT_TRUE(one == evaluate(model, uniform(2), size_of(9, 1000, 5, 2)));
  TEST_ASSERT_TRUE(one == evaluate(model, uniform(2), size_of(9, 1000, 5, 0)));
  TEST_ASSERT_FALSE(one == evaluate(model, uniform(2), size_of(9, 1000, 6, 1)));
}

void a_run_does_not_depend_on_how_many_there_are() {
  const Model model = random_model(3, 2, 4, 32);
  const std::vector<double> few = evaluate(model, uniform(2), size_of(3, 500, 7));
  const std::vector<double> many = evaluate(model, uniform(2), size_of(12, 500, 7));
  TEST_ASSERT_EQUAL(3, few.size());
  for (size_t run = 0; run < few.size(); ++run) TEST_ASSERT_EQUAL_DOUBLE(few[run], many[run]);
  TEST_ASSERT_FALSE(many[0] == many[1]);
}

void a_run_has_the_same_luck_whoever_acts() {
  const Model model = random_model(3, 1, 4, 33);  // with one action all actors do the same
  const auto myopic = [&](std::uint64_t seed) { return std::make_unique<MyopicActor>(model, 0.5, seed); };
  TEST_ASSERT_TRUE(evaluate(model, uniform(1), size_of(4, 500, 7)) == evaluate(model, myopic, size_of(4, 500, 7)));
}

void every_run_is_told_of_once() {
  const Model model = random_model(2, 2, 2, 34);
  std::vector<std::uint64_t> told;
  static_cast<void>(evaluate(model, uniform(2), size_of(20, 50, 1, 2), [&](std::uint64_t done) { told.push_back(done); }));
  TEST_ASSERT_EQUAL(20, told.size());
  for (size_t i = 0; i < told.size(); ++i) TEST_ASSERT_EQUAL(i + 1, told[i]);
}

// A chain that begins in its stationary distribution (2/7, 5/7), so that every run's expectation is the long-run average. 95 % of 1000
// intervals give 950 with a standard deviation of 6.9. Outside 950 ± 35 by chance: once in two million seeds.
void the_interval_covers_the_truth_as_often_as_it_says() {
  Model chain;
  chain.states = Labels(2);
  chain.actions = Labels(1);
  chain.observations = Labels(2);
  chain.transition = {0.5, 0.5, 0.2, 0.8};
  chain.observation = {1, 0, 0.25, 0.75};
  chain.reward = {0, 1};
  chain.initial = {2.0 / 7.0, 5.0 / 7.0};
  const double truth = 5.0 / 7.0 * 0.75;
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const Average average = average_of(evaluate(chain, uniform(1), size_of(8, 300, seed)));
    covered += static_cast<int>(std::abs(average.mean - truth) <= average.ci95);
  }
  TEST_ASSERT_INT_WITHIN(35, 950, covered);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_interval_is_students);
  RUN_TEST(equal_runs_have_no_spread_and_one_run_tells_none);
  RUN_TEST(threads_make_no_difference);
  RUN_TEST(a_run_does_not_depend_on_how_many_there_are);
  RUN_TEST(a_run_has_the_same_luck_whoever_acts);
  RUN_TEST(every_run_is_told_of_once);
  RUN_TEST(the_interval_covers_the_truth_as_often_as_it_says);
  return UNITY_END();
}

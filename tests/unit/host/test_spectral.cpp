// The spectral estimate gives back the transition that made its moments, comes nearer to it with more samples, and says when it cannot.
#include "joint_diagonal.hpp"
#include "spectral.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/simulate.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

// [observation][action], every entry at least 0.05.
std::vector<double> random_policy(const Model& model, std::uint64_t seed) {
  Random random(seed, Stream::policy);
  std::vector<double> policy;
  for (std::size_t o = 0; o < model.observations.size(); ++o) {
    const std::vector<double> square = random_transition(model.actions.size(), 1, 0.05, random);
    policy.insert(policy.end(), square.begin(), square.begin() + static_cast<std::ptrdiff_t>(model.actions.size()));
  }
  return policy;
}

std::vector<double> uniform_policy(const Model& model) {
  return std::vector<double>(model.observations.size() * model.actions.size(), 1.0 / static_cast<double>(model.actions.size()));
}

// The probabilities of all triples, times a big number, from whatever distribution of the first step.
Triples expected_triples(const Model& model, const std::vector<double>& policy) {
  const std::size_t S = model.states.size();
  const std::size_t A = model.actions.size();
  const std::vector<double> follows = memoryless_next_action(model, policy);
  Triples triples(S, A);
  for (std::size_t first = 0; first < A * S; ++first) {
    for (std::size_t second = 0; second < A * S; ++second) {
      for (std::size_t third = 0; third < A * S; ++third) {
        const double start = 1.0 + static_cast<double>(first % 3);
        const double probability = start * model.transition[first * S + second % S] * follows[first * A + second / S] *
                                   model.transition[second * S + third % S] * follows[second * A + third / S];
        triples.add({first / S, first % S}, {second / S, second % S}, {third / S, third % S}, 1e9 * probability);
      }
    }
  }
  return triples;
}

Triples simulated_triples(const Model& model, const std::vector<double>& policy, std::uint64_t steps, std::uint64_t seed) {
  World world(model, seed);
  Random random(seed, Stream::policy);
  const RowSampler sampler(policy, model.actions.size());
  Triples triples(model.states.size(), model.actions.size());
  std::size_t action = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    const World::Answer answer = world.act(action);
    triples.add({action, answer.state});
    action = sampler.draw(answer.observation, random.uniform());
  }
  return triples;
}

// ||T_a - truth||_F by action; infinite where there is no estimate.
std::vector<double> errors_of(const Model& model, const Triples& triples, const std::vector<double>& policy) {
  const std::size_t S = model.states.size();
  const std::vector<double> follows = memoryless_next_action(model, policy);
  std::vector<double> estimate(model.transition.size());
  for (std::size_t a = 0; a < model.actions.size(); ++a) {
    if (!estimate_by_moments(model, triples, follows, a, estimate.data() + a * S * S)) estimate[a * S * S] = HUGE_VAL;
  }
  return frobenius_errors(estimate, model.transition, S);
}

// The largest of them.
double error_of(const Model& model, const Triples& triples, const std::vector<double>& policy) {
  const std::vector<double> errors = errors_of(model, triples, policy);
  return *std::max_element(errors.begin(), errors.end());
}

void the_triples_of_a_run_overlap_and_none_spans_a_break() {
  Triples triples(3, 2);
  const auto visits = [&triples](std::size_t action) {
    std::vector<std::vector<std::size_t>> seen;
    triples.for_each(action, [&seen](std::size_t before, std::size_t now, std::size_t after, double times) {
      seen.push_back({before, now, after, static_cast<std::size_t>(times)});
    });
    return seen;
  };
  for (const Triples::Step step : {Triples::Step{0, 1}, {1, 2}, {1, 0}, {0, 2}}) triples.add(step);
  triples.break_off();
  for (const Triples::Step step : {Triples::Step{0, 1}, {1, 2}, {1, 0}}) triples.add(step);
  TEST_ASSERT_EQUAL_DOUBLE(0, triples.samples(0));
  TEST_ASSERT_EQUAL_DOUBLE(3, triples.samples(1));
  TEST_ASSERT_TRUE(visits(0).empty());
  TEST_ASSERT_TRUE((visits(1) == std::vector<std::vector<std::size_t>>{{5, 0, 2, 1}, {1, 2, 3, 2}}));
  triples.clear();
  TEST_ASSERT_EQUAL_DOUBLE(0, triples.samples(1));
  TEST_ASSERT_TRUE(visits(1).empty());
}

void common_eigenvectors_are_found_in_any_order_and_sign() {
  Random random(3, Stream::generate);
  const Eigen::MatrixXd any = Eigen::MatrixXd::NullaryExpr(6, 6, [&random] { return random.uniform() - 0.5; });
  const Eigen::MatrixXd rotation = Eigen::HouseholderQR<Eigen::MatrixXd>(any).householderQ();
  std::vector<Eigen::MatrixXd> matrices;
  for (int i = 0; i < 4; ++i) {
    const Eigen::VectorXd values = Eigen::VectorXd::NullaryExpr(6, [&random] { return random.uniform() < 0.3 ? 0.0 : random.uniform(); });
    matrices.push_back(rotation * values.asDiagonal() * rotation.transpose());
  }
  const Eigen::MatrixXd product = (joint_eigenvectors(matrices).transpose() * rotation).cwiseAbs();
  for (Eigen::Index i = 0; i < 6; ++i) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, product.row(i).maxCoeff());
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, product.row(i).squaredNorm());
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 1, product.col(i).maxCoeff());
  }
}

void exact_moments_give_the_exact_transition() {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Model& model : {random_model(1, 2, 3, seed), random_model(3, 4, 4, seed), random_model(5, 4, 8, seed)}) {
      for (const std::vector<double>& policy : {uniform_policy(model), random_policy(model, seed)}) {
        TEST_ASSERT_TRUE(error_of(model, expected_triples(model, policy), policy) < 1e-6);
      }
    }
  }
}

void many_states_are_told_apart_too() {
  const Model model = random_model(20, 2, 24, 1);
  const std::vector<double> policy = random_policy(model, 1);
  TEST_ASSERT_TRUE(error_of(model, expected_triples(model, policy), policy) < 1e-6);
}

void to_take_a_memoryless_policy_for_a_uniform_one_would_be_wrong() {
  const Model model = random_model(3, 4, 4, 1);
  const Triples triples = expected_triples(model, random_policy(model, 1));
  TEST_ASSERT_TRUE(error_of(model, triples, uniform_policy(model)) > 0.01);
}

// Over actions and over 20 runs of so many steps each.
double root_mean_square_error(const Model& model, std::uint64_t steps) {
  const std::vector<double> policy = uniform_policy(model);
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double error : errors_of(model, simulated_triples(model, policy, steps, seed), policy)) sum += error * error;
  }
  return std::sqrt(sum / 20 / static_cast<double>(model.actions.size()));
}

void the_error_falls_with_the_root_of_the_samples() {
  const Model model = random_model(3, 4, 4, 7);
  const double few = root_mean_square_error(model, 10000);
  const double many = root_mean_square_error(model, 100000);
  TEST_ASSERT_TRUE(many < 0.04);
  // The root of ten is 3.16. With other seeds the ratio is 3.13 ± 0.18: outside of these bounds once in 50,000, and the seeds are fixed.
  TEST_ASSERT_TRUE(few / many > 2.4);
  TEST_ASSERT_TRUE(few / many < 4.2);
}

void sensors_that_mix_states_up_are_reported_and_nothing_is_written() {
  Model model = random_model(3, 4, 4, 1);
  const auto mix_up = [&model](std::size_t a) {
    double* rows = model.observation.data() + a * 3 * 4;
    std::copy(rows, rows + 4, rows + 4);
  };
  const std::vector<double> policy = uniform_policy(model);
  const std::vector<double> follows = uniform_next_action(model);
  std::vector<double> rows(9, 7.0);

  mix_up(2);
  const Triples one = simulated_triples(model, policy, 20000, 1);
  for (std::size_t a = 0; a < 4; ++a) {
    std::vector<double> estimate(9);
    TEST_ASSERT_EQUAL(a != 2, estimate_by_moments(model, one, follows, a, a == 2 ? rows.data() : estimate.data()));
  }
  for (const std::size_t a : {0U, 1U, 3U}) mix_up(a);
  const Triples all = simulated_triples(model, policy, 20000, 1);
  for (std::size_t a = 0; a < 4; ++a) TEST_ASSERT_FALSE(estimate_by_moments(model, all, follows, a, rows.data()));
  TEST_ASSERT_TRUE(rows == std::vector<double>(9, 7.0));
}

void too_few_samples_are_reported() {
  const Model model = random_model(3, 4, 4, 1);
  const std::vector<double> follows = uniform_next_action(model);
  std::vector<double> rows(9);
  Triples triples(3, 4);
  TEST_ASSERT_FALSE(estimate_by_moments(model, triples, follows, 0, rows.data()));
  triples.add({1, 0}, {0, 0}, {1, 1}, 1);
  triples.add({1, 1}, {0, 1}, {1, 2}, 1);  // state 2 never came
  TEST_ASSERT_FALSE(estimate_by_moments(model, triples, follows, 0, rows.data()));
}

void a_row_about_which_nothing_is_known_is_uniform() {
  const Model model = random_model(3, 4, 4, 1);
  std::vector<double> follows = uniform_next_action(model);
  for (std::size_t next = 0; next < 4; ++next) follows[1 * 4 + next] = 0;  // after action 0 in state 1 no action ever follows
  std::vector<double> rows(9);
  TEST_ASSERT_TRUE(estimate_by_moments(model, expected_triples(model, uniform_policy(model)), follows, 0, rows.data()));
  for (std::size_t to = 0; to < 3; ++to) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 3, rows[3 + to]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, model.transition[to], rows[to]);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_triples_of_a_run_overlap_and_none_spans_a_break);
  RUN_TEST(common_eigenvectors_are_found_in_any_order_and_sign);
  RUN_TEST(exact_moments_give_the_exact_transition);
  RUN_TEST(many_states_are_told_apart_too);
  RUN_TEST(to_take_a_memoryless_policy_for_a_uniform_one_would_be_wrong);
  RUN_TEST(the_error_falls_with_the_root_of_the_samples);
  RUN_TEST(sensors_that_mix_states_up_are_reported_and_nothing_is_written);
  RUN_TEST(too_few_samples_are_reported);
  RUN_TEST(a_row_about_which_nothing_is_known_is_uniform);
  return UNITY_END();
}

// AOAS: the literal algorithm's results, without its cost; no bias whatever the policy does; errors that are as large as it says.
#include "penumbra/host/aoas.hpp"

#include "expected_pairs.hpp"
#include "literal_aoas.hpp"
#include "penumbra/host/detail/aoas_frequencies.hpp"
#include "simulate_pairs.hpp"

#include <unity.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using namespace penumbra::test;
using Eigen::Index;
using Eigen::MatrixXd;
using penumbra::host::detail::estimate_from_frequencies;

Model model_of(size_t S, size_t A, size_t O, std::vector<double> observation) {
  Model model;
  model.states = Labels(S);
  model.actions = Labels(A);
  model.observations = Labels(O);
  model.observation = std::move(observation);
  model.reward.assign(O, 0.5);
  model.initial.assign(S, 1.0 / static_cast<double>(S));
  return model;
}

Counts no_counts(const Model& model) { return Counts::of(model, "model").value(); }

Estimate estimated(const Model& model, const Counts& counts) { return estimate_transition(model, counts, "model").value(); }

// What was measured, in the log of the test.
void show(const char* what, double figure) { std::printf("  %s: %.3g\n", what, figure); }

void assert_contains(const char* part, const std::string& text) {
  if (text.find(part) == std::string::npos) TEST_FAIL_MESSAGE(("not in it: " + std::string(part) + " in: " + text).c_str());
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  TEST_ASSERT_EQUAL(x.size(), y.size());
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(std::fabs(x[i] - y[i]) <= largest)) largest = std::fabs(x[i] - y[i]);  // also when it is NaN
  }
  return largest;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

MatrixXd inverse_of(const SensorInverse& sensor, const Model& model) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(sensor.pseudo_inverse.data(), static_cast<Index>(model.states.size()),
                                    static_cast<Index>(model.observations.size()));
}

// ---- the sensors

void a_pseudo_inverse_undoes_its_sensors() {
  const Model model = random_host_model(1, 5, 3, 8);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  TEST_ASSERT_EQUAL(3, sensors.size());
  for (size_t a = 0; a < 3; ++a) {
    const MatrixXd product = inverse_of(sensors[a], model) * sensor_matrix(model, a);
    TEST_ASSERT_TRUE((product - MatrixXd::Identity(5, 5)).cwiseAbs().maxCoeff() < 1e-13);
    TEST_ASSERT_EQUAL(5, sensors[a].rank);
  }
  TEST_ASSERT_TRUE(obstacles_to_aoas(model, sensors).empty());
}

void the_smallest_singular_value_says_how_well_states_are_told_apart() {
  const Model model = model_of(2, 2, 2, {0.8, 0.2, 0.2, 0.8, 1, 0, 0, 1});
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.6, sensors[0].sigma_min);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, sensors[1].sigma_min);
}

void many_states_are_inverted_too() {
  const Model model = random_host_model(1, 60, 1, 64);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  const MatrixXd product = inverse_of(sensors[0], model) * sensor_matrix(model, 0);
  TEST_ASSERT_TRUE((product - MatrixXd::Identity(60, 60)).cwiseAbs().maxCoeff() < 1e-11);
}

// Repeated singular values, among them 0: the case in which some decompositions fail.
void many_states_that_look_alike_are_found_and_the_rest_inverted() {
  constexpr size_t S = 64;
  constexpr size_t O = 65;
  std::vector<double> observation(S * O, 0.15 / O);
  for (size_t s = 0; s < S; ++s) observation[s * O + s / 2] += 0.85;
  const Model model = model_of(S, 1, O, observation);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  TEST_ASSERT_EQUAL(S / 2, sensors[0].rank);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.0, sensors[0].sigma_min);
  const MatrixXd matrix = sensor_matrix(model, 0);
  const MatrixXd P = inverse_of(sensors[0], model);
  TEST_ASSERT_TRUE((matrix * P * matrix - matrix).cwiseAbs().maxCoeff() < 1e-13);
  TEST_ASSERT_TRUE((P * matrix * P - P).cwiseAbs().maxCoeff() < 1e-12);
}

// ---- the same as the paper's algorithm

// Counts that no model would give are as good a question as those that one does, and have more negative entries.
Counts arbitrary_counts(const Model& model, std::uint64_t seed) {
  Random random(seed, Stream::world);
  Counts counts = no_counts(model);
  for (std::uint64_t& count : counts.pairs) count = random.below(3) == 0 ? random.below(1000) : 0;
  return counts;
}

void it_agrees_with_the_literal_algorithm() {
  struct Size {
    size_t S, A, O;
    std::uint64_t models;
  };
  double largest = 0;
  size_t clipped = 0;
  for (const Size& size : {Size{1, 1, 1, 1}, Size{2, 1, 2, 5}, Size{2, 2, 3, 5}, Size{3, 2, 3, 5}, Size{3, 4, 4, 3}, Size{4, 3, 6, 2},
                           Size{5, 1, 8, 3}, Size{5, 4, 8, 1}}) {
    for (std::uint64_t seed = 0; seed < size.models; ++seed) {
      const Model model = random_host_model(seed, size.S, size.A, size.O);
      for (const Counts& counts : {simulated_counts<UniformPolicy>(model, seed, 3000), arbitrary_counts(model, seed)}) {
        const Estimate estimate = estimated(model, counts);
        std::vector<double> literal;
        for (size_t a = 0; a < size.A; ++a) {
          const std::vector<double> T = literal_aoas(model, counts, a);
          literal.insert(literal.end(), T.begin(), T.end());
          clipped += estimate.clipped[a];
        }
        largest = std::max(largest, largest_difference(literal, estimate.transition));
      }
    }
  }
  TEST_ASSERT_TRUE(largest < 1e-10);
  TEST_ASSERT_TRUE(clipped > 100);  // what is clipped was compared as well
  show("largest difference from the literal algorithm", largest);
}

// ---- no bias

// The block of one next action: O × O.
MatrixXd block_of(const std::vector<double>& frequencies, const Model& model, size_t a, size_t a_next) {
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  MatrixXd block(O, O);
  for (size_t o = 0; o < O; ++o) {
    for (size_t o_next = 0; o_next < O; ++o_next) {
      block(static_cast<Index>(o), static_cast<Index>(o_next)) = frequencies[((a * A + a_next) * O + o) * O + o_next];
    }
  }
  return block;
}

std::vector<double> normalised(const MatrixXd& d) {
  std::vector<double> transition;
  for (Index s = 0; s < d.rows(); ++s) {
    for (Index next = 0; next < d.cols(); ++next) transition.push_back(std::max(d(s, next), 0.0) / d.row(s).cwiseMax(0.0).sum());
  }
  return transition;
}

std::vector<double> true_transition(const Model& model, size_t a) {
  const size_t cells = model.states.size() * model.states.size();
  return {model.transition_row(a, 0), model.transition_row(a, 0) + cells};
}

void exact_frequencies_give_the_exact_transition_whatever_the_policy() {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Model model = random_host_model(seed, 3, 3, 4);
    const std::vector<SensorInverse> sensors = invert_sensors(model);
    for (const auto policy : {follow_the_observation, follow_the_history}) {
      const std::vector<double> frequencies = expected_frequencies(model, Emission::departure, policy);
      const Estimate estimate = estimate_from_frequencies(model, sensors, frequencies, {1, 1, 1});
      TEST_ASSERT_TRUE(largest_difference(model.transition, estimate.transition) < 1e-9);
      for (const size_t clipped : estimate.clipped) TEST_ASSERT_EQUAL(0, clipped);
    }
  }
}

void clipping_before_the_sum_would_be_wrong() {
  const Model model = random_host_model(0, 3, 3, 4);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  const std::vector<double> frequencies = expected_frequencies(model, Emission::departure, follow_the_observation);
  double lowest = 0;
  double error = 0;
  for (size_t a = 0; a < 3; ++a) {
    MatrixXd clipped_first = MatrixXd::Zero(3, 3);
    for (size_t next = 0; next < 3; ++next) {
      const MatrixXd d =
          inverse_of(sensors[a], model) * block_of(frequencies, model, a, next) * inverse_of(sensors[next], model).transpose();
      lowest = std::min(lowest, d.minCoeff());
      clipped_first += d.cwiseMax(0.0);
    }
    error = std::max(error, largest_difference(true_transition(model, a), normalised(clipped_first)));
  }
  show("lowest entry of one block", lowest);
  show("error of clipping first", error);
  TEST_ASSERT_TRUE(lowest < -0.02);
  TEST_ASSERT_TRUE(error > 0.02);
}

// With arrival emission o and o' are of the states before and after a', so pairs belong to their second action, and what is left is this:
// T_a' from sum_a O_a^+ C(a,a') (O_a'^+)^T. It is right when a' is drawn without looking, and only then.
double arrival_error(const Model& model, const std::vector<double>& frequencies) {
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  double error = 0;
  for (size_t next = 0; next < model.actions.size(); ++next) {
    MatrixXd d = MatrixXd::Zero(3, 3);
    for (size_t a = 0; a < model.actions.size(); ++a) {
      d += inverse_of(sensors[a], model) * block_of(frequencies, model, a, next) * inverse_of(sensors[next], model).transpose();
    }
    error = std::max(error, largest_difference(true_transition(model, next), normalised(d)));
  }
  return error;
}

void arrival_emission_is_refused_for_a_reason() {
  const Model model = random_host_model(0, 3, 3, 4);
  const auto blind = [](const History& history) { return (history.action + 1) % 3; };
  TEST_ASSERT_TRUE(arrival_error(model, expected_frequencies(model, Emission::arrival, blind)) < 1e-9);
  const double error = arrival_error(model, expected_frequencies(model, Emission::arrival, follow_the_observation));
  show("error of arrival emission under a policy that looks", error);
  TEST_ASSERT_TRUE(error > 0.1);
}

// ---- samples of several policies

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

Counts sum_of(const Model& model, const std::vector<const Counts*>& parts) {
  Counts sum = no_counts(model);
  for (const Counts* part : parts) TEST_ASSERT_TRUE(sum.add(*part));
  return sum;
}

void order_and_grouping_of_counts_do_not_matter() {
  const Model model = random_host_model(2, 3, 2, 4);
  const Counts x = simulated_counts<UniformPolicy>(model, 1, 5000);
  const Counts y = simulated_counts<MyopicPolicy>(model, 2, 7000);
  const Counts z = simulated_counts<HistoryPolicy>(model, 3, 11);
  const Counts zy = sum_of(model, {&z, &y});
  const Estimate one = estimated(model, sum_of(model, {&x, &y, &z}));
  const Estimate other = estimated(model, sum_of(model, {&zy, &x}));
  TEST_ASSERT_TRUE(same_bits(one.transition, other.transition));
  TEST_ASSERT_TRUE(same_bits(one.standard_error, other.standard_error));
}

// Three times the samples are expected to leave 1/sqrt(3) = 0.58 of the error. The ratio scatters by 0.03 (20 other sets of seeds), so that
// 0.8 would be passed by chance less than once in a million.
void the_union_of_policies_beats_each_of_them() {
  const Model model = random_host_model(1, 3, 2, 4);
  std::vector<double> uniform;
  std::vector<double> myopic;
  std::vector<double> history;
  std::vector<double> together;
  const auto error = [&model](const Counts& counts) {
    return mean(frobenius_errors(estimated(model, counts).transition, model.transition, model.states.size()));
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Counts x = simulated_counts<UniformPolicy>(model, 3 * seed, 5000);
    const Counts y = simulated_counts<MyopicPolicy>(model, 3 * seed + 1, 5000);
    const Counts z = simulated_counts<HistoryPolicy>(model, 3 * seed + 2, 5000);
    uniform.push_back(error(x));
    myopic.push_back(error(y));
    history.push_back(error(z));
    together.push_back(error(sum_of(model, {&x, &y, &z})));
  }
  const double best = std::min({mean(uniform), mean(myopic), mean(history)});
  show("error of the union, of the best policy's", mean(together) / best);
  TEST_ASSERT_TRUE(mean(together) < 0.8 * best);
}

// ---- how the error falls, and whether it is as large as it says

// The paper's experiment. The slope scatters by 0.01 around -0.49 (12 other sets of seeds; clipping keeps the errors of few samples small),
// so that the bounds would be passed by chance far less than once in a million.
void the_error_falls_with_the_root_of_the_samples() {
  constexpr std::uint64_t runs = 10;
  std::vector<double> errors[2];
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Model model = random_host_model(100 + run, 5, 4, 8);
    Counts counts = no_counts(model);
    Run<MyopicPolicy> world(model, run);
    world.count(10000, counts);
    errors[0].push_back(mean(frobenius_errors(estimated(model, counts).transition, model.transition, 5)));
    world.count(990000, counts);
    errors[1].push_back(mean(frobenius_errors(estimated(model, counts).transition, model.transition, 5)));
  }
  const double slope = std::log10(mean(errors[1]) / mean(errors[0])) / 2;
  show("mean error after 10^4 steps", mean(errors[0]));
  show("mean error after 10^6 steps", mean(errors[1]));
  show("slope", slope);
  TEST_ASSERT_TRUE(slope > -0.6 && slope < -0.4);
}

// How often the truth lies within 1.96 standard errors, and how the predicted variance compares with that of many runs. On 20 other sets of
// seeds the coverage had the mean 0.950 and scattered by 0.004, the ratio by 0.025 around 1.01: each bound would be passed by chance about
// once in a million.
template <class Policy>
void the_truth_is_within_the_standard_errors() {
  constexpr int runs = 400;
  const Model model = random_host_model(1, 3, 2, 4);
  const size_t entries = model.transition.size();
  std::vector<double> covered;
  std::vector<double> sum(entries, 0.0);
  std::vector<double> squares(entries, 0.0);
  std::vector<double> predicted(entries, 0.0);
  for (int run = 0; run < runs; ++run) {
    const Estimate estimate = estimated(model, simulated_counts<Policy>(model, static_cast<std::uint64_t>(run), 20000));
    for (size_t i = 0; i < entries; ++i) {
      const double error = estimate.transition[i] - model.transition[i];
      sum[i] += error;
      squares[i] += error * error;
      predicted[i] += estimate.standard_error[i] * estimate.standard_error[i];
      if (estimate.transition[i] > 0) covered.push_back(std::fabs(error) <= 1.96 * estimate.standard_error[i] ? 1 : 0);
    }
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < entries; ++i) ratios.push_back(predicted[i] / (squares[i] - sum[i] * sum[i] / runs));
  show("coverage", mean(covered));
  show("predicted variance, of the true one", mean(ratios));
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.95, mean(covered));
  TEST_ASSERT_DOUBLE_WITHIN(0.14, 1.0, mean(ratios));
}

void perfect_sensors_give_the_errors_of_a_proportion() {
  const Model model = model_of(2, 1, 2, {1, 0, 0, 1});
  Counts counts = no_counts(model);
  counts.pairs = {30, 10, 16, 64};
  const Estimate estimate = estimated(model, counts);
  const double expected[] = {0.75, 0.25, 0.2, 0.8};
  for (size_t i = 0; i < 4; ++i) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, expected[i], estimate.transition[i]);
    const double n = i < 2 ? 40 : 80;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, std::sqrt(expected[i] * (1 - expected[i]) / n), estimate.standard_error[i]);
  }
}

// The same formula without its algebra: gradients by differences, and the sum over all cells.
void the_standard_errors_are_those_of_the_delta_method() {
  const Model model = random_host_model(4, 3, 2, 4);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  const std::vector<double> frequencies =
      expected_frequencies(model, Emission::departure, [](const History& history) { return history.observation % 2; });
  const std::vector<double> samples = {1000, 4000};
  const std::vector<double> errors = standard_errors(model, sensors, frequencies, samples);
  const size_t cells = frequencies.size() / 2;
  constexpr double step = 1e-5;
  std::vector<double> mean_gradient(errors.size(), 0.0);
  std::vector<double> mean_square(errors.size(), 0.0);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    std::vector<double> moved = frequencies;
    moved[i] += step;
    const std::vector<double> above = estimate_from_frequencies(model, sensors, moved, samples).transition;
    moved[i] -= 2 * step;
    const std::vector<double> below = estimate_from_frequencies(model, sensors, moved, samples).transition;
    for (size_t k = 0; k < errors.size(); ++k) {
      const double gradient = (above[k] - below[k]) / (2 * step);
      mean_gradient[k] += frequencies[i] * gradient;
      mean_square[k] += frequencies[i] * gradient * gradient;
    }
  }
  TEST_ASSERT_EQUAL(2 * cells, frequencies.size());
  for (size_t k = 0; k < errors.size(); ++k) {
    const double variance = (mean_square[k] - mean_gradient[k] * mean_gradient[k]) / samples[k / 9];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * errors[k], std::sqrt(variance), errors[k]);
  }
}

// ---- what is not known

void an_action_never_played_is_uniform_and_reported() {
  const Model model = random_host_model(5, 3, 2, 4);
  Counts counts = simulated_counts<UniformPolicy>(model, 1, 1000);
  for (size_t i = 0; i < counts.pairs.size() / 2; ++i) counts.pairs[i] = 0;  // those that begin with action 0
  const Estimate estimate = estimated(model, counts);
  TEST_ASSERT_EQUAL(0, estimate.samples[0]);
  TEST_ASSERT_TRUE(estimate.samples[1] > 0);
  TEST_ASSERT_TRUE((estimate.uniform_rows[0] == std::vector<size_t>{0, 1, 2}));
  TEST_ASSERT_TRUE(estimate.uniform_rows[1].empty());
  TEST_ASSERT_EQUAL(0, estimate.clipped[0]);
  for (size_t i = 0; i < 9; ++i) {
    TEST_ASSERT_EQUAL_DOUBLE(1.0 / 3, estimate.transition[i]);
    TEST_ASSERT_DOUBLE_IS_NAN(estimate.standard_error[i]);
    TEST_ASSERT_DOUBLE_IS_NOT_NAN(estimate.standard_error[9 + i]);
  }
}

// Only the reading that state 0 rarely gives was ever seen first: its weight comes out negative, whatever came second.
void a_row_that_is_all_negative_is_uniform_and_reported() {
  const Model model = model_of(2, 1, 2, {0.8, 0.2, 0.2, 0.8});
  Counts counts = no_counts(model);
  counts.pairs = {0, 0, 50, 50};
  const Estimate estimate = estimated(model, counts);
  TEST_ASSERT_TRUE(estimate.uniform_rows[0] == std::vector<size_t>{0});
  TEST_ASSERT_EQUAL(2, estimate.clipped[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, estimate.transition[0]);
  TEST_ASSERT_DOUBLE_IS_NAN(estimate.standard_error[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.5, estimate.transition[2]);
  TEST_ASSERT_TRUE(estimate.standard_error[2] > 0);
}

// The counts are exactly those of states 0 and 1, so that of state 2 rounding alone is left, of either sign.
void a_state_never_visited_is_uniform_and_not_the_noise_of_rounding() {
  const std::uint64_t eighths[3][4] = {{4, 2, 1, 1}, {1, 1, 2, 4}, {2, 4, 1, 1}};
  const std::uint64_t moves[2][2] = {{3, 1}, {1, 2}};
  std::vector<double> observation;
  for (const auto& row : eighths) {
    for (const std::uint64_t entry : row) observation.push_back(static_cast<double>(entry) / 8);
  }
  const Model model = model_of(3, 1, 4, observation);
  Counts counts = no_counts(model);
  for (size_t i = 0; i < 64; ++i) {
    const size_t s = i / 32;
    const size_t next = i / 16 % 2;
    counts.pairs[i % 16] += moves[s][next] * eighths[s][i % 16 / 4] * eighths[next][i % 4];
  }
  const Estimate estimate = estimated(model, counts);
  TEST_ASSERT_TRUE(estimate.uniform_rows[0] == std::vector<size_t>{2});
  TEST_ASSERT_EQUAL(0, estimate.clipped[0]);
  const double expected[] = {0.75, 0.25, 0, 1.0 / 3, 2.0 / 3, 0};
  for (size_t i = 0; i < 6; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-13, expected[i], estimate.transition[i]);
  TEST_ASSERT_EQUAL_DOUBLE(0.0, estimate.transition[2]);
  TEST_ASSERT_EQUAL_DOUBLE(0.0, estimate.transition[5]);
}

// Its error is that of the value before clipping.
void a_clipped_entry_is_not_reported_as_certain() {
  const Model model = model_of(2, 1, 2, {0.8, 0.2, 0.2, 0.8});
  const double P[2][2] = {{0.8 / 0.6, -0.2 / 0.6}, {-0.2 / 0.6, 0.8 / 0.6}};
  Counts counts = no_counts(model);
  counts.pairs = {55, 10, 20, 15};
  const Estimate estimate = estimated(model, counts);
  TEST_ASSERT_EQUAL(1, estimate.clipped[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0.0, estimate.transition[1]);
  double D = 0;  // of row 0, all of it in its first entry
  double d = 0;  // of the clipped entry
  double square = 0;
  for (size_t i = 0; i < 4; ++i) {
    const double frequency = static_cast<double>(counts.pairs[i]) / 100;
    const double gradient = P[0][i / 2] * P[1][i % 2];
    D += frequency * P[0][i / 2] * P[0][i % 2];
    d += frequency * gradient;
    square += frequency * gradient * gradient;
  }
  TEST_ASSERT_TRUE(d < -0.1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, std::sqrt((square - d * d) / 100) / D, estimate.standard_error[1]);
}

// ---- refusals

Problem refused(const Model& model) {
  const Outcome<Estimate> outcome = estimate_transition(model, no_counts(model), "rover.json");
  TEST_ASSERT_FALSE(outcome.has_value());
  TEST_ASSERT_TRUE(outcome.error().fault == Fault::input);
  TEST_ASSERT_EQUAL_STRING("rover.json", outcome.error().where.c_str());
  TEST_ASSERT_FALSE(outcome.error().advice.empty());
  return outcome.error();
}

void arrival_emission_is_refused() {
  Model model = random_host_model(0, 2, 1, 2);
  model.emission = Emission::arrival;
  const Problem problem = refused(model);
  assert_contains("arrival", problem.what);
  assert_contains("biases the pair counts", problem.what);
  assert_contains("departure", problem.advice);
}

void more_states_than_observations_are_refused() {
  const Model model = model_of(3, 2, 2, {0.5, 0.5, 0.1, 0.9, 1, 0, 0.5, 0.5, 0.1, 0.9, 1, 0});
  assert_contains("2 observations cannot tell 3 states apart", refused(model).what);
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  TEST_ASSERT_EQUAL_DOUBLE(0.0, sensors[0].sigma_min);
  TEST_ASSERT_EQUAL(1, obstacles_to_aoas(model, sensors).size());
}

void sensors_that_mix_states_up_are_refused_with_their_action() {
  Model model = model_of(3, 2, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0.4, 0, 0.2, 0.3, 0.5, 0.4, 0.35, 0.25});  // the last is a mixture
  model.actions = Labels({"wait", "turn"});
  const Problem problem = refused(model);
  assert_contains("action \"turn\"", problem.what);
  assert_contains("look the same", problem.what);
  assert_contains("rank 2", problem.what);
  TEST_ASSERT_TRUE(problem.detail.empty());
}

void many_reasons_to_refuse_take_three_lines() {
  Model model = model_of(2, 4, 2, std::vector<double>(16, 0.5));
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    model.emission = emission;
    const std::string text = to_text(refused(model));
    TEST_ASSERT_EQUAL(2, std::count(text.begin(), text.end(), '\n'));
  }
  TEST_ASSERT_EQUAL(5, obstacles_to_aoas(model, invert_sensors(model)).size());
}

void frobenius_errors_are_by_action() {
  const std::vector<double> errors = frobenius_errors({1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5}, {1, 0, 0, 1, 1, 0, 0, 1}, 2);
  TEST_ASSERT_EQUAL(2, errors.size());
  TEST_ASSERT_EQUAL_DOUBLE(0.0, errors[0]);
  TEST_ASSERT_EQUAL_DOUBLE(1.0, errors[1]);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_pseudo_inverse_undoes_its_sensors);
  RUN_TEST(the_smallest_singular_value_says_how_well_states_are_told_apart);
  RUN_TEST(many_states_are_inverted_too);
  RUN_TEST(many_states_that_look_alike_are_found_and_the_rest_inverted);
  RUN_TEST(it_agrees_with_the_literal_algorithm);
  RUN_TEST(exact_frequencies_give_the_exact_transition_whatever_the_policy);
  RUN_TEST(clipping_before_the_sum_would_be_wrong);
  RUN_TEST(arrival_emission_is_refused_for_a_reason);
  RUN_TEST(order_and_grouping_of_counts_do_not_matter);
  RUN_TEST(the_union_of_policies_beats_each_of_them);
  RUN_TEST(the_error_falls_with_the_root_of_the_samples);
  RUN_TEST(the_truth_is_within_the_standard_errors<UniformPolicy>);
  RUN_TEST(the_truth_is_within_the_standard_errors<MyopicPolicy>);
  RUN_TEST(the_truth_is_within_the_standard_errors<HistoryPolicy>);
  RUN_TEST(perfect_sensors_give_the_errors_of_a_proportion);
  RUN_TEST(the_standard_errors_are_those_of_the_delta_method);
  RUN_TEST(an_action_never_played_is_uniform_and_reported);
  RUN_TEST(a_row_that_is_all_negative_is_uniform_and_reported);
  RUN_TEST(a_state_never_visited_is_uniform_and_not_the_noise_of_rounding);
  RUN_TEST(a_clipped_entry_is_not_reported_as_certain);
  RUN_TEST(arrival_emission_is_refused);
  RUN_TEST(more_states_than_observations_are_refused);
  RUN_TEST(sensors_that_mix_states_up_are_refused_with_their_action);
  RUN_TEST(many_reasons_to_refuse_take_three_lines);
  RUN_TEST(frobenius_errors_are_by_action);
  return UNITY_END();
}

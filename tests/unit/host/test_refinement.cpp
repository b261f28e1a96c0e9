// Transitions of greatest likelihood: no bias whatever the policy does, what a literal algorithm finds, errors that are as large as they say.
#include "penumbra/host/refinement.hpp"

#include "expected_pairs.hpp"
#include "penumbra/host/aoas.hpp"
#include "penumbra/host/detail/aoas_frequencies.hpp"
#include "penumbra/host/detail/pair_frequencies.hpp"
#include "sanitized.hpp"
#include "simulate_pairs.hpp"
#include "trajectory_fit.hpp"

#include <unity.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using namespace penumbra::test;
using penumbra::host::detail::estimate_from_frequencies;
using penumbra::host::detail::refine_by_pairs;

// What was measured, in the log of the test.
void show(const char* what, double figure) { std::printf("  %s: %.3g\n", what, figure); }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  TEST_ASSERT_EQUAL(x.size(), y.size());
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(std::fabs(x[i] - y[i]) <= largest)) largest = std::fabs(x[i] - y[i]);  // also when it is NaN
  }
  return largest;
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

std::vector<double> aoas(const Model& model, const Counts& counts) {
  return estimate_transition(model, counts, "model").value().transition;
}

RefinementRequest without_errors() {
  RefinementRequest request;
  request.standard_errors = false;
  request.threads = 1;
  return request;
}

Refinement by_counts(const Model& model, const Counts& counts, const RefinementRequest& request = {}) {
  return refine_by_counts(model, counts, aoas(model, counts), request);
}

Refinement by_trajectory(const Model& model, const RunLog& log, const RefinementRequest& request = {}) {
  return refine_by_trajectory(model, log, aoas(model, log.counts()), request);
}

Refinement refined(Estimator estimator, const Model& model, const RunLog& log, const RefinementRequest& request = {}) {
  return estimator == Estimator::counts ? by_counts(model, log.counts(), request) : by_trajectory(model, log, request);
}

void assert_distributions(const std::vector<double>& transition, size_t S) {
  for (size_t row = 0; row < transition.size(); row += S) {
    double sum = 0;
    for (size_t i = row; i < row + S; ++i) {
      TEST_ASSERT_TRUE(transition[i] >= 0);
      sum += transition[i];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, sum);
  }
}

void assert_all_nan(const std::vector<double>& errors, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) TEST_ASSERT_DOUBLE_IS_NAN(errors[i]);
}

// ---- counts: no bias

// Pairs enough that the pseudo-count is nothing, and exactly as many of each kind as two policies together would make, the one worst for
// estimators and the other dependent on two steps of the past.
std::vector<double> pairs_of_a_union(const Model& model, double pairs) {
  std::vector<double> sum = expected_frequencies(model, Emission::departure, follow_the_observation);
  const std::vector<double> other = expected_frequencies(model, Emission::departure, follow_the_history);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = pairs * (sum[i] + other[i]) / 2;
  return sum;
}

std::vector<double> aoas_of_pairs(const Model& model, const std::vector<double>& pairs, double all) {
  std::vector<double> frequencies = pairs;
  for (double& pair : frequencies) pair /= all;
  return estimate_from_frequencies(model, invert_sensors(model), frequencies, std::vector<double>(model.actions.size(), all)).transition;
}

std::vector<double> perturbed(std::vector<double> transition, size_t S, std::uint64_t seed) {
  Random random(seed, Stream::world);
  for (size_t row = 0; row < transition.size(); row += S) {
    double sum = 0;
    for (size_t i = row; i < row + S; ++i) sum += transition[i] *= 0.5 + random.uniform();
    for (size_t i = row; i < row + S; ++i) transition[i] /= sum;
  }
  return transition;
}

void exact_pairs_of_many_policies_give_the_exact_transition_to_counts(size_t S, size_t O, double pairs) {
  double from_aoas = 0;
  double from_near = 0;
  double from_nothing = 0;
  for (std::uint64_t seed = 0; seed < (sanitized ? 1 : 5); ++seed) {
    const Model model = random_host_model(seed, S, 3, O);
    const std::vector<double> exact = pairs_of_a_union(model, pairs);
    const std::vector<double> first = aoas_of_pairs(model, exact, pairs);
    const auto error_from = [&](const std::vector<double>& start) {
      return largest_difference(model.transition, refine_by_pairs(model, exact, start, without_errors()).transition);
    };
    from_aoas = std::max(from_aoas, error_from(first));
    from_near = std::max(from_near, error_from(perturbed(first, S, seed)));
    from_nothing = std::max(from_nothing, error_from(std::vector<double>(first.size(), 1.0 / static_cast<double>(S))));
  }
  show("error from AOAS's estimate on", from_aoas);
  show("error from near it on", from_near);
  show("error from an even start on", from_nothing);
  TEST_ASSERT_TRUE(from_aoas < 2e-4);
  TEST_ASSERT_TRUE(from_near < 2e-4);
  TEST_ASSERT_TRUE(from_nothing < 2e-4);
}

void exact_pairs_of_many_policies_give_the_exact_transition_to_counts() {
  exact_pairs_of_many_policies_give_the_exact_transition_to_counts(3, 4, 1e8);
  exact_pairs_of_many_policies_give_the_exact_transition_to_counts(3, 4, 1e9);
  exact_pairs_of_many_policies_give_the_exact_transition_to_counts(3, 6, 1e9);
}

void so_do_they_with_more_states() {
  exact_pairs_of_many_policies_give_the_exact_transition_to_counts(5, 6, 1e9);
  exact_pairs_of_many_policies_give_the_exact_transition_to_counts(5, 8, 1e9);
}

// ---- counts: which of the two models is kept

template <class Policy>
double share_of_larger_models(const char* policy) {
  constexpr std::uint64_t models = sanitized ? 2 : 10;
  size_t larger = 0;
  for (std::uint64_t seed = 0; seed < models; ++seed) {
    const Model model = random_host_model(seed, 3, 3, 4);
    const Refinement refinement = by_counts(model, simulated_counts<Policy>(model, seed, 300000), without_errors());
    larger += static_cast<size_t>(std::count(refinement.kept.begin(), refinement.kept.end(), NextAction::observation_and_state));
  }
  const double share = static_cast<double>(larger) / (3 * models);
  show(policy, share);
  return share;
}

// Two times the gain has a chi-squared distribution with at most twice the extra parameters where these say nothing: 16 of them gain more than 16
// nats less than once in a hundred fits. What a policy remembers says something of the state, little in these models, so that it takes many pairs to show.
void the_next_action_depends_on_the_state_where_the_policy_remembers() {
  TEST_ASSERT_TRUE(share_of_larger_models<UniformPolicy>("larger models under a policy that draws blindly") < 0.2);
  TEST_ASSERT_TRUE(share_of_larger_models<HistoryPolicy>("under one that remembers") > 0.5);
}

// ---- trajectory: the same as the literal algorithm

// Forwards and backwards, each step's numbers scaled to sum to 1, as every textbook has it; `T` is replaced by its image.
double literal_pass(const Model& model, const RunLog& log, std::vector<double>& T) {
  const size_t S = model.states.size();
  const size_t O = model.observations.size();
  std::vector<double> moves(T.size(), 1.0 / static_cast<double>(S));
  double log_likelihood = 0;
  for (size_t i = 0; i < log.runs(); ++i) {
    const etl::span<const std::uint16_t> steps = log.run(i);
    if (steps.empty()) continue;
    const auto seen = [&](size_t t, size_t s) { return model.observation_row(steps[t] / O, s)[steps[t] % O]; };
    const auto move = [&](size_t t, size_t s, size_t to) { return ((steps[t] / O) * S + s) * S + to; };
    std::vector<double> alpha(steps.size() * S);
    std::vector<double> scale(steps.size());
    for (size_t t = 0; t < steps.size(); ++t) {
      for (size_t s = 0; s < S; ++s) {
        double arrives = t == 0 ? model.initial[s] : 0;
        for (size_t from = 0; t > 0 && from < S; ++from) arrives += alpha[(t - 1) * S + from] * T[move(t - 1, from, s)];
        alpha[t * S + s] = arrives * seen(t, s);
        scale[t] += alpha[t * S + s];
      }
      for (size_t s = 0; s < S; ++s) alpha[t * S + s] /= scale[t];
      log_likelihood += std::log(scale[t]);
    }
    std::vector<double> beta(S, 1.0);
    for (size_t t = steps.size() - 1; t-- > 0;) {
      std::vector<double> before(S, 0.0);
      for (size_t s = 0; s < S; ++s) {
        for (size_t to = 0; to < S; ++to) {
          const double onward = T[move(t, s, to)] * seen(t + 1, to) * beta[to] / scale[t + 1];
          before[s] += onward;
          moves[move(t, s, to)] += alpha[t * S + s] * onward;
        }
      }
      beta = before;
    }
  }
  for (size_t row = 0; row < T.size(); row += S) {
    double sum = 0;
    for (size_t i = row; i < row + S; ++i) sum += moves[i];
    for (size_t i = row; i < row + S; ++i) T[i] = moves[i] / sum;
  }
  return log_likelihood;
}

// A belief that is not even, so that it matters where a run begins.
Model model_that_begins_somewhere(std::uint64_t seed, size_t S, size_t A, size_t O) {
  Model model = random_host_model(seed, S, A, O);
  Random random(seed, Stream::world);
  model.initial = random_distribution(random, S);
  return model;
}

// Every width that the compiler knows, some that are padded to one, and some beyond.
void a_pass_is_the_literal_algorithms() {
  double largest = 0;
  double of_likelihood = 0;
  for (const size_t S : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 12U, 13U, 16U, 17U, 20U}) {
    const Model model = model_that_begins_somewhere(S, S, 2, S + 1);
    const RunLog log = simulated_log<MyopicPolicy>(model, S, 500);
    Random random(S, Stream::internal_model);
    std::vector<double> literal = random_transition(random, S, 2);
    std::vector<double> transition = literal;
    const PassResult result = TrajectoryFit(model, log, 1).pass(transition);
    const double log_likelihood = literal_pass(model, log, literal);
    largest = std::max(largest, largest_difference(literal, transition));
    of_likelihood = std::max(of_likelihood, std::fabs(log_likelihood - result.log_likelihood));
  }
  show("largest difference after a pass", largest);
  show("of the log-likelihoods", of_likelihood);
  TEST_ASSERT_TRUE(largest < 1e-12);
  TEST_ASSERT_TRUE(of_likelihood < 1e-9);
}

// Wherever a run ends: also where numbers have just been scaled up, for which these sensors see to it at every length.
void the_likelihood_is_right_at_every_length() {
  Model model = random_host_model(3, 2, 1, 3);
  model.observation = {1e-60, 0.3, 0.7 - 1e-60, 2e-60, 0.6, 0.4 - 2e-60};
  for (const std::vector<size_t>& cycle : {std::vector<size_t>{0}, {0, 1, 2}, {1, 0}}) {
    for (size_t steps = 1; steps < 40; ++steps) {
      RunLog log(model);
      log.begin_run();
      for (size_t i = 0; i < steps; ++i) log.add(0, cycle[i % cycle.size()]);
      std::vector<double> literal = model.transition;
      std::vector<double> transition = literal;
      const double expected = literal_pass(model, log, literal);
      const PassResult result = TrajectoryFit(model, log, 1).pass(transition);
      TEST_ASSERT_DOUBLE_WITHIN(1e-10 * std::fabs(expected), expected, result.log_likelihood);
      TEST_ASSERT_TRUE(largest_difference(literal, transition) < 1e-12);
    }
  }
}

void every_run_begins_with_the_models_initial_belief() {
  const Model model = model_that_begins_somewhere(4, 3, 2, 4);
  RunLog log(model);
  for (std::uint64_t run = 0; run < 40; ++run) {
    log.begin_run();
    Run<HistoryPolicy>(model, run).record(run % 8, log);  // some of them without a step
  }
  Random random(1, Stream::internal_model);
  std::vector<double> literal = random_transition(random, 3, 2);
  std::vector<double> transition = literal;
  const PassResult result = TrajectoryFit(model, log, 1).pass(transition);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, literal_pass(model, log, literal), result.log_likelihood);
  TEST_ASSERT_TRUE(largest_difference(literal, transition) < 1e-12);
}

// Three cuts; passes from the estimate on show where it would end, and where the uncut log's would.
void cuts_in_a_long_log_hardly_matter() {
  const Model model = model_that_begins_somewhere(5, 3, 2, 4);
  const RunLog log = simulated_log<MyopicPolicy>(model, 5, 3 * (std::uint64_t{1} << 14U) + 100);
  const Refinement refinement = by_trajectory(model, log);
  const TrajectoryFit fit(model, log, 1);
  std::vector<double> cut = refinement.transition;
  std::vector<double> uncut = refinement.transition;
  for (int pass = 0; pass < (sanitized ? 10 : 150); ++pass) {
    fit.pass(cut);
    literal_pass(model, log, uncut);
  }
  double of_cuts = 0;
  double of_stopping = 0;
  for (size_t i = 0; i < uncut.size(); ++i) {
    of_cuts = std::max(of_cuts, std::fabs(uncut[i] - cut[i]) / refinement.standard_error[i]);
    of_stopping = std::max(of_stopping, std::fabs(refinement.transition[i] - cut[i]) / refinement.standard_error[i]);
  }
  show("largest difference from an uncut log, in standard errors", of_cuts);
  show("from many more passes", of_stopping);
  TEST_ASSERT_TRUE(of_cuts < 0.05);
  TEST_ASSERT_TRUE(of_stopping < 0.25);
}

// ---- both

// Of the pseudo-counts.
double log_prior(const std::vector<double>& transition, size_t S) {
  double sum = 0;
  for (const double entry : transition) sum += std::log(entry);
  return sum / static_cast<double>(S);
}

std::vector<double> floored(std::vector<double> transition, size_t S) {
  for (size_t row = 0; row < transition.size(); row += S) {
    double sum = 0;
    for (size_t i = row; i < row + S; ++i) sum += transition[i] = std::max(transition[i], least_start);
    for (size_t i = row; i < row + S; ++i) transition[i] /= sum;
  }
  return transition;
}

// That of the data and the pseudo-counts together; where there are few steps the data alone may lose a little.
void the_likelihood_never_falls() {
  constexpr size_t S = 4;
  double lost = 0;
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Model model = random_host_model(seed, S, 3, 6, 0.3);
      for (const std::uint64_t steps : {10U, 100U, 3000U}) {
        const RunLog log = simulated_log<MyopicPolicy>(model, seed, steps);
        const Refinement refinement = refined(estimator, model, log, without_errors());
        const double gain = refinement.log_likelihood_after - refinement.log_likelihood_before;
        const double before = log_prior(floored(aoas(model, log.counts()), S), S);
        TEST_ASSERT_TRUE(gain + log_prior(refinement.transition, S) - before > -1e-6);
        if (steps == 3000) TEST_ASSERT_TRUE(gain > 0);
        lost = std::max(lost, -gain);
        assert_distributions(refinement.transition, S);
        for (const bool converged : refinement.converged) TEST_ASSERT_TRUE(converged);
      }
    }
  }
  show("most that the data alone lost, in nats", lost);
}

void the_number_of_threads_does_not_show() {
  const Model model = sanitized ? random_host_model(6, 2, 2, 3) : random_host_model(6, 5, 4, 8);
  const RunLog log = simulated_log<MyopicPolicy>(model, 6, sanitized ? 40000 : 100000);  // several pieces
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    Refinement results[3];
    for (size_t i = 0; i < 3; ++i) {
      RefinementRequest request;
      request.threads = i + 1;
      results[i] = refined(estimator, model, log, request);
    }
    for (const Refinement& result : results) {
      TEST_ASSERT_TRUE(same_bits(results[0].transition, result.transition));
      TEST_ASSERT_TRUE(same_bits(results[0].standard_error, result.standard_error));
      TEST_ASSERT_TRUE(results[0].passes == result.passes);
      TEST_ASSERT_EQUAL_DOUBLE(results[0].log_likelihood_after, result.log_likelihood_after);
    }
  }
}

void they_have_less_error_than_aoas() {
  double error = 0;
  double of_counts = 0;
  double of_trajectory = 0;
  const auto error_of = [](const Model& model, const std::vector<double>& transition) {
    return mean(frobenius_errors(transition, model.transition, model.states.size()));
  };
  for (std::uint64_t seed = 0; seed < (sanitized ? 2 : 10); ++seed) {
    const Model model = random_host_model(300 + seed, 5, 3, 8, 0.4);
    const RunLog log = simulated_log<MyopicPolicy>(model, seed, 20000);
    error += error_of(model, aoas(model, log.counts()));
    of_counts += error_of(model, by_counts(model, log.counts(), without_errors()).transition);
    of_trajectory += error_of(model, by_trajectory(model, log, without_errors()).transition);
  }
  show("AOAS's error, over that of counts", error / of_counts);
  show("over that of trajectory", error / of_trajectory);
  TEST_ASSERT_TRUE(of_counts < error);
  TEST_ASSERT_TRUE(of_trajectory < of_counts);
}

// ---- standard errors

struct Coverage {
  double covered;  // how often the truth lies within 1.96 standard errors
  double ratio;    // of the predicted variance to that of many runs
};

template <class Policy>
Coverage coverage_of(Estimator estimator, const Model& model, std::uint64_t first_seed, int runs, std::uint64_t steps) {
  const size_t entries = model.transition.size();
  std::vector<double> covered;
  std::vector<double> sum(entries, 0.0);
  std::vector<double> squares(entries, 0.0);
  std::vector<double> predicted(entries, 0.0);
  for (int run = 0; run < runs; ++run) {
    const RunLog log = simulated_log<Policy>(model, first_seed + static_cast<std::uint64_t>(run), steps);
    const Refinement refinement = refined(estimator, model, log);
    for (size_t i = 0; i < entries; ++i) {
      const double error = refinement.transition[i] - model.transition[i];
      sum[i] += error;
      squares[i] += error * error;
      predicted[i] += refinement.standard_error[i] * refinement.standard_error[i];
      covered.push_back(std::fabs(error) <= 1.96 * refinement.standard_error[i] ? 1 : 0);
    }
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < entries; ++i) ratios.push_back(predicted[i] / (squares[i] - sum[i] * sum[i] / runs));
  return {mean(covered), mean(ratios)};
}

constexpr int runs_for_coverage = sanitized ? 4 : 100;

// On 20 other sets of seeds the coverage had means from .947 to .951 and scattered by .007 at most, the ratio by .05 around 1.02 to 1.04: each bound
// would be passed by chance about once in a million.

template <class Policy>
void the_truth_is_within_the_standard_errors() {
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    const Coverage coverage = coverage_of<Policy>(estimator, random_host_model(1, 3, 2, 4), 0, runs_for_coverage, 10000);
    std::printf("  %s: coverage %.3f, predicted variance, of the true one, %.3f\n",
                estimator == Estimator::counts ? "counts" : "trajectory", coverage.covered, coverage.ratio);
    if (sanitized) continue;
    TEST_ASSERT_DOUBLE_WITHIN(0.035, 0.95, coverage.covered);
    TEST_ASSERT_DOUBLE_WITHIN(0.27, 1.03, coverage.ratio);
  }
}

// ---- what is not known

void an_action_never_played_is_uniform_and_unknown() {
  const Model model = random_host_model(5, 3, 3, 4);
  RunLog log(model);
  log.begin_run();
  Random random(1, Stream::world);
  for (int i = 0; i < 1000; ++i) log.add(random.below(2), random.below(4));
  log.add(2, 0);  // the last step: nothing follows it
  const Refinement counts = by_counts(model, log.counts());
  const Refinement trajectory = by_trajectory(model, log);
  TEST_ASSERT_TRUE(counts.kept[0] != NextAction::unknown);
  TEST_ASSERT_TRUE(counts.kept[2] == NextAction::unknown);
  TEST_ASSERT_EQUAL_UINT64(0, counts.passes[2]);
  for (const Refinement& refinement : {counts, trajectory}) {
    for (size_t i = 18; i < 27; ++i) TEST_ASSERT_EQUAL_DOUBLE(1.0 / 3, refinement.transition[i]);
    assert_all_nan(refinement.standard_error, 18, 27);
    for (size_t i = 0; i < 18; ++i) TEST_ASSERT_TRUE(refinement.standard_error[i] > 0);
    assert_distributions(refinement.transition, 3);
  }
}

void a_log_without_pairs_leaves_everything_unknown() {
  const Model model = random_host_model(5, 3, 2, 4);
  const std::vector<double> uniform(18, 1.0 / 3);
  for (const int steps : {-1, 0, 1}) {
    RunLog log(model);
    if (steps >= 0) log.begin_run();
    if (steps > 0) log.add(1, 2);
    for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
      const Refinement refinement = refined(estimator, model, log);
      TEST_ASSERT_TRUE(largest_difference(uniform, refinement.transition) < 1e-15);
      assert_all_nan(refinement.standard_error, 0, 18);
      TEST_ASSERT_EQUAL_UINT64(0, refinement.impossible);
      TEST_ASSERT_TRUE(std::isfinite(refinement.log_likelihood_before));
      TEST_ASSERT_TRUE(refinement.log_likelihood_after >= refinement.log_likelihood_before);
    }
  }
}

void one_state_is_certain() {
  const Model model = random_host_model(5, 1, 2, 3);
  const RunLog log = simulated_log<UniformPolicy>(model, 1, 1000);
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    const Refinement refinement = refined(estimator, model, log);
    TEST_ASSERT_TRUE((refinement.transition == std::vector<double>{1, 1}));
    TEST_ASSERT_TRUE((refinement.standard_error == std::vector<double>{0, 0}));
  }
}

// Sensors with zeros: the third observation comes from no state, and the others each from one.
Model model_with_zeros() {
  Model model = random_host_model(7, 2, 2, 3);
  model.observation = {0.7, 0.3, 0, 0.2, 0.8, 0, 1, 0, 0, 0, 1, 0};
  return model;
}

void what_no_state_gives_is_left_out_and_counted() {
  const Model model = model_with_zeros();
  const RunLog clean = simulated_log<UniformPolicy>(model, 1, 5000);
  RunLog log(model);
  log.begin_run();
  for (size_t t = 0; t < clean.run(0).size(); ++t) {
    const std::uint16_t step = clean.run(0)[t];
    log.add(step / 3U, t % 100 == 0 ? 2 : step % 3U);  // the first among them
  }
  const std::vector<double> start = aoas(model, clean.counts());
  const Refinement counts = refine_by_counts(model, log.counts(), start);
  const Refinement trajectory = refine_by_trajectory(model, log, start);
  TEST_ASSERT_EQUAL_UINT64(99, counts.impossible);  // two pairs each, the first has one
  TEST_ASSERT_EQUAL_UINT64(50, trajectory.impossible);
  for (const Refinement& refinement : {counts, trajectory}) {
    TEST_ASSERT_TRUE(std::isfinite(refinement.log_likelihood_after));
    TEST_ASSERT_TRUE(refinement.log_likelihood_after >= refinement.log_likelihood_before);
    assert_distributions(refinement.transition, 2);
    for (size_t i = 0; i < 8; ++i) {
      TEST_ASSERT_TRUE(std::fabs(refinement.transition[i] - model.transition[i]) < 6 * refinement.standard_error[i]);
    }
  }
}

void nothing_but_impossible_steps_say_nothing() {
  const Model model = model_with_zeros();
  RunLog log(model);
  log.begin_run();
  for (int i = 0; i < 10; ++i) log.add(0, 2);
  const std::vector<double> uniform(8, 0.5);
  const Refinement counts = refine_by_counts(model, log.counts(), uniform);
  const Refinement trajectory = refine_by_trajectory(model, log, uniform);
  TEST_ASSERT_EQUAL_UINT64(9, counts.impossible);
  TEST_ASSERT_EQUAL_UINT64(10, trajectory.impossible);
  TEST_ASSERT_TRUE(largest_difference(uniform, counts.transition) < 1e-12);
  TEST_ASSERT_TRUE(largest_difference(uniform, trajectory.transition) < 1e-12);
}

// The first observation cannot come from where the model says that runs begin.
void a_run_that_begins_elsewhere_begins_anywhere() {
  Model model = model_with_zeros();
  model.initial = {1, 0};
  RunLog log(model);
  log.begin_run();
  log.add(1, 1);
  for (int i = 0; i < 100; ++i) log.add(1, static_cast<size_t>(i % 2));
  const Refinement refinement = refine_by_trajectory(model, log, std::vector<double>(8, 0.5));
  TEST_ASSERT_EQUAL_UINT64(0, refinement.impossible);
  TEST_ASSERT_TRUE(std::isfinite(refinement.log_likelihood_after));
  TEST_ASSERT_TRUE(refinement.transition[4 + 1] > 0.98);
  assert_distributions(refinement.transition, 2);
}

// Sensors that give some observations hardly ever: products of theirs are smaller than any number.
void hardly_possible_observations_give_no_nan() {
  for (const double least : {1e-90, 1e-110, 1e-155, 1e-200, 1e-300}) {
    Model model = random_host_model(3, 2, 1, 3);
    model.observation = {least, 0.3, 0.7, 2 * least, 0.6, 0.4};
    RunLog log(model);
    log.begin_run();
    for (size_t i = 0; i < 300; ++i) log.add(0, i / 3 % 3);
    for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
      const std::vector<double> even(4, 0.5);
      const Refinement refinement =
          estimator == Estimator::counts ? refine_by_counts(model, log.counts(), even) : refine_by_trajectory(model, log, even);
      assert_distributions(refinement.transition, 2);
      TEST_ASSERT_TRUE(std::isfinite(refinement.log_likelihood_after));
      for (const double error : refinement.standard_error) TEST_ASSERT_TRUE(error >= 0);
    }
  }
}

void too_many_standard_errors_are_none() {
  constexpr size_t S = 47;
  static_assert(S * (S - 1) > most_free_parameters);
  const Model model = random_host_model(1, S, 1, S);
  const RunLog log = simulated_log<UniformPolicy>(model, 1, 200);
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    const Refinement refinement = refined(estimator, model, log);
    TEST_ASSERT_TRUE(refinement.standard_error.empty());
    assert_distributions(refinement.transition, S);
  }
}

void progress_is_told_after_each_pass_or_fit() {
  const Model model = random_host_model(1, 3, 2, 4);
  const RunLog log = simulated_log<UniformPolicy>(model, 1, 3000);
  for (const Estimator estimator : {Estimator::counts, Estimator::trajectory}) {
    std::uint64_t last = 0;
    RefinementRequest request;
    request.progress = [&](std::uint64_t done, std::uint64_t most) {
      TEST_ASSERT_EQUAL_UINT64(last + 1, done);
      TEST_ASSERT_TRUE(done <= most);
      last = done;
    };
    const Refinement refinement = refined(estimator, model, log, request);
    TEST_ASSERT_EQUAL_UINT64(estimator == Estimator::counts ? 4 : refinement.passes[0], last);  // two fits of two actions
  }
}

void estimators_are_found_by_the_names_that_they_have() {
  TEST_ASSERT_EQUAL(3, estimator_names().size());
  for (const Estimator estimator : {Estimator::aoas, Estimator::counts, Estimator::trajectory}) {
    TEST_ASSERT_TRUE(find_estimator(name_of(estimator)) == estimator);
  }
  for (const std::string& name : estimator_names()) TEST_ASSERT_EQUAL_STRING(name.c_str(), name_of(find_estimator(name).value()).c_str());
  TEST_ASSERT_EQUAL_STRING("trajectory", name_of(Estimator::trajectory).c_str());
  for (const char* other : {"", "AOAS", "count", "counts ", "spectral"}) TEST_ASSERT_FALSE(find_estimator(other).has_value());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(exact_pairs_of_many_policies_give_the_exact_transition_to_counts);
  RUN_TEST(so_do_they_with_more_states);
  RUN_TEST(the_next_action_depends_on_the_state_where_the_policy_remembers);
  RUN_TEST(a_pass_is_the_literal_algorithms);
  RUN_TEST(the_likelihood_is_right_at_every_length);
  RUN_TEST(every_run_begins_with_the_models_initial_belief);
  RUN_TEST(cuts_in_a_long_log_hardly_matter);
  RUN_TEST(the_likelihood_never_falls);
  RUN_TEST(the_number_of_threads_does_not_show);
  RUN_TEST(they_have_less_error_than_aoas);
  RUN_TEST(the_truth_is_within_the_standard_errors<UniformPolicy>);
  RUN_TEST(the_truth_is_within_the_standard_errors<MyopicPolicy>);
  RUN_TEST(the_truth_is_within_the_standard_errors<HistoryPolicy>);
  RUN_TEST(an_action_never_played_is_uniform_and_unknown);
  RUN_TEST(a_log_without_pairs_leaves_everything_unknown);
  RUN_TEST(one_state_is_certain);
  RUN_TEST(what_no_state_gives_is_left_out_and_counted);
  RUN_TEST(nothing_but_impossible_steps_say_nothing);
  RUN_TEST(a_run_that_begins_elsewhere_begins_anywhere);
  RUN_TEST(hardly_possible_observations_give_no_nan);
  RUN_TEST(too_many_standard_errors_are_none);
  RUN_TEST(progress_is_told_after_each_pass_or_fit);
  RUN_TEST(estimators_are_found_by_the_names_that_they_have);
  return UNITY_END();
}

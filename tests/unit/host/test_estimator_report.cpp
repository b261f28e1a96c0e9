// Estimators on data that they have not seen: what is held out, what its score is, and what is concluded.
#include "penumbra/host/estimator_report.hpp"

#include "held_out.hpp"
#include "penumbra/host/belief.hpp"
#include "penumbra/host/generate.hpp"
#include "penumbra/host/simulate.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <cstdio>

namespace {

using namespace penumbra::host;

Model random_model(std::uint64_t seed) { return generate_model(penumbra::test::recipe_of(3, 2, 4, seed)).value().model; }

// Of two states; there is no transition.
Model perfect_sensors() {
  Model model;
  model.states = Labels(2);
  model.actions = Labels(1);
  model.observations = Labels(2);
  model.observation = {1, 0, 0, 1};
  model.reward = {0, 1};
  model.initial = {0.5, 0.5};
  return model;
}

void add_run(const Model& model, std::uint64_t steps, std::uint64_t seed, RunLog& to) {
  World world(model, seed);
  MyopicActor actor(model, 0.2, seed);
  to.begin_run();
  simulate(world, actor, steps, [&](etl::span<const SimulatedStep> made) {
    for (const SimulatedStep& step : made) to.add(step.action, step.observation);
    return true;
  });
}

RunLog run_of(const Model& model, std::uint64_t steps, std::uint64_t seed) {
  RunLog log(model);
  add_run(model, steps, seed, log);
  return log;
}

MixedLogs logs_of(const Model& model, RunLog runs) { return {std::move(runs), Counts::of(model, "model").value()}; }
MixedLogs counts_of(const Model& model, const RunLog& runs) { return {RunLog(model), runs.counts()}; }

EstimatorReport report_of(const Model& model, const MixedLogs& logs, std::uint64_t threads = 2) {
  RefinementRequest request;
  request.threads = threads;
  return report_estimators(model, invert_sensors(model), logs, request);
}

bool is_unknown(double value) { return value != value; }

const ReportRow& row_of(const EstimatorReport& report, const std::string& estimator) {
  for (const ReportRow& row : report.rows) {
    if (row.estimator == estimator) return row;
  }
  TEST_FAIL_MESSAGE(estimator.c_str());
  return report.rows.front();
}

// log P(the first steps of a run), forwards and with nothing clever.
double log_probability(const Model& model, etl::span<const std::uint16_t> run, size_t steps) {
  const size_t S = model.states.size();
  const size_t O = model.observations.size();
  std::vector<double> weight = model.initial;
  double sum = 0;
  for (size_t t = 0; t < steps; ++t) {
    const size_t a = run[t] / O;
    std::vector<double> next(S, 0.0);
    double probability = 0;
    for (size_t s = 0; s < S; ++s) probability += weight[s] * model.observation_row(a, s)[run[t] % O];
    for (size_t s = 0; s < S; ++s) {
      for (size_t to = 0; to < S; ++to)
        next[to] += weight[s] * model.observation_row(a, s)[run[t] % O] * model.transition_row(a, s)[to] / probability;
    }
    sum += std::log(probability);
    weight = next;
  }
  return sum;
}

void the_score_is_the_probability_of_the_last_fifth_given_what_came_before() {
  const Model model = random_model(1);
  RunLog runs = run_of(model, 1003, 1);
  add_run(model, 4, 2, runs);  // too short to lose a step
  add_run(model, 99, 3, runs);
  const EstimatorReport report = report_of(model, logs_of(model, runs));
  TEST_ASSERT_EQUAL(200 + 19, report.held_out);
  TEST_ASSERT_TRUE(report.unit == HeldOut::steps);
  double expected = 0;
  for (const size_t i : {size_t{0}, size_t{2}}) {
    const size_t n = runs.run(i).size();
    expected += log_probability(model, runs.run(i), n) - log_probability(model, runs.run(i), n - n / 5);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected / 219, row_of(report, "model").log_likelihood);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, row_of(report, "model").log_likelihood - row_of(report, "aoas").log_likelihood,
                            row_of(report, "model").gain_over_aoas);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, row_of(report, "aoas").gain_over_aoas);
}

void estimates_do_not_see_what_is_held_out() {
  const Model model = random_model(1);
  const RunLog runs = run_of(model, 1000, 1);
  RunLog other(model);  // the same, but for its last fifth
  other.begin_run();
  for (size_t t = 0; t < 1000; ++t) other.add(runs.run(0)[t] / 4, t < 800 ? runs.run(0)[t] % 4 : 0U);
  const EstimatorReport one = report_of(model, logs_of(model, runs));
  const EstimatorReport two = report_of(model, logs_of(model, other));
  for (const char* estimator : {"aoas", "counts", "trajectory"}) {
    TEST_ASSERT_EQUAL_DOUBLE(row_of(one, estimator).mean_frobenius_error, row_of(two, estimator).mean_frobenius_error);
    TEST_ASSERT_TRUE(row_of(one, estimator).log_likelihood != row_of(two, estimator).log_likelihood);
  }
}

void nothing_held_out_is_nothing_compared() {
  const Model model = random_model(1);
  for (const std::uint64_t steps : std::vector<std::uint64_t>{0, 1, 4}) {
    const EstimatorReport report = report_of(model, logs_of(model, run_of(model, steps, 1)));
    TEST_ASSERT_EQUAL(0, report.held_out);
    TEST_ASSERT_TRUE(report.rows.empty() && !report.best);
  }
  TEST_ASSERT_TRUE(report_of(model, logs_of(model, RunLog(model))).rows.empty());
}

void few_steps_tell_no_error_and_name_no_best() {
  const Model model = random_model(1);
  for (const std::uint64_t steps : std::vector<std::uint64_t>{5, 20, 300}) {
    const EstimatorReport report = report_of(model, logs_of(model, run_of(model, steps, 1)));
    TEST_ASSERT_EQUAL(steps / 5, report.held_out);
    TEST_ASSERT_TRUE(is_unknown(row_of(report, "uniform").gain_standard_error));
    bool differ = false;  // impossible steps are a reason of their own
    for (const ReportRow& row : report.rows) differ = differ || row.impossible != report.rows[0].impossible;
    TEST_ASSERT_TRUE(differ || !report.best);
  }
}

void learning_beats_not_learning_where_there_is_much_to_learn_from() {
  const Model model = random_model(1);
  const RunLog runs = run_of(model, 50000, 1);
  for (const MixedLogs& logs : {logs_of(model, runs), counts_of(model, runs)}) {
    const EstimatorReport report = report_of(model, logs);
    const ReportRow& uniform = row_of(report, "uniform");
    TEST_ASSERT_TRUE(uniform.gain_over_aoas < -2 * uniform.gain_standard_error);
    for (const char* estimator : {"counts", "model"}) {
      TEST_ASSERT_TRUE(row_of(report, estimator).log_likelihood > uniform.log_likelihood);
      TEST_ASSERT_TRUE(row_of(report, estimator).mean_frobenius_error < uniform.mean_frobenius_error);
    }
    TEST_ASSERT_TRUE(!report.best || *report.best != "uniform");
  }
}

// Perfect sensors, and a transition that has never seen a step that there is.
void what_an_estimate_rules_out_is_counted_and_left_out_of_the_mean() {
  const Model model = perfect_sensors();
  RunLog runs(model);
  runs.begin_run();
  for (size_t t = 0; t < 80; ++t) runs.add(0, 0);
  for (size_t t = 0; t < 20; ++t) runs.add(0, t == 10 ? 1 : 0);
  const EstimatorReport report = report_of(model, logs_of(model, runs));
  TEST_ASSERT_EQUAL(1, row_of(report, "aoas").impossible);  // 0 to 1; after that the belief starts again
  TEST_ASSERT_EQUAL(0, row_of(report, "uniform").impossible);
  TEST_ASSERT_EQUAL(0, row_of(report, "counts").impossible);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, std::log(0.5) / 19, row_of(report, "aoas").log_likelihood);
  TEST_ASSERT_TRUE(!report.best || *report.best != "aoas");
  TEST_ASSERT_TRUE(is_unknown(row_of(report, "aoas").mean_frobenius_error));
}

void every_pair_is_on_one_side_and_about_a_fifth_is_held_out() {
  const Model model = random_model(2);
  Counts counts = run_of(model, 100000, 1).counts();
  counts.pairs[0] += 1000000000;  // more than are drawn one by one
  counts.pairs[1] += 1;
  const SplitPairs split = split_pairs(counts);
  double all = 0;
  double held_out = 0;
  for (size_t cell = 0; cell < counts.pairs.size(); ++cell) {
    TEST_ASSERT_TRUE(counts.pairs[cell] == split.fitted.pairs[cell] + split.held_out.pairs[cell]);
    if (cell == 0) continue;
    all += static_cast<double>(counts.pairs[cell]);
    held_out += static_cast<double>(split.held_out.pairs[cell]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(5 * std::sqrt(0.16 * all), 0.2 * all, held_out);
  TEST_ASSERT_DOUBLE_WITHIN(5 * std::sqrt(0.16e9), 0.2e9, static_cast<double>(split.held_out.pairs[0]));
  TEST_ASSERT_TRUE(split_pairs(counts).held_out.pairs == split.held_out.pairs);
}

void a_choice_that_was_seen_once_is_not_held_out() {
  const Model model = random_model(2);
  Counts counts = Counts::of(model, "model").value();
  for (std::uint64_t& count : counts.pairs) count = 1;
  const SplitPairs split = split_pairs(counts);
  for (size_t row = 0; row < counts.pairs.size(); row += 4) {
    std::uint64_t left = 0;
    for (size_t o = 0; o < 4; ++o) left += split.fitted.pairs[row + o];
    TEST_ASSERT_TRUE(left > 0);
  }
}

// Perfect sensors: d is how often each state was, so that the score can be told by hand.
void pairs_score_their_probability_by_the_rest_of_the_pairs() {
  Model model = perfect_sensors();
  model.transition = {0.9, 0.1, 0.2, 0.8};
  const MixedLogs logs = counts_of(model, run_of(model, 10000, 4));
  const SplitPairs split = split_pairs(logs.pairs);
  const EstimatorReport report = report_of(model, logs);
  TEST_ASSERT_TRUE(report.unit == HeldOut::pairs);
  TEST_ASSERT_EQUAL(4, report.rows.size());  // none by trajectory
  const std::vector<std::uint64_t>& fitted = split.fitted.pairs;
  const std::vector<std::uint64_t>& held_out = split.held_out.pairs;
  double sum = 0;
  double count = 0;
  for (size_t cell = 0; cell < 4; ++cell) {
    const size_t o = cell / 2;
    const double d =
        static_cast<double>(fitted[2 * o] + fitted[2 * o + 1]) / static_cast<double>(fitted[0] + fitted[1] + fitted[2] + fitted[3]);
    sum += static_cast<double>(held_out[cell]) * std::log(d * model.transition[cell]);
    count += static_cast<double>(held_out[cell]);
  }
  TEST_ASSERT_EQUAL(static_cast<std::uint64_t>(count), report.held_out);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, sum / count, row_of(report, "model").log_likelihood);
}

void counts_files_add_to_what_counts_are_fitted_to_and_not_to_the_trajectory() {
  const Model model = random_model(3);
  const RunLog runs = run_of(model, 2000, 1);
  MixedLogs logs = logs_of(model, runs);
  const EstimatorReport alone = report_of(model, logs);
  logs.pairs = run_of(model, 200000, 2).counts();
  const EstimatorReport both = report_of(model, logs);
  TEST_ASSERT_EQUAL(alone.held_out, both.held_out);
  TEST_ASSERT_TRUE(both.unit == HeldOut::steps && both.trajectory_saw_less && !alone.trajectory_saw_less);
  TEST_ASSERT_EQUAL_DOUBLE(row_of(alone, "trajectory").log_likelihood, row_of(both, "trajectory").log_likelihood);
  for (const char* estimator : {"aoas", "counts"})
    TEST_ASSERT_TRUE(row_of(both, estimator).mean_frobenius_error < row_of(alone, estimator).mean_frobenius_error / 2);
}

void the_number_of_threads_changes_nothing() {
  const Model model = random_model(1);
  const RunLog runs = run_of(model, 40000, 1);
  for (const MixedLogs& logs : {logs_of(model, runs), counts_of(model, runs)}) {
    const EstimatorReport one = report_of(model, logs, 1);
    const EstimatorReport two = report_of(model, logs, 2);
    for (size_t i = 0; i < one.rows.size(); ++i) {
      TEST_ASSERT_EQUAL_DOUBLE(one.rows[i].log_likelihood, two.rows[i].log_likelihood);
      TEST_ASSERT_EQUAL_DOUBLE(one.rows[i].gain_standard_error, two.rows[i].gain_standard_error);
    }
    TEST_ASSERT_TRUE(one.best == two.best);
  }
}

// Many runs: their gains scatter as much as each of them says.
void the_error_of_a_gain_is_its_scatter() {
  const Model model = random_model(1);
  std::vector<double> other = model.transition;
  for (double& entry : other) entry = 0.8 * entry + 0.2 / 3;
  double sum = 0;
  double squares = 0;
  double said = 0;
  constexpr int runs = 100;
  for (int i = 0; i < runs; ++i) {
    const Scores scores = score_steps(model, {model.transition, other}, run_of(model, 10000, static_cast<std::uint64_t>(i)));
    const double gain = scores.gain[1];
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -gain, scores.gain[2]);
    sum += gain;
    squares += gain * gain;
    said += scores.standard_error[1] / runs;
  }
  const double scatter = std::sqrt((squares - sum * sum / runs) / (runs - 1));
  std::printf("  scatter over what is said: %.3f\n", scatter / said);
  TEST_ASSERT_TRUE(scatter / said > 0.8 && scatter / said < 1.25);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_score_is_the_probability_of_the_last_fifth_given_what_came_before);
  RUN_TEST(estimates_do_not_see_what_is_held_out);
  RUN_TEST(nothing_held_out_is_nothing_compared);
  RUN_TEST(few_steps_tell_no_error_and_name_no_best);
  RUN_TEST(learning_beats_not_learning_where_there_is_much_to_learn_from);
  RUN_TEST(what_an_estimate_rules_out_is_counted_and_left_out_of_the_mean);
  RUN_TEST(every_pair_is_on_one_side_and_about_a_fifth_is_held_out);
  RUN_TEST(a_choice_that_was_seen_once_is_not_held_out);
  RUN_TEST(pairs_score_their_probability_by_the_rest_of_the_pairs);
  RUN_TEST(counts_files_add_to_what_counts_are_fitted_to_and_not_to_the_trajectory);
  RUN_TEST(the_number_of_threads_changes_nothing);
  RUN_TEST(the_error_of_a_gain_is_its_scatter);
  return UNITY_END();
}

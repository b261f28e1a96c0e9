// Averages, curves and slopes of runs.
#include "penumbra/host/learning_summary.hpp"

#include <unity.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;

// A curve whose mean is f(step), at `points` even steps up to `steps`.
template <class Function>
Curve curve_of(std::uint64_t steps, std::uint64_t points, const Function& f) {
  Curve curve;
  LearningSize size;
  size.steps = steps;
  size.points = points;
  curve.steps = curve_steps(size);
  curve.runs.resize(1);
  for (const std::uint64_t step : curve.steps) curve.runs[0].push_back(f(static_cast<double>(step)));
  average_runs(curve);
  return curve;
}

void a_power_law_has_its_exponent() {
  for (const double p : {-0.5, 0.0, 0.5, 2.0 / 3.0, 1.0, 2.0}) {
    for (const std::uint64_t points : {20U, 400U}) {
      const Curve curve = curve_of(400000, points, [&](double t) { return 3.7 * std::pow(t, p); });
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, p, power_law(curve).value());
    }
  }
}

void an_offset_is_taken_off_first() {
  const Curve curve = curve_of(100000, 400, [](double t) { return 250 + 0.1 * std::sqrt(t); });
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, power_law(curve, 250).value());
  TEST_ASSERT_TRUE(power_law(curve).value() < 0.2);
}

// The first tenth does not count, whatever it is.
void only_the_last_nine_tenths_count() {
  const Curve curve = curve_of(1000, 100, [](double t) { return t < 100 ? -5.0 : t * t; });
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2, power_law(curve).value());
}

// Two slopes, 1 up to the middle of the logarithmic axis and 0 from there on: with points that weigh alike on that axis the line in between
// has slope 1/2. (Least squares of a kink at the middle: by symmetry.) Points that weigh alike in steps would give far less.
void all_parts_of_the_logarithmic_axis_weigh_the_same() {
  const double middle = std::sqrt(1e5 * 1e6);
  const Curve curve = curve_of(1000000, 10000, [&](double t) { return std::min(t, middle); });
  TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.5, power_law(curve).value());
}

void there_is_no_power_law_where_the_curve_is_not_above_zero_all_the_way() {
  TEST_ASSERT_FALSE(power_law(curve_of(1000, 10, [](double) { return 0.0; })).has_value());
  TEST_ASSERT_FALSE(power_law(curve_of(1000, 10, [](double t) { return 900 - t; })).has_value());
  TEST_ASSERT_FALSE(power_law(curve_of(1000, 10, [](double t) { return t; }), 100).has_value());
  TEST_ASSERT_FALSE(power_law(curve_of(1000, 10, [](double) { return std::numeric_limits<double>::quiet_NaN(); })).has_value());
}

void there_is_no_power_law_of_one_point_or_none() {
  TEST_ASSERT_FALSE(power_law(Curve{}).has_value());
  TEST_ASSERT_FALSE(power_law(curve_of(1000, 1, [](double t) { return t; })).has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, power_law(curve_of(1000, 2, [](double t) { return t; })).value());
}

Curve two_runs() {
  Curve curve;
  curve.steps = {10, 20};
  curve.runs = {{1, 0.5}, {3, 0.5}};
  average_runs(curve);
  return curve;
}

void averages_are_over_the_runs_at_each_point() {
  const Curve curve = two_runs();
  TEST_ASSERT_EQUAL(2, curve.average.size());
  TEST_ASSERT_EQUAL_DOUBLE(2, curve.average[0].mean);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 12.706, curve.average[0].ci95);  // Student's t of one degree of freedom
  TEST_ASSERT_EQUAL_DOUBLE(0.5, curve.average[1].mean);
  TEST_ASSERT_EQUAL_DOUBLE(0, curve.average[1].ci95);
}

void a_table_has_a_line_a_point_and_a_column_a_run_where_asked() {
  Curve curve = two_runs();
  curve.average[0].ci95 = 0.25;
  TEST_ASSERT_EQUAL_STRING("step,mean,ci95\n10,2,0.25\n20,0.5,0\n", to_csv(curve, false).c_str());
  TEST_ASSERT_EQUAL_STRING("step,mean,ci95,run_0,run_1\n10,2,0.25,1,3\n20,0.5,0,0.5,0.5\n", to_csv(curve, true).c_str());
  TEST_ASSERT_EQUAL_STRING("step,mean,ci95\n", to_csv(Curve{}, true).c_str());
}

void what_is_not_finite_is_left_empty() {
  Curve curve = two_runs();
  curve.runs.pop_back();
  average_runs(curve);  // one run shows no spread of its own
  curve.runs[0][1] = std::numeric_limits<double>::quiet_NaN();
  curve.average[1].mean = -std::numeric_limits<double>::infinity();
  TEST_ASSERT_EQUAL_STRING("step,mean,ci95,run_0\n10,1,,1\n20,,,\n", to_csv(curve, true).c_str());
}

void every_digit_is_written() {
  Curve curve;
  curve.steps = {4000000000};
  curve.runs = {{0.1 + 0.2}};
  average_runs(curve);
  TEST_ASSERT_EQUAL_STRING("step,mean,ci95\n4000000000,0.30000000000000004,\n", to_csv(curve, false).c_str());
}

LearningSize size_of(std::uint64_t runs) {
  LearningSize size;
  size.steps = 40;
  size.points = 4;
  size.runs = runs;
  return size;
}

// Of 40 steps with 4 points, or as many as it came.
LearningRun run_of(double level, std::size_t points = 4) {
  LearningRun run;
  run.steps = 10 * points + (points == 4 ? 0 : 5);
  for (std::size_t i = 0; i < points; ++i) {
    run.regret.push_back(level + static_cast<double>(i));
    run.gap_regret.push_back(2 * level + static_cast<double>(i));
    run.error.push_back(level / static_cast<double>(i + 1));
  }
  run.action_error = {level, 3 * level};
  run.plays = {10, 30};
  run.episodes = static_cast<std::uint64_t>(level) + 1;
  run.first_episode = 10;
  run.first_regret = level;
  run.first_gap_regret = level / 2;
  run.seconds = 4 * level;
  run.planning_seconds = level;
  run.remarks = {"of all", "of " + std::to_string(static_cast<int>(level))};
  return run;
}

void figures_are_averages_of_the_runs() {
  const LearningSummary summary = summarise({{0, run_of(1)}, {1, run_of(3)}}, size_of(2));
  TEST_ASSERT_TRUE(summary.whole);
  TEST_ASSERT_EQUAL_UINT64(2, summary.runs);
  TEST_ASSERT_EQUAL_UINT64(40, summary.steps);
  TEST_ASSERT_TRUE((summary.regret.steps == std::vector<std::uint64_t>{10, 20, 30, 40}));
  TEST_ASSERT_EQUAL_DOUBLE(5, summary.regret.average[3].mean);
  TEST_ASSERT_EQUAL_DOUBLE(7, summary.gap_regret.average[3].mean);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, summary.error.average[3].mean);
  TEST_ASSERT_EQUAL(2, summary.action_error.size());
  TEST_ASSERT_EQUAL_DOUBLE(2, summary.action_error[0].mean);
  TEST_ASSERT_EQUAL_DOUBLE(6, summary.action_error[1].mean);
  TEST_ASSERT_EQUAL_DOUBLE(3, summary.episodes.mean);
  TEST_ASSERT_EQUAL_DOUBLE(10, summary.first_episode.mean);
  TEST_ASSERT_EQUAL_DOUBLE(2, summary.first_regret.mean);
  TEST_ASSERT_EQUAL_DOUBLE(1, summary.first_gap_regret.mean);
  TEST_ASSERT_EQUAL_DOUBLE(8, summary.seconds);
  TEST_ASSERT_EQUAL_DOUBLE(2, summary.planning_seconds);
  TEST_ASSERT_TRUE((summary.remarks == std::vector<std::string>{"of all", "of 1", "of 3"}));
}

void slopes_are_those_of_the_gap_regret_with_and_without_the_first_episode() {
  LearningRun run = run_of(1);
  run.regret = {-1, -1, -1, -1};
  for (std::size_t i = 0; i < 4; ++i) run.gap_regret[i] = 100 + std::sqrt(10.0 * static_cast<double>(i + 1));
  run.first_gap_regret = 100;
  const LearningSummary summary = summarise({{0, run}}, size_of(1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, summary.slope_of_rest.value());
  TEST_ASSERT_TRUE(summary.slope.value() < 0.1);
}

// The first episode, of 10 steps, loses 40 a step: a four-hundredth is 0.1 a step, or 200 in the second half.
void a_run_is_stuck_when_it_goes_on_losing() {
  LearningSize size = size_of(2);
  size.steps = 4000;
  LearningRun healthy = run_of(1);
  healthy.steps = 4000;
  healthy.plays = {1000, 3000};
  healthy.first_gap_regret = 400;
  healthy.gap_regret = {400, 430, 500, 629};
  LearningRun losing = healthy;
  losing.gap_regret = {400, 430, 500, 631};
  const LearningSummary summary = summarise({{0, healthy}, {1, losing}}, size);
  TEST_ASSERT_EQUAL_UINT64(1, summary.stuck);
  TEST_ASSERT_EQUAL(2, summary.ends.size());
  TEST_ASSERT_FALSE(summary.ends[0].stuck);
  TEST_ASSERT_TRUE(summary.ends[1].stuck);
  TEST_ASSERT_EQUAL_DOUBLE(631, summary.ends[1].gap_regret);
  TEST_ASSERT_TRUE((summary.ends[1].plays == std::vector<double>{0.25, 0.75}));
  TEST_ASSERT_TRUE((summary.ends[1].action_error == std::vector<double>{1, 3}));
}

void a_run_that_is_still_learning_is_not_called_stuck() {
  LearningRun young = run_of(1);
  young.first_gap_regret = 400;
  young.gap_regret = {400, 430, 500, 631};
  TEST_ASSERT_FALSE(is_stuck(young, {100, 200, 300, 400}));
  TEST_ASSERT_TRUE(is_stuck(young, {125, 250, 375, 500}));
}

void a_run_without_a_second_half_is_not_called_stuck() {
  TEST_ASSERT_FALSE(is_stuck(run_of(1, 0), {10, 20, 30, 40}));
  TEST_ASSERT_FALSE(is_stuck(run_of(1, 1), {10, 20, 30, 40}));
  LearningRun endless = run_of(1);
  endless.first_episode = 0;
  TEST_ASSERT_FALSE(is_stuck(endless, {10, 20, 30, 40}));
}

void of_an_interrupted_job_the_finished_runs_count() {
  const LearningSummary summary = summarise({{0, run_of(1)}, {2, run_of(9, 2)}, {3, run_of(3)}}, size_of(5));
  TEST_ASSERT_FALSE(summary.whole);
  TEST_ASSERT_EQUAL_UINT64(2, summary.runs);
  TEST_ASSERT_EQUAL_UINT64(40, summary.steps);
  TEST_ASSERT_EQUAL(2, summary.regret.runs.size());
  TEST_ASSERT_EQUAL_DOUBLE(5, summary.regret.average[3].mean);
  TEST_ASSERT_EQUAL_DOUBLE(2, summary.action_error[0].mean);
  TEST_ASSERT_TRUE((summary.remarks == std::vector<std::string>{"of all", "of 1", "of 3"}));
}

void where_none_finished_all_count_for_as_many_points_as_each_has() {
  const LearningSummary summary = summarise({{0, run_of(1, 3)}, {2, run_of(3, 2)}}, size_of(5));
  TEST_ASSERT_FALSE(summary.whole);
  TEST_ASSERT_EQUAL_UINT64(2, summary.runs);
  TEST_ASSERT_EQUAL_UINT64(20, summary.steps);
  TEST_ASSERT_TRUE((summary.regret.steps == std::vector<std::uint64_t>{10, 20}));
  TEST_ASSERT_EQUAL_DOUBLE(3, summary.regret.average[1].mean);
  TEST_ASSERT_EQUAL(2, summary.regret.runs[0].size());
}

void runs_that_came_to_no_point_have_no_curve() {
  const LearningSummary summary = summarise({{0, run_of(1, 0)}, {2, run_of(3, 2)}}, size_of(5));
  TEST_ASSERT_EQUAL_UINT64(0, summary.steps);
  TEST_ASSERT_TRUE(summary.regret.steps.empty() && summary.gap_regret.average.empty());
  TEST_ASSERT_FALSE(summary.slope.has_value());
}

void those_who_show_no_estimate_have_no_error() {
  LearningRun run = run_of(1);
  run.error.clear();
  run.action_error.clear();
  const LearningSummary summary = summarise({{0, run}, {1, run}}, size_of(2));
  TEST_ASSERT_TRUE(summary.whole);
  TEST_ASSERT_TRUE(summary.error.steps.empty() && summary.error.average.empty());
  TEST_ASSERT_TRUE(summary.action_error.empty());
  TEST_ASSERT_EQUAL(4, summary.regret.steps.size());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_power_law_has_its_exponent);
  RUN_TEST(an_offset_is_taken_off_first);
  RUN_TEST(only_the_last_nine_tenths_count);
  RUN_TEST(all_parts_of_the_logarithmic_axis_weigh_the_same);
  RUN_TEST(there_is_no_power_law_where_the_curve_is_not_above_zero_all_the_way);
  RUN_TEST(there_is_no_power_law_of_one_point_or_none);
  RUN_TEST(averages_are_over_the_runs_at_each_point);
  RUN_TEST(a_table_has_a_line_a_point_and_a_column_a_run_where_asked);
  RUN_TEST(what_is_not_finite_is_left_empty);
  RUN_TEST(every_digit_is_written);
  RUN_TEST(figures_are_averages_of_the_runs);
  RUN_TEST(slopes_are_those_of_the_gap_regret_with_and_without_the_first_episode);
  RUN_TEST(a_run_is_stuck_when_it_goes_on_losing);
  RUN_TEST(a_run_that_is_still_learning_is_not_called_stuck);
  RUN_TEST(a_run_without_a_second_half_is_not_called_stuck);
  RUN_TEST(of_an_interrupted_job_the_finished_runs_count);
  RUN_TEST(where_none_finished_all_count_for_as_many_points_as_each_has);
  RUN_TEST(runs_that_came_to_no_point_have_no_curve);
  RUN_TEST(those_who_show_no_estimate_have_no_error);
  return UNITY_END();
}

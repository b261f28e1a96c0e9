// The radius of the confidence regions, by action and by row, against numbers worked out by hand.
#include "confidence.hpp"

#include <unity.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace {

using namespace penumbra::host;

Model sizes(std::size_t actions, std::size_t observations) {
  Model model;
  model.states = Labels(3);
  model.actions = Labels(actions);
  model.observations = Labels(observations);
  return model;
}

// A = 4, O = 4, k = 1: delta_a,k = 0.05/4 = 0.0125, log(2·4·16·1/0.0125) = log(10240) = 9.234056898593499.
// After 2500 samples 0.1·sqrt(9.234056898593499/2500) = 0.0060775.
void the_first_radius_is_that_of_the_formula() {
  const std::vector<double> radius = confidence_radius(sizes(4, 4), {}, 1, {2500, 100, 1000000, 1});
  TEST_ASSERT_EQUAL(4, radius.size());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.006077518210, radius[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.030387591051, radius[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.000303875911, radius[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.303875910506, radius[3]);
}

// A = 2, O = 3, k = 3, delta = 0.1: delta_a,k = 0.1/(2·27) = 1/540, log(2·2·9·3·540) = log(58320) = 10.973700367.
// c = 2, 100 samples: 2·sqrt(0.10973700367) = 0.662531520.
void later_radii_have_the_episode_in_them() {
  LearnerOptions options;
  options.delta = 0.1;
  options.radius = 2;
  const std::vector<double> radius = confidence_radius(sizes(2, 3), options, 3, {100, 400});
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.662531520, radius[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.331265760, radius[1]);
}

void no_radius_is_above_2_and_that_of_no_samples_is_2() {
  LearnerOptions options;
  TEST_ASSERT_EQUAL_DOUBLE(2, confidence_radius(sizes(4, 4), options, 1, {0})[0]);
  options.radius = 1;
  TEST_ASSERT_EQUAL_DOUBLE(2, confidence_radius(sizes(4, 4), options, 1, {2})[0]);  // sqrt(9.234/2) = 2.149
  TEST_ASSERT_TRUE(confidence_radius(sizes(4, 4), options, 1, {3})[0] < 2);         // sqrt(9.234/3) = 1.754
  options.radius = 0;
  TEST_ASSERT_EQUAL_DOUBLE(0, confidence_radius(sizes(4, 4), options, 1, {1})[0]);
  TEST_ASSERT_EQUAL_DOUBLE(2, confidence_radius(sizes(4, 4), options, 1, {0})[0]);
}

// 10000 samples in all: 2 sqrt(10000) = 200. That many are enough.
void an_action_with_fewer_than_the_least_times_the_root_of_all_samples_is_starved() {
  using Starved = std::vector<bool>;
  TEST_ASSERT_TRUE(starved_actions({9402, 199, 200, 199}, 2) == (Starved{false, true, false, true}));
  TEST_ASSERT_TRUE(starved_actions({9402, 199, 200, 199}, 1.99) == (Starved{false, false, false, false}));
  TEST_ASSERT_TRUE(starved_actions({9402, 199, 200, 199}, 2.01) == (Starved{false, true, true, true}));
  TEST_ASSERT_TRUE(starved_actions({9999, 1}, 0.01) == (Starved{false, false}));  // exactly enough
  TEST_ASSERT_TRUE(starved_actions({10000, 0}, 1e-9) == (Starved{false, true}));
  TEST_ASSERT_TRUE(starved_actions({4}, 2) == (Starved{false}));  // alone it has them all: 4 of 4
  TEST_ASSERT_TRUE(starved_actions({3}, 2) == (Starved{true}));   // 3 of 3.46
}

void least_0_starves_none_and_no_samples_at_all_starve_none() {
  TEST_ASSERT_TRUE(starved_actions({0, 1, 1000000}, 0) == std::vector<bool>(3, false));
  TEST_ASSERT_TRUE(starved_actions({0, 0}, 2) == std::vector<bool>(2, false));
  TEST_ASSERT_TRUE(starved_actions({}, 2).empty());
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// sqrt(2/pi) = 0.797884560803: times 0.1 + 0.2 + 0.3 that is 0.478730736482.
void the_rows_of_a_starved_action_have_the_expected_size_of_their_error() {
  const std::vector<double> standard_error{0.1, 0.2, 0.3, 0,   0.5, 0, 0.01, 0.01, 0.01,  // starved
                                           1,   1,   1,   0.1, 0.2, 0, 0,    0,    0};    // not
  const std::vector<double> rows = radius_of_rows({0.05, 0.06}, {true, false}, standard_error);
  TEST_ASSERT_EQUAL(6, rows.size());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.478730736482, rows[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.398942280401, rows[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0.05, rows[2]);  // 0.0239 is less than the action's own
  for (std::size_t row = 3; row < 6; ++row) TEST_ASSERT_EQUAL_DOUBLE(0.06, rows[row]);
}

void no_row_is_wider_than_2_and_unknown_errors_count_as_2_each() {
  const std::vector<double> rows = radius_of_rows({0.1, 0.2}, {true, false}, {1.5, 1.5, unknown, 0, unknown, unknown, 0, unknown});
  TEST_ASSERT_EQUAL_DOUBLE(2, rows[0]);  // 2.39
  TEST_ASSERT_EQUAL_DOUBLE(2, rows[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, rows[2]);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, rows[3]);
  TEST_ASSERT_EQUAL_DOUBLE(2, radius_of_rows({2}, {true}, {0, 0, 0, 0})[0]);  // its own, of no samples
}

void one_state_has_a_row_an_action() {
  const std::vector<double> rows = radius_of_rows({0.3, 0.3, 0.3}, {true, true, false}, {1, 0, unknown});
  TEST_ASSERT_EQUAL(3, rows.size());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.797884560803, rows[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, rows[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, rows[2]);
}

// More states than one would count on the fingers: the number of rows comes from that of the errors.
void there_are_as_many_rows_as_the_errors_say() {
  for (std::size_t S = 1; S <= 12; ++S) {
    for (std::size_t A = 1; A <= 5; ++A) {
      const std::vector<double> rows =
          radius_of_rows(std::vector<double>(A, 0.1), std::vector<bool>(A, true), std::vector<double>(A * S * S, 0.5));
      TEST_ASSERT_EQUAL(A * S, rows.size());
      for (const double row : rows) TEST_ASSERT_DOUBLE_WITHIN(1e-12, std::min(2.0, 0.3989422804014327 * static_cast<double>(S)), row);
    }
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_first_radius_is_that_of_the_formula);
  RUN_TEST(later_radii_have_the_episode_in_them);
  RUN_TEST(no_radius_is_above_2_and_that_of_no_samples_is_2);
  RUN_TEST(an_action_with_fewer_than_the_least_times_the_root_of_all_samples_is_starved);
  RUN_TEST(least_0_starves_none_and_no_samples_at_all_starve_none);
  RUN_TEST(the_rows_of_a_starved_action_have_the_expected_size_of_their_error);
  RUN_TEST(no_row_is_wider_than_2_and_unknown_errors_count_as_2_each);
  RUN_TEST(one_state_has_a_row_an_action);
  RUN_TEST(there_are_as_many_rows_as_the_errors_say);
  return UNITY_END();
}

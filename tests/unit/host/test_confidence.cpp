// The radius of the confidence regions, against numbers worked out by hand.
#include "confidence.hpp"

#include <unity.h>

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

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_first_radius_is_that_of_the_formula);
  RUN_TEST(later_radii_have_the_episode_in_them);
  RUN_TEST(no_radius_is_above_2_and_that_of_no_samples_is_2);
  return UNITY_END();
}

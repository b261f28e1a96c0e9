// The planning oracle of the learners: how fine its lattice is.
#include "oracle.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cstdint>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using test::random_model;

// Without optimism a plan takes no time, and its lattice is that of plans with it.
std::uint16_t resolution_of(const Model& model, std::uint64_t asked = 0) {
  LearnerOptions options;
  options.resolution = asked;
  const Outcome<PolicyTable> table = Oracle(model, options, 1).plan(model.transition, {});
  TEST_ASSERT_TRUE(table.has_value());
  TEST_ASSERT_TRUE(table.value().kind == PolicyKind::lattice);
  return table.value().parameter;
}

void few_states_have_a_fine_lattice_and_whoever_asks_has_his_own() {
  const std::uint16_t expected[] = {1, 200, 40, 20, 14, 10};
  for (std::size_t S = 1; S <= 6; ++S) TEST_ASSERT_EQUAL(expected[S - 1], resolution_of(random_model(S, 2, S + 1, 1)));
  TEST_ASSERT_EQUAL(7, resolution_of(random_model(3, 2, 4, 1), 7));
  TEST_ASSERT_EQUAL(9, resolution_of(random_model(5, 2, 6, 1), 9));
  TEST_ASSERT_EQUAL(3, resolution_of(random_model(7, 2, 8, 1), 3));
}

std::uint64_t bytes_of(const Model& model, std::uint16_t resolution) {
  LatticeRequest request;
  request.resolution = resolution;
  request.optimism.assign(model.actions.size(), 0.1);
  return lattice_size(model, request).bytes;
}

// Five states and four actions: up to some number of observations 14 takes at most 256 MB.
void five_states_have_a_coarser_lattice_where_the_fine_one_would_take_more_than_256_MB() {
  std::size_t fits = 5;
  while (bytes_of(random_model(5, 4, fits + 1, 1), 14) <= std::uint64_t{256} << 20U) ++fits;
  TEST_ASSERT_TRUE(fits >= 8);  // which reproduce beyond has
  TEST_ASSERT_EQUAL(14, resolution_of(random_model(5, 4, fits, 1)));
  TEST_ASSERT_EQUAL(10, resolution_of(random_model(5, 4, fits + 1, 1)));
}

void the_gain_is_that_of_the_plan_made_last_and_nothing_before_the_first() {
  const Model model = random_model(3, 2, 4, 1);
  Oracle oracle(model, {}, 1);
  TEST_ASSERT_FALSE(oracle.gain().has_value());
  TEST_ASSERT_TRUE(oracle.plan(model.transition, {}).has_value());
  const double without = oracle.gain().value();
  TEST_ASSERT_TRUE(oracle.plan(model.transition, {0.1, 0.1}).has_value());
  const double by_action = oracle.gain().value();
  TEST_ASSERT_TRUE(oracle.plan(model.transition, {0.1, 0, 0, 0, 0, 0}).has_value());
  const double one_row = oracle.gain().value();
  TEST_ASSERT_TRUE(without < by_action);
  TEST_ASSERT_TRUE(without <= one_row + 1e-6 && one_row < by_action);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(few_states_have_a_fine_lattice_and_whoever_asks_has_his_own);
  RUN_TEST(five_states_have_a_coarser_lattice_where_the_fine_one_would_take_more_than_256_MB);
  RUN_TEST(the_gain_is_that_of_the_plan_made_last_and_nothing_before_the_first);
  return UNITY_END();
}

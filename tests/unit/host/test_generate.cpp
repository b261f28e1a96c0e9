// Random models are what their recipe says.
#include "penumbra/host/generate.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/model_file.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <algorithm>
#include <set>

namespace {

using namespace penumbra::host;
using penumbra::test::recipe_of;

void rows_are_distributions_and_no_transition_is_below_epsilon() {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model model = generate_model(recipe_of(5, 4, 8, seed)).value().model;
    TEST_ASSERT_TRUE(*std::min_element(model.transition.begin(), model.transition.end()) >= 1.0 / 100);
    // The door checks every row.
    TEST_ASSERT_TRUE(read_json_model(to_json(model), "m").model.has_value());
    for (const double r : model.reward) TEST_ASSERT_TRUE(r >= 0 && r <= 1);
  }
}

void an_epsilon_of_one_over_s_leaves_no_choice() {
  ModelRecipe recipe = recipe_of(4, 1, 4, 1);
  recipe.epsilon = 0.25;
  const Model model = generate_model(recipe).value().model;
  for (const double p : model.transition) TEST_ASSERT_EQUAL_DOUBLE(0.25, p);
}

void each_state_has_a_peak_of_its_own_under_each_action() {
  const Model model = generate_model(recipe_of(5, 4, 8, 3)).value().model;
  for (size_t a = 0; a < 4; ++a) {
    std::set<std::ptrdiff_t> peaks;
    for (size_t s = 0; s < 5; ++s) {
      const double* row = model.observation_row(a, s);
      const double* peak = std::max_element(row, row + 8);
      TEST_ASSERT_TRUE(*peak >= 0.5);
      peaks.insert(peak - row);
    }
    TEST_ASSERT_EQUAL(5, peaks.size());
  }
}

void the_floor_of_sigma_holds_and_what_it_cost_is_told() {
  ModelRecipe recipe = recipe_of(5, 4, 8, 5);
  recipe.least_sigma = 0.45;
  const GeneratedModel generated = generate_model(recipe).value();
  const std::vector<SensorInverse> sensors = invert_sensors(generated.model);
  for (size_t a = 0; a < 4; ++a) {
    TEST_ASSERT_TRUE(generated.sigma_min[a] >= 0.45);
    TEST_ASSERT_EQUAL_DOUBLE(sensors[a].sigma_min, generated.sigma_min[a]);
  }
  TEST_ASSERT_TRUE(generated.rejected > 0);
}

void a_floor_out_of_reach_is_a_problem_of_usage() {
  ModelRecipe recipe = recipe_of(3, 1, 3, 5);
  recipe.least_sigma = 0.999;
  const Outcome<GeneratedModel> generated = generate_model(recipe);
  TEST_ASSERT_FALSE(generated.has_value());
  TEST_ASSERT_TRUE(generated.error().fault == Fault::usage);
}

void the_seed_decides_everything() {
  const auto text = [](std::uint64_t seed) { return to_json(generate_model(recipe_of(3, 4, 4, seed)).value().model); };
  TEST_ASSERT_TRUE(text(11) == text(11));
  TEST_ASSERT_FALSE(text(11) == text(12));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(rows_are_distributions_and_no_transition_is_below_epsilon);
  RUN_TEST(an_epsilon_of_one_over_s_leaves_no_choice);
  RUN_TEST(each_state_has_a_peak_of_its_own_under_each_action);
  RUN_TEST(the_floor_of_sigma_holds_and_what_it_cost_is_told);
  RUN_TEST(a_floor_out_of_reach_is_a_problem_of_usage);
  RUN_TEST(the_seed_decides_everything);
  return UNITY_END();
}

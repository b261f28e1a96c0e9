// Two images side by side: the fractions are those of geometry.
#include "penumbra/host/policy_difference.hpp"

#include "penumbra/host/image_file.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cmath>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

// Action 1 where b(0) is above the threshold, else 0, up to the 16 bits of the table.
ImageFile threshold(const Model& model, double at) {
  PolicyTable table;
  table.kind = PolicyKind::vectors;
  table.parameter = 2;
  table.actions = {0, 1};
  const auto level = static_cast<std::int16_t>(std::lround(at * 20000));
  table.vectors = {level, level, 20000, 0};
  return ImageFile::build(model, table, {}, "m.json").value();
}

ImageFile lattice(const Model& model, std::uint16_t resolution) {
  PolicyTable table;
  table.kind = PolicyKind::lattice;
  table.parameter = resolution;
  for (std::uint32_t rank = 0; rank <= resolution; ++rank) table.actions.push_back(rank % 2);
  return ImageFile::build(model, table, {}, "m.json").value();
}

void an_image_never_differs_from_itself() {
  const Model model = random_model(2, 2, 3, 71);
  const ImageFile image = threshold(model, 0.4);
  TEST_ASSERT_EQUAL(0, compare_anywhere(image.image(), image.image(), 1000, 1).different());
  TEST_ASSERT_EQUAL(0, compare_where_visited(image.image(), image.image(), 1000, 1).different());
  TEST_ASSERT_EQUAL(0, compare_on_lattice(image.image(), image.image(), 50).different());
}

// Between the thresholds lies 0.2 of the simplex. 5 standard errors of 100,000 draws are 0.0063: by chance once in two million seeds.
void the_fraction_is_the_share_of_the_simplex_between_the_thresholds() {
  const Model model = random_model(2, 2, 3, 72);
  const Choices choices = compare_anywhere(threshold(model, 0.3).image(), threshold(model, 0.5).image(), 100000, 1);
  TEST_ASSERT_EQUAL(100000, choices.compared());
  TEST_ASSERT_DOUBLE_WITHIN(0.0064, 0.2, static_cast<double>(choices.different()) / 100000);
  TEST_ASSERT_EQUAL(choices.different(), choices.count[1 * 2 + 0]);  // the first takes 1, the second still 0
  TEST_ASSERT_EQUAL(0, choices.count[0 * 2 + 1]);
}

void every_point_of_a_lattice_is_compared_once() {
  const Model model = random_model(2, 2, 3, 73);
  const Choices choices = compare_on_lattice(threshold(model, 0.305).image(), threshold(model, 0.505).image(), 100);
  TEST_ASSERT_EQUAL(101, choices.compared());
  TEST_ASSERT_EQUAL(20, choices.different());  // 0.31 … 0.50
  const Model larger = random_model(4, 2, 3, 74);
  const ImageFile uniform = ImageFile::build(larger, PolicyTable{}, {}, "m.json").value();
  TEST_ASSERT_EQUAL(lattice_points(4, 9), compare_on_lattice(uniform.image(), uniform.image(), 9).compared());
}

// Rank r is the point with r in the last state, so the table can be told from outside.
void a_lattice_is_asked_at_its_own_points() {
  const Model model = random_model(2, 2, 3, 75);
  const Choices choices = compare_on_lattice(lattice(model, 7).image(), lattice(model, 7).image(), 7);
  TEST_ASSERT_EQUAL(4, choices.count[0]);
  TEST_ASSERT_EQUAL(4, choices.count[3]);
}

void what_is_never_visited_does_not_count() {
  Model model = random_model(2, 2, 2, 76);
  model.transition = {1, 0, 0, 1, 1, 0, 0, 1};  // nothing moves
  model.initial = {1, 0};
  const Choices choices = compare_where_visited(threshold(model, 0.3).image(), threshold(model, 0.5).image(), 999, 1);
  TEST_ASSERT_EQUAL(999, choices.compared());
  TEST_ASSERT_EQUAL(0, choices.different());
}

void models_are_compared_number_by_number() {
  const Model model = random_model(2, 2, 3, 77);
  Model other = model;
  other.transition = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  other.reward[1] += 0.25;
  double largest = 0;
  for (const double entry : model.transition) largest = std::max(largest, std::abs(entry - 0.5));
  const ModelDifference difference = model_difference(threshold(model, 0.3).image(), threshold(other, 0.3).image());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, largest, difference.transition);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.25, difference.reward.value());
  TEST_ASSERT_EQUAL_DOUBLE(0, difference.observation);
  TEST_ASSERT_EQUAL_DOUBLE(0, difference.prior);
  TEST_ASSERT_TRUE(difference.same_emission);
  other.reward_kind = RewardKind::by_action_and_state;
  other.reward = {1, 2, 3, 4};
  other.emission = Emission::arrival;
  const ModelDifference another = model_difference(threshold(model, 0.3).image(), threshold(other, 0.3).image());
  TEST_ASSERT_FALSE(another.reward.has_value());
  TEST_ASSERT_FALSE(another.same_emission);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(an_image_never_differs_from_itself);
  RUN_TEST(the_fraction_is_the_share_of_the_simplex_between_the_thresholds);
  RUN_TEST(every_point_of_a_lattice_is_compared_once);
  RUN_TEST(a_lattice_is_asked_at_its_own_points);
  RUN_TEST(what_is_never_visited_does_not_count);
  RUN_TEST(models_are_compared_number_by_number);
  return UNITY_END();
}

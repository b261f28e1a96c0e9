// The model inside an image is the one it was made of, in single precision.
#include "penumbra/host/image_model.hpp"

#include "penumbra/host/image_file.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

Model by_action_and_state(Model model) {
  model.reward_kind = RewardKind::by_action_and_state;
  model.reward.resize(model.actions.size() * model.states.size());
  for (size_t i = 0; i < model.reward.size(); ++i) model.reward[i] = static_cast<double>(i) / 10 - 1;
  model.emission = Emission::arrival;
  model.initial = {0.7, 0.1, 0.2};
  return model;
}

ImageFile image_of(const Model& model) { return ImageFile::build(model, PolicyTable{}, {}, "m.json").value(); }

void assert_close(const std::vector<double>& expected, const std::vector<double>& actual) {
  TEST_ASSERT_EQUAL(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) TEST_ASSERT_DOUBLE_WITHIN(2e-7, expected[i], actual[i]);
}

void the_model_comes_out_as_it_went_in() {
  for (const Model& model : {random_model(3, 2, 5, 61), by_action_and_state(random_model(3, 2, 5, 62))}) {
    const ImageFile file = image_of(model);
    const Model inside = model_of(file.image());
    TEST_ASSERT_TRUE(inside.emission == model.emission && inside.reward_kind == model.reward_kind);
    TEST_ASSERT_TRUE(inside.states.size() == 3 && inside.actions.size() == 2 && inside.observations.size() == 5);
    assert_close(model.transition, inside.transition);
    assert_close(model.observation, inside.observation);
    assert_close(model.reward, inside.reward);
    assert_close(model.initial, inside.initial);
  }
}

void its_rows_sum_to_1_in_double_precision() {
  const ImageFile file = image_of(random_model(3, 2, 7, 63));
  const Model inside = model_of(file.image());
  for (size_t a = 0; a < 2; ++a) {
    for (size_t s = 0; s < 3; ++s) {
      double sum = 0;
      for (size_t o = 0; o < 7; ++o) sum += inside.observation_row(a, s)[o];
      TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, sum);
    }
  }
}

void an_image_holds_the_model_that_it_was_made_of() {
  for (const Model& model : {random_model(3, 2, 5, 64), by_action_and_state(random_model(3, 2, 5, 65))}) {
    const ImageFile file = image_of(model);
    TEST_ASSERT_FALSE(first_mismatch(file.image(), model).has_value());
  }
}

void assert_mismatch(const PolicyImage& image, const Model& model, std::uint32_t offset, const std::string& words) {
  const std::optional<ImageMismatch> mismatch = first_mismatch(image, model);
  TEST_ASSERT_TRUE_MESSAGE(mismatch.has_value(), words.c_str());
  TEST_ASSERT_EQUAL(offset, mismatch->offset);
  TEST_ASSERT_TRUE_MESSAGE(mismatch->what.find(words) != std::string::npos, mismatch->what.c_str());
}

void a_number_that_differs_is_told_with_its_byte() {
  const Model model = random_model(3, 2, 5, 66);
  const ImageFile file = image_of(model);
  const ImageLayout at = layout_of(file.image().header());
  Model other = model;
  other.transition[(1 * 3 + 2) * 3 + 0] += 1e-3;
  assert_mismatch(file.image(), other, at.transition + ((1 * 3 + 0) * 3 + 2) * 4, "transition[1][2][0] is ");
  other = model;
  other.observation[(1 * 3 + 2) * 5 + 4] += 1e-3;
  assert_mismatch(file.image(), other, at.observation + ((1 * 5 + 4) * 3 + 2) * 4, "observation[1][2][4] is ");
  other = model;
  other.reward[3] += 1e-3;
  assert_mismatch(file.image(), other, at.reward + 3 * 4, "reward[3] is ");
  other = model;
  other.initial[1] += 1e-3;
  assert_mismatch(file.image(), other, at.prior + 4, "initial[1] is ");
  other = model;
  other.emission = Emission::arrival;
  assert_mismatch(file.image(), other, 15, "timing");
  assert_mismatch(file.image(), random_model(3, 3, 5, 66), 12, "3, 3 and 5");
  other = by_action_and_state(model);
  other.emission = Emission::departure;
  assert_mismatch(file.image(), other, 17, "another kind");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_model_comes_out_as_it_went_in);
  RUN_TEST(its_rows_sum_to_1_in_double_precision);
  RUN_TEST(an_image_holds_the_model_that_it_was_made_of);
  RUN_TEST(a_number_that_differs_is_told_with_its_byte);
  return UNITY_END();
}

// The three policies, and the one call behind which the image puts them.
#include "penumbra/policy.hpp"

#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

using Dims = StaticDims<3, 5, 2>;

struct Flashed {
  test::RandomModel<Dims> model{3};
  test::ImageBuffer<1400> flash;

  PolicyImage with(PolicyKind kind, uint16_t parameter, const uint8_t* actions, const int16_t* vectors) {
    ImageSource<float> source = model.source();
    source.policy = kind;
    source.parameter = parameter;
    source.actions = actions;
    source.vectors = vectors;
    source.seed = 99;
    const auto built = build_image(source, flash.room());
    TEST_ASSERT_TRUE_MESSAGE(built.has_value(), built.has_value() ? "" : describe(built.error().status));
    return PolicyImage::open(flash.view()).value();
  }
};
Flashed flashed;

void vectors_are_compared_by_their_product_with_the_belief() {
  const uint8_t actions[3] = {4, 2, 0};
  const int16_t vectors[9] = {100, 0, -100, 0, 100, 0, -32768, -32768, 32767};
  Policy<Dims> policy(Dims{}, 1);
  policy.use(flashed.with(PolicyKind::vectors, 3, actions, vectors));
  TEST_ASSERT_EQUAL(Action{4}, policy.choose({1.0F, 0.0F, 0.0F}));
  TEST_ASSERT_EQUAL(Action{2}, policy.choose({0.0F, 1.0F, 0.0F}));
  TEST_ASSERT_EQUAL(Action{0}, policy.choose({0.0F, 0.0F, 1.0F}));
  TEST_ASSERT_EQUAL(Action{2}, policy.choose({0.45F, 0.55F, 0.0F}));
}

void a_tie_between_vectors_goes_to_the_first() {
  const uint8_t actions[4] = {1, 3, 2, 4};
  const int16_t vectors[12] = {7, 7, 7, 9, 9, 9, 9, 9, 9, 1, 2, 3};
  Policy<Dims> policy(Dims{}, 1);
  policy.use(flashed.with(PolicyKind::vectors, 4, actions, vectors));
  TEST_ASSERT_EQUAL(Action{3}, policy.choose({0.25F, 0.25F, 0.5F}));
}

void the_extremes_of_int16_do_not_overflow() {
  const uint8_t actions[2] = {1, 2};
  const int16_t vectors[6] = {-32768, -32768, -32768, 32767, 32767, 32767};
  Policy<Dims> policy(Dims{}, 1);
  policy.use(flashed.with(PolicyKind::vectors, 2, actions, vectors));
  TEST_ASSERT_EQUAL(Action{2}, policy.choose({0.3333334F, 0.3333334F, 0.3333334F}));
}

// The most that a format of a byte for S allows, with the belief spread so that each entry rounds up.
void the_extremes_of_int16_do_not_overflow_with_255_states() {
  using Most = StaticDims<255, 2, 1>;
  static int16_t vectors[2 * q15_stride(255) + vector_padding];
  static Belief<Most> belief;
  for (size_t s = 0; s < 255; ++s) vectors[s] = -32768;
  for (size_t s = 0; s < 255; ++s) vectors[q15_stride(255) + s] = 32767;
  for (float& entry : belief) entry = 128.5F / 32767.0F;
  belief[0] = 1.0F - 254.0F * 128.5F / 32767.0F;
  const uint8_t actions[2] = {0, 1};
  const VectorPolicy<Most> policy{actions, vectors, 2};
  TEST_ASSERT_EQUAL(Action{1}, policy.choose(Most{}, belief));
}

// Products in 64 bits of the rounded belief, straight from the definition.
void vectors_choose_as_the_definition_does() {
  Random random(8);
  uint8_t actions[40];
  int16_t vectors[40 * 3];
  for (uint8_t& a : actions) a = static_cast<uint8_t>(random.below(5));
  for (int16_t& v : vectors) v = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
  Policy<Dims> policy(Dims{}, 1);
  policy.use(flashed.with(PolicyKind::vectors, 40, actions, vectors));
  for (int trial = 0; trial < 500; ++trial) {
    Belief<Dims> belief;
    test::random_row(random, belief.data(), 3, 1U + random.below(30));
    int64_t best = INT64_MIN;
    size_t winner = 0;
    for (size_t k = 0; k < 40; ++k) {
      int64_t product = 0;
      for (size_t s = 0; s < 3; ++s) product += int64_t{vectors[3 * k + s]} * static_cast<int64_t>(belief[s] * 32767.0F + 0.5F);
      if (product > best) {
        best = product;
        winner = k;
      }
    }
    TEST_ASSERT_EQUAL(Action{actions[winner]}, policy.choose(belief));
  }
}

void a_lattice_answers_with_the_action_of_the_nearest_point() {
  constexpr uint16_t n = 12;
  constexpr uint32_t points = lattice_points(3, n);
  Random random(5);
  uint8_t actions[points];
  for (uint8_t& a : actions) a = static_cast<uint8_t>(random.below(5));
  Policy<Dims> policy(Dims{}, 1);
  policy.use(flashed.with(PolicyKind::lattice, n, actions, nullptr));
  // Ranks of three states: m_1 = x_3, m_2 = x_3 + x_2.
  for (uint32_t x0 = 0; x0 <= n; ++x0) {
    for (uint32_t x1 = 0; x0 + x1 <= n; ++x1) {
      const uint32_t x2 = n - x0 - x1;
      const uint32_t m2 = x2 + x1;
      const uint32_t rank = x2 + m2 * (m2 + 1) / 2;
      const Belief<Dims> belief{static_cast<float>(x0) / n, static_cast<float>(x1) / n, static_cast<float>(x2) / n};
      TEST_ASSERT_EQUAL(Action{actions[rank]}, policy.choose(belief));
    }
  }
}

// 40,000 draws of 5 actions: Pearson's statistic has 4 degrees of freedom and exceeds 23.5 once in 10,000 seeds.
void the_uniform_policy_is_uniform() {
  Policy<Dims> policy(Dims{}, 12345);
  uint32_t seen[5] = {};
  for (int t = 0; t < 40000; ++t) ++seen[index(policy.choose({1.0F, 0.0F, 0.0F}))];
  float statistic = 0;
  for (const uint32_t count : seen) {
    const float off = static_cast<float>(count) - 8000.0F;
    statistic += off * off / 8000.0F;
  }
  TEST_ASSERT_TRUE(statistic < 23.5F);
}

// 25 pairs of consecutive actions, 24 degrees of freedom: exceeds 60.0 less than once in 10,000 seeds.
void consecutive_uniform_actions_are_independent() {
  Policy<Dims> policy(Dims{}, 1);
  uint32_t seen[5][5] = {};
  size_t before = index(policy.choose({1.0F, 0.0F, 0.0F}));
  for (int t = 0; t < 50000; ++t) {
    const size_t now = index(policy.choose({1.0F, 0.0F, 0.0F}));
    ++seen[before][now];
    before = now;
  }
  float statistic = 0;
  for (const auto& row : seen) {
    for (const uint32_t count : row) {
      const float off = static_cast<float>(count) - 2000.0F;
      statistic += off * off / 2000.0F;
    }
  }
  TEST_ASSERT_TRUE(statistic < 60.0F);
}

void seeds_give_the_same_actions_again_and_different_ones_differ() {
  Policy<Dims> one(Dims{}, 1);
  Policy<Dims> again(Dims{}, 1);
  Policy<Dims> two(Dims{}, 2);
  Policy<Dims> by_image(Dims{}, 1);
  by_image.use(flashed.with(PolicyKind::uniform, 0, nullptr, nullptr));
  int same_as_two = 0;
  int same_as_image = 0;
  for (int t = 0; t < 200; ++t) {
    const Action action = one.choose({1.0F, 0.0F, 0.0F});
    TEST_ASSERT_EQUAL(action, again.choose({0.0F, 1.0F, 0.0F}));
    same_as_two += action == two.choose({1.0F, 0.0F, 0.0F}) ? 1 : 0;
    same_as_image += action == by_image.choose({1.0F, 0.0F, 0.0F}) ? 1 : 0;
  }
  TEST_ASSERT_LESS_THAN_INT(80, same_as_two);  // 40 expected
  TEST_ASSERT_LESS_THAN_INT(80, same_as_image);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(vectors_are_compared_by_their_product_with_the_belief);
  RUN_TEST(a_tie_between_vectors_goes_to_the_first);
  RUN_TEST(the_extremes_of_int16_do_not_overflow);
  RUN_TEST(the_extremes_of_int16_do_not_overflow_with_255_states);
  RUN_TEST(vectors_choose_as_the_definition_does);
  RUN_TEST(a_lattice_answers_with_the_action_of_the_nearest_point);
  RUN_TEST(the_uniform_policy_is_uniform);
  RUN_TEST(consecutive_uniform_actions_are_independent);
  RUN_TEST(seeds_give_the_same_actions_again_and_different_ones_differ);
  return UNITY_END();
}

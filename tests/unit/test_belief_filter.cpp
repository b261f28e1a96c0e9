// The belief filter against Bayes' rule in double precision, and its promises: a distribution at all times, no drift, a stated way
// out of the impossible.
#include "penumbra/belief_filter.hpp"

#include "random_view.hpp"

#include <math.h>
#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;
using test::RandomView;

// The paper's Eq. 1 and its counterpart for arrival, literally, in double precision.
struct Reference {
  double belief[RandomView::max_S];

  explicit Reference(const ModelView<RuntimeDims>& model) { restart(model); }

  void restart(const ModelView<RuntimeDims>& model) {
    for (size_t s = 0; s < model.dims.states(); ++s) belief[s] = static_cast<double>(model.prior[s]);
  }

  // False when the observation was impossible.
  bool update(const ModelView<RuntimeDims>& model, Action a, Observation o) {
    const size_t S = model.dims.states();
    const float* T = model.transition_of(a);
    const float* likelihood = model.likelihood_of(a, o);
    double next[RandomView::max_S] = {};
    for (size_t to = 0; to < S; ++to) {
      for (size_t from = 0; from < S; ++from) {
        const size_t emitter = model.emission == Emission::departure ? from : to;
        next[to] += belief[from] * static_cast<double>(T[to * S + from]) * static_cast<double>(likelihood[emitter]);
      }
    }
    double sum = 0;
    for (size_t s = 0; s < S; ++s) sum += next[s];
    if (sum == 0.0) {
      restart(model);
      return false;
    }
    for (size_t s = 0; s < S; ++s) belief[s] = next[s] / sum;
    return true;
  }
};

void follow_the_reference(Emission emission, uint32_t zero_one_in, uint32_t seed) {
  Random random(seed);
  uint32_t impossible = 0;
  double worst = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const RandomView model(random, zero_one_in, emission);
    BeliefFilter<RuntimeDims> filter(model.view());
    Reference reference(model.view());
    for (int t = 0; t < 40; ++t) {
      const Action a = model.any_action(random);
      const Observation o = model.any_observation(random);
      const bool possible = reference.update(model.view(), a, o);
      TEST_ASSERT_EQUAL(possible ? Status::ok : Status::impossible_observation, filter.update(a, o));
      impossible += possible ? 0U : 1U;
      for (size_t s = 0; s < model.dims().states(); ++s) {
        const double error = fabs(static_cast<double>(filter.belief()[s]) - reference.belief[s]);
        worst = error > worst ? error : worst;
      }
    }
  }
  TEST_ASSERT_TRUE_MESSAGE(worst < 2e-6, "the belief is not the reference's");
  if (zero_one_in != 0) TEST_ASSERT_GREATER_THAN_UINT32_MESSAGE(100, impossible, "the models were not sparse enough to tell");
}

void departure_follows_bayes_on_150_random_models() { follow_the_reference(Emission::departure, 0, 1); }
void arrival_follows_bayes_on_150_random_models() { follow_the_reference(Emission::arrival, 0, 2); }
void departure_follows_bayes_where_much_is_impossible() { follow_the_reference(Emission::departure, 2, 3); }
void arrival_follows_bayes_where_much_is_impossible() { follow_the_reference(Emission::arrival, 2, 4); }

// Two rooms; the door never creaks when shut.
using Door = StaticDims<2, 1, 2>;
constexpr Action listen{0};
constexpr Observation silence{0};
constexpr Observation creak{1};
constexpr float stays[4 + transition_padding] = {1, 0, 0, 1};
constexpr float never_creaks[4] = {1, 1, 0, 0};
constexpr float tells_which[4] = {0.75F, 0.25F, 0.25F, 0.75F};

ModelView<Door> door(const float* observation, const float* prior) { return {Door{}, Emission::departure, stays, observation, prior}; }

void assert_belief(float first, float second, const Belief<Door>& belief) {
  TEST_ASSERT_EQUAL_FLOAT(first, belief[0]);
  TEST_ASSERT_EQUAL_FLOAT(second, belief[1]);
}

void an_impossible_observation_restarts_the_belief_and_says_so() {
  constexpr float prior[2] = {0.875F, 0.125F};
  BeliefFilter<Door> filter(door(never_creaks, prior));
  TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, silence));
  TEST_ASSERT_EQUAL(Status::impossible_observation, filter.update(listen, creak));
  assert_belief(0.875F, 0.125F, filter.belief());
}

void an_observation_out_of_range_leaves_the_belief_and_says_so() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    constexpr float prior[2] = {0.875F, 0.125F};
    BeliefFilter<Door> filter({Door{}, emission, stays, tells_which, prior});
    TEST_ASSERT_EQUAL(Status::observation_out_of_range, filter.update(listen, Observation{2}));
    TEST_ASSERT_EQUAL(Status::observation_out_of_range, filter.update(listen, Observation{255}));
    assert_belief(0.875F, 0.125F, filter.belief());
  }
}

void evidence_adds_up() {
  BeliefFilter<Door> filter(door(tells_which, nullptr));
  assert_belief(0.5F, 0.5F, filter.belief());
  TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, silence));
  assert_belief(0.75F, 0.25F, filter.belief());
  TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, silence));
  assert_belief(0.9F, 0.1F, filter.belief());
}

void a_thousand_times_the_same_evidence_stays_a_distribution() {
  BeliefFilter<Door> filter(door(tells_which, nullptr));
  for (int t = 0; t < 1000; ++t) {
    TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, silence));
    TEST_ASSERT_FLOAT_WITHIN(1e-5F, 1.0F, filter.belief()[0] + filter.belief()[1]);
  }
  // The other state is below the smallest float by now: its creak comes as near to impossible as evidence can make it.
  TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, creak));
  TEST_ASSERT_TRUE(filter.belief()[0] >= 0.0F && filter.belief()[1] >= 0.0F);
}

void an_observation_too_rare_for_a_float_counts_as_impossible() {
  constexpr float rare[4] = {1, 1, 1e-31F, 1e-31F};
  BeliefFilter<Door> filter(door(rare, nullptr));
  TEST_ASSERT_EQUAL(Status::impossible_observation, filter.update(listen, creak));
  assert_belief(0.5F, 0.5F, filter.belief());
}

void a_lost_observation_moves_the_belief_by_the_transition_alone() {
  constexpr float drifts[4 + transition_padding] = {0.75F, 0.5F, 0.25F, 0.5F};
  constexpr float prior[2] = {1, 0};
  BeliefFilter<Door> filter({Door{}, Emission::departure, drifts, tells_which, prior});
  filter.predict(listen);
  assert_belief(0.75F, 0.25F, filter.belief());
  filter.predict(listen);
  assert_belief(0.6875F, 0.3125F, filter.belief());
}

void a_new_model_keeps_the_belief() {
  BeliefFilter<Door> filter(door(tells_which, nullptr));
  TEST_ASSERT_EQUAL(Status::ok, filter.update(listen, silence));
  filter.use(door(never_creaks, nullptr));
  assert_belief(0.75F, 0.25F, filter.belief());
}

// A run that outlasts what a float could count.
void keep_the_sum(Emission emission) {
  using Dims = StaticDims<5, 2, 4>;
  static test::RandomModel<Dims> model(5);
  static test::ImageBuffer<1600> flash;
  ImageSource<float> source = model.source();
  source.emission = emission;
  TEST_ASSERT_TRUE(build_image(source, flash.room()).has_value());
  const PolicyImage image = PolicyImage::open(flash.view()).value();
  BeliefFilter<Dims> filter(image.model(Dims{}));
  Random random(6);
  float worst = 0;
  for (uint32_t t = 0; t < PENUMBRA_LONG_RUN; ++t) {
    const uint32_t bits = random.bits();
    TEST_ASSERT_EQUAL(Status::ok, filter.update(Action{static_cast<uint8_t>(bits & 1U)}, Observation{static_cast<uint8_t>(bits >> 30U)}));
    float sum = 0;
    for (size_t s = 0; s < 5; ++s) sum += filter.belief()[s];
    worst = fabsf(sum - 1.0F) > worst ? fabsf(sum - 1.0F) : worst;
  }
  TEST_ASSERT_TRUE(worst < 1e-5F);
}

void departure_does_not_let_the_sum_drift() { keep_the_sum(Emission::departure); }
void arrival_does_not_let_the_sum_drift() { keep_the_sum(Emission::arrival); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(departure_follows_bayes_on_150_random_models);
  RUN_TEST(arrival_follows_bayes_on_150_random_models);
  RUN_TEST(departure_follows_bayes_where_much_is_impossible);
  RUN_TEST(arrival_follows_bayes_where_much_is_impossible);
  RUN_TEST(an_impossible_observation_restarts_the_belief_and_says_so);
  RUN_TEST(an_observation_out_of_range_leaves_the_belief_and_says_so);
  RUN_TEST(evidence_adds_up);
  RUN_TEST(a_thousand_times_the_same_evidence_stays_a_distribution);
  RUN_TEST(an_observation_too_rare_for_a_float_counts_as_impossible);
  RUN_TEST(a_lost_observation_moves_the_belief_by_the_transition_alone);
  RUN_TEST(a_new_model_keeps_the_belief);
  RUN_TEST(departure_does_not_let_the_sum_drift);
  RUN_TEST(arrival_does_not_let_the_sum_drift);
  return UNITY_END();
}

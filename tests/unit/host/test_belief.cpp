// The belief in double precision against Bayes' rule written out, and against the code of the firmware.
#include "penumbra/host/belief.hpp"

#include "penumbra/belief_filter.hpp"
#include "penumbra/host/random.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;

Model random_model(size_t S, size_t A, size_t O, Emission emission, std::uint64_t seed) {
  Model model = test::random_model(S, A, O, seed);
  model.emission = emission;
  return model;
}

// Equation 1, or its arrival form, term by term.
std::vector<double> literal_update(const Model& model, const std::vector<double>& b, size_t a, size_t o) {
  const size_t S = model.states.size();
  std::vector<double> next(S, 0.0);
  double sum = 0;
  for (size_t to = 0; to < S; ++to) {
    for (size_t s = 0; s < S; ++s) {
      const double seen = model.emission == Emission::departure ? model.observation_row(a, s)[o] : model.observation_row(a, to)[o];
      next[to] += b[s] * seen * model.transition_row(a, s)[to];
    }
    sum += next[to];
  }
  for (double& p : next) p /= sum;
  return next;
}

void both_timings_follow_bayes_rule() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    const Model model = random_model(5, 3, 4, emission, 7);
    BeliefTracker tracker(model);
    std::vector<double> expected = model.initial;
    Random random(1, Stream::world);
    for (int step = 0; step < 1000; ++step) {
      const size_t a = random.below(3);
      const size_t o = random.below(4);
      TEST_ASSERT_TRUE(tracker.update(a, o) == Status::ok);
      expected = literal_update(model, expected, a, o);
      for (size_t s = 0; s < 5; ++s) TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected[s], tracker.belief()[s]);
    }
  }
}

void the_firmware_agrees_in_single_precision() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    const Model model = random_model(6, 2, 3, emission, 8);
    const DeviceModel device(model);
    BeliefFilter<RuntimeDims> filter(device.view());
    BeliefTracker tracker(model);
    Random random(2, Stream::world);
    for (int step = 0; step < 1000; ++step) {
      const size_t a = random.below(2);
      const size_t o = random.below(3);
      TEST_ASSERT_TRUE(tracker.update(a, o) == Status::ok);
      TEST_ASSERT_TRUE(filter.update(Action{static_cast<uint8_t>(a)}, Observation{static_cast<uint8_t>(o)}) == Status::ok);
      for (size_t s = 0; s < 6; ++s) TEST_ASSERT_DOUBLE_WITHIN(1e-5, tracker.belief()[s], static_cast<double>(filter.belief()[s]));
    }
  }
}

void an_impossible_observation_restarts_from_the_prior_and_says_so() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    Model model = random_model(2, 1, 2, emission, 9);
    model.observation = {1, 0, 1, 0};
    model.initial = {0.25, 0.75};
    BeliefTracker tracker(model);
    TEST_ASSERT_TRUE(tracker.update(0, 0) == Status::ok);
    TEST_ASSERT_TRUE(tracker.update(0, 1) == Status::impossible_observation);
    TEST_ASSERT_TRUE(tracker.belief() == model.initial);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(both_timings_follow_bayes_rule);
  RUN_TEST(the_firmware_agrees_in_single_precision);
  RUN_TEST(an_impossible_observation_restarts_from_the_prior_and_says_so);
  return UNITY_END();
}

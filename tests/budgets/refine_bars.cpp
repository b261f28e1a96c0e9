// What the refined estimates gain over AOAS on the same data, and what they cost, in time and memory: at full length, on models and luck that the
// recipes were not chosen on. Seeds are fixed, so that nothing here fails by chance: it fails where something changes.
#include "penumbra/host/aoas.hpp"
#include "penumbra/host/refinement.hpp"
#include "penumbra/host/simulate.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdio>

namespace {

using namespace penumbra::host;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The paper's estimation experiment: myopic under a belief that has nothing to do with the world.
RunLog myopic_log(const Model& model, std::uint64_t steps, std::uint64_t seed) {
  RunLog log(model);
  log.begin_run();
  World world(model, seed);
  MyopicActor actor(model, 0.15, seed);
  actor.change_transition_every(10000);
  simulate(world, actor, steps, [&](etl::span<const SimulatedStep> made) {
    for (const SimulatedStep& step : made) log.add(step.action, step.observation);
    return true;
  });
  return log;
}

double mean_error(const Model& model, const std::vector<double>& transition) {
  double sum = 0;
  for (const double error : frobenius_errors(transition, model.transition, model.states.size())) sum += error;
  return sum / static_cast<double>(model.actions.size());
}

struct Sizes {
  size_t S, A, O;
  std::uint64_t steps;
};

// How well the sensors of random models tell the states apart.
struct Sensors {
  const char* name;
  double peak;
  bool distinct;
};
// The worse they tell states apart, the more AOAS loses. The paper's own two instances have a mean sigma_min of .32 (S5) and .10 (S10).
constexpr Sensors blurred{"peaks of .4, distinct", 0.4, true};
constexpr Sensors ambiguous{"peaks of .5, some shared", 0.5, false};
constexpr Sensors ambiguous_and_blurred{"peaks of .3, some shared", 0.3, false};
constexpr Sensors flat{"peaks of .2, distinct", 0.2, true};
constexpr Sensors sharp{"peaks of .5, distinct", 0.5, true};  // what the generator draws where it is not told otherwise

struct Compared {
  double counts = 0;      // AOAS's mean error over this one's
  double trajectory = 0;  // likewise; 0 where it was not tried
  double slowest_counts = 0;
};

Compared compare(const Sizes& sizes, const Sensors& sensors, bool with_trajectory) {
  constexpr std::uint64_t runs = 10;
  double sigma = 0;
  double aoas = 0;
  double counts = 0;
  double trajectory = 0;
  double refining = 0;
  double following = 0;
  double estimating = 0;
  Compared compared;
  for (std::uint64_t run = 0; run < runs; ++run) {
    ModelRecipe recipe = penumbra::test::recipe_of(sizes.S, sizes.A, sizes.O, 40 + run);
    recipe.peak = sensors.peak;
    recipe.distinct_peaks = sensors.distinct;
    const GeneratedModel generated = generate_model(recipe).value();
    const Model& model = generated.model;
    for (const double least : generated.sigma_min) sigma += least / static_cast<double>(runs * sizes.A);
    const RunLog log = myopic_log(model, sizes.steps, run);
    const Counts pairs = log.counts();
    double start = now();
    const std::vector<double> first = estimate_transition(model, pairs, "model").value().transition;
    estimating += now() - start;
    RefinementRequest request;  // with standard errors, on all cores: as the command does it
    start = now();
    const Refinement by_counts = refine_by_counts(model, pairs, first, request);
    const double took = now() - start;
    refining += took;
    compared.slowest_counts = std::max(compared.slowest_counts, took);
    aoas += mean_error(model, first);
    counts += mean_error(model, by_counts.transition);
    if (!with_trajectory) continue;
    request.standard_errors = false;
    start = now();
    trajectory += mean_error(model, refine_by_trajectory(model, log, first, request).transition);
    following += now() - start;
  }
  compared.counts = aoas / counts;
  compared.trajectory = with_trajectory ? aoas / trajectory : 0.0;
  std::printf(
      "S%zu A%zu O%zu, %s (sigma_min %.2f), %d steps: AOAS's error %.4f (%.2f ms), over that of counts %.2f (%.0f ms, at most %.0f)",
      sizes.S, sizes.A, sizes.O, sensors.name, sigma, static_cast<int>(sizes.steps), aoas / runs, 1e3 * estimating / runs, compared.counts,
      1e3 * refining / runs, 1e3 * compared.slowest_counts);
  if (with_trajectory) std::printf(", over that of trajectory %.2f (%.0f ms)", compared.trajectory, 1e3 * following / runs);
  std::printf("\n");
  return compared;
}

constexpr Sizes small{5, 4, 8, 100000};
constexpr Sizes large{10, 4, 16, 1000000};

void both_have_less_error_than_aoas() {
  const Compared compared = compare(small, blurred, true);
  TEST_ASSERT_TRUE(compared.counts >= 1.15);
  TEST_ASSERT_TRUE(compared.trajectory >= 1.35);
}

void counts_gain_more_with_more_states_and_take_half_a_second_at_most() {
  const Compared compared = compare(large, ambiguous, false);
  TEST_ASSERT_TRUE(compared.counts >= 1.6);
  TEST_ASSERT_TRUE(compared.slowest_counts <= 0.5);
}

// Shown, and held to less.
void the_gain_hangs_on_the_sensors() {
  static_cast<void>(compare(small, ambiguous, true));
  TEST_ASSERT_TRUE(compare(large, ambiguous_and_blurred, false).counts >= 1.3);
  TEST_ASSERT_TRUE(compare(large, flat, false).counts >= 1.3);
  static_cast<void>(compare(large, blurred, false));
}

// Sensors that tell states apart well leave AOAS little to lose.
void there_is_less_to_gain_where_sensors_are_sharp() {
  const Compared at_5 = compare(small, sharp, true);
  TEST_ASSERT_TRUE(at_5.counts >= 1.05);
  TEST_ASSERT_TRUE(at_5.trajectory >= 1.2);
  TEST_ASSERT_TRUE(compare(large, sharp, false).counts >= 1.0);
}

// First, while nothing else has taken memory.
void ten_million_steps_of_ten_states_fit_into_a_gigabyte() {
  const Model model = penumbra::test::random_model(10, 4, 16, 40);
  const double start = now();
  const RunLog log = myopic_log(model, 10000000, 1);
  const double middle = now();
  const std::vector<double> first = estimate_transition(model, log.counts(), "model").value().transition;
  const Refinement refined = refine_by_trajectory(model, log, first);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "S10 A4 O16, 10 million steps: %ld MB at the most; simulated in %.1f s, refined in %.1f s and %d passes, standard errors included\n",
      usage.ru_maxrss / 1024, middle - start, now() - middle, static_cast<int>(refined.passes[0]));
  TEST_ASSERT_TRUE(mean_error(model, refined.transition) < mean_error(model, first));
  TEST_ASSERT_TRUE(usage.ru_maxrss < 1024 * 1024);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(ten_million_steps_of_ten_states_fit_into_a_gigabyte);
  RUN_TEST(both_have_less_error_than_aoas);
  RUN_TEST(counts_gain_more_with_more_states_and_take_half_a_second_at_most);
  RUN_TEST(the_gain_hangs_on_the_sensors);
  RUN_TEST(there_is_less_to_gain_where_sensors_are_sharp);
  return UNITY_END();
}

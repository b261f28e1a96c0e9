// What learning is held to, at full length: who loses less than whom, how the regret grows, what the reuse of samples is worth, and how long a run
// takes. Seeds are fixed, so that nothing here fails by chance: it fails where something changes.
#include "penumbra/host/learning_summary.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <cstdio>
#include <string>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

constexpr LearningSize size{400000, 10, 1, 0, 400};

struct World3 {
  explicit World3(std::size_t actions, std::size_t observations, std::uint64_t seed)
      : model(random_model(3, actions, observations, seed)), reference(Reference::of(model, "model", 0).value()) {}
  Model model;
  Reference reference;

  [[nodiscard]] LearningSummary run(const char* learner, const LearnerOptions& options = {}) const {
    return summarise(learn(model, reference, *find_learner(learner), options, size).value(), size);
  }
};

void aoas_ucrl_loses_least_and_its_regret_grows_no_faster_than_a_root() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const World3 world(4, 4, seed);
    const LearningSummary ours = world.run("aoas-ucrl");
    const Average least = ours.gap_regret.average.back();
    std::printf("S3 A4 O4, seed %d: aoas-ucrl %.0f ± %.0f, grows by %.2f from T/4 to T;", static_cast<int>(seed), least.mean, least.ci95,
                growth(ours.gap_regret).value());
    TEST_ASSERT_TRUE(growth(ours.gap_regret).value() <= 2.2);
    for (const char* rival : {"oas-ucrl", "psrl-pomdp", "seeu", "sm-ucrl", "uniform"}) {
      const Average other = world.run(rival).gap_regret.average.back();
      std::printf(" %s %.0f ± %.0f", rival, other.mean, other.ci95);
      TEST_ASSERT_TRUE_MESSAGE(least.mean + least.ci95 < other.mean - other.ci95, rival);
    }
    std::printf("\n");
  }
}

void reusing_samples_halves_the_regret_in_two_of_three_worlds() {
  int halved = 0;
  LearnerOptions without;
  without.reuse = false;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const World3 world(5, 3, seed);
    const double ratio =
        world.run("aoas-ucrl").gap_regret.average.back().mean / world.run("aoas-ucrl", without).gap_regret.average.back().mean;
    std::printf("S3 A5 O3, seed %d: gap regret with reuse over that without %.2f\n", static_cast<int>(seed), ratio);
    halved += static_cast<int>(ratio <= 0.5);
  }
  TEST_ASSERT_TRUE(halved >= 2);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(aoas_ucrl_loses_least_and_its_regret_grows_no_faster_than_a_root);
  RUN_TEST(reusing_samples_halves_the_regret_in_two_of_three_worlds);
  return UNITY_END();
}

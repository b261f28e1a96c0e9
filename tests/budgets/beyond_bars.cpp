// What aoas-ucrl gains from better estimates and a shorter first episode, and what looking after starved actions is worth where greed locks it in: at
// full length. Seeds are fixed, so that nothing here fails by chance: it fails where something changes.
#include "lock_in.hpp"
#include "penumbra/host/learning_summary.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <cstdio>
#include <string>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

struct Place {
  explicit Place(std::uint64_t seed)
      : model(seed == 0 ? penumbra::command::lock_in_world() : random_model(3, 4, 4, seed)),
        reference(Reference::of(model, "model", 0).value()) {}
  Model model;
  Reference reference;

  [[nodiscard]] LearningSummary run(Estimator estimator, double least_samples = 0,
                                    const LearningSize& size = {400000, 10, 1, 0, 40}) const {
    LearnerOptions options;
    options.first_episode = 1000;
    options.estimator = estimator;
    options.least_samples = least_samples;
    return summarise(learn(model, reference, *find_learner("aoas-ucrl"), options, size).value(), size);
  }
};

Average shown(const char* what, const LearningSummary& summary) {
  const Average loss = summary.gap_regret.average.back();
  std::printf("  %s %.0f ± %.0f (%d stuck)", what, loss.mean, loss.ci95, static_cast<int>(summary.stuck));
  return loss;
}

void trajectories_lose_no_more_than_aoas_in_nine_worlds_and_less_in_six() {
  int lower = 0;
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    const Place place(seed);
    std::printf("S3 A4 O4, %s:", seed == 0 ? "lock-in" : ("seed " + std::to_string(seed)).c_str());
    const Average aoas = shown("aoas", place.run(Estimator::aoas));
    static_cast<void>(shown("counts", place.run(Estimator::counts)));
    const Average trajectory = shown("trajectory", place.run(Estimator::trajectory));
    std::printf("\n");
    TEST_ASSERT_TRUE(trajectory.mean - trajectory.ci95 <= aoas.mean + aoas.ci95);
    lower += static_cast<int>(trajectory.mean < aoas.mean);
  }
  TEST_ASSERT_TRUE(lower >= 6);
}

// In luck that nothing was chosen in. It is AOAS's figures, too, that are printed: looking after its starved actions does not pay.
void looking_after_starved_actions_frees_runs_that_are_locked_in() {
  const Place place(0);
  const LearningSize size{400000, 20, 7, 0, 40};
  std::printf("lock-in, twenty other runs:");
  for (const Estimator estimator : {Estimator::aoas, Estimator::counts, Estimator::trajectory}) {
    const LearningSummary without = place.run(estimator, 0, size);
    const LearningSummary with = place.run(estimator, 2, size);
    const Average lost = shown(name_of(estimator).c_str(), without);
    const Average saved = shown("looked after", with);
    if (estimator == Estimator::aoas) continue;
    TEST_ASSERT_TRUE(saved.mean < lost.mean);
    TEST_ASSERT_TRUE(2 * with.stuck < without.stuck);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(trajectories_lose_no_more_than_aoas_in_nine_worlds_and_less_in_six);
  RUN_TEST(looking_after_starved_actions_frees_runs_that_are_locked_in);
  return UNITY_END();
}

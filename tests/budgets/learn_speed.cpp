// What a run of AOAS-UCRL costs, of which planning, against simulating as many steps of a policy that neither learns nor is judged. In one run, on
// one core.
#include "penumbra/host/learning.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using namespace penumbra::host;

void a_run_of_the_papers_length_takes_less_than_two_seconds() {
  const Model model = penumbra::test::random_model(3, 4, 4, 1);
  const Reference reference = Reference::of(model, "model", 1).value();
  constexpr std::uint64_t steps = 400000;
  double run = 1e9;
  double planning = 1e9;
  double simulating = 1e9;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const LearningRun done = learn(model, reference, *find_learner("aoas-ucrl"), {}, {steps, 1, seed, 1, 400}).value().at(0);
    run = std::min(run, done.seconds);
    planning = std::min(planning, done.planning_seconds);
    const auto start = std::chrono::steady_clock::now();
    World world(model, seed);
    MyopicActor actor(model, 0.0, seed);
    static_cast<void>(simulate(world, actor, steps, [](etl::span<const SimulatedStep>) { return true; }));
    simulating = std::min(simulating, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("S3 A4 O4, %d steps of aoas-ucrl: %.2f s, of which planning %.2f s (%.0f %%); %.0f times a plain simulation\n",
              static_cast<int>(steps), run, planning, 100 * planning / run, run / simulating);
  TEST_ASSERT_TRUE(run < 2.0);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_run_of_the_papers_length_takes_less_than_two_seconds);
  return UNITY_END();
}

// Values for looking ahead with an image: who acts by them earns what the plan promises.
#include "penumbra/host/image_value.hpp"

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/image_model.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/vector_plan.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <memory>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

Average earned_ahead(const Model& world, const PolicyImage& image) {
  const Model believed = model_of(image);
  const Outcome<BeliefValue> value = value_of(image, believed, "p.pnb", 1);
  TEST_ASSERT_TRUE(value.has_value());
  EvaluationSize size;
  size.runs = 8;
  size.steps = 20000;
  return average_of(evaluate(
      world, [&](std::uint64_t) { return std::make_unique<LookaheadActor>(believed, value.value()); }, size));
}

// The gain of a lattice of this fineness is off by less than 0.005 here; the simulated average by its interval, which is about 0.002.
void looking_ahead_on_a_lattice_earns_its_gain_in_both_timings() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    Model model = random_model(3, 3, 4, 81);
    model.emission = emission;
    LatticeRequest request;
    request.resolution = 20;
    request.threads = 1;
    const Outcome<LatticePlan> plan = plan_lattice(model, request, "m.json");
    TEST_ASSERT_TRUE(plan.has_value());
    PolicyTable table = plan.value().table;
    for (std::uint8_t& action : table.actions) action = 0;  // what the table says does not matter
    const Outcome<ImageFile> image = ImageFile::build(model, table, {}, "m.json");
    TEST_ASSERT_TRUE(image.has_value());
    const Average average = earned_ahead(model, image.value().image());
    TEST_ASSERT_TRUE(average.mean > plan.value().gain - 0.005 - average.ci95);
    TEST_ASSERT_TRUE(average.mean < plan.value().upper_bound + 2 * average.ci95);
  }
}

// Looking ahead is no worse than the table of the plan: beyond chance and the rounding of its table, which is worth less than 0.002 here.
void looking_ahead_with_vectors_earns_what_their_table_does() {
  Model model = random_model(3, 3, 4, 82);
  VectorRequest request;
  request.vectors = 4;
  request.threads = 1;
  const VectorPlan plan = plan_vectors(model, request);
  PolicyTable table = plan.table;
  for (std::uint8_t& action : table.actions) action = 0;  // what the table says does not matter
  const Outcome<ImageFile> image = ImageFile::build(model, table, {}, "m.json");
  TEST_ASSERT_TRUE(image.has_value());
  const Average average = earned_ahead(model, image.value().image());
  TEST_ASSERT_TRUE(average.mean > plan.average.mean - plan.average.ci95 - average.ci95 - 0.002);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(looking_ahead_on_a_lattice_earns_its_gain_in_both_timings);
  RUN_TEST(looking_ahead_with_vectors_earns_what_their_table_does);
  return UNITY_END();
}

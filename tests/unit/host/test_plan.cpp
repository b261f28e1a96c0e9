// Both planners behind one call, and the certificate.
#include "penumbra/host/plan.hpp"

#include "penumbra/host/image_file.hpp"
#include "recipe.hpp"
#include "sanitized.hpp"

#include <unity.h>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using test::random_model;

PlanRequest quick(PlanMethod method) {
  PlanRequest request;
  request.method = method;
  request.vectors.vectors = 8;
  request.evaluation.steps = 5000;
  return request;
}

void each_method_gives_its_own_table() {
  const Model model = random_model(3, 3, 4, 1);
  const Plan vectors = make_plan(model, quick(PlanMethod::vectors), "model").value();
  TEST_ASSERT_TRUE(vectors.method == PlanMethod::vectors && vectors.table.kind == PolicyKind::vectors);
  TEST_ASSERT_TRUE(vectors.lattice.has_value());  // for its bound
  const Plan lattice = make_plan(model, quick(PlanMethod::lattice), "model").value();
  TEST_ASSERT_TRUE(lattice.method == PlanMethod::lattice && lattice.table.kind == PolicyKind::lattice);
  TEST_ASSERT_FALSE(lattice.vectors.has_value());
  TEST_ASSERT_EQUAL(40, lattice.table.parameter);
  TEST_ASSERT_DOUBLE_WITHIN(3 * vectors.average.ci95, lattice.lattice->gain, vectors.average.mean);
}

// Ten states at n = 1 know the corners alone; vectors earn more. At S = 3 both earn the same, and few vectors take less room.
void the_better_table_is_kept_and_the_smaller_of_equals() {
  PlanRequest request = quick(PlanMethod::best);
  request.lattice.resolution = 1;
  request.evaluation.steps = test::sanitized ? 5000 : 20000;
  TEST_ASSERT_TRUE(make_plan(test::sanitized ? random_model(6, 4, 8, 1) : random_model(10, 4, 16, 1), request, "model").value().method ==
                   PlanMethod::vectors);
  request.lattice.resolution = 0;
  TEST_ASSERT_TRUE(make_plan(random_model(3, 4, 4, 1), request, "model").value().method == PlanMethod::vectors);
  Model one = random_model(1, 2, 2, 1);  // one lattice point takes less than any vector
  TEST_ASSERT_TRUE(make_plan(one, request, "model").value().method == PlanMethod::lattice);
}

void the_default_resolution_suits_the_size() {
  TEST_ASSERT_EQUAL(200, default_resolution(random_model(2, 2, 2, 1), {}));
  TEST_ASSERT_EQUAL(40, default_resolution(random_model(3, 4, 4, 1), {}));
  TEST_ASSERT_EQUAL(6, default_resolution(random_model(10, 4, 16, 1), {}));
  LatticeRequest poor;
  poor.most_bytes = 100;
  TEST_ASSERT_EQUAL(0, default_resolution(random_model(3, 4, 4, 1), poor));
}

void where_no_lattice_fits_vectors_are_planned_without_a_bound() {
  const Model model = random_model(4, 2, 4, 1);
  PlanRequest request = quick(PlanMethod::best);
  request.lattice.most_bytes = 100;
  const Plan plan = make_plan(model, request, "model").value();
  TEST_ASSERT_TRUE(plan.method == PlanMethod::vectors && !plan.lattice);
  const ImageFile image = ImageFile::build(model, plan.table, {}, "model").value();
  const Certificate certificate = certify(model, image.image(), nullptr, request.lattice, request.evaluation, {0.001, 1});
  TEST_ASSERT_FALSE(certificate.upper_bound.has_value());
  TEST_ASSERT_FALSE(certificate.gap.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, certificate.average.mean - certificate.average.ci95, certificate.lower_bound);
  request.method = PlanMethod::lattice;
  TEST_ASSERT_FALSE(make_plan(model, request, "model").has_value());
}

void a_certificate_is_refined_until_the_gap_is_met() {
  const Model model = random_model(3, 4, 4, 3);
  PlanRequest request = quick(PlanMethod::vectors);
  request.lattice.resolution = 4;
  const Plan plan = make_plan(model, request, "model").value();
  const ImageFile image = ImageFile::build(model, plan.table, {}, "model").value();
  const auto certified = [&](const CertificateRequest& wish) {
    return certify(model, image.image(), &*plan.lattice, request.lattice, request.evaluation, wish);
  };
  const Certificate once = certified({});
  TEST_ASSERT_EQUAL(4, once.resolution);
  TEST_ASSERT_EQUAL(16, once.runs);
  TEST_ASSERT_TRUE(*once.gap > 0.0015);
  const Certificate fine = certified({0.0015, 0});
  TEST_ASSERT_TRUE(*fine.gap <= 0.0015);
  TEST_ASSERT_TRUE(fine.resolution > 4 || fine.runs > 16);
  TEST_ASSERT_TRUE(*fine.upper_bound <= *once.upper_bound);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, *fine.upper_bound - fine.lower_bound, *fine.gap);
}

void a_certificate_stops_when_time_or_memory_is_up() {
  const Model model = random_model(3, 4, 4, 3);
  PlanRequest request = quick(PlanMethod::lattice);
  request.lattice.resolution = 4;
  const Plan plan = make_plan(model, request, "model").value();
  const ImageFile image = ImageFile::build(model, plan.table, {}, "model").value();
  const Certificate late = certify(model, image.image(), &*plan.lattice, request.lattice, request.evaluation, {1e-12, 0.2});
  TEST_ASSERT_TRUE(late.stop == Certificate::Stop::time);
  TEST_ASSERT_TRUE(*late.gap > 1e-12);
  request.lattice.most_bytes = 20000;
  const Certificate full = certify(model, image.image(), &*plan.lattice, request.lattice, request.evaluation, {0.0005, 0});
  TEST_ASSERT_TRUE(full.stop == Certificate::Stop::memory);
  TEST_ASSERT_TRUE(full.resolution <= 8);
}

void value_vectors_do_not_lose_to_the_coarse_lattice_or_the_myopic_policy_at_ten_states() {
  int above = 0;
  for (std::uint64_t seed = 1; seed <= (test::sanitized ? 1 : 5); ++seed) {
    const Model model = test::sanitized ? random_model(6, 4, 8, seed) : random_model(10, 4, 16, seed);
    VectorRequest request;
    request.vectors = 16;
    if (test::sanitized) request.beliefs = 32;
    LatticeRequest coarse;
    coarse.resolution = test::sanitized ? 2 : 5;
    EvaluationSize size;
    size.steps = test::sanitized ? 2000 : 40000;
    size.seed = 77;
    const auto runs_of = [&](const PolicyTable& table) {
      return evaluate(model, ImageFile::build(model, table, {}, "model").value().image(), size);
    };
    const std::vector<double> vectors = runs_of(plan_vectors(model, request).table);
    const std::vector<double> lattice = runs_of(plan_lattice(model, coarse, "model").value().table);
    const std::vector<double> myopic = evaluate(
        model, [&](std::uint64_t s) { return std::make_unique<MyopicActor>(model, 0.0, s); }, size);
    bool above_both = true;
    for (const auto& [name, other] : {std::make_pair("lattice", lattice), std::make_pair("myopic", myopic)}) {
      std::vector<double> difference(vectors.size());
      std::transform(vectors.begin(), vectors.end(), other.begin(), difference.begin(), std::minus<>());
      const Average by = average_of(difference);
      std::printf("S10 A4 O16, seed %d: vectors less %s %+.5f +- %.5f\n", static_cast<int>(seed), name, by.mean, by.ci95);
      TEST_ASSERT_TRUE(by.mean + by.ci95 >= 0);
      above_both = above_both && by.mean > by.ci95;
    }
    above += above_both ? 1 : 0;
  }
  TEST_ASSERT_TRUE(test::sanitized || above >= 2);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(each_method_gives_its_own_table);
  RUN_TEST(the_better_table_is_kept_and_the_smaller_of_equals);
  RUN_TEST(the_default_resolution_suits_the_size);
  RUN_TEST(where_no_lattice_fits_vectors_are_planned_without_a_bound);
  RUN_TEST(a_certificate_is_refined_until_the_gap_is_met);
  RUN_TEST(a_certificate_stops_when_time_or_memory_is_up);
  RUN_TEST(value_vectors_do_not_lose_to_the_coarse_lattice_or_the_myopic_policy_at_ten_states);
  return UNITY_END();
}

// The planner's lattice is the device's, its cells reproduce every belief, and the optimistic transitions stay in their region.
#include "belief_lattice.hpp"
#include "optimistic_model.hpp"

#include "penumbra/host/random.hpp"
#include "penumbra/lattice.hpp"
#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <numeric>

namespace {

using namespace penumbra;
using namespace penumbra::host;

std::vector<double> random_belief(Random& random, std::size_t S) {
  std::vector<double> belief(S);
  for (double& entry : belief) entry = random.uniform() < 0.3 ? 0.0 : random.exponential();
  belief[random.below(S)] += 0.01;
  const double sum = std::accumulate(belief.begin(), belief.end(), 0.0);
  for (double& entry : belief) entry /= sum;
  return belief;
}

// The binomials of lib/core's rank, as an image holds them.
std::vector<std::uint32_t> core_binomials(std::size_t S, std::uint16_t n) {
  std::vector<std::uint32_t> table;
  for (std::uint32_t k = 1; k < S; ++k) {
    for (std::uint32_t m = 0; m <= n; ++m) {
      double binomial = 1;  // C(m+k-1, k)
      for (std::uint32_t i = 1; i <= k; ++i) binomial = binomial * (m - 1.0 + i) / i;
      table.push_back(static_cast<std::uint32_t>(std::lround(binomial)));
    }
  }
  return table;
}

void points_come_in_the_order_of_the_devices_ranks() {
  for (std::size_t S = 1; S <= 6; ++S) {
    for (const std::uint16_t n : std::vector<std::uint16_t>{1, 2, 5, 7}) {
      const BeliefLattice lattice(S, n);
      const RuntimeDims dims(static_cast<std::uint8_t>(S), 1, 1);
      const std::vector<std::uint32_t> binomials = core_binomials(S, n);
      TEST_ASSERT_EQUAL(lattice_points(S, n), lattice.points());
      std::vector<std::uint32_t> point(S);
      std::vector<std::uint32_t> again(S);
      lattice.unrank(0, point.data());
      for (std::uint32_t rank = 0; rank < lattice.points(); ++rank, lattice.next(point.data())) {
        lattice.unrank(rank, again.data());
        TEST_ASSERT_TRUE(point == again);
        TEST_ASSERT_EQUAL(n, std::accumulate(point.begin(), point.end(), 0U));
        LatticePoint<RuntimeDims> core;
        for (std::size_t s = 0; s < S; ++s) core[s] = point[s];
        TEST_ASSERT_EQUAL(rank, lattice_rank(dims, n, binomials.data(), core));
      }
    }
  }
}

void the_nearest_point_is_the_devices() {
  Random random(1, Stream::world);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t S = 1 + random.below(6);
    const auto n = static_cast<std::uint16_t>(1 + random.below(20));
    const BeliefLattice lattice(S, n);
    const RuntimeDims dims(static_cast<std::uint8_t>(S), 1, 1);
    const std::vector<std::uint32_t> binomials = core_binomials(S, n);
    const std::vector<double> belief = random_belief(random, S);
    Belief<RuntimeDims> device;
    for (std::size_t s = 0; s < S; ++s) device[s] = static_cast<float>(belief[s]);
    LatticePoint<RuntimeDims> nearest;
    nearest_lattice_point(dims, n, device, nearest);
    std::vector<double> tails(S);
    lattice.tails_of(belief.data(), tails.data());
    std::vector<std::uint32_t> ours(S);
    lattice.unrank(lattice.nearest(tails.data()), ours.data());
    double core_distance = 0;
    double our_distance = 0;
    for (std::size_t s = 0; s < S; ++s) {
      core_distance += std::abs(belief[s] - nearest[s] / static_cast<double>(n));
      our_distance += std::abs(belief[s] - ours[s] / static_cast<double>(n));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, core_distance, our_distance);  // ties may go either way
    TEST_ASSERT_TRUE(our_distance <= core_distance + 1e-9);
  }
}

void the_cell_around_a_belief_reproduces_it() {
  Random random(2, Stream::world);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t S = 1 + random.below(7);
    const BeliefLattice lattice(S, static_cast<std::uint32_t>(1 + random.below(12)));
    const std::vector<double> belief = random_belief(random, S);
    std::vector<double> tails(S);
    lattice.tails_of(belief.data(), tails.data());
    BeliefLattice::Scratch scratch(S);
    const std::size_t found = lattice.locate(tails.data(), scratch);
    TEST_ASSERT_TRUE(found >= 1 && found <= S);
    std::vector<double> sum(S);
    std::vector<std::uint32_t> point(S);
    double weights = 0;
    for (std::size_t v = 0; v < found; ++v) {
      TEST_ASSERT_TRUE(scratch.vertices[v].weight > 0 && scratch.vertices[v].rank < lattice.points());
      weights += scratch.vertices[v].weight;
      lattice.unrank(scratch.vertices[v].rank, point.data());
      for (std::size_t s = 0; s < S; ++s) {
        sum[s] += scratch.vertices[v].weight * point[s] / lattice.resolution();
        TEST_ASSERT_TRUE(std::abs(point[s] - belief[s] * lattice.resolution()) < 1 + 1e-9);  // a neighbour
      }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, weights);
    for (std::size_t s = 0; s < S; ++s) TEST_ASSERT_DOUBLE_WITHIN(1e-10, belief[s], sum[s]);
  }
}

// Nominal rows that respect epsilon, and rows that were clipped to zero.
void optimistic_rows_are_distributions_within_the_region() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Model model = test::random_model(4, 2, 4, seed);
    const bool clipped = seed % 2 == 0;
    if (clipped) {
      model.transition[1] += model.transition[0];
      model.transition[0] = 0;
    }
    const double epsilon = seed % 3 == 0 ? 0.0 : 0.01;
    const std::vector<double> radius = {0.05, 0.4};
    const OptimisticModel wide = optimistic_model(model, radius, epsilon);
    TEST_ASSERT_EQUAL(2 * optimistic_transitions(4), wide.real.size());
    for (std::size_t a = 0; a < wide.real.size(); ++a) {
      for (std::size_t s = 0; s < 4; ++s) {
        const double* row = wide.model.transition_row(a, s);
        const double* nominal = model.transition_row(wide.real[a], s);
        double sum = 0;
        double distance = 0;
        for (std::size_t next = 0; next < 4; ++next) {
          TEST_ASSERT_TRUE(row[next] >= epsilon - 1e-15);
          sum += row[next];
          distance += std::abs(row[next] - nominal[next]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, sum);
        TEST_ASSERT_TRUE(distance <= radius[wide.real[a]] + 1e-12);
      }
    }
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(points_come_in_the_order_of_the_devices_ranks);
  RUN_TEST(the_nearest_point_is_the_devices);
  RUN_TEST(the_cell_around_a_belief_reproduces_it);
  RUN_TEST(optimistic_rows_are_distributions_within_the_region);
  return UNITY_END();
}

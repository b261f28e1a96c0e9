// The lattice: the nearest point against a search of all points, and the rank as a numbering without gaps.
#include "penumbra/lattice_policy.hpp"

#include "random_model.hpp"

#include <math.h>
#include <string.h>
#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

// One room for all sizes: a small board has no more.
constexpr size_t most_points = 2002;
uint8_t taken[most_points];
uint32_t binomials[202];

// Every lattice point once, by counting up: the last coordinates fastest.
template <size_t S, class Visit>
void visit_all_points(uint32_t n, Visit visit) {
  etl::array<uint32_t, S> x{};
  x[0] = n;
  for (;;) {
    visit(x);
    // Move one unit from the last non-empty coordinate but the very last to its right, and gather the tail there.
    size_t i = S - 1;
    const uint32_t tail = x[S - 1];
    x[S - 1] = 0;
    while (i > 0 && x[i - 1] == 0) --i;
    if (i == 0) return;
    --x[i - 1];
    x[i] = tail + 1;
  }
}

template <size_t S>
void ranks_are_a_bijection(uint16_t n) {
  using Dims = StaticDims<S, 2, 2>;
  memset(taken, 0, sizeof taken);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(sizeof binomials, (S - 1) * (n + 1U) * sizeof *binomials);
  detail::write_binomials(reinterpret_cast<uint8_t*>(binomials), 0, S, n);
  const uint32_t points = lattice_points(S, n);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(most_points, points);
  uint32_t visited = 0;
  visit_all_points<S>(n, [&](const etl::array<uint32_t, S>& x) {
    const uint32_t rank = lattice_rank(Dims{}, n, binomials, x);
    TEST_ASSERT_LESS_THAN_UINT32(points, rank);
    TEST_ASSERT_EQUAL_UINT8(0, taken[rank]);
    taken[rank] = 1;
    ++visited;
  });
  TEST_ASSERT_EQUAL_UINT32(points, visited);
}

void every_point_has_a_rank_of_its_own() {
  ranks_are_a_bijection<1>(7);
  ranks_are_a_bijection<2>(100);
  ranks_are_a_bijection<3>(40);
  ranks_are_a_bijection<4>(12);
  ranks_are_a_bijection<6>(6);
  ranks_are_a_bijection<10>(5);
}

template <size_t S>
double squared_distance(const etl::array<float, S>& belief, const etl::array<uint32_t, S>& x, uint16_t n) {
  double sum = 0;
  for (size_t s = 0; s < S; ++s) {
    const double d = static_cast<double>(belief[s]) - static_cast<double>(x[s]) / n;
    sum += d * d;
  }
  return sum;
}

template <size_t S>
void nearest_is_nearest(uint16_t n, int beliefs, uint32_t seed) {
  using Dims = StaticDims<S, 2, 2>;
  Random random(seed);
  for (int trial = 0; trial < beliefs; ++trial) {
    etl::array<float, S> belief;
    test::random_row(random, belief.data(), S, 1U + random.below(40));
    LatticePoint<Dims> point;
    nearest_lattice_point(Dims{}, n, belief, point);
    uint32_t sum = 0;
    for (size_t s = 0; s < S; ++s) sum += point[s];
    TEST_ASSERT_EQUAL_UINT32(n, sum);
    double best = 1e9;
    visit_all_points<S>(n, [&](const etl::array<uint32_t, S>& x) {
      const double d = squared_distance(belief, x, n);
      best = d < best ? d : best;
    });
    // As near as the nearest, but for the 16 bits of the fractions.
    TEST_ASSERT_TRUE(sqrt(squared_distance(belief, point, n)) <= sqrt(best) + 2.0 * 0x1p-16 / n);
  }
}

void no_point_is_nearer_than_the_nearest() {
  nearest_is_nearest<1>(5, 10, 1);
  nearest_is_nearest<2>(17, 200, 2);
  nearest_is_nearest<3>(10, 200, 3);
  nearest_is_nearest<3>(40, 30, 4);
  nearest_is_nearest<5>(6, 40, 5);
  nearest_is_nearest<10>(3, 40, 6);
}

void a_lattice_point_is_its_own_nearest_point() {
  using Dims = StaticDims<4, 2, 2>;
  constexpr uint16_t n = 9;
  visit_all_points<4>(n, [&](const etl::array<uint32_t, 4>& x) {
    etl::array<float, 4> belief;
    for (size_t s = 0; s < 4; ++s) belief[s] = static_cast<float>(x[s]) / n;
    LatticePoint<Dims> point;
    nearest_lattice_point(Dims{}, n, belief, point);
    TEST_ASSERT_EQUAL_UINT32_ARRAY(x.data(), point.data(), 4);
  });
}

void a_tie_goes_to_the_lowest_state() {
  using Dims = StaticDims<4, 2, 2>;
  LatticePoint<Dims> point;
  nearest_lattice_point(Dims{}, 2, {0.25F, 0.25F, 0.25F, 0.25F}, point);
  const uint32_t expected[4] = {1, 1, 0, 0};
  TEST_ASSERT_EQUAL_UINT32_ARRAY(expected, point.data(), 4);
}

void the_finest_resolution_does_not_overflow() {
  using Dims = StaticDims<2, 2, 2>;
  LatticePoint<Dims> point;
  nearest_lattice_point(Dims{}, max_resolution, {1.0F, 0.0F}, point);
  TEST_ASSERT_EQUAL_UINT32(max_resolution, point[0]);
  TEST_ASSERT_EQUAL_UINT32(0, point[1]);
}

void actions_take_the_bits_they_need() {
  TEST_ASSERT_EQUAL_UINT8(1, bits_for(1));
  TEST_ASSERT_EQUAL_UINT8(1, bits_for(2));
  TEST_ASSERT_EQUAL_UINT8(2, bits_for(3));
  TEST_ASSERT_EQUAL_UINT8(2, bits_for(4));
  TEST_ASSERT_EQUAL_UINT8(3, bits_for(5));
  TEST_ASSERT_EQUAL_UINT8(7, bits_for(128));
  TEST_ASSERT_EQUAL_UINT8(8, bits_for(129));
  TEST_ASSERT_EQUAL_UINT8(8, bits_for(255));
}

void points_are_counted_up_to_the_limit() {
  TEST_ASSERT_EQUAL_UINT32(1, lattice_points(1, 9));
  TEST_ASSERT_EQUAL_UINT32(861, lattice_points(3, 40));
  TEST_ASSERT_EQUAL_UINT32(2002, lattice_points(10, 5));
  TEST_ASSERT_EQUAL_UINT32(0, lattice_points(255, 40));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_point_has_a_rank_of_its_own);
  RUN_TEST(no_point_is_nearer_than_the_nearest);
  RUN_TEST(a_lattice_point_is_its_own_nearest_point);
  RUN_TEST(a_tie_goes_to_the_lowest_state);
  RUN_TEST(the_finest_resolution_does_not_overflow);
  RUN_TEST(actions_take_the_bits_they_need);
  RUN_TEST(points_are_counted_up_to_the_limit);
  return UNITY_END();
}

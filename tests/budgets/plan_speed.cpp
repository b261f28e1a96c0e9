// What a sweep of the lattice costs, against reading its transition structure once from front to back, and what planning again costs,
// against planning from nothing, along a learner's episodes. Each pair in one run, by the ratio.
#include "lattice_structure.hpp"
#include "lattice_sweeps.hpp"
#include "penumbra/host/aoas.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "recipe.hpp"
#include "simulate_pairs.hpp"

#include <unity.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

volatile std::uint64_t sink;  // so that reading cannot be left out

template <class Number>
std::uint64_t read_all(const std::vector<Number>& numbers) {
  std::uint64_t sum = 0;
  const std::size_t words = numbers.size() * sizeof(Number) / sizeof sum;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(static_cast<const void*>(numbers.data())) + i * sizeof word, sizeof word);
    sum += word;
  }
  return sum;
}

void read_once(const LatticeStructure& structure) {
  std::uint64_t sum = 0;
  for (const LatticeBlock& block : structure.blocks()) {
    sum += read_all(block.first_row) + read_all(block.action) + read_all(block.reward) + read_all(block.start) + read_all(block.point) +
           read_all(block.probability);
  }
  sink = sum;
}

void a_sweep_takes_little_more_than_reading_the_structure() {
  const BeliefLattice lattice(6, 16);
  LatticeSweeps sweeps(std::vector<double>(lattice.points()), 1);
  sweeps.add(LatticeStructure(random_model(6, 4, 8, 1), lattice, Interpolation::barycentric, {}, 0));
  double sweep = 1e9;
  double read = 1e9;
  for (int i = 0; i < 15; ++i) {
    sweep = std::min(sweep, seconds_of([&] {
                       static_cast<void>(sweeps.look_ahead());
                       sweeps.move(0);
                     }));
    read = std::min(read, seconds_of([&] { read_once(sweeps.structures().front()); }));
  }
  std::printf("S6 A4 O8, n = 16: %u points, %.1f MB; a sweep takes %.2f ms, reading it all %.2f ms, ratio %.2f\n", lattice.points(),
              static_cast<double>(sweeps.structures().front().bytes()) / 1e6, sweep * 1e3, read * 1e3, sweep / read);
  TEST_ASSERT_TRUE(sweep / read <= 2.5);
}

// The radius of DESIGN: c = 0.1, delta = 0.05.
std::vector<double> radius_of(const Estimate& estimate, double k) {
  const double A = 4;
  const double O = 4;
  std::vector<double> radius;
  for (const std::uint64_t samples : estimate.samples) {
    const double delta = 0.05 / (A * k * k * k);
    radius.push_back(std::min(2.0, 0.1 * std::sqrt(std::log(2 * A * O * O * k / delta) / static_cast<double>(samples))));
  }
  return radius;
}

// Episodes of doubling length, from 2,500 steps to 320,000; each plan for what was estimated from all samples so far.
void planning_again_takes_at_most_a_third() {
  double cold = 0;
  double warm = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model truth = random_model(3, 4, 4, seed);
    LatticePlan earlier;
    double k = 1;
    for (std::size_t steps = 2500; steps <= 320000; steps *= 2, ++k) {
      const Estimate estimate =
          estimate_transition(truth, penumbra::test::simulated_counts<penumbra::test::UniformPolicy>(truth, seed, steps), "model").value();
      Model model = truth;
      model.transition = estimate.transition;
      LatticeRequest request;
      request.resolution = 40;
      request.threads = 1;
      request.epsilon = 1.0 / 60;
      request.optimism = radius_of(estimate, k);
      LatticePlan again;
      LatticePlan anew;
      double fastest_again = 1e9;
      double fastest_anew = 1e9;
      for (int i = 0; i < 3; ++i) {
        fastest_anew = std::min(fastest_anew, seconds_of([&] { anew = plan_lattice(model, request, "model").value(); }));
        if (k > 1)
          fastest_again = std::min(fastest_again, seconds_of([&] { again = plan_lattice(model, request, "model", &earlier).value(); }));
      }
      if (k > 1) {
        cold += fastest_anew;
        warm += fastest_again;
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, anew.gain, again.gain);
      }
      earlier = k > 1 ? again : anew;
    }
  }
  std::printf("S3 A4 O4, n = 40, five models, seven episodes each: from nothing %.1f ms, again %.1f ms, ratio %.2f\n", cold * 1e3,
              warm * 1e3, warm / cold);
  TEST_ASSERT_TRUE(warm / cold <= 1.0 / 3);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_sweep_takes_little_more_than_reading_the_structure);
  RUN_TEST(planning_again_takes_at_most_a_third);
  return UNITY_END();
}

// What the Kronecker identity saves: estimate_transition(), with its standard errors, beside the paper's literal algorithm, without them,
// in one run and on the same counts. Below a thousandth of its time at the paper's larger size, or it fails.
#include "literal_aoas.hpp"
#include "penumbra/host/aoas.hpp"
#include "simulate_pairs.hpp"

#include <unity.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

using namespace penumbra::host;
using namespace penumbra::test;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// How many times as long the literal algorithm takes.
double ratio(size_t S, size_t A, size_t O, int calls) {
  const Model model = random_host_model(1, S, A, O);
  const Counts counts = simulated_counts<UniformPolicy>(model, 1, 100000);

  const double start = seconds();
  std::vector<double> literal;
  for (size_t a = 0; a < A; ++a) {
    const std::vector<double> T = literal_aoas(model, counts, a);
    literal.insert(literal.end(), T.begin(), T.end());
  }
  const double middle = seconds();
  Estimate estimate;
  for (int i = 0; i < calls; ++i) estimate = estimate_transition(model, counts, "model").value();
  const double end = seconds();

  for (size_t i = 0; i < literal.size(); ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-10, literal[i], estimate.transition[i]);
  const double ours = (end - middle) / calls;
  std::printf("S%zu A%zu O%zu: literal %.3g ms, ours %.3g ms, ratio %.0f\n", S, A, O, (middle - start) * 1e3, ours * 1e3,
              (middle - start) / ours);
  return (middle - start) / ours;
}

void estimating_takes_less_than_a_thousandth_of_the_literal_algorithm() {
  static_cast<void>(ratio(3, 4, 4, 2000));
  static_cast<void>(ratio(5, 4, 8, 1000));
  TEST_ASSERT_TRUE(ratio(10, 4, 16, 500) >= 1000);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(estimating_takes_less_than_a_thousandth_of_the_literal_algorithm);
  return UNITY_END();
}

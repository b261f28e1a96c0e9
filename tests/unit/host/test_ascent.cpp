// Accelerated expectation maximisation: where it leads, that it never falls on the way, and that it saves passes.
#include "ascent.hpp"

#include <unity.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace penumbra::host;

// Counts of four readings from a mixture of three sources that look much alike: plain passes are slow.
constexpr double sources[3][4] = {{0.4, 0.3, 0.2, 0.1}, {0.3, 0.3, 0.2, 0.2}, {0.1, 0.2, 0.3, 0.4}};
constexpr double readings[4] = {260, 270, 230, 240};

PassResult pass_of_mixture(std::vector<double>& weights) {
  PassResult result;
  std::vector<double> image(3, 0.0);
  double all = 0;
  for (size_t x = 0; x < 4; ++x) {
    double p = 0;
    for (size_t k = 0; k < 3; ++k) p += weights[k] * sources[k][x];
    for (size_t k = 0; k < 3; ++k) image[k] += readings[x] * weights[k] * sources[k][x] / p;
    result.log_likelihood += readings[x] * std::log(p);
    all += readings[x];
  }
  for (size_t k = 0; k < 3; ++k) weights[k] = image[k] / all;
  result.objective = result.log_likelihood;
  return result;
}

double log_likelihood(std::vector<double> weights) { return pass_of_mixture(weights).log_likelihood; }

AscentRequest request_of(double tolerance, std::uint64_t most_passes) {
  AscentRequest request;
  request.pass = pass_of_mixture;
  request.row_sizes = {3};
  request.tolerance = tolerance;
  request.most_passes = most_passes;
  return request;
}

const std::vector<double> start = {0.05, 0.9, 0.05};

// Plain passes until one gains less.
std::uint64_t plain_passes(double tolerance, std::vector<double>& weights) {
  std::uint64_t passes = 1;
  double at = pass_of_mixture(weights).objective;
  for (double gain = tolerance; gain >= tolerance; ++passes) {
    std::vector<double> image = weights;
    const double next = pass_of_mixture(image).objective;
    gain = next - at;
    at = next;
    weights = image;
  }
  return passes;
}

void it_leads_where_plain_passes_lead_and_sooner() {
  std::vector<double> plain = start;
  const std::uint64_t slow = plain_passes(1e-10, plain);
  std::vector<double> weights = start;
  const Ascent ascent = ascend(request_of(1e-10, 100000), weights);
  std::printf("  passes: %d, plain ones: %d\n", static_cast<int>(ascent.passes), static_cast<int>(slow));
  TEST_ASSERT_TRUE(ascent.converged);
  TEST_ASSERT_TRUE(ascent.passes * 3 < slow);
  for (size_t k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(1e-3, plain[k], weights[k]);
  TEST_ASSERT_TRUE(ascent.log_likelihood >= log_likelihood(plain) - 1e-8);
}

void it_says_what_the_likelihood_was_and_is() {
  for (const std::uint64_t most : {1U, 2U, 3U, 4U, 5U, 20U, 1000U}) {
    std::vector<double> weights = start;
    const Ascent ascent = ascend(request_of(1e-6, most), weights);
    TEST_ASSERT_EQUAL_DOUBLE(log_likelihood(start), ascent.log_likelihood_before);
    TEST_ASSERT_EQUAL_DOUBLE(log_likelihood(weights), ascent.log_likelihood);
  }
}

// Wherever it is stopped.
void it_never_falls_and_rows_stay_distributions() {
  double before = log_likelihood(start);
  for (std::uint64_t most = 1; most < 60; ++most) {
    std::vector<double> weights = start;
    const Ascent ascent = ascend(request_of(1e-12, most), weights);
    TEST_ASSERT_TRUE(ascent.log_likelihood >= before);
    before = ascent.log_likelihood;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0, weights[0] + weights[1] + weights[2]);
    TEST_ASSERT_TRUE(*std::min_element(weights.begin(), weights.end()) >= 0);
  }
}

void it_takes_as_many_passes_as_it_may() {
  for (std::uint64_t most = 1; most < 12; ++most) {
    std::uint64_t passes = 0;
    AscentRequest request = request_of(0, most);
    request.pass = [&](std::vector<double>& weights) {
      ++passes;
      return pass_of_mixture(weights);
    };
    std::vector<double> weights = start;
    const Ascent ascent = ascend(request, weights);
    TEST_ASSERT_EQUAL_UINT64(most, passes);
    TEST_ASSERT_EQUAL_UINT64(most, ascent.passes);
    TEST_ASSERT_FALSE(ascent.converged);
  }
}

// Passes that go round and round: every jump is off, and what lies lower than where it stood is not taken.
void a_jump_that_leads_down_is_taken_back() {
  std::vector<std::vector<double>> asked;
  AscentRequest request = request_of(1e-9, 200);
  request.pass = [&](std::vector<double>& x) {
    // Towards (.5, .5), by a step that shrinks: an extrapolation goes past it.
    asked.push_back(x);
    const double off = x[0] - 0.5;
    PassResult result;
    result.objective = result.log_likelihood = -std::fabs(off) - (off < 0 ? 1 : 0);  // a cliff behind the summit
    x[0] = 0.5 + off * (off > 0.01 ? 0.9 : 0.5);
    x[1] = 1 - x[0];
    return result;
  };
  request.row_sizes = {2};
  std::vector<double> x = {0.9, 0.1};
  const Ascent ascent = ascend(request, x);
  const bool fell = std::any_of(asked.begin(), asked.end(), [](const std::vector<double>& tried) { return tried[0] < 0.5; });
  std::printf("  passes: %d, at %.3g\n", static_cast<int>(ascent.passes), x[0] - 0.5);
  TEST_ASSERT_TRUE(fell);
  TEST_ASSERT_TRUE(ascent.converged);
  TEST_ASSERT_TRUE(x[0] >= 0.5);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, ascent.log_likelihood);
}

// At the top the jump has nowhere to go, and nothing is divided by zero.
void where_nothing_moves_it_stays() {
  AscentRequest request = request_of(1e-3, 100);
  request.pass = [](std::vector<double>& /*stays*/) { return PassResult{1.0, 1.0}; };
  std::vector<double> x = {0.2, 0.3, 0.5};
  const Ascent ascent = ascend(request, x);
  TEST_ASSERT_TRUE(ascent.converged);
  TEST_ASSERT_EQUAL_UINT64(2, ascent.passes);
  TEST_ASSERT_TRUE((x == std::vector<double>{0.2, 0.3, 0.5}));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(it_leads_where_plain_passes_lead_and_sooner);
  RUN_TEST(it_says_what_the_likelihood_was_and_is);
  RUN_TEST(it_never_falls_and_rows_stay_distributions);
  RUN_TEST(it_takes_as_many_passes_as_it_may);
  RUN_TEST(a_jump_that_leads_down_is_taken_back);
  RUN_TEST(where_nothing_moves_it_stays);
  return UNITY_END();
}

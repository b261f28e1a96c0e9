// Expectation maximisation, accelerated by squared extrapolation (SQUAREM; Varadhan & Roland 2008): two passes show where the parameters go
// and how that slows down, and the third begins where they would end. A jump that leads to a lower objective is taken back, so that the
// objective never falls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

// What a pass has found of the parameters that it was given.
struct PassResult {
  double objective = 0;       // what never falls: log-likelihood and log-prior, up to a constant
  double log_likelihood = 0;  // of the data alone
};

struct AscentRequest {
  // Replaces the parameters by their EM image.
  std::function<PassResult(std::vector<double>& parameters)> pass;
  std::vector<size_t> row_sizes;  // the parameters are distributions, one after the other: their lengths
  double tolerance = 0;           // ends when a pass gains less than this
  std::uint64_t most_passes = 1;
};

struct Ascent {
  double log_likelihood_before = 0;  // of the parameters as they were given
  double log_likelihood = 0;         // as they are now
  std::uint64_t passes = 0;
  bool converged = false;  // else the passes ran out
};

// Leaves the best parameters that it has seen.
Ascent ascend(const AscentRequest& request, std::vector<double>& parameters);

}  // namespace penumbra::host

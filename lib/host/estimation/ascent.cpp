// SQUAREM, with the step length of its third scheme.
#include "ascent.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

// The parameters start - 2 step r + step² v, where r is the first pass's change and v that of the change; step is -|r|/|v|, and -1 gives just the
// second pass. False: no further than that.
bool extrapolate(const std::vector<double>& start, const std::vector<double>& once, const std::vector<double>& twice,
                 std::vector<double>& to) {
  double r2 = 0;
  double v2 = 0;
  for (size_t i = 0; i < start.size(); ++i) {
    const double r = once[i] - start[i];
    const double v = twice[i] - once[i] - r;
    r2 += r * r;
    v2 += v * v;
  }
  if (!(r2 > v2) || !(v2 > 0)) return false;
  const double step = -std::sqrt(r2 / v2);
  to.resize(start.size());
  for (size_t i = 0; i < start.size(); ++i) {
    const double r = once[i] - start[i];
    const double v = twice[i] - once[i] - r;
    to[i] = start[i] - 2 * step * r + step * step * v;
  }
  return true;
}

// Rows sum to 1 as they were; entries that the jump took below zero stop at a tenth of where the last pass had them.
void mend(const std::vector<double>& last, const std::vector<size_t>& row_sizes, std::vector<double>& parameters) {
  size_t at = 0;
  for (const size_t size : row_sizes) {
    double sum = 0;
    for (size_t i = at; i < at + size; ++i) sum += parameters[i] = std::max(parameters[i], 0.1 * last[i]);
    for (size_t i = at; i < at + size; ++i) parameters[i] = sum > 0 ? parameters[i] / sum : last[i];
    at += size;
  }
}

}  // namespace

Ascent ascend(const AscentRequest& request, std::vector<double>& parameters) {
  Ascent ascent;
  const auto pass = [&](std::vector<double>& theta) {
    ++ascent.passes;
    return request.pass(theta);
  };
  const auto may_go_on = [&] { return ascent.passes < request.most_passes; };
  // `parameters` and `at` are where it stands; `image` is where a pass from there leads.
  std::vector<double> image = parameters;
  std::vector<double> jump;
  PassResult at = pass(image);
  ascent.log_likelihood_before = at.log_likelihood;
  while (may_go_on()) {
    std::vector<double> twice = image;
    const PassResult next = pass(twice);
    const double gain = next.objective - at.objective;
    const bool jumps = gain >= request.tolerance && may_go_on() && extrapolate(parameters, image, twice, jump);
    parameters = std::move(image);
    image = std::move(twice);
    at = next;
    if (gain < request.tolerance) {
      ascent.converged = true;
      break;
    }
    if (!jumps) continue;
    mend(image, request.row_sizes, jump);
    std::vector<double> after = jump;
    const PassResult there = pass(after);
    if (there.objective < at.objective) continue;
    parameters = jump;
    image = std::move(after);
    at = there;
  }
  ascent.log_likelihood = at.log_likelihood;
  return ascent;
}

}  // namespace penumbra::host

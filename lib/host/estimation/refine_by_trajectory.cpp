// The ascent over the transitions of all actions together.
#include "penumbra/host/refinement.hpp"

#include "ascent.hpp"
#include "rows.hpp"
#include "trajectory_fit.hpp"

namespace penumbra::host {

namespace {

constexpr double tolerance = 0.01;  // nats a pass
constexpr std::uint64_t most_passes = 300;

}  // namespace

Refinement refine_by_trajectory(const Model& model, const RunLog& log, const std::vector<double>& start, const RefinementRequest& request) {
  const std::size_t S = model.states.size();
  const TrajectoryFit fit(model, log, request.threads);
  Refinement refined;
  refined.transition = raised_to(least_start, start.data(), start.size() / S, S);
  std::uint64_t passes = 0;
  AscentRequest ascent;
  ascent.pass = [&](std::vector<double>& transition) {
    const PassResult result = fit.pass(transition);
    if (request.progress) request.progress(++passes, most_passes);
    return result;
  };
  ascent.row_sizes.assign(model.actions.size() * S, S);
  ascent.tolerance = tolerance;
  ascent.most_passes = most_passes;
  const Ascent done = ascend(ascent, refined.transition);
  refined.log_likelihood_before = done.log_likelihood_before;
  refined.log_likelihood_after = done.log_likelihood;
  refined.passes = {done.passes};
  refined.converged = {done.converged};
  refined.impossible = fit.impossible();
  if (request.standard_errors) refined.standard_error = fit.standard_errors(refined.transition);
  return refined;
}

}  // namespace penumbra::host

// Both planners, as learners use them.
#include "oracle.hpp"

#include "penumbra/host/plan.hpp"

#include <fmt/format.h>

#include <utility>

namespace penumbra::host {

namespace {

// A lattice too coarse loses more than any estimate: in random worlds of five states the table of n = 10 gives away several times what that of n = 14 does,
// also where the world is known (penumbra learn --resolution).
bool is_affordable(const Model& model, std::uint16_t resolution) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28U;  // runs are parallel
  LatticeRequest request;
  request.resolution = resolution;
  request.optimism.assign(model.actions.size(), 0.0);
  return lattice_size(model, request).bytes <= most_bytes;
}

std::uint16_t resolution_for(const Model& model, const LatticeRequest& request) {
  if (request.resolution != 0) return request.resolution;
  // Of a learner that plans some dozens of times; a plan that is made once can be finer.
  switch (model.states.size()) {
    case 1: return 1;
    case 2: return 200;
    case 3: return 40;
    case 4: return 20;
    case 5: return is_affordable(model, 14) ? 14 : 10;
    default: return 10;
  }
}

}  // namespace

Oracle::Oracle(const Model& sensors, const LearnerOptions& options, std::uint64_t seed, double min_action) : model_(sensors), seed_(seed) {
  request_.resolution = static_cast<std::uint16_t>(options.resolution);
  request_.epsilon = options.epsilon;
  request_.min_action = min_action;
  request_.threads = 1;  // runs are parallel already
  request_.span = 1e-7;  // of a gain that is estimated to the second or third digit
  if (options.resolution != 0 || sensors.states.size() <= most_lattice_states) request_.resolution = resolution_for(sensors, request_);
}

Outcome<PolicyTable> Oracle::plan(const std::vector<double>& transition, const std::vector<double>& radius) {
  model_.transition = transition;
  if (request_.resolution == 0) {
    VectorRequest request;
    request.vectors = 16;  // rough, as the estimate is: a fine plan takes ten times as long
    request.beliefs = 64;
    request.seed = seed_;
    request.threads = 1;
    const VectorPlan planned = plan_vectors(model_, request);
    gain_ = planned.expected.mean;
    return planned.table;
  }
  request_.optimism = radius;
  Outcome<LatticePlan> planned = plan_lattice(model_, request_, "the estimated model", planned_ ? &earlier_ : nullptr);
  if (!planned) return fail(planned.error());
  earlier_ = std::move(planned.value());
  planned_ = true;
  gain_ = earlier_.gain;
  return earlier_.table;
}

std::vector<std::string> Oracle::remarks() const {
  if (request_.resolution != 0) return {};
  return {fmt::format("{} states are too many for a lattice: planned with value vectors for the estimate itself, without optimism{}",
                      model_.states.size(), request_.min_action > 0 ? " and without regard to the least action probability" : "")};
}

}  // namespace penumbra::host

// Values by planning again: on the image's lattice. Vectors have none yet.
#include "penumbra/host/image_value.hpp"

#include "penumbra/host/lattice_plan.hpp"

#include <memory>
#include <utility>

namespace penumbra::host {

namespace {

Outcome<BeliefValue> lattice_value(const PolicyImage& image, const Model& model, const std::string& name, std::uint64_t threads) {
  LatticeRequest request;
  request.resolution = image.header().parameter;
  request.threads = threads;
  Outcome<LatticePlan> planned = plan_lattice(model, request, name);
  if (!planned) return fail(planned.error());
  const auto plan = std::make_shared<const LatticePlan>(std::move(planned.value()));
  return BeliefValue([plan, S = model.states.size()](const double* belief) { return bias_at(*plan, belief, S); });
}

}  // namespace

Outcome<BeliefValue> value_of(const PolicyImage& image, const Model& model, const std::string& name, std::uint64_t threads) {
  if (image.header().policy == PolicyKind::lattice) return lattice_value(image, model, name, threads);
  return fail(Fault::input, name, "its policy is vectors, which cannot be looked ahead with yet", "leave --choice lookahead out");
}

}  // namespace penumbra::host

// Values by planning again: on the image's lattice, or with vectors.
#include "penumbra/host/image_value.hpp"

#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/vector_plan.hpp"

#include "vector_set.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace penumbra::host {

namespace {

Outcome<BeliefValue> lattice_value(const PolicyImage& image, const Model& model, const std::string& name, std::uint64_t threads) {
  LatticeRequest request;
  request.resolution = image.header().parameter;
  request.threads = threads;
  const Outcome<LatticePlan> planned = plan_lattice(model, request, name);
  if (!planned) return fail(planned.error());
  return bias_function(planned.value(), model.states.size());
}

// The largest product with the belief.
double best_product(const ValueVectors& vectors, const double* belief, std::size_t states) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < vectors.values.size(); row += states) {
    best = std::max(best, vector_planning::dot(vectors.values.data() + row, belief, states));
  }
  return best;
}

// The values were backed up with a discount, so that is how they are looked ahead with.
BeliefValue vectors_value(const PolicyImage& image, const Model& model, std::uint64_t threads) {
  VectorRequest request;
  request.vectors = image.header().parameter;
  request.threads = threads;
  VectorPlan plan = plan_vectors(model, request);
  const auto vectors = std::make_shared<const ValueVectors>(std::move(plan.full));
  return [vectors, discount = plan.discount, S = model.states.size()](const double* belief) {
    return discount * best_product(*vectors, belief, S);
  };
}

}  // namespace

Outcome<BeliefValue> value_of(const PolicyImage& image, const Model& model, const std::string& name, std::uint64_t threads) {
  if (image.header().policy == PolicyKind::lattice) return lattice_value(image, model, name, threads);
  return vectors_value(image, model, threads);
}

}  // namespace penumbra::host

// A policy for the largest long-run average reward, from whichever planner does better, and how good it is known to be.
#pragma once

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/vector_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace penumbra::host {

// `best` plans with both where the lattice fits, and keeps what earns more: the higher lower confidence bound, or the smaller image where
// the difference of the two, run by run, could be none.
enum class PlanMethod { best, vectors, lattice };

struct PlanRequest {
  PlanMethod method = PlanMethod::best;
  VectorRequest vectors;
  std::optional<ValueVectors> given;  // take these in place of planning any
  LatticeRequest lattice;             // resolution 0: default_resolution()
  EvaluationSize evaluation;
};

struct Plan {
  PlanMethod method = PlanMethod::vectors;  // of the table
  PolicyTable table;
  Average average;  // what the table earns in the model: simulated by the device's own code
  std::optional<VectorPlan> vectors;
  std::optional<LatticePlan> lattice;  // for its upper bound too, so wherever it fits
};

// The resolution that planning takes when none is asked for: fine where the lattice is small, and whatever a few thousand points give where
// it is not. 0: no lattice fits.
[[nodiscard]] std::uint16_t default_resolution(const Model& model, const LatticeRequest& request);

// The model has a transition and fits the device. A problem where a lattice is asked for that is too large.
[[nodiscard]] Outcome<Plan> make_plan(const Model& model, const PlanRequest& request, const std::string& name,
                                      const PlanProgress& progress = {});

// How far from the optimum a policy can be at most: the lattice's gain bounds the optimum from above, what the policy earns bounds it from
// below. Refines the side that leaves more open until the gap is small enough or time is up.
struct CertificateRequest {
  double gap = 0;      // small enough; 0: go on until time is up, or, without a limit, give what one look at each side gives
  double seconds = 0;  // nothing begins later; 0: no limit
};

struct Certificate {
  // Why it went no further.
  enum class Stop { met, time, memory, finest, contradiction };

  std::optional<double> upper_bound;  // nothing where no lattice fits
  std::uint16_t resolution = 0;       // of that lattice
  Average average;                    // on seeds of its own, not those that a table was chosen on
  std::uint64_t runs = 0;             // simulated
  // The average less its interval, and less what a run of finite length may owe to its start: about the lattice's span of the bias over
  // the steps. 97.5 % confidence for one look; refining takes several.
  double lower_bound = 0;
  std::optional<double> gap;  // below 0 the bounds contradict each other: runs are too short for how slowly the model mixes, or were lucky
  Stop stop = Stop::met;
};

// `start` is a lattice plan of the model to refine from, barycentric and without optimism.
[[nodiscard]] Certificate certify(const Model& model, const PolicyImage& image, const LatticePlan* start, const LatticeRequest& lattice,
                                  const EvaluationSize& evaluation, const CertificateRequest& request, const PlanProgress& progress = {});

}  // namespace penumbra::host

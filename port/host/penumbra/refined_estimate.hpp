// What `estimate --refine` adds to AOAS's estimate, for people and for scripts.
#pragma once

#include "command.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/refinement.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

// Of the threads that are asked for; progress is shown as that of `doing` for as long as the request is there. `common` outlives it.
[[nodiscard]] host::RefinementRequest request_with_progress(const char* doing, const Common& common);

// With progress. The log-likelihood is that of `runs` for Estimator::trajectory, and of `counts` for Estimator::counts.
[[nodiscard]] host::Refinement refined(const Model& model, const host::Counts& counts, const host::RunLog& runs, host::Estimator by,
                                       const std::vector<double>& start, const Common& common);

// The largest of an action's standard errors, [action][state][next state], that are known.
[[nodiscard]] std::string largest_error(const Model& model, const std::vector<double>& errors, size_t action);

// The value of the key `refinement`.
[[nodiscard]] Json to_json(const host::Refinement& refinement, host::Estimator by);

// In place of AOAS's table. The errors are both empty where the truth is not known.
void print_refinement(const Model& model, const host::Estimate& aoas, const host::Refinement& refinement, host::Estimator by,
                      const std::vector<double>& errors_of_aoas, const std::vector<double>& errors, bool aside);

}  // namespace penumbra::command

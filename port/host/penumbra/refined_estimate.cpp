// Refinements on their way out.
#include "refined_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace penumbra::command {

namespace {

using host::Estimator;
using host::NextAction;
using host::Refinement;

const char* shown(NextAction kept) {
  switch (kept) {
    case NextAction::observation: return "observation";
    case NextAction::observation_and_state: return "observation and state";
    case NextAction::unknown: break;
  }
  return "-";
}

Json spelled(NextAction kept) {
  switch (kept) {
    case NextAction::observation: return "observation";
    case NextAction::observation_and_state: return "observation-and-state";
    case NextAction::unknown: break;
  }
  return nullptr;
}

std::uint64_t passes_of(const Refinement& refinement) {
  std::uint64_t sum = 0;
  for (const std::uint64_t passes : refinement.passes) sum += passes;
  return sum;
}

}  // namespace

host::RefinementRequest request_with_progress(const char* doing, const Common& common) {
  host::RefinementRequest request;
  request.threads = common.threads;
  request.progress = [doing, &common, line = std::make_shared<std::optional<ProgressLine>>()](std::uint64_t passes, std::uint64_t most) {
    if (!*line) line->emplace(doing, most, common);
    (*line)->at(passes);
  };
  return request;
}

Refinement refined(const Model& model, const host::Counts& counts, const host::RunLog& runs, Estimator by, const std::vector<double>& start,
                   const Common& common) {
  const host::RefinementRequest request = request_with_progress("refining", common);
  return by == Estimator::counts ? host::refine_by_counts(model, counts, start, request)
                                 : host::refine_by_trajectory(model, runs, start, request);
}

std::string largest_error(const Model& model, const std::vector<double>& errors, size_t action) {
  const size_t cells = model.states.size() * model.states.size();
  double largest = std::nan("");
  for (size_t i = action * cells; i < (action + 1) * cells; ++i) largest = std::fmax(largest, errors[i]);
  return number(largest);
}

Json to_json(const Refinement& refinement, Estimator by) {
  const bool by_action = by == Estimator::counts;
  Json kept = nullptr;
  if (by_action) {
    kept = Json::array();
    for (const NextAction next : refinement.kept) kept.push_back(spelled(next));
  }
  return {{"method", by_action ? "counts" : "trajectory"},
          {"log_likelihood_before", json_number(refinement.log_likelihood_before)},
          {"log_likelihood_after", json_number(refinement.log_likelihood_after)},
          {"passes", by_action ? Json(refinement.passes) : Json(refinement.passes.front())},
          {"converged", by_action ? Json(refinement.converged) : Json(static_cast<bool>(refinement.converged.front()))},
          {"kept", std::move(kept)},
          {"impossible", refinement.impossible}};
}

void print_refinement(const Model& model, const host::Estimate& aoas, const Refinement& refinement, Estimator by,
                      const std::vector<double>& errors_of_aoas, const std::vector<double>& errors, bool aside) {
  const bool by_action = by == Estimator::counts;
  std::vector<Row> rows{{"action", "samples", "sigma_min"}};
  const auto add = [&](const char* heading, const auto& of_action) {
    rows[0].emplace_back(heading);
    for (size_t a = 0; a < model.actions.size(); ++a) rows[a + 1].push_back(of_action(a));
  };
  for (size_t a = 0; a < model.actions.size(); ++a)
    rows.push_back({model.actions.of(a), grouped(aoas.samples[a]), number(aoas.sigma_min[a])});
  if (by_action) {
    add("passes", [&](size_t a) { return std::to_string(refinement.passes[a]); });
    add("next action by", [&](size_t a) { return shown(refinement.kept[a]); });
  }
  if (!refinement.standard_error.empty())
    add("largest std. error", [&](size_t a) { return largest_error(model, refinement.standard_error, a); });
  if (!errors.empty()) {
    add("error of AOAS", [&](size_t a) { return number(errors_of_aoas[a]); });
    add("error", [&](size_t a) { return number(errors[a]); });
  }
  print_table(rows, aside);
  print_line(fmt::format("log-likelihood of the {}  {:.1f} to {:.1f} ({:+.1f} nats) in {} passes", by_action ? "pairs" : "steps",
                         refinement.log_likelihood_before, refinement.log_likelihood_after,
                         refinement.log_likelihood_after - refinement.log_likelihood_before, passes_of(refinement)),
             aside);
  if (refinement.log_likelihood_after < refinement.log_likelihood_before) {
    print_line("so few data that the pseudo-counts weigh more: the likelihood of both together has risen", aside);
  }
  if (!std::all_of(refinement.converged.begin(), refinement.converged.end(), [](bool yes) { return yes; })) {
    print_line("the passes ran out while the likelihood was still rising", aside);
  }
  if (refinement.impossible > 0) {
    print_line(fmt::format("{} {} left out: no state gives what they saw", grouped(refinement.impossible), by_action ? "pairs" : "steps"),
               aside);
  }
  if (refinement.standard_error.empty()) {
    print_line(
        fmt::format("standard errors are left out: they are computed for {} free parameters at most", grouped(host::most_free_parameters)),
        aside);
  }
  for (size_t a = 0; a < model.actions.size(); ++a) {
    if (aoas.samples[a] == 0) print_line(fmt::format("action {}: no pairs; made uniform", model.actions.of(a)), aside);
  }
  if (!errors.empty()) print_line("error: Frobenius distance to the transition that the model has", aside);
}

}  // namespace penumbra::command

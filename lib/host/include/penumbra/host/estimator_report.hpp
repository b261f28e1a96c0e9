// All estimators side by side on one's own data: each is fitted to a part of the logs and asked to predict the rest, so that the choice between
// them need not be believed.
//
// **steps.** Where there are runs, the last fifth of each is held out. The score is log p(o_t | a_t, all that came before in the run), the belief having
// been followed from the run's beginning with the same transition. Counts files add to what AOAS and the fit of counts see, not to the trajectory's.
//
// **pairs.** Where there are counts files and no run is long enough, every pair is held out with a probability of one fifth. The score is the log-probability
// of (o, a', o') given a, by the model of refinement.hpp, whose d and pi are fitted to the other pairs for each transition. The pairs of a run overlap, so
// that the parts are not quite independent. There is no order, and so no estimate by trajectory.
#pragma once

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/refinement.hpp"
#include "penumbra/host/run_log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

enum class HeldOut : std::uint8_t { steps, pairs };

// What is not known, or does not apply, is NaN.
struct ReportRow {
  std::string estimator;         // uniform: nothing learned; aoas; counts; trajectory; model: the transition that the model has
  double log_likelihood = 0;     // of a held-out step or pair, on average over those that the estimate calls possible
  std::uint64_t impossible = 0;  // the others: their log-likelihood is minus infinity
  double gain_over_aoas = 0;     // in log_likelihood, over what both call possible
  double gain_standard_error = 0;
  double mean_frobenius_error = 0;      // over actions
  double fitted_gain = 0;               // refinements: log-likelihood gained on the part that they were fitted to
  std::optional<std::uint64_t> passes;  // refinements
  double seconds = 0;                   // of the fit
};

struct EstimatorReport {
  HeldOut unit = HeldOut::steps;
  std::uint64_t held_out = 0;  // 0: there is too little data, and there are no rows
  std::vector<ReportRow> rows;
  std::optional<std::string> best;   // beats every other estimator by more than two standard errors; `model` does not compete
  bool trajectory_saw_less = false;  // there were counts files too, which it cannot use
};

// `sensors` are the model's, and check_aoas_applies() has said yes. Of `request` standard_errors is not looked at. But for `seconds` the result does not
// depend on the number of threads.
[[nodiscard]] EstimatorReport report_estimators(const Model& model, const std::vector<SensorInverse>& sensors, const MixedLogs& logs,
                                                const RefinementRequest& request = {});

}  // namespace penumbra::host

// Estimators side by side, as a table and as JSON.
#include "side_by_side.hpp"

#include "refined_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penumbra::command {

namespace {

using host::EstimatorReport;
using host::HeldOut;
using host::ReportRow;

const char* unit_of(const EstimatorReport& report) { return report.unit == HeldOut::steps ? "steps" : "pairs"; }

// Scores of single steps differ in their third digit.
double per_1000(double of_one) { return 1000 * of_one; }

std::string fixed(double value, const char* sign = "") {
  if (!std::isfinite(value)) return "-";
  return *sign != '\0' ? fmt::format("{:+.3f}", value) : fmt::format("{:.3f}", value);
}

std::string verdict(const EstimatorReport& report) {
  const bool known = std::any_of(report.rows.begin(), report.rows.end(),
                                 [](const ReportRow& row) { return row.estimator != "aoas" && std::isfinite(row.gain_standard_error); });
  if (report.best) {
    return fmt::format("{} predicts best: every other estimate is behind by more than two standard errors, or rules more of it out",
                       *report.best);
  }
  if (!known) return "the data do not tell the estimates apart: too little is held out";
  return "the data do not tell the best estimates apart: none is ahead of every other by more than two standard errors";
}

}  // namespace

EstimatorReport compared(const Model& model, const std::vector<host::SensorInverse>& sensors, const host::MixedLogs& logs,
                         const Common& common) {
  return host::report_estimators(model, sensors, logs, request_with_progress("comparing", common));
}

Json to_json(const EstimatorReport& report) {
  Json rows = Json::array();
  for (const ReportRow& row : report.rows) {
    rows.push_back({{"estimator", row.estimator},
                    {"log_likelihood_per_1000", json_number(per_1000(row.log_likelihood))},
                    {"gain_over_aoas", json_number(per_1000(row.gain_over_aoas))},
                    {"gain_standard_error", json_number(per_1000(row.gain_standard_error))},
                    {"frobenius_error", json_number(row.mean_frobenius_error)},
                    {"fitted_gain", json_number(row.fitted_gain)},
                    {"impossible", row.impossible},
                    {"passes", row.passes ? Json(*row.passes) : Json(nullptr)},
                    {"seconds", row.seconds}});
  }
  return {{"held_out", report.held_out},
          {"unit", unit_of(report)},
          {"trajectory_saw_less", report.trajectory_saw_less},
          {"rows", std::move(rows)},
          {"best", report.best ? Json(*report.best) : Json(nullptr)}};
}

void print_report(const EstimatorReport& report, bool aside) {
  print_line("", aside);
  if (report.held_out == 0) {
    print_line("too little data to compare estimators: nothing could be held out; a run of five steps is the shortest that can", aside);
    return;
  }
  const bool truth = std::any_of(report.rows.begin(), report.rows.end(), [](const ReportRow& row) { return row.estimator == "model"; });
  const bool impossible = std::any_of(report.rows.begin(), report.rows.end(), [](const ReportRow& row) { return row.impossible > 0; });
  std::vector<Row> rows{{"estimator", "log-lik. per 1000", "over aoas", "std. error"}};
  if (impossible) rows[0].emplace_back("impossible");
  if (truth) rows[0].emplace_back("mean error");
  rows[0].insert(rows[0].end(), {"fitted gain", "passes", "seconds"});
  for (const ReportRow& row : report.rows) {
    rows.push_back({row.estimator, fixed(per_1000(row.log_likelihood)), fixed(per_1000(row.gain_over_aoas), "+"),
                    fixed(per_1000(row.gain_standard_error))});
    if (impossible) rows.back().push_back(grouped(row.impossible));
    if (truth) rows.back().push_back(number(row.mean_frobenius_error));
    rows.back().insert(rows.back().end(), {std::isfinite(row.fitted_gain) ? fmt::format("{:+.1f}", row.fitted_gain) : "-",
                                           row.passes ? std::to_string(*row.passes) : "-", fmt::format("{:.2f}", row.seconds)});
  }
  const bool steps = report.unit == HeldOut::steps;
  print_line(fmt::format("held out: {} {}, {}; each estimator is fitted to the rest and predicts them", grouped(report.held_out),
                         unit_of(report), steps ? "the last fifth of each run" : "about a fifth, chosen at random"),
             aside);
  print_table(rows, aside);
  if (!steps) {
    print_line("no trajectory: it needs runs of five steps and more, and these are counts, which have no order", aside);
    print_line("pairs of a run share steps, so that these standard errors are somewhat too small", aside);
  }
  if (report.trajectory_saw_less) {
    print_line("trajectory was fitted to the trajectories alone, the others to the counts files too", aside);
  }
  if (impossible) {
    print_line(fmt::format("impossible: {} that the estimate rules out; they are left out of the means, and count as worse than any other",
                           unit_of(report)),
               aside);
  }
  if (truth) print_line("model: the transition that the model has; it does not compete", aside);
  print_line(verdict(report), aside);
}

}  // namespace penumbra::command

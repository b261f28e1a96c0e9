// Every estimator fitted to one part of the logs, and scored on the other.
#include "penumbra/host/estimator_report.hpp"

#include "held_out.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace penumbra::host {

namespace {

// What is fitted, and what has become of it.
class Bench {
 public:
  Bench(const Model& model, const std::vector<SensorInverse>& sensors, const RefinementRequest& request)
      : model_(model), sensors_(sensors), request_(request) {}

  template <class Fit>
  void add(const char* estimator, const Fit& fit) {
    const auto start = std::chrono::steady_clock::now();
    ReportRow row;
    row.estimator = estimator;
    row.fitted_gain = not_known;
    transitions.push_back(fit(row));
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rows.push_back(std::move(row));
  }

  [[nodiscard]] std::vector<double> aoas(const Counts& pairs) const { return estimate_transition(model_, sensors_, pairs).transition; }

  // The part `which` of `parts` of all that refines: so far has progress come.
  [[nodiscard]] RefinementRequest request(std::uint64_t which, std::uint64_t parts) const {
    RefinementRequest made = request_;
    made.standard_errors = false;
    if (request_.progress) {
      made.progress = [this, which, parts](std::uint64_t passes, std::uint64_t most) {
        constexpr std::uint64_t of_part = 1000;
        request_.progress(which * of_part + passes * of_part / most, parts * of_part);
      };
    }
    return made;
  }

  std::vector<ReportRow> rows;
  std::vector<std::vector<double>> transitions;

 private:
  const Model& model_;
  const std::vector<SensorInverse>& sensors_;
  const RefinementRequest& request_;
};

std::vector<double> take(Refinement refinement, ReportRow& row) {
  row.fitted_gain = refinement.log_likelihood_after - refinement.log_likelihood_before;
  row.passes = std::accumulate(refinement.passes.begin(), refinement.passes.end(), std::uint64_t{0});
  return std::move(refinement.transition);
}

// Whether i predicts better than j by more than luck: what is impossible is worse than anything.
bool beats(const Scores& scores, size_t i, size_t j) {
  if (scores.impossible[i] != scores.impossible[j]) return scores.impossible[i] < scores.impossible[j];
  const size_t at = i * scores.impossible.size() + j;
  return scores.gain[at] > 2 * scores.standard_error[at];  // not where they are not known
}

void score(const Model& model, const Scores& scores, const std::vector<std::vector<double>>& transitions, EstimatorReport& report) {
  constexpr size_t aoas = 1;
  const size_t n = report.rows.size();
  for (size_t i = 0; i < n; ++i) {
    ReportRow& row = report.rows[i];
    row.log_likelihood = scores.log_likelihood[i];
    row.impossible = scores.impossible[i];
    row.gain_over_aoas = scores.gain[i * n + aoas];
    row.gain_standard_error = scores.standard_error[i * n + aoas];
    row.mean_frobenius_error = not_known;
    if (!model.has_transition()) continue;
    const std::vector<double> errors = frobenius_errors(transitions[i], model.transition, model.states.size());
    row.mean_frobenius_error = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  }
  const size_t competing = n - static_cast<size_t>(model.has_transition());
  for (size_t i = 0; i < competing; ++i) {
    bool best = true;
    for (size_t j = 0; j < competing; ++j) best = best && (i == j || beats(scores, i, j));
    if (best) report.best = report.rows[i].estimator;
  }
}

std::uint64_t all_of(const Counts& counts) { return std::accumulate(counts.pairs.begin(), counts.pairs.end(), std::uint64_t{0}); }

}  // namespace

EstimatorReport report_estimators(const Model& model, const std::vector<SensorInverse>& sensors, const MixedLogs& logs,
                                  const RefinementRequest& request) {
  EstimatorReport report;
  const RunLog part = fitted_part(model, logs.runs);
  report.held_out = logs.runs.steps() - part.steps();
  const bool has_counts = all_of(logs.pairs) > 0;
  report.unit = report.held_out == 0 && has_counts ? HeldOut::pairs : HeldOut::steps;
  const Counts of_part = part.counts();
  Counts fitted = of_part;
  static_cast<void>(fitted.add(logs.pairs));
  SplitPairs split;
  if (report.unit == HeldOut::pairs) {
    split = split_pairs(fitted);
    fitted = split.fitted;
    report.held_out = all_of(split.held_out);
  }
  if (report.held_out == 0) return report;
  report.trajectory_saw_less = report.unit == HeldOut::steps && has_counts;

  const bool has_trajectory = report.unit == HeldOut::steps;
  const std::uint64_t parts = has_trajectory ? 2 : 1;
  Bench bench(model, sensors, request);
  bench.add("uniform", [&](ReportRow& /*row*/) {
    const size_t S = model.states.size();
    return std::vector<double>(model.actions.size() * S * S, 1.0 / static_cast<double>(S));
  });
  bench.add("aoas", [&](ReportRow& /*row*/) { return bench.aoas(fitted); });
  bench.add("counts",
            [&](ReportRow& row) { return take(refine_by_counts(model, fitted, bench.aoas(fitted), bench.request(0, parts)), row); });
  if (has_trajectory) {
    bench.add("trajectory",
              [&](ReportRow& row) { return take(refine_by_trajectory(model, part, bench.aoas(of_part), bench.request(1, parts)), row); });
  }
  if (model.has_transition()) bench.add("model", [&](ReportRow& /*row*/) { return model.transition; });
  report.rows = std::move(bench.rows);
  const Scores scores =
      has_trajectory ? score_steps(model, bench.transitions, logs.runs) : score_pairs(model, bench.transitions, split, request.threads);
  score(model, scores, bench.transitions, report);
  return report;
}

}  // namespace penumbra::host

// Fig. 1 and the table of sigma_min and pulls: AOAS on samples of many policies.
#include "experiments.hpp"

#include "../learning_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penumbra::command {

namespace {

struct Instance {
  const char* place;  // in the paper's figure
  std::size_t states;
  std::size_t observations;
  std::uint64_t steps;
};
constexpr Instance instances[] = {{"left", 5, 8, 1000000}, {"right", 10, 16, 5000000}};
constexpr std::size_t actions = 4;

std::string pulls_of(const std::vector<double>& runs) {
  const host::Average average = host::average_of(runs);
  double squares = 0;
  for (const double pulls : runs) squares += (pulls - average.mean) * (pulls - average.mean);
  const double deviation = runs.size() > 1 ? std::sqrt(squares / static_cast<double>(runs.size() - 1)) : 0.0;
  return fmt::format("{:.1f} (± {:.1f})", average.mean, deviation);
}

// What the page says about one instance.
struct Findings {
  std::vector<double> slope;  // [action], of the error in log-log
  double at_end = 0;          // mean error
  double at_tenth = 0;
  bool worst_is_explained = false;  // the action of the largest error has the fewest pulls or the smallest sigma_min
  std::string worst;
};

Findings findings_of(const Subject& subject, const host::EstimationResult& result) {
  Findings findings;
  std::vector<double> last;
  std::vector<double> pulls;
  for (std::size_t a = 0; a < actions; ++a) {
    const host::Curve& curve = result.error[a];
    findings.slope.push_back(host::power_law(curve).value_or(0.0));
    last.push_back(curve.average.back().mean);
    pulls.push_back(host::average_of(result.pulls[a]).mean);
    findings.at_end += curve.average.back().mean / actions;
    findings.at_tenth += curve.average[curve.average.size() / 10 - 1].mean / actions;
  }
  const auto worst = static_cast<std::size_t>(std::max_element(last.begin(), last.end()) - last.begin());
  const auto fewest = static_cast<std::size_t>(std::min_element(pulls.begin(), pulls.end()) - pulls.begin());
  const auto weakest =
      static_cast<std::size_t>(std::min_element(subject.sigma_min.begin(), subject.sigma_min.end()) - subject.sigma_min.begin());
  findings.worst_is_explained = worst == fewest || worst == weakest;
  findings.worst = fmt::format("the largest error is action {}'s; action {} has the fewest pulls, action {} the smallest sigma_min", worst,
                               fewest, weakest);
  return findings;
}

}  // namespace

Outcome<void> estimation_error(Laboratory& laboratory, Page& page) {
  Report& report = page.report();
  report.paragraph(
      "How well AOAS estimates the transitions while the policies that gather the samples change: each is myopic under a belief that moves "
      "by a random "
      "transition of its own, drawn anew every 10,000 steps, and plays every action with probability .15 at least (paper, Fig. 1 and the "
      "table "
      "beside it in the appendix).");
  std::vector<const Subject*> subjects;
  std::vector<Plot> panels;
  std::vector<Row> table{{"figure", "action", "sigma_min", "number of pulls (± std)", "error at the end", "slope in log-log"}};
  std::vector<Findings> findings;
  for (const Instance& instance : instances) {
    const Outcome<const Subject*> subject = laboratory.subject(instance.states, actions, instance.observations, 0, false);
    if (!subject) return fail(subject.error());
    subjects.push_back(subject.value());
    host::EstimationSize size;
    size.steps = instance.steps;
    const Outcome<host::EstimationResult> result = laboratory.estimation(*subject.value(), size);
    if (!result) return fail(result.error());
    findings.push_back(findings_of(*subject.value(), result.value()));
    Plot panel;
    panel.title = fmt::format("S = {}, A = {}, O = {}", instance.states, actions, instance.observations);
    panel.x_title = "step";
    panel.y_title = "Frobenius error";
    panel.log_y = true;
    for (std::size_t a = 0; a < actions; ++a) {
      const host::Curve& curve = result.value().error[a];
      panel.lines.push_back(line_of(fmt::format("action {}", a), curve));
      page.curve(fmt::format("{}-action{}-error", subject.value()->name, a), curve);
      table.push_back({instance.place, std::to_string(a), fmt::format("{:.3f}", subject.value()->sigma_min[a]),
                       pulls_of(result.value().pulls[a]), interval(curve.average.back(), 4),
                       fmt::format("{:.2f}", findings.back().slope[a])});
    }
    panels.push_back(std::move(panel));
  }
  page.figure("estimation-error", panels, "Error of each action's transition matrix, mean of the runs with 95 % intervals.");
  report.table(table);

  report.heading("What the paper claims, and what we see");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Findings& it = findings[i];
    const std::string where = fmt::format("S = {}: ", instances[i].states);
    const double steepest = *std::min_element(it.slope.begin(), it.slope.end());
    const double flattest = *std::max_element(it.slope.begin(), it.slope.end());
    report.verdict(it.at_end < it.at_tenth, where + "the error goes on falling when samples of different policies are put together.",
                   fmt::format("The mean error falls from {:.4f} at a tenth of the steps to {:.4f} at the end.", it.at_tenth, it.at_end));
    report.verdict(
        steepest > -0.75 && flattest < -0.3,
        where + "it falls like one over the root of the samples, as lemma combinedActionDistr has it for a fixed number of policies.",
        fmt::format(
            "Slopes of {:.2f} to {:.2f}; -.5 is a root. Here the number of policies grows with the samples, and the lemma's bound with its "
            "root: the bound promises less than what is seen.",
            steepest, flattest));
    report.verdict(it.worst_is_explained, where + "actions of higher error are those chosen less, or of low sigma_min.",
                   "Here " + it.worst + ".");
  }
  page.models(subjects);
  page.parameter("steps",
                 fmt::format("{} and {}", grouped(laboratory.steps(instances[0].steps)), grouped(laboratory.steps(instances[1].steps))));
  page.parameter("a policy lasts", "10,000 steps");
  page.parameter("least action probability", ".15");
  page.parameters();
  return {};
}

}  // namespace penumbra::command

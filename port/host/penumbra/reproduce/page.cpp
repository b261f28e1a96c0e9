// Tables, curves and figures of an experiment.
#include "page.hpp"

#include "../learner_options.hpp"
#include "../learning_job.hpp"

#include "penumbra/host/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::command {

bool clearly_below(const host::Average& one, const host::Average& other) { return one.mean + one.ci95 < other.mean - other.ci95; }

void Page::models(const std::vector<const Subject*>& subjects) {
  report_.heading("Models");
  report_.paragraph(
      "The paper's own instances are not published. These are drawn by seed as its appendix describes: every transition at least 1/(20 S), "
      "and for "
      "each state and action one observation that is more likely than the rest.");
  std::vector<Row> rows{{"file", "states", "actions", "observations", "sigma_min of each action", "optimal gain"}};
  for (const Subject* subject : subjects) {
    files_.emplace_back("models/" + subject->name + ".json", host::to_json(subject->model));
    std::string sigma;
    for (const double value : subject->sigma_min) sigma += fmt::format("{}{:.3f}", sigma.empty() ? "" : " ", value);
    rows.push_back({"`models/" + subject->name + ".json`", std::to_string(subject->model.states.size()),
                    std::to_string(subject->model.actions.size()), std::to_string(subject->model.observations.size()), sigma,
                    subject->reference ? fmt::format("{:.5f}", subject->reference->gain().mean) : "-"});
  }
  report_.table(rows);
}

void Page::parameters() {
  report_.heading("Parameters");
  const LaboratoryOptions& options = laboratory_.options();
  parameter("runs", std::to_string(options.runs));
  parameter("seed", std::to_string(options.seed));
  if (options.quick) parameter("length", "a tenth of the paper's (`--quick`)");
  report_.table(parameters_);
}

void Page::curves(const Subject& subject, const Trial& trial) {
  std::string stem = subject.name + "-" + trial.name;
  std::replace(stem.begin(), stem.end(), ' ', '-');
  stem.erase(std::remove(stem.begin(), stem.end(), ','), stem.end());
  curve(stem + "-regret", trial.summary.regret);
  curve(stem + "-gap_regret", trial.summary.gap_regret);
  if (!trial.summary.error.steps.empty()) curve(stem + "-transition_error", trial.summary.error);
}

void Page::figure(const std::string& name, const std::vector<Plot>& panels, const std::string& caption) {
  Outcome<Drawn> drawn = draw(panels);
  if (!drawn) {
    say(drawn.error());
    report_.paragraph("(No figure here: gnuplot is missing or has failed. The curves are in `curves`.)");
    return;
  }
  report_.figure(name + ".svg", drawn.value().svg, caption);
  files_.emplace_back(name + ".svg", std::move(drawn.value().svg));
  files_.emplace_back(name + ".png", std::move(drawn.value().png));
}

void Page::parameter(const Trial& trial) {
  std::string text;
  const Json options = to_json(trial.options, *trial.kind);
  for (const auto& [name, value] : options.items()) {
    const bool by_size = name == "resolution" && value == 0;
    text += (text.empty() ? "" : ", ") + name + " " + (by_size ? "by the number of states" : value.dump());
  }
  if (!text.empty()) parameter(trial.name, text);
}

void Page::write(host::OutputFolder& folder, const std::string& prefix) const {
  for (const auto& [name, text] : files_) folder.add(prefix + name, text);
  folder.add(prefix + "report.md", report_.markdown());
  folder.add(prefix + "report.html", report_.html());
}

Plot regret_panel(const Subject& subject, const std::vector<Trial>& trials, host::Curve host::LearningSummary::*curve,
                  const std::string& axis) {
  Plot plot;
  plot.title = subject.name;
  plot.x_title = "step";
  plot.y_title = axis;
  for (const Trial& trial : trials) {
    Line line = line_of(trial.name, trial.summary.*curve);
    line.reference = !trial.kind->learns;
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

std::vector<Row> regret_table(const std::vector<Trial>& trials) {
  const auto power = [](const std::optional<double>& slope) { return slope ? fmt::format("{:.2f}", *slope) : std::string("-"); };
  std::vector<Row> rows{{"learner", "gap regret", "regret", "of the gap regret, first episode", "growth from T/4 to T", "slope",
                         "slope of the rest", "episodes", "transition error at the end"}};
  for (const Trial& trial : trials) {
    const host::LearningSummary& summary = trial.summary;
    rows.push_back({trial.name, interval(trial.gap_regret()), interval(trial.regret()),
                    trial.kind->learns ? fmt::format("{:.1f}", summary.first_gap_regret.mean) : "-",
                    trial.growth() > 0 ? fmt::format("{:.2f}", trial.growth()) : "-", power(summary.slope),
                    trial.kind->learns ? power(summary.slope_of_rest) : "-",
                    trial.kind->learns ? fmt::format("{:.0f}", summary.episodes.mean) : "-",
                    summary.error.average.empty() ? "-" : interval(summary.error.average.back(), 3)});
  }
  return rows;
}

}  // namespace penumbra::command

// The page of an experiment: its report, and the files beside it (models, curves, figures).
#pragma once

#include "laboratory.hpp"

#include "../plot.hpp"
#include "../report.hpp"

#include "penumbra/host/output_folder.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

class Page {
 public:
  Page(const std::string& title, const Laboratory& laboratory) : report_(title), laboratory_(laboratory) {}

  [[nodiscard]] Report& report() noexcept { return report_; }

  // Their files, and a table of them.
  void models(const std::vector<const Subject*>& subjects);
  // A parameter for the table of them, which parameters() writes; and all options of a learner.
  void parameter(const std::string& name, const std::string& value) { parameters_.push_back({name, value}); }
  void parameter(const Trial& trial);
  void parameters();

  void curve(const std::string& name, const host::Curve& curve) {
    files_.emplace_back("curves/" + name + ".csv", host::to_csv(curve, true));
  }
  // The three curves of a learner.
  void curves(const Subject& subject, const Trial& trial);
  // Left out, and that is said, where gnuplot is missing or fails.
  void figure(const std::string& name, const std::vector<Plot>& panels, const std::string& caption);

  // The report in both forms and all files, into the folder below `prefix`.
  void write(host::OutputFolder& folder, const std::string& prefix) const;

 private:
  Report report_;
  const Laboratory& laboratory_;
  std::vector<Row> parameters_{{"parameter", "value"}};
  std::vector<std::pair<std::string, std::string>> files_;
};

// One is below the other, and their 95 % intervals do not meet.
[[nodiscard]] bool clearly_below(const host::Average& one, const host::Average& other);
// Panels of regret, one a subject, with a line a trial.
[[nodiscard]] Plot regret_panel(const Subject& subject, const std::vector<Trial>& trials, host::Curve host::LearningSummary::*curve,
                                const std::string& axis);
// Gap regret, regret, growth and slopes of each trial.
[[nodiscard]] std::vector<Row> regret_table(const std::vector<Trial>& trials);

}  // namespace penumbra::command

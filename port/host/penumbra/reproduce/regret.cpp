// Fig. 2: AOAS-UCRL beside its rivals in one world.
#include "experiments.hpp"

#include "../learning_job.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::command {

Outcome<void> regret(Laboratory& laboratory, Page& page) {
  Report& report = page.report();
  report.paragraph(
      "AOAS-UCRL against OAS-UCRL, PSRL-POMDP and SEEU in one world (paper, Fig. 2). SEEU is given the true observation distributions in "
      "place of what it "
      "saw, as in the paper's appendix. Regret is what the optimal policy would have earned, less what came in; gap regret sums what "
      "each action gave away in the true model, which leaves the luck of the observations out.");
  const Outcome<const Subject*> subject = laboratory.subject(3, 4, 4, 0);
  if (!subject) return fail(subject.error());
  std::vector<Trial> trials;
  for (const char* learner : {"aoas-ucrl", "oas-ucrl", "psrl-pomdp", "seeu"}) {
    Outcome<Trial> trial = laboratory.trial(*subject.value(), learner, learner);
    if (!trial) return fail(trial.error());
    page.curves(*subject.value(), trial.value());
    trials.push_back(std::move(trial.value()));
  }
  page.figure("regret",
              {regret_panel(*subject.value(), trials, &host::LearningSummary::regret, "regret"),
               regret_panel(*subject.value(), trials, &host::LearningSummary::gap_regret, "gap regret")},
              "Regret and gap regret, mean of the runs with 95 % intervals.");
  report.table(regret_table(trials));

  report.heading("What the paper claims, and what we see");
  const Trial& ours = trials.front();
  const bool lowest = std::all_of(trials.begin() + 1, trials.end(),
                                  [&](const Trial& other) { return clearly_below(ours.gap_regret(), other.gap_regret()); });
  report.verdict(lowest, "AOAS-UCRL has the lowest regret of the four.",
                 fmt::format("Its gap regret is {}; {}.", interval(ours.gap_regret()),
                             lowest ? "the interval of every other one lies above it" : "not every other one's interval lies above it"));
  const auto highest = std::max_element(trials.begin(), trials.end(),
                                        [](const Trial& a, const Trial& b) { return a.gap_regret().mean < b.gap_regret().mean; });
  report.verdict(highest->name == "seeu", "SEEU has the highest.",
                 fmt::format("The highest gap regret is that of {}: {}.", highest->name, interval(highest->gap_regret())));
  report.verdict(ours.growth() <= 2.2, "AOAS-UCRL's regret grows no faster than the root of T log T.",
                 fmt::format("From T/4 to T its gap regret grows by {:.2f}; a root would grow by 2, a straight line by 4.", ours.growth()));
  page.models({subject.value()});
  page.parameter("steps T", grouped(laboratory.steps(Laboratory::learning_steps)));
  for (const Trial& trial : trials) page.parameter(trial);
  page.parameters();
  return {};
}

}  // namespace penumbra::command

// The paper's two ablations: OAS-UCRL's least action probability, and AOAS-UCRL's reuse of samples.
#include "experiments.hpp"

#include "../learning_job.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::command {

namespace {

struct Variant {
  const char* learner;
  const char* name;
  host::LearnerOptions options;
};

// All variants in all worlds, drawn and tabled: [world][variant].
Outcome<std::vector<std::vector<Trial>>> run_variants(Laboratory& laboratory, Page& page, const std::string& figure,
                                                      const std::vector<const Subject*>& subjects, const std::vector<Variant>& variants) {
  std::vector<std::vector<Trial>> all;
  std::vector<Plot> regret;
  std::vector<Plot> gap;
  for (const Subject* subject : subjects) {
    std::vector<Trial> trials;
    for (const Variant& variant : variants) {
      Outcome<Trial> trial = laboratory.trial(*subject, variant.learner, variant.name, variant.options);
      if (!trial) return fail(trial.error());
      page.curves(*subject, trial.value());
      trials.push_back(std::move(trial.value()));
    }
    regret.push_back(regret_panel(*subject, trials, &host::LearningSummary::regret, "regret"));
    gap.push_back(regret_panel(*subject, trials, &host::LearningSummary::gap_regret, "gap regret"));
    all.push_back(std::move(trials));
  }
  for (const auto& [name, panels, what] : {std::tuple{figure, &regret, "Regret"}, std::tuple{figure + "-gap", &gap, "Gap regret"}}) {
    page.figure(name, *panels, std::string(what) + ", mean of the runs with 95 % intervals.");
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    page.report().paragraph("In `" + subjects[i]->name + "`:");
    page.report().table(regret_table(all[i]));
  }
  page.report().heading("What the paper claims, and what we see");
  return all;
}

Outcome<std::vector<const Subject*>> draw_subjects(Laboratory& laboratory, std::size_t actions, std::uint64_t count) {
  std::vector<const Subject*> subjects;
  for (std::uint64_t number = 0; number < count; ++number) {
    const Outcome<const Subject*> subject = laboratory.subject(3, actions, 3, number);
    if (!subject) return fail(subject.error());
    subjects.push_back(subject.value());
  }
  return subjects;
}

}  // namespace

Outcome<void> ablation_min_action(Laboratory& laboratory, Page& page) {
  page.report().paragraph(
      "OAS-UCRL plays every action with probability iota at least. A larger iota explores more and gives better estimates; it also plays "
      "bad actions more often. "
      "AOAS-UCRL needs none (paper, appendix, first ablation).");
  std::vector<Variant> variants{{"aoas-ucrl", "aoas-ucrl", {}}};
  for (const auto& [iota, name] :
       {std::pair{.01, "oas-ucrl iota .01"}, std::pair{.03, "oas-ucrl iota .03"}, std::pair{.05, "oas-ucrl iota .05"}}) {
    host::LearnerOptions options;
    options.min_action = iota;
    variants.push_back({"oas-ucrl", name, options});
  }
  const Outcome<std::vector<const Subject*>> subjects = draw_subjects(laboratory, 3, 2);
  if (!subjects) return fail(subjects.error());
  const Outcome<std::vector<std::vector<Trial>>> all = run_variants(laboratory, page, "ablation-min-action", subjects.value(), variants);
  if (!all) return fail(all.error());

  bool less_is_better = false;  // .01 against .05, in one world at least
  bool more_is_better = false;
  std::string best;
  for (std::size_t i = 0; i < all.value().size(); ++i) {
    const std::vector<Trial>& trials = all.value()[i];
    const std::string where = subjects.value()[i]->name + ": ";
    const bool lowest = std::all_of(trials.begin() + 1, trials.end(),
                                    [&](const Trial& other) { return clearly_below(trials[0].gap_regret(), other.gap_regret()); });
    const auto least = std::min_element(trials.begin() + 1, trials.end(),
                                        [](const Trial& a, const Trial& b) { return a.gap_regret().mean < b.gap_regret().mean; });
    page.report().verdict(
        lowest, where + "AOAS-UCRL is below OAS-UCRL, whatever its iota.",
        fmt::format("{} against {} at best ({}).", interval(trials[0].gap_regret()), interval(least->gap_regret()), least->name));
    less_is_better = less_is_better || clearly_below(trials[1].gap_regret(), trials[3].gap_regret());
    more_is_better = more_is_better || clearly_below(trials[3].gap_regret(), trials[1].gap_regret());
    best += fmt::format("{}{} in {}", best.empty() ? "" : ", ", least->name, subjects.value()[i]->name);
  }
  page.report().verdict(
      less_is_better && more_is_better, "Which iota is best depends on the world: more exploration helps in one and costs in the other.",
      fmt::format("The lowest gap regret is that of {}; {}.", best,
                  less_is_better && more_is_better ? "intervals of .01 and .05 lie one way in one world and the other way in another"
                                                   : "no two worlds have the intervals of .01 and .05 in opposite orders"));
  page.models(subjects.value());
  page.parameter("steps T", grouped(laboratory.steps(Laboratory::learning_steps)));
  for (const Trial& trial : all.value()[0]) page.parameter(trial);
  page.parameters();
  return {};
}

Outcome<void> ablation_sample_reuse(Laboratory& laboratory, Page& page) {
  page.report().paragraph(
      "AOAS-UCRL as it is, and with an estimate from the last episode's samples alone; an action that was not played in it then gets a "
      "uniform transition "
      "(paper, appendix, second ablation).");
  host::LearnerOptions without;
  without.reuse = false;
  const Outcome<std::vector<const Subject*>> subjects = draw_subjects(laboratory, 5, 3);
  if (!subjects) return fail(subjects.error());
  const Outcome<std::vector<std::vector<Trial>>> all = run_variants(laboratory, page, "ablation-sample-reuse", subjects.value(),
                                                                    {{"aoas-ucrl", "reuse", {}}, {"aoas-ucrl", "no reuse", without}});
  if (!all) return fail(all.error());

  std::size_t below = 0;
  std::size_t halved = 0;
  std::size_t wider = 0;
  std::string ratios;
  for (const std::vector<Trial>& trials : all.value()) {
    const double ratio = trials[0].gap_regret().mean / trials[1].gap_regret().mean;
    below += static_cast<std::size_t>(clearly_below(trials[0].gap_regret(), trials[1].gap_regret()));
    halved += static_cast<std::size_t>(ratio <= 0.5);
    wider += static_cast<std::size_t>(trials[1].gap_regret().ci95 > trials[0].gap_regret().ci95);
    ratios += fmt::format("{}{:.2f}", ratios.empty() ? "" : ", ", ratio);
  }
  const std::size_t worlds = all.value().size();
  page.report().verdict(
      2 * below > worlds, "Reusing all samples generally leads to better performance, more evidently in some worlds than in others.",
      fmt::format(
          "Gap regret with reuse is lower, with intervals that do not meet, in {} of {} worlds. The ratios are {}: at most half in {}.",
          below, worlds, ratios, halved));
  page.report().verdict(2 * wider > worlds, "Without reuse the runs differ more: their intervals are wider.",
                        fmt::format("The interval is wider without reuse in {} of {} worlds.", wider, worlds));
  page.models(subjects.value());
  page.parameter("steps T", grouped(laboratory.steps(Laboratory::learning_steps)));
  for (const Trial& trial : all.value()[0]) page.parameter(trial);
  page.parameters();
  return {};
}

}  // namespace penumbra::command

// Not the paper's: AOAS-UCRL with estimates that take more out of the same data, after a shorter first episode, and with actions that starve looked after.
#include "experiments.hpp"
#include "lock_in.hpp"

#include "../learning_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace penumbra::command {

namespace {

using host::Estimator;

constexpr std::uint64_t papers_first_episode = 2500;
constexpr std::uint64_t short_first_episode = 1000;
constexpr double looked_after = 2;  // --least-samples

struct Variant {
  Estimator estimator;
  std::uint64_t first_episode;
  double least_samples;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} T0 {}{}", host::name_of(estimator), first_episode, least_samples > 0 ? " looked after" : "");
  }
  [[nodiscard]] host::LearnerOptions options() const {
    host::LearnerOptions options;
    options.estimator = estimator;
    options.first_episode = first_episode;
    options.least_samples = least_samples;
    return options;
  }
};

constexpr Estimator estimators[] = {Estimator::aoas, Estimator::counts, Estimator::trajectory};

// The variants of each estimator, in the order of `estimators`, one row of them after the other.
std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const auto& [first_episode, least_samples] :
       {std::pair{papers_first_episode, 0.0}, std::pair{short_first_episode, 0.0}, std::pair{short_first_episode, looked_after}}) {
    for (const Estimator estimator : estimators) variants.push_back({estimator, first_episode, least_samples});
  }
  return variants;
}
constexpr std::size_t at_papers = 0;  // where each row begins
constexpr std::size_t at_short = 3;
constexpr std::size_t at_looked_after = 6;
constexpr std::size_t trajectory = 2;  // within a row

struct World {
  const Subject* subject;
  std::vector<Trial> trials;  // [variant]
};

std::string shown(const Trial& trial) {
  const std::string stuck = trial.summary.stuck > 0 ? fmt::format(", {} stuck", trial.summary.stuck) : "";
  return interval(trial.gap_regret(), 0) + stuck;
}

// Gap regret of one row of variants in every world.
std::vector<Row> table_of(const std::vector<World>& worlds, std::size_t row) {
  std::vector<Row> table{{"world", "aoas", "counts", "trajectory", "transition error at the end: aoas", "counts", "trajectory"}};
  for (const World& world : worlds) {
    table.push_back({world.subject->name});
    for (std::size_t i = row; i < row + 3; ++i) table.back().push_back(shown(world.trials[i]));
    for (std::size_t i = row; i < row + 3; ++i) table.back().push_back(interval(world.trials[i].summary.error.average.back(), 3));
  }
  return table;
}

std::string shares(const std::vector<double>& numbers, double times, int digits) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:.{}f}", text.empty() ? "" : " ", times * number, digits);
  return text;
}

// Each run by itself, so that nothing is averaged away.
std::vector<Row> runs_of(const std::vector<const Trial*>& trials, const std::vector<double>& best_plays) {
  std::vector<Row> rows{{"", "run", "gap regret", "stuck", "played, % of the steps, by action", "error, by action"}};
  rows.push_back({"the best policy", "", "0", "", shares(best_plays, 100, 2), ""});
  for (const Trial* trial : trials) {
    for (std::size_t run = 0; run < trial->summary.ends.size(); ++run) {
      const host::RunEnd& end = trial->summary.ends[run];
      rows.push_back({trial->name, std::to_string(run), fmt::format("{:.0f}", end.gap_regret), end.stuck ? "stuck" : "",
                      shares(end.plays, 100, 2), shares(end.action_error, 1, 2)});
    }
  }
  return rows;
}

// Runs of which an action starves: it has less than a tenth of what the best policy plays of it, which is a hundredth of the steps at least.
std::uint64_t starving(const host::LearningSummary& summary, const std::vector<double>& best_plays, bool stuck) {
  std::uint64_t runs = 0;
  for (const host::RunEnd& end : summary.ends) {
    if (end.stuck != stuck) continue;
    bool starves = false;
    for (std::size_t a = 0; a < best_plays.size(); ++a) starves = starves || (best_plays[a] >= 0.01 && end.plays[a] < best_plays[a] / 10);
    runs += static_cast<std::uint64_t>(starves);
  }
  return runs;
}

Plot each_run(const Trial& trial) {
  Plot plot;
  plot.title = trial.name;
  plot.x_title = "step";
  plot.y_title = "gap regret";
  const host::Curve& curve = trial.summary.gap_regret;
  for (std::size_t run = 0; run < curve.runs.size(); ++run) {
    Line line;
    line.name = fmt::format("run {}", run);
    for (std::size_t i = 0; i < curve.steps.size(); ++i) {
      line.x.push_back(static_cast<double>(curve.steps[i]));
      line.mean.push_back(curve.runs[run][i]);
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

Outcome<std::vector<const Subject*>> choose_worlds(Laboratory& laboratory) {
  Outcome<const Subject*> locking_in = laboratory.subject("lock-in", lock_in_world());
  if (!locking_in) return fail(locking_in.error());
  std::vector<const Subject*> subjects{locking_in.value()};
  for (const auto& [states, observations, count] : {std::tuple{3, 4, 8}, std::tuple{5, 8, 2}}) {
    for (int number = 0; number < count; ++number) {
      Outcome<const Subject*> subject = laboratory.subject(static_cast<std::size_t>(states), 4, static_cast<std::size_t>(observations),
                                                           static_cast<std::uint64_t>(number));
      if (!subject) return fail(subject.error());
      subjects.push_back(subject.value());
    }
  }
  return subjects;
}

std::uint64_t stuck_in(const std::vector<World>& worlds, std::size_t variant) {
  std::uint64_t stuck = 0;
  for (const World& world : worlds) stuck += world.trials[variant].summary.stuck;
  return stuck;
}

bool within_intervals(const host::Average& one, const host::Average& other) { return !clearly_below(other, one); }

// --- The sections

constexpr const char* too_short = "These runs are too short to tell which of them are stuck, and what that costs.";

void compare_estimates(Report& report, const std::vector<World>& worlds) {
  report.heading("Better estimates, and a shorter first episode");
  report.paragraph(
      "AOAS solves a linear system. `counts` and `trajectory` begin with its estimate and go on to the greatest likelihood, of the same "
      "pair counts or of the steps in "
      "their order. Gap regret, mean of the runs with 95 % intervals; a run is stuck when in its second half it gives away more than a "
      "four-hundredth of what acting uniformly does, and no less a step than in the quarter before; runs shorter than 50 first episodes "
      "are not "
      "judged. The error is Frobenius's, the mean over the actions. The paper's first episode, T0 2500:");
  report.table(table_of(worlds, at_papers));
  report.paragraph("T0 1000:");
  report.table(table_of(worlds, at_short));

  std::size_t no_worse = 0;
  std::size_t lower = 0;
  std::size_t small = 0;
  std::size_t shorter_is_lower = 0;
  for (const World& world : worlds) {
    shorter_is_lower += static_cast<std::size_t>(world.trials[at_short + trajectory].gap_regret().mean <
                                                 world.trials[at_papers + trajectory].gap_regret().mean);
    if (world.subject->model.states.size() != 3) continue;
    const host::Average& with_aoas = world.trials[at_short].gap_regret();
    const host::Average& with_trajectory = world.trials[at_short + trajectory].gap_regret();
    ++small;
    no_worse += static_cast<std::size_t>(within_intervals(with_trajectory, with_aoas));
    lower += static_cast<std::size_t>(with_trajectory.mean < with_aoas.mean);
  }
  report.verdict(no_worse == small && 3 * lower >= 2 * small,
                 "With T0 1000 a better estimate loses no more, and less in two of three worlds (S3 A4 O4, trajectory against AOAS)",
                 fmt::format("Lower or equal within the intervals in {} of {} worlds, lower in {}.", no_worse, small, lower));
  report.verdict(2 * shorter_is_lower > worlds.size(), "The first episode can be shorter than the paper's.",
                 fmt::format("With `trajectory` T0 1000 loses less than T0 2500 in {} of {} worlds. Stuck runs of all worlds, T0 2500 and "
                             "1000: AOAS {} and {}, "
                             "trajectory {} and {}.",
                             shorter_is_lower, worlds.size(), stuck_in(worlds, at_papers), stuck_in(worlds, at_short),
                             stuck_in(worlds, at_papers + trajectory), stuck_in(worlds, at_short + trajectory)));
}

void explain_lock_in(Page& page, const World& world, const std::vector<double>& best_plays, bool judged) {
  Report& report = page.report();
  report.heading("Why a better estimate does not always help: actions that starve");
  report.paragraph(
      "In `lock-in` the best policy plays one action nearly always and another one now and then, and each of the other three passes for "
      "that one. A learner whose "
      "first estimates favour the wrong one plays it ever after. The right one keeps the samples of the first episode, its estimate stays "
      "as wrong as it is, and "
      "the paper's radius, whose constant the experiments choose small, is far smaller than the error.");
  const Trial& plain = world.trials[at_short];
  const Trial& better = world.trials[at_short + trajectory];
  const Trial& remedied = world.trials[at_looked_after + trajectory];
  page.figure("lock-in", {each_run(plain), each_run(better), each_run(remedied)},
              "Gap regret of each run in `lock-in`: stuck runs are straight lines that rise to the end.");
  report.table(runs_of({&plain, &better, &remedied}, best_plays));

  if (!judged) {
    report.paragraph(too_short);
    return;
  }
  std::uint64_t stuck = 0;
  std::uint64_t starved = 0;
  std::uint64_t starved_and_not_stuck = 0;
  for (std::size_t i = 0; i < at_looked_after; ++i) {
    const host::LearningSummary& summary = world.trials[i].summary;
    stuck += summary.stuck;
    starved += starving(summary, best_plays, true);
    starved_and_not_stuck += starving(summary, best_plays, false);
  }
  report.verdict(stuck > 0 && 10 * starved >= 9 * stuck && 10 * starved_and_not_stuck <= starved,
                 "Runs that are stuck are those in which an action of the best policy starves: greedy lock-in.",
                 fmt::format("Of {} stuck runs of all estimators in `lock-in`, {} play such an action less than a tenth as often as the "
                             "best policy does; of those that are "
                             "not stuck, {} do.",
                             stuck, starved, starved_and_not_stuck));
}

void measure_remedy(Report& report, const std::vector<World>& worlds, bool judged) {
  report.heading("A remedy: optimism as large as the error, where an action starves");
  report.paragraph(
      "`--least-samples 2`: an action with fewer than 2 sqrt(t) of t pairs is starved, and the radius of each row of its transition is "
      "what its error is expected to be by the "
      "estimate's own standard errors, where that is more than the paper's radius. The regions only grow by this, and an action asks for "
      "some "
      "2 sqrt(t) samples and no more, so that AOAS keeps the order of the paper's bound; for the other estimators nobody has proved one. "
      "T0 1000:");
  report.table(table_of(worlds, at_looked_after));
  const World& world = worlds.front();
  const auto against = [&](std::size_t i) {
    return fmt::format("{}: {} with it, {} without", host::name_of(estimators[i]), shown(world.trials[at_looked_after + i]),
                       shown(world.trials[at_short + i]));
  };
  const auto helps = [&](std::size_t i) {
    return world.trials[at_looked_after + i].gap_regret().mean < world.trials[at_short + i].gap_regret().mean &&
           world.trials[at_looked_after + i].summary.stuck < world.trials[at_short + i].summary.stuck;
  };
  if (!judged) {
    report.paragraph(too_short);
    return;
  }
  report.verdict(helps(1) && helps(2), "It frees the runs that are stuck in `lock-in`, where the estimate is one of greatest likelihood.",
                 fmt::format("{}; {}; {}.", against(0), against(1), against(2)));
  std::size_t no_worse = 0;
  std::string changes;
  for (std::size_t i = 1; i < worlds.size(); ++i) {
    const Trial& with = worlds[i].trials[at_looked_after + trajectory];
    const Trial& without = worlds[i].trials[at_short + trajectory];
    no_worse += static_cast<std::size_t>(within_intervals(with.gap_regret(), without.gap_regret()));
    changes += fmt::format("{}{:+.0f}", changes.empty() ? "" : ", ", with.gap_regret().mean - without.gap_regret().mean);
  }
  report.verdict(no_worse + 1 == worlds.size(), "Elsewhere it costs no more than the intervals hide.",
                 fmt::format("With `trajectory`, no worse within the intervals in {} of the {} other worlds; gap regret changes by {}.",
                             no_worse, worlds.size() - 1, changes));
}

}  // namespace

Outcome<void> beyond(Laboratory& laboratory, Page& page) {
  page.report().paragraph(
      "AOAS-UCRL as it is, with better estimates, with a shorter first episode, and with a remedy for actions that starve: in a world that "
      "is known to hold "
      "learners fast, in eight drawn ones like those of the comparison, and in two larger ones.");
  if (laboratory.options().quick) page.report().paragraph("A tenth of the steps (`--quick`): a look, not a result.");
  const Outcome<std::vector<const Subject*>> subjects = choose_worlds(laboratory);
  if (!subjects) return fail(subjects.error());
  const std::vector<Variant> variants = all_variants();
  std::vector<World> worlds;
  for (const Subject* subject : subjects.value()) {
    worlds.push_back({subject, {}});
    for (const Variant& variant : variants) {
      Outcome<Trial> trial = laboratory.trial(*subject, "aoas-ucrl", variant.name(), variant.options());
      if (!trial) return fail(trial.error());
      page.curves(*subject, trial.value());
      worlds.back().trials.push_back(std::move(trial.value()));
    }
  }
  const Outcome<Trial> best = laboratory.trial(*subjects.value().front(), "optimal", "optimal");
  if (!best) return fail(best.error());
  std::vector<double> best_plays(best.value().summary.ends.front().plays.size(), 0.0);
  for (const host::RunEnd& end : best.value().summary.ends) {
    for (std::size_t a = 0; a < best_plays.size(); ++a)
      best_plays[a] += end.plays[a] / static_cast<double>(best.value().summary.ends.size());
  }

  compare_estimates(page.report(), worlds);
  const bool judged = !laboratory.options().quick;
  explain_lock_in(page, worlds.front(), best_plays, judged);
  measure_remedy(page.report(), worlds, judged);
  page.models(subjects.value());
  page.report().paragraph("`lock-in` is not drawn: it was found, and is part of the command.");
  page.parameter("steps T", grouped(laboratory.steps(Laboratory::learning_steps)));
  for (const Trial& trial : worlds.front().trials) page.parameter(trial);
  page.parameters();
  return {};
}

}  // namespace penumbra::command

// penumbra learn: a learner against a model's world, its regret along the way, and how well it knows that world in the end.
#include "command.hpp"
#include "interruption.hpp"
#include "learner_options.hpp"
#include "learning_job.hpp"
#include "plot.hpp"

#include "penumbra/host/learning_summary.hpp"
#include "penumbra/host/output_folder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::string algorithm;
  host::LearnerOptions learner;
  LearnerOptionList given;
  host::LearningSize size;
  std::string checkpoint;
  bool each_run = false;
  std::string output;
};

Json average_json(const host::Average& average) { return {{"mean", json_number(average.mean)}, {"ci95", json_number(average.ci95)}}; }

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json summary_json(const Options& options, const host::LearnerKind& kind, const host::Reference& reference,
                  const host::LearningSummary& summary) {
  Json json{{"algorithm", kind.name}, {"optimal_gain", reference.gain().mean}};
  json["optimal_gain_ci95"] = reference.gain().ci95;
  json["optimal_gain_method"] = reference.method();
  constexpr host::Average nothing{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  const auto last = [nothing](const host::Curve& curve) { return curve.average.empty() ? nothing : curve.average.back(); };
  json["regret"] = average_json(last(summary.regret));
  json["gap_regret"] = average_json(last(summary.gap_regret));
  json["transition_error"] = nullptr;
  json["transition_error_ci95"] = nullptr;
  if (!summary.action_error.empty()) {
    json["transition_error"] = Json::array();
    json["transition_error_ci95"] = Json::array();
    for (const host::Average& error : summary.action_error) {
      json["transition_error"].push_back(json_number(error.mean));
      json["transition_error_ci95"].push_back(json_number(error.ci95));
    }
  }
  json["slope"] = optional_json(summary.slope);
  json["first_episode"] = {{"steps", summary.first_episode.mean},
                           {"regret", average_json(summary.first_regret)},
                           {"gap_regret", average_json(summary.first_gap_regret)},
                           {"slope_of_rest", optional_json(summary.slope_of_rest)}};
  json["episodes"] = summary.episodes.mean;
  json["stuck"] = kind.explores_first ? Json(summary.stuck) : Json(nullptr);
  json["each_run"] = Json::array();
  for (const host::RunEnd& end : summary.ends) {
    json["each_run"].push_back({{"gap_regret", json_number(end.gap_regret)},
                                {"stuck", kind.explores_first ? Json(end.stuck) : Json(nullptr)},
                                {"plays", end.plays},
                                {"transition_error", end.action_error.empty() ? Json(nullptr) : Json(end.action_error)}});
  }
  json["seconds"] = summary.seconds;
  json["planning"] = {{"seconds", summary.planning_seconds}};
  json["steps"] = summary.steps;
  json["runs"] = summary.runs;
  json["whole"] = summary.whole;
  json["seed"] = options.size.seed;
  json["options"] = to_json(options.learner, kind);
  json["model"] = options.model.name();
  json["remarks"] = summary.remarks;
  json["version"] = PENUMBRA_VERSION;
  return json;
}

void print(const Options& options, const host::LearnerKind& kind, const host::Reference& reference, const host::LearningSummary& summary) {
  print_line(fmt::format("{} in {}: {} of {} steps", kind.name, options.model.name(),
                         summary.runs == 1 ? "1 run" : grouped(summary.runs) + " runs", grouped(summary.steps)));
  print_line("");
  const auto line = [](const std::string& name, const std::string& value, const std::string& note = {}) {
    std::string text = fmt::format("{:<17}  {:<18}  {}", name, value, note);
    text.erase(text.find_last_not_of(' ') + 1);
    print_line(text);
  };
  line("optimal gain", fmt::format("{:.6f}", reference.gain().mean), reference.method());
  if (summary.regret.average.empty()) return;
  line("regret", interval(summary.regret.average.back(), 1), "the optimal gain, less what came in");
  line("gap regret", interval(summary.gap_regret.average.back(), 1), "what its actions gave away, without the luck of the observations");
  if (kind.learns) {
    line("  first episode", interval(summary.first_gap_regret, 1),
         fmt::format("{} steps", grouped(static_cast<std::uint64_t>(std::llround(summary.first_episode.mean)))));
    line("episodes", fmt::format("{:.4g}", summary.episodes.mean), "");
    if (kind.explores_first && summary.stuck > 0) {
      line("stuck", fmt::format("{} of {} runs", summary.stuck, grouped(summary.runs)),
           "go on losing as fast as before, more than 1/400 of what acting uniformly does");
    }
  }
  if (summary.slope) {
    const std::string rest = summary.slope_of_rest ? fmt::format("; {:.2f} without the first episode", *summary.slope_of_rest) : "";
    line("slope", fmt::format("{:.2f}", *summary.slope), "gap regret grows like steps to this power" + (kind.learns ? rest : ""));
  }
  if (!summary.action_error.empty()) {
    std::string errors;
    for (const host::Average& error : summary.action_error) errors += (errors.empty() ? "" : " ") + fmt::format("{:.3f}", error.mean);
    line("transition error", errors, "by action");
  }
  line("a run took", fmt::format("{:.2f} s", summary.seconds), fmt::format("of which planning {:.2f} s", summary.planning_seconds));
  for (const std::string& remark : summary.remarks) print_line(remark);
}

struct CurveFile {
  const char* name;  // of the files
  const char* title;
  const host::Curve& curve;
};

Outcome<void> add_files(const Options& options, const host::LearnerKind& kind, const host::LearningSummary& summary, const Json& json,
                        host::OutputFolder& folder) {
  const CurveFile files[] = {{"regret", "Regret", summary.regret},
                             {"gap_regret", "Gap regret", summary.gap_regret},
                             {"transition_error", "Transition error (mean over actions, Frobenius)", summary.error}};
  bool draws = true;
  for (const CurveFile& file : files) {
    if (file.curve.steps.empty()) continue;
    folder.add(file.name + std::string(".csv"), host::to_csv(file.curve, options.each_run));
    if (!draws) continue;
    const Outcome<Drawn> drawn = draw({Plot{options.model.name(), "step", file.title, {line_of(kind.name, file.curve)}, false, false}});
    if (!drawn) {
      say(drawn.error());
      say("the curves are written without their plots");
      draws = false;
      continue;
    }
    folder.add(file.name + std::string(".svg"), drawn.value().svg);
    folder.add(file.name + std::string(".png"), drawn.value().png);
  }
  folder.add("summary.json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return folder.commit();
}

Outcome<int> learn(const Options& options) {
  const host::LearnerKind* kind = host::find_learner(options.algorithm);
  const Outcome<Model> read = read_model(options.model);
  if (!read) return fail(read.error());
  const Model& model = read.value();
  const Outcome<void> learnable = host::check_learnable(model, options.model.name());
  if (!learnable) return fail(learnable.error());
  const Outcome<void> usable = check_learner_options(options.given, *kind, options.learner, model);
  if (!usable) return fail(usable.error());
  std::optional<host::OutputFolder> folder;
  if (!options.output.empty()) {
    Outcome<host::OutputFolder> opened = host::OutputFolder::open(options.output);
    if (!opened) return fail(opened.error());
    folder.emplace(std::move(opened.value()));
  }

  Interruption interruption;
  const Outcome<host::Reference> reference = host::Reference::of(model, options.model.name(), options.common.threads);
  if (!reference) return fail(reference.error());
  const LearningTask task{model, reference.value(), *kind, options.learner, options.size, options.checkpoint};
  std::optional<ProgressLine> progress(std::in_place, "learning", options.size.steps * options.size.runs, options.common);
  const Outcome<host::LearningRuns> runs = run_task(task, interruption.asked(), [&](std::uint64_t steps) { progress->at(steps); });
  progress.reset();
  if (!runs) return fail(runs.error());
  if (runs.value().empty()) {
    folder.reset();  // gone again where it was made
    interruption.die_if_asked();
  }

  const host::LearningSummary summary = host::summarise(runs.value(), options.size);
  const Json json = summary_json(options, *kind, reference.value(), summary);
  if (options.common.json) {
    print_json(json);
  } else {
    print(options, *kind, reference.value(), summary);
  }
  const Outcome<void> flushed = flush_results();
  if (!flushed) return fail(flushed.error());
  if (folder) {
    const Outcome<void> written = add_files(options, *kind, summary, json, *folder);
    if (!written) return fail(written.error());
  }
  if (!summary.whole) {
    say(fmt::format("interrupted: the figures are of {} of {} runs, {} steps each", summary.runs, options.size.runs,
                    grouped(summary.steps)));
    if (!options.checkpoint.empty()) say("the same command goes on from " + options.checkpoint);
  }
  interruption.die_if_asked();
  return done;
}

}  // namespace

void add_learn(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("learn", "A learner against a model's world: regret, and how well it learns");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  std::vector<std::string> names;
  std::string text;
  for (const host::LearnerKind& kind : host::learner_kinds()) {
    names.emplace_back(kind.name);
    text += fmt::format("\n  {:<11} {}", kind.name, kind.description);
  }
  command->add_option("--algorithm", options->algorithm, "required:" + text)->required()->check(CLI::IsMember(names))->option_text("NAME");
  add_whole(*command, "--steps", options->size.steps, 1, "steps of each run; required", host::most_learning_steps)->required();
  add_whole(*command, "--runs", options->size.runs, 1, "runs, each with luck of its own, 10 by default", most_runs);
  add_whole(*command, "--seed", options->size.seed, 0, "the same seed gives the same bytes, 1 by default");
  options->given = add_learner_options(*command, options->learner);
  add_whole(*command, "--points", options->size.points, 1, "points of a curve, 400 by default", 100000);
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "keep finished runs in this file, and go on from it where it is there; a run under way begins again")
      ->check(CLI::Validator(
          [](std::string& name) { return name.empty() || name == "-" ? std::string("this takes a file") : std::string(); }, ""))
      ->option_text("FILE");
  CLI::Option* output = command->add_option("-o,--output", options->output, "write curves, plots and summary.json into this folder");
  output->option_text("DIR");
  command->add_flag("--each-run", options->each_run, "curves have a column for each run too")->needs(output);
  add_common(*command, options->common);
  command->callback([&run, options] {
    options->size.threads = options->common.threads;
    run = [options] { return learn(*options); };
  });
}

}  // namespace penumbra::command

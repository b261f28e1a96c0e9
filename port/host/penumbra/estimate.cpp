// penumbra estimate: how the world moves, from logs and the known sensors: by AOAS, and on request closer to what the data can tell.
#include "command.hpp"
#include "logs.hpp"
#include "refined_estimate.hpp"
#include "side_by_side.hpp"

#include "penumbra/host/aoas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::vector<std::string> logs;
  std::string refine = "none";
  bool report = false;
  std::string output;
};

// The estimate that is asked for, [action][state][next state] each; standard_error is empty where there are too many of them.
struct Found {
  std::vector<double> transition;
  std::vector<double> standard_error;
};

// [action][state][next state]; what is not a number is null.
Json tensor(const std::vector<double>& numbers, size_t actions, size_t states) {
  Json all = Json::array();
  const double* next = numbers.data();
  for (size_t a = 0; a < actions; ++a) {
    Json matrix = Json::array();
    for (size_t s = 0; s < states; ++s, next += states) matrix.push_back(std::vector<double>(next, next + states));
    all.push_back(std::move(matrix));
  }
  return all;
}

// The states' names, the first few of many.
std::string some_of(const host::Labels& states, const std::vector<size_t>& which) {
  constexpr size_t few = 10;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(few, which.size()); ++i) names.push_back(states.of(which[i]));
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  return which.size() > few ? fmt::format("{} and {} more", list, which.size() - few) : list;
}

// How one action moves the world: each entry with its standard error, or a question mark where it is not known.
void print_matrix(const Model& model, const Found& found, size_t a, bool aside) {
  const size_t S = model.states.size();
  std::vector<Row> rows{{model.actions.of(a) + ", from"}};
  for (size_t next = 0; next < S; ++next) rows[0].push_back("to " + model.states.of(next));
  for (size_t s = 0; s < S; ++s) {
    rows.push_back({model.states.of(s)});
    for (size_t next = 0; next < S; ++next) {
      const size_t i = (a * S + s) * S + next;
      const double error = found.standard_error.empty() ? std::nan("") : found.standard_error[i];
      rows.back().push_back(std::isnan(error) ? fmt::format("{:.3f} ±?", found.transition[i])
                                              : fmt::format("{:.3f} ±{:.3f}", found.transition[i], error));
    }
  }
  print_line("", aside);
  print_table(rows, aside);
}

void print_estimate(const Model& model, const host::Estimate& estimate, const std::vector<double>& errors, bool aside) {
  std::vector<Row> rows{{"action", "samples", "sigma_min", "clipped", "uniform rows", "largest std. error"}};
  if (!errors.empty()) rows[0].emplace_back("error");
  for (size_t a = 0; a < model.actions.size(); ++a) {
    rows.push_back({model.actions.of(a), grouped(estimate.samples[a]), number(estimate.sigma_min[a]), std::to_string(estimate.clipped[a]),
                    std::to_string(estimate.uniform_rows[a].size()), largest_error(model, estimate.standard_error, a)});
    if (!errors.empty()) rows.back().push_back(number(errors[a]));
  }
  print_table(rows, aside);
  for (size_t a = 0; a < model.actions.size(); ++a) {
    if (estimate.uniform_rows[a].empty()) continue;
    print_line(fmt::format("action {}: nothing is known of how it leaves {}; made uniform", model.actions.of(a),
                           some_of(model.states, estimate.uniform_rows[a])),
               aside);
  }
  if (!errors.empty()) print_line("error: Frobenius distance to the transition that the model has", aside);
}

void print_matrices(const Model& model, const Found& found, bool aside) {
  if (model.states.size() > 8) return;  // more would not fit a line; -o and --json have them all
  for (size_t a = 0; a < model.actions.size(); ++a) print_matrix(model, found, a, aside);
}

// What the logs say, in the form that the estimators read.
struct Data {
  host::Counts counts;    // all pairs
  host::MixedLogs mixed;  // the same as runs and the pairs of counts files; empty where the first is enough
};

Outcome<Data> read_data(const Options& options, const Model& model) {
  host::MixedLogs none{host::RunLog(model), {}};
  if (options.refine != "trajectory" && !options.report) {
    Outcome<host::Counts> counts = count_logs(options.model, model, options.logs, options.common);
    if (!counts) return fail(counts.error());
    return Data{std::move(counts.value()), std::move(none)};
  }
  if (options.refine == "trajectory") {
    Outcome<host::RunLog> runs = read_run_logs(options.model, model, options.logs, options.common);
    if (!runs) return fail(runs.error());
    Outcome<host::Counts> no_pairs = host::Counts::of(model, options.model.name());
    if (!no_pairs) return fail(no_pairs.error());
    host::Counts counts = runs.value().counts();
    return Data{std::move(counts), {std::move(runs.value()), std::move(no_pairs.value())}};
  }
  Outcome<host::MixedLogs> logs = read_mixed_logs(options.model, model, options.logs, options.common);
  if (!logs) return fail(logs.error());
  Data data{logs.value().runs.counts(), std::move(logs.value())};
  if (!data.counts.add(data.mixed.pairs)) {
    return fail(Fault::input, options.logs.front(), "and the files after it add up to more samples than can be counted",
                "is one of them given twice?");
  }
  return data;
}

Outcome<int> estimate(const Options& options) {
  Outcome<Model> read = read_model(options.model);
  if (!read) return fail(read.error());
  Model& model = read.value();
  // What AOAS cannot serve, or cannot be written, is said before a long log is read.
  const std::vector<host::SensorInverse> sensors = host::invert_sensors(model);
  const Outcome<void> applies = host::check_aoas_applies(model, sensors, options.model.name());
  if (!applies) return fail(applies.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  const Outcome<Data> data = read_data(options, model);
  if (!data) return fail(data.error());
  const host::Estimate aoas = host::estimate_transition(model, sensors, data.value().counts);
  Found found{aoas.transition, aoas.standard_error};
  const host::Estimator by = options.refine == "counts" ? host::Estimator::counts : host::Estimator::trajectory;
  std::optional<host::Refinement> refinement;
  if (options.refine != "none") {
    refinement = refined(model, data.value().counts, data.value().mixed.runs, by, aoas.transition, options.common);
    found.transition = refinement->transition;
    found.standard_error = refinement->standard_error;
  }
  std::optional<host::EstimatorReport> report;
  if (options.report) report = compared(model, sensors, data.value().mixed, options.common);
  const auto errors_of = [&](const std::vector<double>& transition) {
    return model.has_transition() ? host::frobenius_errors(transition, model.transition, model.states.size()) : std::vector<double>{};
  };
  const std::vector<double> errors_of_aoas = errors_of(aoas.transition);
  const std::vector<double> errors = errors_of(found.transition);

  if (artefact.value().wanted()) {
    Model learned = model;
    learned.transition = found.transition;
    artefact.value().write(host::to_json(learned));
  }
  if (!options.common.json) {
    const bool aside = artefact.value().has_standard_output();
    if (refinement) {
      print_refinement(model, aoas, *refinement, by, errors_of_aoas, errors, aside);
    } else {
      print_estimate(model, aoas, errors, aside);
    }
    print_matrices(model, found, aside);
    if (report) print_report(*report, aside);
    return artefact.value().finish();
  }
  const size_t A = model.actions.size();
  const size_t S = model.states.size();
  const auto or_null = [](const std::vector<double>& numbers) { return numbers.empty() ? Json(nullptr) : Json(numbers); };
  print_json({{"transition", tensor(found.transition, A, S)},
              {"standard_error", found.standard_error.empty() ? Json(nullptr) : tensor(found.standard_error, A, S)},
              {"samples", aoas.samples},
              {"sigma_min", aoas.sigma_min},
              {"rank", aoas.rank},
              {"clipped", aoas.clipped},
              {"uniform_rows", aoas.uniform_rows},
              {"frobenius_error", or_null(errors)},
              {"frobenius_error_aoas", or_null(errors_of_aoas)},
              {"refinement", refinement ? to_json(*refinement, by) : Json(nullptr)},
              {"report", report ? to_json(*report) : Json(nullptr)}});
  return artefact.value().finish();
}

}  // namespace

void add_estimate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("estimate", "The transition model from logs of actions and observations (AOAS)");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_logs(*command, options->logs);
  command
      ->add_option(
          "--refine", options->refine,
          "go on from AOAS to the greatest likelihood: of the pair counts, or of the steps in their order, which takes trajectories alone "
          "and gains most; none by default")
      ->check(CLI::IsMember({"none", "counts", "trajectory"}))
      ->option_text("none|counts|trajectory");
  command->add_flag(
      "--report", options->report,
      "also compare all estimators: each is fitted to a part of the logs, and predicts the rest; takes logs into memory, 2 bytes a step");
  add_output(*command, options->output, "the model with the estimated transition");
  add_common(*command, options->common);
  command->footer("LOG: several files are several runs; no pair spans two of them. Logs of any policies and robots add up.\n" +
                  app.get_footer());
  command->callback([&run, options] { run = [options] { return estimate(*options); }; });
}

}  // namespace penumbra::command

// penumbra estimate: how the world moves, from logs and the known sensors (AOAS).
#include "command.hpp"
#include "logs.hpp"

#include "penumbra/host/aoas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::vector<std::string> logs;
  std::string output;
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

std::string largest(const double* first, const double* last) {
  double value = std::nan("");
  for (; first != last; ++first) value = std::fmax(value, *first);
  return number(value);
}

// The states' names, the first few of many.
std::string some_of(const host::Labels& states, const std::vector<size_t>& which) {
  constexpr size_t few = 10;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(few, which.size()); ++i) names.push_back(states.of(which[i]));
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  return which.size() > few ? fmt::format("{} and {} more", list, which.size() - few) : list;
}

// How one action moves the world: each entry with its standard error, or a question mark where the log does not tell it.
void print_matrix(const Model& model, const host::Estimate& estimate, size_t a, bool aside) {
  const size_t S = model.states.size();
  std::vector<Row> rows{{model.actions.of(a) + ", from"}};
  for (size_t next = 0; next < S; ++next) rows[0].push_back("to " + model.states.of(next));
  for (size_t s = 0; s < S; ++s) {
    rows.push_back({model.states.of(s)});
    for (size_t next = 0; next < S; ++next) {
      const size_t i = (a * S + s) * S + next;
      const double error = estimate.standard_error[i];
      rows.back().push_back(std::isnan(error) ? fmt::format("{:.3f} ±?", estimate.transition[i])
                                              : fmt::format("{:.3f} ±{:.3f}", estimate.transition[i], error));
    }
  }
  print_line("", aside);
  print_table(rows, aside);
}

void print_estimate(const Model& model, const host::Estimate& estimate, const std::vector<double>& errors, bool aside) {
  const size_t cells = model.states.size() * model.states.size();
  std::vector<Row> rows{{"action", "samples", "sigma_min", "clipped", "uniform rows", "largest std. error"}};
  if (!errors.empty()) rows[0].emplace_back("error");
  for (size_t a = 0; a < model.actions.size(); ++a) {
    const double* deviations = estimate.standard_error.data() + a * cells;
    rows.push_back({model.actions.of(a), grouped(estimate.samples[a]), number(estimate.sigma_min[a]), std::to_string(estimate.clipped[a]),
                    std::to_string(estimate.uniform_rows[a].size()), largest(deviations, deviations + cells)});
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
  if (model.states.size() > 8) return;  // more would not fit a line; -o and --json have them all
  for (size_t a = 0; a < model.actions.size(); ++a) print_matrix(model, estimate, a, aside);
}

Outcome<int> estimate(const Options& options) {
  Outcome<Model> read = read_model(options.model);
  if (!read) return fail(read.error());
  Model& model = read.value();
  // What AOAS cannot serve is said before a long log is read.
  const std::vector<host::SensorInverse> sensors = host::invert_sensors(model);
  const Outcome<void> applies = host::check_aoas_applies(model, sensors, options.model.name());
  if (!applies) return fail(applies.error());
  const Outcome<host::Counts> counts = count_logs(options.model, model, options.logs, options.common);
  if (!counts) return fail(counts.error());
  const host::Estimate result = host::estimate_transition(model, sensors, counts.value());
  const std::vector<double> errors =
      model.has_transition() ? host::frobenius_errors(result.transition, model.transition, model.states.size()) : std::vector<double>{};

  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  if (artefact.value().wanted()) {
    Model learned = model;
    learned.transition = result.transition;
    artefact.value().write(host::to_json(learned));
  }
  if (!options.common.json) {
    print_estimate(model, result, errors, artefact.value().has_standard_output());
    return artefact.value().finish();
  }
  const size_t A = model.actions.size();
  const size_t S = model.states.size();
  print_json({{"transition", tensor(result.transition, A, S)},
              {"standard_error", tensor(result.standard_error, A, S)},
              {"samples", result.samples},
              {"sigma_min", result.sigma_min},
              {"rank", result.rank},
              {"clipped", result.clipped},
              {"uniform_rows", result.uniform_rows},
              {"frobenius_error", errors.empty() ? Json(nullptr) : Json(errors)}});
  return artefact.value().finish();
}

}  // namespace

void add_estimate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("estimate", "The transition model from logs of actions and observations (AOAS)");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_logs(*command, options->logs);
  add_output(*command, options->output, "the model with the estimated transition");
  add_common(*command, options->common);
  command->footer("LOG: several files are several runs; no pair spans two of them. Logs of any policies and robots add up.\n" +
                  app.get_footer());
  command->callback([&run, options] { run = [options] { return estimate(*options); }; });
}

}  // namespace penumbra::command

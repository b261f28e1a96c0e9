// penumbra check: is the model valid, what are its constants, and can its transitions be learned?
#include "command.hpp"

#include "penumbra/host/analysis.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::uint64_t samples = 0;
  std::uint64_t policies = 1;
  double delta = 0.05;
  double epsilon = 0;
};

// The first problem goes to standard error, as with every command; all of them to standard output.
Outcome<int> refuse(const std::vector<Problem>& problems, const Options& options) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(host::to_text(problem));
  if (options.common.json) {
    print_json({{"states", nullptr},
                {"actions", nullptr},
                {"observations", nullptr},
                {"emission", nullptr},
                {"epsilon", nullptr},
                {"sigma_min", nullptr},
                {"rank", nullptr},
                {"alpha", nullptr},
                {"applies", false},
                {"problems", texts},
                {"notes", nullptr},
                {"bound", nullptr}});
  } else {
    for (const std::string& text : texts) print_line(text);
    print_line(
        fmt::format("{}: not a valid model, {} {}", options.model.name(), problems.size(), problems.size() == 1 ? "problem" : "problems"));
  }
  return fail(problems.front());
}

// What is true of the model and worth knowing, though AOAS works all the same.
std::vector<std::string> notes(const Model& model, const host::Analysis& analysis) {
  std::vector<std::string> texts;
  if (!model.has_transition()) texts.emplace_back("the transition is not given: that is what a log can tell (penumbra estimate)");
  if (analysis.epsilon && *analysis.epsilon == 0) {
    texts.emplace_back("some transitions have probability zero: estimating works, but the paper's guarantees take epsilon > 0");
  }
  if (analysis.obstacles.empty() && analysis.alpha < 1e-3) {
    texts.emplace_back("the sensors hardly tell some states apart (alpha is tiny): estimates will take very many samples");
  }
  const bool by_observation = model.reward_kind == RewardKind::by_observation;
  const auto in_range = [](double r) { return r >= 0 && r <= 1; };
  if (!by_observation || !std::all_of(model.reward.begin(), model.reward.end(), in_range)) {
    texts.emplace_back("learning takes a reward by observation, between 0 and 1");
  }
  return texts;
}

void print_analysis(const Options& options, const Model& model, const host::Analysis& analysis) {
  print_line(fmt::format("{}: {} states, {} actions, {} observations, emitted on {}", options.model.name(), model.states.size(),
                         model.actions.size(), model.observations.size(), model.emission == Emission::departure ? "departure" : "arrival"));
  print_line("");
  std::vector<Row> rows{{"action", "sigma_min", "rank"}};
  for (size_t a = 0; a < model.actions.size(); ++a) {
    rows.push_back({model.actions.of(a), number(analysis.sensors[a].sigma_min), std::to_string(analysis.sensors[a].rank)});
  }
  print_table(rows);
  print_line("");
  print_line(fmt::format("epsilon  {}  (smallest transition probability)", analysis.epsilon ? number(*analysis.epsilon) : "unknown"));
  print_line(fmt::format("alpha    {}  (smallest sigma_min)", number(analysis.alpha)));
  print_line(analysis.obstacles.empty() ? "AOAS     applies: the transitions can be estimated from a log" : "AOAS     does not apply");
  for (const std::string& obstacle : analysis.obstacles) print_line("         " + obstacle);
  for (const std::string& note : notes(model, analysis)) print_line("note     " + note);
}

struct Forecast {
  std::optional<host::ErrorBound> bound;
  std::vector<double> expected;  // [action]; empty where it is not known
  std::string without;           // why there is no bound
};

Forecast forecast(const Options& options, const Model& model, const host::Analysis& analysis) {
  Forecast cast;
  const auto samples = static_cast<double>(options.samples);
  if (!analysis.obstacles.empty()) {
    cast.without = "for AOAS does not apply";
    return cast;
  }
  const size_t pairs = model.actions.size() * model.observations.size();
  if (model.has_transition() && pairs * pairs <= host::max_count_cells)
    cast.expected = host::expected_errors(model, analysis.sensors, samples);
  const double epsilon = analysis.epsilon.value_or(options.epsilon);
  cast.bound = host::error_bound(model, epsilon, analysis.alpha, samples, static_cast<double>(options.policies), options.delta);
  if (!cast.bound) {
    cast.without = model.has_transition() ? "for it takes epsilon > 0"
                                          : "for the transition is not given: pass --epsilon with a smallest probability to assume";
  }
  return cast;
}

void print_forecast(const Options& options, const Model& model, const Forecast& cast) {
  print_line("");
  print_line(fmt::format("estimation error ||T_a - estimate||_F after {} samples of each action", grouped(options.samples)));
  if (cast.bound) {
    const host::ErrorBound& bound = *cast.bound;
    print_table({{"the paper's bound", number(bound.error)},
                 {"  holds with probability", number(1 - bound.delta)},
                 {"  policies k", number(bound.policies)},
                 {"  G, at least", number(bound.G)},
                 {"  d_min, at least", number(bound.d_min)},
                 {"  eta, at most", number(bound.eta)},
                 {"  L", number(bound.L)},
                 {"  C", number(bound.C)},
                 {"  D(epsilon/2)", bound.D ? number(*bound.D) : "-"}});
  } else {
    print_line("the paper's bound: none, " + cast.without);
  }
  if (cast.expected.empty()) {
    if (!model.has_transition()) print_line("the error to expect: estimate a transition from a first log, and check that model");
    return;
  }
  print_line("");
  std::vector<Row> rows{{"action", "to expect", "bound / to expect"}};
  for (size_t a = 0; a < model.actions.size(); ++a) {
    rows.push_back({model.actions.of(a), number(cast.expected[a]), cast.bound ? number(cast.bound->error / cast.expected[a]) : "-"});
  }
  print_table(rows);
  print_line("to expect: root mean square when all actions are chosen evenly, by the delta method; - where sigma_min is too small to tell");
}

Json to_json(const Options& options, const Forecast& cast) {
  Json json{{"samples", options.samples}, {"policies", options.policies}, {"delta", options.delta}};
  const bool holds = cast.bound.has_value();
  const host::ErrorBound bound = cast.bound.value_or(host::ErrorBound{});
  const auto known = [holds](double value) { return holds ? Json(value) : Json(nullptr); };
  json["G"] = known(bound.G);
  json["d_min"] = known(bound.d_min);
  json["eta"] = known(bound.eta);
  json["L"] = known(bound.L);
  json["C"] = known(bound.C);
  json["D"] = bound.D ? Json(*bound.D) : Json(nullptr);
  json["error"] = known(bound.error);
  json["without"] = holds ? Json(nullptr) : Json(cast.without);
  json["expected_error"] = cast.expected.empty() ? Json(nullptr) : Json(cast.expected);
  return json;
}

Outcome<int> check(const Options& options) {
  const Outcome<host::ModelReading> reading = read_model_with_problems(options.model);
  if (!reading) return fail(reading.error());
  if (!reading.value().model) return refuse(reading.value().problems, options);
  const Model& model = *reading.value().model;
  if (options.epsilon * static_cast<double>(model.states.size()) > 1) {
    return fail(Fault::usage, "",
                fmt::format("--epsilon is {}, but {} probabilities of that size sum to more than 1", options.epsilon, model.states.size()),
                fmt::format("at most 1/{} is possible", model.states.size()));
  }
  if (options.epsilon > 0 && model.has_transition()) {
    return fail(Fault::usage, "", "--epsilon is for models without a transition, and " + options.model.name() + " has one", "leave it out");
  }
  const host::Analysis analysis = host::analyse(model);
  const bool forecasts = options.samples > 0;
  const Forecast cast = forecasts ? forecast(options, model, analysis) : Forecast{};
  if (!options.common.json) {
    print_analysis(options, model, analysis);
    if (forecasts) print_forecast(options, model, cast);
    return done;
  }
  Json json{{"states", model.states.size()}, {"actions", model.actions.size()}, {"observations", model.observations.size()}};
  json["emission"] = model.emission == Emission::departure ? "departure" : "arrival";
  json["epsilon"] = analysis.epsilon ? Json(*analysis.epsilon) : Json(nullptr);
  for (const host::SensorInverse& sensor : analysis.sensors) {
    json["sigma_min"].push_back(sensor.sigma_min);
    json["rank"].push_back(sensor.rank);
  }
  json["alpha"] = analysis.alpha;
  json["applies"] = analysis.obstacles.empty();
  json["problems"] = analysis.obstacles;
  json["notes"] = notes(model, analysis);
  json["bound"] = forecasts ? to_json(options, cast) : Json(nullptr);
  print_json(json);
  return done;
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("check", "Is a model valid, and can its transitions be learned?");
  command->footer("The status is 0 for a valid model, learnable or not: --json tells which (applies).\n" + app.get_footer());
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  CLI::Option* samples = add_whole(*command, "--samples", options->samples, 1,
                                   "also tell the estimation error to expect after N samples of each action, and the paper's bound");
  add_whole(*command, "--policies", options->policies, 1, "policies that the samples come from, for the bound; 1 by default")
      ->needs(samples);
  add_number(*command, "--delta", options->delta, 1e-300, 1 - 1e-15, "probability with which the bound may fail; 0.05 by default")
      ->needs(samples);
  add_number(*command, "--epsilon", options->epsilon, 1e-300, 1,
             "smallest transition probability to assume when the model has no transition")
      ->needs(samples);
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return check(*options); }; });
}

}  // namespace penumbra::command

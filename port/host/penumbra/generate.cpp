// penumbra generate: a random model as in the paper's appendix.
#include "command.hpp"

#include "penumbra/host/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::uint64_t states = 0;
  std::uint64_t actions = 0;
  std::uint64_t observations = 0;
  double epsilon = -1;  // not given
  std::optional<std::string> peaks;
  host::ModelRecipe recipe;
  std::string output;
};

Outcome<host::ModelRecipe> recipe_of(const Options& options) {
  host::ModelRecipe recipe = options.recipe;
  recipe.states = options.states;
  recipe.actions = options.actions;
  recipe.observations = options.observations;
  const std::optional<size_t> numbers = host::model_numbers(recipe.states, recipe.actions, recipe.observations);
  if (!numbers || *numbers > host::max_model_numbers) {
    return fail(Fault::usage, "",
                fmt::format("a model of {} states, {} actions and {} observations does not fit into memory", recipe.states, recipe.actions,
                            recipe.observations),
                "use smaller sizes");
  }
  const auto S = static_cast<double>(recipe.states);
  recipe.epsilon = options.epsilon >= 0 ? options.epsilon : host::default_epsilon(recipe.states);
  if (recipe.epsilon > 1 / S) {
    return fail(Fault::usage, "",
                fmt::format("--epsilon is {}, but {} probabilities of that size sum to more than 1", recipe.epsilon, recipe.states),
                fmt::format("at most 1/{} = {:.6g} is possible", recipe.states, 1 / S));
  }
  const bool enough = recipe.observations >= recipe.states;
  if (options.peaks == "distinct" && !enough) {
    return fail(Fault::usage, "",
                fmt::format("{} states cannot have distinct peaks among {} observations", recipe.states, recipe.observations),
                "pass --peaks any, or more --observations");
  }
  recipe.distinct_peaks = options.peaks.value_or(enough ? "distinct" : "any") == "distinct";
  return recipe;
}

Outcome<int> generate(const Options& options) {
  if (options.output.size() > 6 && options.output.substr(options.output.size() - 6) == ".pomdp") {
    return fail(Fault::usage, options.output, "models are generated as in the paper, and a .pomdp file cannot hold their emission timing",
                "name it .json");
  }
  const Outcome<host::ModelRecipe> recipe = recipe_of(options);
  if (!recipe) return fail(recipe.error());
  const Outcome<host::GeneratedModel> generated = host::generate_model(recipe.value());
  if (!generated) return fail(generated.error());
  const host::GeneratedModel& result = generated.value();
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  artefact.value().write(host::to_json(result.model));
  const double epsilon = *std::min_element(result.model.transition.begin(), result.model.transition.end());
  if (options.common.json) {
    print_json({{"seed", recipe.value().seed},
                {"epsilon", epsilon},
                {"sigma_min", result.sigma_min},
                {"rejected", result.rejected},
                {"peak", recipe.value().peak},
                {"distinct_peaks", recipe.value().distinct_peaks}});
    return artefact.value().finish();
  }
  const bool aside = artefact.value().has_standard_output();
  std::vector<Row> rows{{"action", "sigma_min"}};
  for (size_t a = 0; a < result.sigma_min.size(); ++a) rows.push_back({std::to_string(a), number(result.sigma_min[a])});
  print_table(rows, aside);
  print_line(fmt::format("epsilon {}, {} sensor matrices rejected", number(epsilon), grouped(result.rejected)), aside);
  return artefact.value().finish();
}

}  // namespace

void add_generate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("generate", "A random model as in the paper's appendix");
  auto options = std::make_shared<Options>();
  add_whole(*command, "--states", options->states, 1, "number of states S; required")->required();
  add_whole(*command, "--actions", options->actions, 1, "number of actions A; required")->required();
  add_whole(*command, "--observations", options->observations, 1, "number of observations O; required")->required();
  add_whole(*command, "--seed", options->recipe.seed, 0, "the same seed gives the same bytes; required")->required();
  add_output(*command, options->output, "the model (required)")->required();
  add_number(*command, "--epsilon", options->epsilon, 0, 1, "least transition probability; 1/(20 S) by default");
  add_number(*command, "--peak", options->recipe.peak, 0, 1, "part of a state's observations that goes to its peak; 0.5 by default");
  command->add_option("--peaks", options->peaks, "may states share a peak under one action? distinct by default, where O >= S")
      ->check(CLI::IsMember({"distinct", "any"}))
      ->option_text("distinct|any");
  add_number(*command, "--min-sigma", options->recipe.least_sigma, 0, 1, "draw sensor matrices again whose sigma_min is below this");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return generate(*options); }; });
}

}  // namespace penumbra::command

// penumbra generate: a random model as in the paper's appendix.
#include "command.hpp"

#include "penumbra/host/generate.hpp"
#include "penumbra/host/output.hpp"

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
  std::optional<double> epsilon;
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
  recipe.epsilon = options.epsilon.value_or(host::default_epsilon(recipe.states));
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
  const Outcome<void> usable = check_output(options.output, options.common);
  if (!usable) return fail(usable.error());
  const Outcome<host::ModelRecipe> recipe = recipe_of(options);
  if (!recipe) return fail(recipe.error());
  const Outcome<host::GeneratedModel> generated = host::generate_model(recipe.value());
  if (!generated) return fail(generated.error());
  const host::GeneratedModel& result = generated.value();
  const Outcome<void> written = host::write_file(options.output, host::to_json(result.model));
  if (!written) return fail(written.error());
  const double epsilon = *std::min_element(result.model.transition.begin(), result.model.transition.end());
  if (options.common.json) {
    print_json({{"seed", recipe.value().seed},
                {"epsilon", epsilon},
                {"sigma_min", result.sigma_min},
                {"rejected", result.rejected},
                {"peak", recipe.value().peak},
                {"distinct_peaks", recipe.value().distinct_peaks}});
    return done;
  }
  const bool aside = options.output == "-";
  std::vector<Row> rows{{"action", "sigma_min"}};
  for (size_t a = 0; a < result.sigma_min.size(); ++a) rows.push_back({std::to_string(a), number(result.sigma_min[a])});
  print_table(rows, aside);
  print_line(fmt::format("epsilon {}, {} sensor matrices rejected", number(epsilon), grouped(result.rejected)), aside);
  return done;
}

}  // namespace

void add_generate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("generate", "A random model as in the paper's appendix");
  auto options = std::make_shared<Options>();
  add_whole(*command, "--states", options->states, 1, "number of states S")->required();
  add_whole(*command, "--actions", options->actions, 1, "number of actions A")->required();
  add_whole(*command, "--observations", options->observations, 1, "number of observations O")->required();
  add_whole(*command, "--seed", options->recipe.seed, 0, "the same seed gives the same bytes")->required();
  add_output(*command, options->output, "the model")->required();
  command->add_option("--epsilon", options->epsilon, "least transition probability; 1/(20 S) by default")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->option_text("X");
  add_number(*command, "--peak", options->recipe.peak, 0, 1, "part of a state's observations that goes to its peak")->capture_default_str();
  command->add_option("--peaks", options->peaks, "may states share a peak under one action? distinct by default, where O >= S")
      ->check(CLI::IsMember({"distinct", "any"}))
      ->option_text("distinct|any");
  add_number(*command, "--min-sigma", options->recipe.least_sigma, 0, 1, "draw sensor matrices again whose sigma_min is below this")
      ->capture_default_str();
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return generate(*options); }; });
}

}  // namespace penumbra::command

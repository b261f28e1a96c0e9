// penumbra simulate: a trajectory of a policy in a model's world.
#include "command.hpp"
#include "trajectory_lines.hpp"

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/simulate.hpp"
#include "penumbra/host/trajectory.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::uint64_t steps = 0;
  std::uint64_t seed = 0;
  std::string policy;
  double min_action = 0;
  std::string belief_model;
  std::uint64_t change_every = 0;
  bool with_states = false;
  std::string output;
};

// What is wrong about the combination of options.
Outcome<void> check_options(const Options& options, const Model& model) {
  const auto A = static_cast<double>(model.actions.size());
  if (options.policy != "myopic" && (options.min_action > 0 || !options.belief_model.empty() || options.change_every > 0)) {
    return fail(Fault::usage, "", "--min-action, --belief-model and --change-every are the myopic policy's",
                "pass --policy myopic, or leave them out");
  }
  if (options.min_action * A > 1) {
    return fail(Fault::usage, "",
                fmt::format("--min-action is {}, but {} actions of that probability are more than 1", options.min_action, A),
                fmt::format("at most 1/{} is possible", A));
  }
  if (!options.belief_model.empty() && options.change_every > 0) {
    return fail(Fault::usage, "", "--change-every draws internal models of its own, and --belief-model names one", "leave one of them out");
  }
  return {};
}

Outcome<std::unique_ptr<host::Actor>> myopic_actor(const Options& options, const Model& model) {
  Model believed = model;
  if (!options.belief_model.empty()) {
    Outcome<Model> other = read_whole_model({options.belief_model, options.model.normalize}, "a belief");
    if (!other) return fail(other.error());
    believed = std::move(other.value());
    if (believed.states.size() != model.states.size() || believed.actions.size() != model.actions.size() ||
        believed.observations.size() != model.observations.size() || believed.emission != model.emission) {
      return fail(Fault::input, options.belief_model, "has other sizes or another emission timing than " + options.model.name(),
                  "the belief's model and the world's are of one kind");
    }
  }
  auto actor = std::make_unique<host::MyopicActor>(believed, options.min_action, options.seed);
  if (options.change_every > 0) actor->change_transition_every(options.change_every);
  return Outcome<std::unique_ptr<host::Actor>>(std::move(actor));
}

// Runs the actor, writing lines where an output is given.
Outcome<int> run_actor(const Options& options, const Model& model, host::Actor& actor) {
  Outcome<Artefact> opened = Artefact::open(options.output, options.common);
  if (!opened) return fail(opened.error());
  Artefact& artefact = opened.value();
  const TrajectoryLines lines(model, options.with_states);
  artefact.write(lines.header());
  host::World world(model, options.seed);
  std::uint64_t position = 0;
  std::optional<ProgressLine> progress(std::in_place, "simulating", options.steps, options.common);
  const double average = host::simulate(world, actor, options.steps, [&](etl::span<const host::SimulatedStep> steps) {
    if (artefact.wanted()) {
      for (const host::SimulatedStep& step : steps) lines.write(artefact, step);
    }
    progress->at(position += steps.size());
    return artefact.ok();
  });
  progress.reset();
  if (options.common.json) {
    const Json average_reward = options.steps > 0 ? Json(average) : Json(nullptr);
    print_json({{"average_reward", average_reward}, {"steps", options.steps}, {"seed", options.seed}, {"policy", options.policy}});
  } else if (artefact.ok()) {
    print_line(fmt::format("{} steps, average reward {}", grouped(options.steps), options.steps > 0 ? number(average) : "-"),
               artefact.has_standard_output());
  }
  return artefact.finish();
}

Outcome<int> simulate(const Options& options) {
  const Outcome<Model> read = read_whole_model(options.model, "a simulation");
  if (!read) return fail(read.error());
  const Model& model = read.value();
  const Outcome<void> usable = check_options(options, model);
  if (!usable) return fail(usable.error());

  if (options.policy == "uniform") {
    host::UniformActor actor(model.actions.size(), options.seed);
    return run_actor(options, model, actor);
  }
  if (options.policy == "myopic") {
    const Outcome<std::unique_ptr<host::Actor>> actor = myopic_actor(options, model);
    if (!actor) return fail(actor.error());
    return run_actor(options, model, *actor.value());
  }
  Outcome<host::Input> input = host::Input::open(options.policy);
  if (!input) {
    Problem problem = input.error();
    problem.advice = "--policy is uniform, myopic, or the file of a policy image";
    return fail(problem);
  }
  const Outcome<host::ImageFile> image = host::ImageFile::read(input.value());
  if (!image) return fail(image.error());
  const Outcome<void> matches = image.value().matches(model, options.model.name());
  if (!matches) return fail(matches.error());
  host::ImageActor actor(image.value().image(), options.seed);
  return run_actor(options, model, actor);
}

}  // namespace

void add_simulate(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("simulate", "A trajectory of a policy in a model's world");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_whole(*command, "--steps", options->steps, 0, "how many steps to simulate; required")->required();
  add_whole(*command, "--seed", options->seed, 0, "the same seed gives the same bytes; required")->required();
  command
      ->add_option("--policy", options->policy, "uniform; myopic (highest expected immediate reward); or a policy image, P.pnb; required")
      ->required()
      ->option_text("uniform|myopic|P.pnb");
  add_number(*command, "--min-action", options->min_action, 0, 1,
             "myopic: every action has at least this probability, the greedy one the rest");
  command
      ->add_option("--belief-model", options->belief_model,
                   "myopic: the model that it believes in (transition, sensors, reward, initial belief), if not the world's")
      ->option_text("MODEL");
  add_whole(*command, "--change-every", options->change_every, 1,
            "myopic: its belief moves by a random transition, a fresh one every N steps, as in the paper's estimation experiment");
  CLI::Option* output = add_output(*command, options->output, "the trajectory, of which otherwise only the summary is shown,");
  command->add_flag("--with-states", options->with_states, "add the hidden state before each action; changes nothing else")->needs(output);
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return simulate(*options); }; });
}

}  // namespace penumbra::command

// Worlds and runs, each made once.
#include "laboratory.hpp"

#include "../learning_job.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/generate.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace penumbra::command {

namespace {

host::Failure interrupted() { return fail(Fault::system, "", "interrupted", "the same command goes on from here"); }

}  // namespace

Outcome<const Subject*> Laboratory::subject(std::size_t states, std::size_t actions, std::size_t observations, std::uint64_t number,
                                            bool to_learn_in) {
  const std::uint64_t seed = options_.seed + number;
  const std::string name = fmt::format("s{}a{}o{}-seed{}", states, actions, observations, seed);
  std::unique_ptr<Subject>& subject = subjects_[name];
  if (!subject) {
    host::ModelRecipe recipe;
    recipe.states = states;
    recipe.actions = actions;
    recipe.observations = observations;
    recipe.epsilon = host::default_epsilon(states);
    recipe.seed = seed;
    Outcome<host::GeneratedModel> generated = host::generate_model(recipe);
    if (!generated) return fail(generated.error());
    const Outcome<void> learnable = host::check_learnable(generated.value().model, name);
    if (!learnable) return fail(learnable.error());
    subject = std::make_unique<Subject>(
        Subject{name, seed, std::move(generated.value().model), std::move(generated.value().sigma_min), std::nullopt});
  }
  if (to_learn_in) {
    const Outcome<void> referred = refer(*subject);
    if (!referred) return fail(referred.error());
  }
  return subject.get();
}

Outcome<const Subject*> Laboratory::subject(const std::string& name, const Model& model) {
  std::unique_ptr<Subject>& subject = subjects_[name];
  if (!subject) {
    subject = std::make_unique<Subject>(Subject{name, 0, model, {}, std::nullopt});
    for (const host::SensorInverse& sensor : host::invert_sensors(model)) subject->sigma_min.push_back(sensor.sigma_min);
  }
  const Outcome<void> referred = refer(*subject);
  if (!referred) return fail(referred.error());
  return subject.get();
}

Outcome<void> Laboratory::refer(Subject& subject) const {
  if (subject.reference) return {};
  Outcome<host::Reference> reference = host::Reference::of(subject.model, subject.name, common_.threads);
  if (!reference) return fail(reference.error());
  subject.reference = std::move(reference.value());
  return {};
}

Outcome<Trial> Laboratory::trial(const Subject& subject, const std::string& learner, const std::string& name,
                                 const host::LearnerOptions& options) {
  Trial trial;
  trial.name = name;
  trial.kind = host::find_learner(learner);
  trial.options = options;
  LearningTask task{subject.model,
                    *subject.reference,
                    *trial.kind,
                    options,
                    {steps(learning_steps), options_.runs, options_.seed, common_.threads, 400},
                    {}};
  const std::string key = task_name(task);
  const auto known = summaries_.find(key);
  if (known != summaries_.end()) {
    trial.summary = known->second;
    return trial;
  }
  if (stop_) return interrupted();
  task.checkpoint = (std::filesystem::path(options_.memory) / (key + ".json")).string();
  ProgressLine progress(fmt::format("{} in {}", name, subject.name), task.size.steps * task.size.runs, common_);
  const Outcome<host::LearningRuns> runs = run_task(task, stop_, [&](std::uint64_t made) { progress.at(made); });
  if (!runs) return fail(runs.error());
  if (stop_) return interrupted();
  trial.summary = summaries_[key] = host::summarise(runs.value(), task.size);
  return trial;
}

Outcome<host::EstimationResult> Laboratory::estimation(const Subject& subject, const host::EstimationSize& size) {
  if (stop_) return interrupted();
  host::EstimationSize sized = size;
  sized.steps = steps(size.steps);
  sized.runs = options_.runs;
  sized.seed = options_.seed;
  sized.threads = common_.threads;
  ProgressLine progress(fmt::format("estimating {}", subject.name), sized.runs, common_);
  host::EstimationResult result = host::estimation_experiment(
      subject.model, sized, [&](std::uint64_t runs) { progress.at(runs); }, &stop_);
  if (stop_) return interrupted();
  return result;
}

}  // namespace penumbra::command

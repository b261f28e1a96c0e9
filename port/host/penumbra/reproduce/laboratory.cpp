// Worlds and runs, each made once.
#include "laboratory.hpp"

#include "../learner_options.hpp"
#include "../learning_job.hpp"

#include "penumbra/host/generate.hpp"

#include <etl/fnv_1.h>
#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace penumbra::command {

namespace {

host::Failure interrupted() { return fail(Fault::system, "", "interrupted", "the same command goes on from here"); }

}  // namespace

double Trial::growth() const {
  const host::Curve& curve = summary.gap_regret;
  std::size_t quarter = 0;
  while (curve.steps[quarter] * 4 < curve.steps.back()) ++quarter;
  return curve.average.back().mean / curve.average[quarter].mean;
}

Outcome<const Subject*> Laboratory::subject(std::size_t states, std::size_t actions, std::size_t observations, std::uint64_t number,
                                            bool to_learn_in) {
  auto subject = std::make_unique<Subject>();
  subject->seed = options_.seed + number;
  subject->name = fmt::format("s{}a{}o{}-seed{}", states, actions, observations, subject->seed);
  const auto known = subjects_.find(subject->name);
  if (known != subjects_.end()) return known->second.get();
  host::ModelRecipe recipe;
  recipe.states = states;
  recipe.actions = actions;
  recipe.observations = observations;
  recipe.epsilon = host::default_epsilon(states);
  recipe.seed = subject->seed;
  Outcome<host::GeneratedModel> generated = host::generate_model(recipe);
  if (!generated) return fail(generated.error());
  subject->model = std::move(generated.value().model);
  subject->sigma_min = std::move(generated.value().sigma_min);
  const Outcome<void> learnable = host::check_learnable(subject->model, subject->name);
  if (!learnable) return fail(learnable.error());
  if (to_learn_in) {
    Outcome<host::Reference> reference = host::Reference::of(subject->model, subject->name, common_.threads);
    if (!reference) return fail(reference.error());
    subject->reference = std::move(reference.value());
  }
  return (subjects_[subject->name] = std::move(subject)).get();
}

Outcome<Trial> Laboratory::trial(const Subject& subject, const std::string& learner, const std::string& name,
                                 const host::LearnerOptions& options) {
  Trial trial;
  trial.name = name;
  trial.kind = host::find_learner(learner);
  trial.options = options;
  const std::string key = subject.name + " " + learner + " " + to_json(options, *trial.kind).dump();
  const auto known = summaries_.find(key);
  if (known != summaries_.end()) {
    trial.summary = known->second;
    return trial;
  }
  if (stop_) return interrupted();
  const host::LearningSize size{steps(learning_steps), options_.runs, options_.seed, common_.threads, 400};
  const auto number = etl::fnv_1a_64(key.begin(), key.end()).value();
  const LearningTask task{subject.model, *subject.reference,
                          *trial.kind,   options,
                          size,          (std::filesystem::path(options_.memory) / fmt::format("{:016x}.json", number)).string()};
  ProgressLine progress(fmt::format("{} in {}", name, subject.name), size.steps * size.runs, common_);
  const Outcome<host::LearningRuns> runs = run_task(task, stop_, [&](std::uint64_t made) { progress.at(made); });
  if (!runs) return fail(runs.error());
  if (stop_) return interrupted();
  trial.summary = summaries_[key] = host::summarise(runs.value(), size);
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
  return host::estimation_experiment(subject.model, sized, [&](std::uint64_t runs) { progress.at(runs); });
}

}  // namespace penumbra::command

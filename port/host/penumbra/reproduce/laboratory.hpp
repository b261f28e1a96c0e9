// What the experiments share: worlds drawn by seed, learners run in them (each once, whichever experiments ask for it), and the memory of
// what is done already, so that an interrupted reproduction goes on.
#pragma once

#include "../command.hpp"

#include "penumbra/host/estimation_experiment.hpp"
#include "penumbra/host/learner.hpp"
#include "penumbra/host/learning_summary.hpp"
#include "penumbra/host/reference.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::command {

// A world to learn in.
struct Subject {
  std::string name;  // of its file, without the ending
  std::uint64_t seed = 0;
  Model model;
  std::vector<double> sigma_min;             // [action]
  std::optional<host::Reference> reference;  // where somebody learns in it
};

// A learner in a world.
struct Trial {
  std::string name;  // as figures call it
  const host::LearnerKind* kind = nullptr;
  host::LearnerOptions options;
  host::LearningSummary summary;

  [[nodiscard]] const host::Average& gap_regret() const { return summary.gap_regret.average.back(); }
  [[nodiscard]] const host::Average& regret() const { return summary.regret.average.back(); }
  // 0 for one who loses nothing.
  [[nodiscard]] double growth() const { return host::growth(summary.gap_regret).value_or(0.0); }
};

struct LaboratoryOptions {
  bool quick = false;  // a tenth of the steps
  std::uint64_t runs = 10;
  std::uint64_t seed = 1;  // of the first model of each size, the others follow; and of the runs
  std::string memory;      // a folder for runs that are done
};

class Laboratory {
 public:
  Laboratory(const Common& common, const LaboratoryOptions& options, const std::atomic<bool>& stop)
      : common_(common), options_(options), stop_(stop) {}

  [[nodiscard]] const LaboratoryOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint64_t steps(std::uint64_t in_full) const noexcept { return options_.quick ? in_full / 10 : in_full; }
  [[nodiscard]] bool stopped() const noexcept { return stop_; }

  // The `number`-th random model of these sizes, from 0.
  [[nodiscard]] Outcome<const Subject*> subject(std::size_t states, std::size_t actions, std::size_t observations, std::uint64_t number,
                                                bool to_learn_in = true);
  // A world that is not drawn.
  [[nodiscard]] Outcome<const Subject*> subject(const std::string& name, const Model& model);
  // A problem where it is interrupted, too.
  [[nodiscard]] Outcome<Trial> trial(const Subject& subject, const std::string& learner, const std::string& name,
                                     const host::LearnerOptions& options = {});
  [[nodiscard]] Outcome<host::EstimationResult> estimation(const Subject& subject, const host::EstimationSize& size);

  static constexpr std::uint64_t learning_steps = 400000;  // the paper's horizon

 private:
  Outcome<void> refer(Subject& subject) const;

  const Common& common_;
  LaboratoryOptions options_;
  const std::atomic<bool>& stop_;
  std::map<std::string, std::unique_ptr<Subject>> subjects_;
  std::map<std::string, host::LearningSummary> summaries_;
};

}  // namespace penumbra::command

// The options of learners on the command line, and in JSON: each learner has its own, and refuses those of the others.
#pragma once

#include "command.hpp"

#include "penumbra/host/learner.hpp"

#include <string>
#include <utility>
#include <vector>

namespace penumbra::command {

// Each with the name that LearnerKind::options has for it.
using LearnerOptionList = std::vector<std::pair<std::string, const CLI::Option*>>;
// Those of one learner alone, where it is given.
LearnerOptionList add_learner_options(CLI::App& command, host::LearnerOptions& options, const host::LearnerKind* only = nullptr);

// A problem where an option was given that the learner does not have, or whose value does not fit the model.
[[nodiscard]] Outcome<void> check_learner_options(const LearnerOptionList& given, const host::LearnerKind& kind,
                                                  const host::LearnerOptions& options, const Model& model);

// Those that the learner has, by name.
[[nodiscard]] Json to_json(const host::LearnerOptions& options, const host::LearnerKind& kind);

}  // namespace penumbra::command

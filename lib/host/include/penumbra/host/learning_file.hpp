// Finished runs of a learner in a file, so that an interrupted job goes on from there and gives the same bytes as an unbroken one. Numbers are
// written with as many digits as they have. A run that was under way is not kept: it begins again, from its seed.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/learning.hpp"
#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace penumbra::host {

// All that the bytes of a run depend on, by name: the learner, its options, the model, the seed.
using LearningJob = std::map<std::string, std::string>;

// A name for the model's numbers: models with different ones have different names, but for an accident of one in 2^64.
[[nodiscard]] std::string fingerprint(const Model& model);

[[nodiscard]] std::string to_json(const LearningJob& job, const LearningRuns& finished);

// Runs of another job are refused, with what differs. Runs beyond size.runs are left out: more may have been asked for before.
[[nodiscard]] Outcome<LearningRuns> read_learning(Input& input, const LearningJob& job, const LearningSize& size, std::size_t actions);

}  // namespace penumbra::host

// Trajectories and counts files as arguments of a command, read into one sum.
#pragma once

#include "command.hpp"

#include "penumbra/host/counts.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

// The positional LOG…
void add_logs(CLI::App& command, std::vector<std::string>& logs);

// The sum of all of them, with progress.
[[nodiscard]] Outcome<host::Counts> count_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs,
                                               const Common& common);

}  // namespace penumbra::command

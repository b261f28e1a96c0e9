// Trajectories and counts files as arguments of a command, with progress while they are read.
#pragma once

#include "command.hpp"

#include "penumbra/host/counts.hpp"
#include "penumbra/host/run_log.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

// The positional LOG…
void add_logs(CLI::App& command, std::vector<std::string>& logs);

// The sum of all of them.
[[nodiscard]] Outcome<host::Counts> count_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs,
                                               const Common& common);

// Their steps in order, which a counts file does not have.
[[nodiscard]] Outcome<host::RunLog> read_run_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs,
                                                  const Common& common);

// Steps of those that have them in order, and the pairs of the others.
[[nodiscard]] Outcome<host::MixedLogs> read_mixed_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs,
                                                       const Common& common);

}  // namespace penumbra::command

// Logs as arguments.
#include "logs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

namespace penumbra::command {

void add_logs(CLI::App& command, std::vector<std::string>& logs) {
  command.add_option("LOG", logs, "trajectories (CSV) and counts files (JSON), any mix; - is standard input")
      ->required()
      ->option_text("...");
}

namespace {

// How many bytes there are to read, as far as the files tell.
Outcome<std::uint64_t> size_of(const ModelFile& file, const std::vector<std::string>& logs) {
  if (file.path == "-" && std::find(logs.begin(), logs.end(), "-") != logs.end()) {
    return fail(Fault::usage, "", "model and log cannot both come from standard input", "put one of them into a file");
  }
  std::uint64_t bytes = 0;
  for (const std::string& log : logs) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(log, unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace

Outcome<host::Counts> count_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs, const Common& common) {
  const Outcome<std::uint64_t> bytes = size_of(file, logs);
  if (!bytes) return fail(bytes.error());
  ProgressLine progress("counting", bytes.value(), common);
  const auto threads = static_cast<unsigned>(common.threads != 0 ? common.threads : std::max(1U, std::thread::hardware_concurrency()));
  return host::count_files(logs, model, file.name(), threads, [&](std::uint64_t position) { progress.at(position); });
}

Outcome<host::RunLog> read_run_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs, const Common& common) {
  const Outcome<std::uint64_t> bytes = size_of(file, logs);
  if (!bytes) return fail(bytes.error());
  ProgressLine progress("reading", bytes.value(), common);
  return host::read_runs(logs, model, file.name(), [&](std::uint64_t position) { progress.at(position); });
}

Outcome<host::MixedLogs> read_mixed_logs(const ModelFile& file, const Model& model, const std::vector<std::string>& logs,
                                         const Common& common) {
  const Outcome<std::uint64_t> bytes = size_of(file, logs);
  if (!bytes) return fail(bytes.error());
  ProgressLine progress("reading", bytes.value(), common);
  return host::read_mixed_logs(logs, model, file.name(), [&](std::uint64_t position) { progress.at(position); });
}

}  // namespace penumbra::command

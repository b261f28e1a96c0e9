// What the commands share: options that mean the same everywhere, models at the door, results and problems on their way out. A command
// is one file, which adds its options to the parser and returns its exit status or a problem; only main() ends the program.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/model_file.hpp"
#include "penumbra/host/output.hpp"
#include "penumbra/host/problem.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::command {

using host::fail;
using host::Fault;
using host::Model;
using host::Outcome;
using host::Problem;
using Json = nlohmann::ordered_json;  // keys stay in the order in which they were written

constexpr int done = 0;
constexpr int answer_is_no = 1;

// What a command does once its options are known.
using Run = std::function<Outcome<int>()>;

// Each adds its command to the parser, and sets `run` when the user has chosen it.
void add_check(CLI::App& app, Run& run);
void add_convert(CLI::App& app, Run& run);
void add_generate(CLI::App& app, Run& run);
void add_simulate(CLI::App& app, Run& run);
void add_filter(CLI::App& app, Run& run);
void add_count(CLI::App& app, Run& run);
void add_estimate(CLI::App& app, Run& run);
void add_plan(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_learn(CLI::App& app, Run& run);
void add_reproduce(CLI::App& app, Run& run);
void add_image(CLI::App& app, Run& run);
void add_device(CLI::App& app, Run& run);

// --- Options

// A whole number from `least` to `most`; "1e6" is one too.
CLI::Option* add_whole(CLI::App& command, const std::string& name, std::uint64_t& value, std::uint64_t least,
                       const std::string& description, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// The most that --runs takes: their averages are all kept.
constexpr std::uint64_t most_runs = 1000000;

// A number in [least, most].
CLI::Option* add_number(CLI::App& command, const std::string& name, double& value, double least, double most,
                        const std::string& description);

// --json, and --threads, which all commands take: a script need not know which of them can use more than one.
struct Common {
  bool json = false;
  std::uint64_t threads = 0;  // 0: as many as the machine has
};
void add_common(CLI::App& command, Common& common);

// -o FILE; what `artefact` is goes into the help text.
CLI::Option* add_output(CLI::App& command, std::string& path, const std::string& artefact);

// What -o asks for, and the end of a command: the artefact appears when everything else has gone well, results on standard output included.
class Artefact {
 public:
  // An empty path: none is wanted. Standard output cannot take both the artefact and a JSON document.
  [[nodiscard]] static Outcome<Artefact> open(const std::string& path, const Common& common);

  [[nodiscard]] bool wanted() const noexcept { return output_.has_value(); }
  // Results go to standard error while the artefact has standard output.
  [[nodiscard]] bool has_standard_output() const noexcept { return has_standard_output_; }

  void write(std::string_view text) {
    if (output_) output_->write(text);
  }
  [[nodiscard]] bool ok() const noexcept { return !output_ || output_->ok(); }

  // The exit status, or why there is no artefact.
  [[nodiscard]] Outcome<int> finish();

 private:
  std::optional<host::Output> output_;
  bool has_standard_output_ = false;
};

// --- Models

struct ModelFile {
  std::string path;
  bool normalize = false;

  // As messages call it.
  [[nodiscard]] std::string name() const { return path == "-" ? "standard input" : path; }
};
// The positional MODEL and --normalize.
void add_model(CLI::App& command, ModelFile& file);
// --model, where it is not needed, and --normalize; `purpose` goes into the help text.
void add_model_option(CLI::App& command, ModelFile& file, const std::string& purpose);

// All that is to be said about it; remarks are printed.
[[nodiscard]] Outcome<host::ModelReading> read_model_with_problems(const ModelFile& file);
// The model, or the first problem.
[[nodiscard]] Outcome<Model> read_model(const ModelFile& file);
// The same, and a problem where the model has no transition, which `purpose` needs ("to simulate").
[[nodiscard]] Outcome<Model> read_whole_model(const ModelFile& file, const std::string& purpose);

// --- Results

// A table for people: the first row is the heading; columns of numbers are aligned to the right.
using Row = std::vector<std::string>;
void print_table(const std::vector<Row>& rows, bool to_stderr = false);
void print_line(const std::string& text, bool to_stderr = false);
void print_json(const Json& document);
// A problem where what was printed could not be written. Before an artefact appears: a failed command leaves none.
[[nodiscard]] Outcome<void> flush_results();
// null where it is not finite, which JSON cannot say.
[[nodiscard]] Json json_number(double value);

// Numbers for people: four significant digits.
[[nodiscard]] std::string number(double value);
// 1234567 as 1,234,567.
[[nodiscard]] std::string grouped(std::uint64_t value);

// A message, on standard error.
void say(const std::string& text);
void say(const Problem& problem);

// Progress on standard error: only on a terminal, never with --json, at most ten times a second.
class ProgressLine {
 public:
  ProgressLine(std::string what, std::uint64_t total, const Common& common);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void at(std::uint64_t position);

 private:
  std::string what_;
  std::uint64_t total_;
  bool shown_;
  bool printed_ = false;
  std::int64_t last_ = 0;  // milliseconds
};

}  // namespace penumbra::command

// What the commands share.
#include "command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace penumbra::command {

namespace {

// "1000000" and "1e6"; nothing for anything else, and for exponents beyond what a double counts exactly.
std::optional<std::uint64_t> to_whole(const std::string& text) {
  const char* end = text.data() + text.size();
  std::uint64_t whole = 0;
  if (const auto parsed = std::from_chars(text.data(), end, whole); parsed.ec == std::errc{} && parsed.ptr == end) return whole;
  double value = 0;
  if (const auto parsed = std::from_chars(text.data(), end, value); parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  constexpr double exact = 0x1p53;
  if (!(value >= 0 && value < exact && value == std::floor(value))) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// fmt::print would throw where a write fails; Artefact::finish() and main() ask the stream at the end.
void put(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

bool wants_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");  // NOLINT: nothing here changes the environment
  const char* terminal = std::getenv("TERM");       // NOLINT
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return (no_colour == nullptr || *no_colour == '\0') && !dumb && ::isatty(::fileno(stream)) == 1;
}

// Characters as a terminal shows them: every byte that begins one. Wide characters would count as one; names rarely have any.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && (text == "-" || text.find_first_not_of("0123456789.,+-e ") == std::string::npos);
}

void add_normalize(CLI::App& command, ModelFile& file) {
  command.add_flag("--normalize", file.normalize, "scale rows of the model that do not sum to 1, and say so");
}

}  // namespace

CLI::Option* add_whole(CLI::App& command, const std::string& name, std::uint64_t& value, std::uint64_t least,
                       const std::string& description, std::uint64_t most) {
  CLI::Option* option = command.add_option(name, value, description);
  option->transform(CLI::Validator(
      [least, most](std::string& text) -> std::string {
        const std::optional<std::uint64_t> whole = to_whole(text);
        if (!whole) return fmt::format("\"{}\" is not a whole number", text);
        if (*whole < least) return fmt::format("{} is less than {}", text, least);
        if (*whole > most) return fmt::format("{} is more than {}", text, most);
        text = std::to_string(*whole);  // not as the parser would read it: 010 is ten
        return {};
      },
      "N"));
  return option->option_text("N");
}

CLI::Option* add_number(CLI::App& command, const std::string& name, double& value, double least, double most,
                        const std::string& description) {
  CLI::Option* option = command.add_option(name, value, description);
  option->check(CLI::Validator(
      [least, most](std::string& text) -> std::string {
        double parsed = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
        if (error != std::errc{} || end != text.data() + text.size()) return fmt::format("\"{}\" is not a number", text);
        if (!(parsed >= least && parsed <= most)) return fmt::format("{} is not between {} and {}", text, least, most);
        return {};
      },
      "X"));
  return option->option_text("X");
}

void add_common(CLI::App& command, Common& common) {
  command.add_flag("--json", common.json, "print one JSON document instead of a table");
  add_whole(command, "--threads", common.threads, 1, "threads to use, all of the machine's by default; results do not depend on it");
}

CLI::Option* add_output(CLI::App& command, std::string& path, const std::string& artefact) {
  const auto named = [](std::string& name) { return name.empty() ? std::string("the file's name is empty") : std::string(); };
  return command.add_option("-o,--output", path, "write " + artefact + " to this file, whole or not at all; - is standard output")
      ->check(CLI::Validator(named, ""))
      ->option_text("FILE");
}

Outcome<Artefact> Artefact::open(const std::string& path, const Common& common) {
  Artefact artefact;
  if (path.empty()) return artefact;
  artefact.has_standard_output_ = path == "-";
  if (artefact.has_standard_output_ && common.json) {
    return fail(Fault::usage, "", "-o - and --json both want standard output", "write the artefact to a file, or leave --json out");
  }
  Outcome<host::Output> output = host::Output::open(path);
  if (!output) return fail(output.error());
  artefact.output_.emplace(std::move(output.value()));
  return artefact;
}

Outcome<int> Artefact::finish() {
  const Outcome<void> flushed = flush_results();
  if (!flushed) return fail(flushed.error());
  if (output_) {
    const Outcome<void> written = output_->commit();
    if (!written) return fail(written.error());
  }
  return done;
}

void add_model(CLI::App& command, ModelFile& file) {
  command.add_option("MODEL", file.path, "model file, JSON or .pomdp; - is standard input")->required()->option_text(" ");
  add_normalize(command, file);
}

void add_model_option(CLI::App& command, ModelFile& file, const std::string& purpose) {
  command.add_option("--model", file.path, purpose)->option_text("MODEL");
  add_normalize(command, file);
}

Outcome<host::ModelReading> read_model_with_problems(const ModelFile& file) {
  Outcome<host::Input> input = host::Input::open(file.path);
  if (!input) return fail(input.error());
  host::ModelReading reading = host::read_model(input.value(), file.normalize ? host::RowSums::normalize : host::RowSums::strict);
  for (const std::string& remark : reading.remarks) say(remark);
  return reading;
}

Outcome<Model> read_model(const ModelFile& file) {
  Outcome<host::ModelReading> reading = read_model_with_problems(file);
  if (!reading) return fail(reading.error());
  if (!reading.value().model) return fail(reading.value().problems.front());
  return std::move(*reading.value().model);
}

Outcome<Model> read_whole_model(const ModelFile& file, const std::string& purpose) {
  Outcome<Model> model = read_model(file);
  if (model && !model.value().has_transition()) {
    return fail(Fault::input, file.name(), "has no transition, and " + purpose + " takes one",
                "add \"transition\", or estimate it from a log: penumbra estimate");
  }
  return model;
}

void print_table(const std::vector<Row>& rows, bool to_stderr) {
  std::FILE* stream = to_stderr ? stderr : stdout;
  const size_t columns = rows.front().size();
  std::vector<size_t> width(columns, 0);
  std::vector<bool> right(columns, true);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < columns; ++c) {
      width[c] = std::max(width[c], width_of(rows[i][c]));
      if (i > 0 && !looks_like_number(rows[i][c])) right[c] = false;
    }
  }
  const bool bold = wants_colour(stream);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      const std::string padding(width[c] - width_of(rows[i][c]), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? padding + rows[i][c] : rows[i][c] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (i == 0 && bold) line = "\x1b[1m" + line + "\x1b[0m";
    print_line(line, to_stderr);
  }
}

void print_line(const std::string& text, bool to_stderr) { put(to_stderr ? stderr : stdout, text + "\n"); }

// Strings of a model are UTF-8 from the door on; file names need not be, and are shown as well as it goes.
void print_json(const Json& document) { print_line(document.dump(2, ' ', false, Json::error_handler_t::replace)); }

Outcome<void> flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail(Fault::system, "standard output", "cannot be written");
  return {};
}

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

void say(const std::string& text) { print_line(text, true); }

void say(const Problem& problem) {
  std::string text = host::to_text(problem);
  if (wants_colour(stderr)) {
    const size_t end = std::min(text.find('\n'), text.size());
    text = "\x1b[1;31m" + text.substr(0, end) + "\x1b[0m" + text.substr(end);
  }
  say(text);
}

ProgressLine::ProgressLine(std::string what, std::uint64_t total, const Common& common)
    : what_(std::move(what)), total_(total), shown_(!common.json && total > 0 && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (printed_) put(stderr, "\r\x1b[K");
}

void ProgressLine::at(std::uint64_t position) {
  if (!shown_) return;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (last_ == 0) last_ = now;  // quick work shows nothing
  if (now - last_ < (printed_ ? 100 : 300)) return;
  last_ = now;
  printed_ = true;
  put(stderr, fmt::format("\r{} {:3.0f} %", what_, 100.0 * static_cast<double>(position) / static_cast<double>(total_)));
}

}  // namespace penumbra::command

// penumbra convert: the same model in the other format.
#include "command.hpp"

#include <algorithm>
#include <cctype>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::string output;
  std::string format;
};

// The format that was asked for, or else the one that the name says; empty when neither does.
std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  std::string end = options.output.substr(std::min(options.output.find_last_of('.'), options.output.size()));
  std::transform(end.begin(), end.end(), end.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return end == ".json" ? "json" : end == ".pomdp" ? "pomdp" : "";
}

Outcome<int> convert(const Options& options) {
  const std::string format = format_of(options);
  if (format.empty()) {
    return fail(Fault::usage, options.output, "ends neither in .json nor in .pomdp", "name the file so, or pass --to json or --to pomdp");
  }
  const Outcome<Model> model = read_model(options.model);
  if (!model) return fail(model.error());
  const Outcome<std::string> text =
      format == "json" ? Outcome<std::string>(host::to_json(model.value())) : host::to_pomdp(model.value(), options.model.name());
  if (!text) return fail(text.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  artefact.value().write(text.value());
  const Model& m = model.value();
  if (options.common.json) {
    print_json({{"states", m.states.size()}, {"actions", m.actions.size()}, {"observations", m.observations.size()}, {"format", format}});
  } else if (!artefact.value().has_standard_output()) {
    print_line(options.output + ": the model of " + options.model.name());
  }
  return artefact.value().finish();
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("convert", "Write a model in the other format, JSON or .pomdp");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_output(*command, options->output, "the model (required)")->required();
  command->add_option("--to", options->format, "format to write; by default what the file's name says")
      ->check(CLI::IsMember({"json", "pomdp"}))
      ->option_text("json|pomdp");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return convert(*options); }; });
}

}  // namespace penumbra::command

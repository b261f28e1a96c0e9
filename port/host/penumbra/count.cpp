// penumbra count: the pair counts of trajectories.
#include "command.hpp"
#include "logs.hpp"

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  ModelFile model;
  std::vector<std::string> logs;
  std::string output;
};

Outcome<int> count(const Options& options) {
  const Outcome<Model> model = read_model(options.model);
  if (!model) return fail(model.error());
  const Outcome<host::Counts> counts = count_logs(options.model, model.value(), options.logs, options.common);
  if (!counts) return fail(counts.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  if (artefact.value().wanted()) artefact.value().write(host::to_json(counts.value()));
  const std::vector<std::uint64_t> samples = counts.value().samples();
  if (options.common.json) {
    print_json({{"samples", samples}});
    return artefact.value().finish();
  }
  std::vector<Row> rows{{"action", "samples"}};
  for (size_t a = 0; a < samples.size(); ++a) rows.push_back({model.value().actions.of(a), grouped(samples[a])});
  print_table(rows, artefact.value().has_standard_output());
  return artefact.value().finish();
}

}  // namespace

void add_count(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("count", "Pair counts of trajectories, all that estimating takes");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_logs(*command, options->logs);
  add_output(*command, options->output, "the counts");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return count(*options); }; });
}

}  // namespace penumbra::command

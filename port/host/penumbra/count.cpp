// penumbra count: the pair counts of trajectories.
#include "command.hpp"
#include "logs.hpp"

#include "penumbra/host/output.hpp"

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
  const Outcome<void> usable = check_output(options.output, options.common);
  if (!usable) return fail(usable.error());
  const Outcome<Model> model = read_model(options.model);
  if (!model) return fail(model.error());
  const Outcome<host::Counts> counts = count_logs(options.model, model.value(), options.logs, options.common);
  if (!counts) return fail(counts.error());
  if (!options.output.empty()) {
    const Outcome<void> written = host::write_file(options.output, host::to_json(counts.value()));
    if (!written) return fail(written.error());
  }
  const std::vector<std::uint64_t> samples = counts.value().samples();
  if (options.common.json) {
    print_json({{"samples", samples}});
    return done;
  }
  std::vector<Row> rows{{"action", "samples"}};
  for (size_t a = 0; a < samples.size(); ++a) rows.push_back({model.value().actions.of(a), grouped(samples[a])});
  print_table(rows, options.output == "-");
  return done;
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

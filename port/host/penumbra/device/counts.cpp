// penumbra device counts: the pair counts of a device, together with those that the store has of it and of others.
#include "device/connection.hpp"

#include "penumbra/host/counts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace penumbra::command {

namespace {

struct Options {
  DeviceOptions device;
  std::string output;
};

// A model of these sizes, with nothing in it.
Model sized(const host::DeviceSizes& sizes) {
  Model model;
  model.states = host::Labels(sizes.states);
  model.actions = host::Labels(sizes.actions);
  model.observations = host::Labels(sizes.observations);
  return model;
}

host::Failure knows_nothing(const std::string& name) {
  return fail(Fault::input, name, "knows no device yet", "name one with --board or --port");
}

Outcome<host::Counts> from_store(const host::Store& store, const std::string& name) {
  const Outcome<std::vector<host::DeviceRow>> known = store.devices();
  if (!known) return fail(known.error());
  if (known.value().empty()) return knows_nothing(name);
  const host::DeviceRow& any = known.value().front();
  return store.counts(sized({any.states, any.actions, any.observations}), name);
}

// All that is known once the device has told what it has. `good`: it did not start again meanwhile.
Outcome<host::Counts> from_device(const DeviceOptions& options, bool& good) {
  Interruption interruption;
  Outcome<std::unique_ptr<Connection>> connected = Connection::open(options, std::nullopt, interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  const Outcome<void> has_some = needs_counts(connection);
  if (!has_some) return fail(has_some.error());
  const Outcome<void> known = connection.know_counts();
  if (!known) return fail(known.error());
  if (interruption.asked()) {
    connected.value().reset();
    interruption.die_if_asked();
  }
  connection.keep_files();
  good = stayed_up(connection);
  if (connection.record() != nullptr) return from_store(connection.record()->store(), options.store);
  Outcome<host::Counts> counts = host::Counts::of(sized(connection.info().sizes), connection.name());
  if (counts) counts.value().pairs = connection.session().total_counts();
  return counts;
}

Outcome<host::Counts> all_counts(const DeviceOptions& options, bool& good) {
  if (!options.board.empty() || !options.port.empty() || options.store.empty()) {
    const Outcome<void> named = check_device_options(options);
    if (!named) return fail(named.error());
    return from_device(options, good);
  }
  Outcome<host::Input> there = host::Input::open(options.store);  // a store that is missing would be made
  if (!there) return fail(there.error());
  std::error_code none;
  if (std::filesystem::file_size(options.store, none) == 0 && !none) return knows_nothing(options.store);  // and one that is empty
  const Outcome<host::Store> store = host::Store::open(options.store);
  if (!store) return fail(store.error());
  return from_store(store.value(), options.store);
}

Outcome<int> write_counts(const Options& options) {
  Outcome<Artefact> artefact = Artefact::open(options.output, options.device.common);
  if (!artefact) return fail(artefact.error());
  bool good = true;
  const Outcome<host::Counts> counts = all_counts(options.device, good);
  if (!counts) return fail(counts.error());
  artefact.value().write(host::to_json(counts.value()));
  const std::vector<std::uint64_t> samples = counts.value().samples();
  if (options.device.common.json) {
    print_json({{"samples", samples}, {"output", options.output}, {"version", PENUMBRA_VERSION}});
  } else {
    std::vector<Row> rows{{"action", "pairs"}};
    for (std::size_t a = 0; a < samples.size(); ++a) rows.push_back({std::to_string(a), grouped(samples[a])});
    print_table(rows, artefact.value().has_standard_output());
  }
  const Outcome<int> written = artefact.value().finish();
  return written && !good ? Outcome<int>(answer_is_no) : written;
}

}  // namespace

void add_device_counts(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "counts", "The pair counts of a device, and of a store; a store alone needs no device");
  auto options = std::make_shared<Options>();
  add_output(*command, options->output, "the counts (JSON, counts/1)")->required();
  add_device_options(*command, options->device);
  command->callback([&run, options] { run = [options] { return write_counts(*options); }; });
}

}  // namespace penumbra::command

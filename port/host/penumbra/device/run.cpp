// penumbra device run: a loop test. The host is the world, the device acts in it, and in the end the device's counts are held against what
// the world saw.
#include "device/connection.hpp"
#include "device/loop_world.hpp"
#include "trajectory_lines.hpp"

#include "penumbra/host/learning.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  DeviceOptions device;
  ModelFile model;
  std::uint64_t steps = 0;
  std::string output;
};

// What came of it.
struct Result {
  std::uint64_t steps = 0;
  double reward = 0;   // a step
  double seconds = 0;  // of the steps
  LoopAccount::Balance balance;
  bool synced = false;  // the device's counts are all here
  bool whole = false;

  [[nodiscard]] bool agree() const noexcept { return synced && balance.more + balance.fewer == 0; }
};

Json to_json(const Options& options, Connection& connection, const Result& result) {
  const host::SessionStatistics& line = connection.session().statistics();
  const host::DeviceInfo& info = connection.info();
  const link::DeviceStatus& status = connection.status();
  return {{"device", info.device},
          {"board", info.board},
          {"incarnation", info.incarnation},
          {"steps", result.steps},
          {"average_reward", result.steps > 0 ? Json(result.reward) : Json(nullptr)},
          {"pairs", result.balance.pairs},
          {"pairs_counted", result.balance.counted},
          {"agree", result.agree()},
          {"missed_deadlines", connection.missed_deadlines()},
          {"missed_observations", status.missed_observations},
          {"impossible_observations", status.impossible_observations},
          {"frames", line.frames_in + line.frames_out},
          {"repeats", line.asked_again + line.answered_again},
          {"refused", line.refused + status.frames_refused},
          {"resets", connection.resets()},
          {"whole", result.whole},
          {"seconds", result.seconds},
          {"seed", options.device.seed},
          {"model", options.model.name()},
          {"version", PENUMBRA_VERSION}};
}

void print(Connection& connection, const Result& result, bool to_stderr) {
  const host::SessionStatistics& line = connection.session().statistics();
  const double rate = result.seconds > 0 ? static_cast<double>(result.steps) / result.seconds : 0;
  const std::vector<Row> rows = {
      {"what", "figure"},
      {"ticks", grouped(result.steps)},
      {"ticks a second", grouped(static_cast<std::uint64_t>(rate))},
      {"reward a tick", result.steps > 0 ? number(result.reward) : "-"},
      {"pairs in the world's log", grouped(result.balance.pairs)},
      {"pairs counted by the device", grouped(result.balance.counted)},
      {"missed deadlines", grouped(connection.missed_deadlines())},
      {"frames", grouped(line.frames_in + line.frames_out)},
      {"repeats", grouped(line.asked_again + line.answered_again)},
      {"refused", grouped(line.refused + connection.status().frames_refused)},
  };
  print_table(rows, to_stderr);
}

// The answer of the loop test, and why.
bool judge(Connection& connection, const Result& result) {
  bool good = true;
  if (!result.synced) {
    say_counts_are_missing(connection);
    good = false;
  } else if (!result.agree()) {
    say(fmt::format("{}: counts disagree: {} pairs in the world's log, {} counted, {} cells differ", connection.name(),
                    result.balance.pairs, result.balance.counted, result.balance.more + result.balance.fewer));
    if (connection.resets() > 0) say("  it started again meanwhile: pairs that it had not told of are lost");
    good = false;
  }
  good = stayed_up(connection) && good;
  return made_its_deadlines(connection) && good;
}

Outcome<int> run_loop(const Options& options) {
  const Outcome<void> named = check_device_options(options.device);
  if (!named) return fail(named.error());
  const Outcome<Model> read = read_whole_model(options.model, "a world");
  if (!read) return fail(read.error());
  const Model& model = read.value();
  Outcome<Artefact> opened = Artefact::open(options.output, options.device.common);
  if (!opened) return fail(opened.error());
  Artefact& artefact = opened.value();

  Interruption interruption;
  Outcome<std::unique_ptr<Connection>> connected = Connection::open(options.device, sizes_of(model), interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  const Outcome<void> plant = needs_world(connection);
  if (!plant) return fail(plant.error());

  // A board that was running before has counts of other worlds.
  const Outcome<void> known = connection.know_counts();
  if (!known) return fail(known.error());
  connection.keep_files();
  LoopWorld world(model, options.device.seed);
  LoopAccount account(world, model, connection.session());
  const TrajectoryLines lines(model, false);
  artefact.write(lines.header());
  account.watch([&](std::uint8_t action, std::uint8_t observation) {
    if (artefact.wanted()) lines.write(artefact, {0, action, observation});
  });
  connection.session().set_plant(&account);
  connection.session().release();
  const std::uint64_t begin = connection.milliseconds();
  std::optional<ProgressLine> progress(std::in_place, "running", options.steps, options.device.common);
  const Outcome<bool> finished = connection.work_until([&] {
    progress->at(world.steps());
    if (connection.record() != nullptr) connection.sync_now_and_then();
    return world.steps() >= options.steps || !artefact.ok();
  });
  progress.reset();
  if (!finished) return fail(finished.error());
  connection.session().hold();
  Result result;
  result.seconds = static_cast<double>(connection.milliseconds() - begin) / 1000;
  const Outcome<bool> synced = connection.sync();
  if (!synced) return fail(synced.error());
  result.steps = world.steps();
  result.whole = finished.value();
  result.synced = synced.value();
  result.reward = result.steps > 0 ? world.reward() / static_cast<double>(result.steps) : 0;
  result.balance = account.balance();

  if (options.device.common.json) {
    print_json(to_json(options, connection, result));
  } else if (artefact.ok()) {
    print(connection, result, artefact.has_standard_output());
  }
  const bool good = judge(connection, result);
  const Outcome<int> written = artefact.finish();
  if (!written) return written;
  if (!result.whole) say(fmt::format("interrupted: the figures are of {} of {} ticks", grouped(result.steps), grouped(options.steps)));
  connected.value().reset();  // and with it the store, whole
  interruption.die_if_asked();
  return good ? done : answer_is_no;
}

}  // namespace

void add_device_run(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "run", "A loop test: the model is the world that the device acts in");
  auto options = std::make_shared<Options>();
  add_model(*command, options->model);
  add_whole(*command, "--steps", options->steps, 1, "ticks; required", host::most_learning_steps)->required();
  add_output(*command, options->output, "the world's log, a trajectory,");
  add_device_options(*command, options->device);
  command->callback([&run, options] { run = [options] { return run_loop(*options); }; });
}

}  // namespace penumbra::command

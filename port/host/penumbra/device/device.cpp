// penumbra device: a board in the loop. The subcommands are in files of their own; here is what they share.
#include "device/device.hpp"

#include "device/faulty_wire.hpp"
#include "device/serial_wire.hpp"
#include "device/socket_wire.hpp"

#include <fmt/format.h>

#include <limits>

namespace penumbra::command {

namespace {

CLI::Validator known_board() {
  return {[](std::string& name) -> std::string {
            return find_board(name) != nullptr ? "" : fmt::format("there is no board \"{}\"; the boards are: {}", name, board_names());
          },
          ""};
}

CLI::Validator a_file() {
  return {[](std::string& name) { return name.empty() || name == "-" ? std::string("this takes a file") : std::string(); }, ""};
}

Device with_faults(Device device, const DeviceOptions& options) {
  if (options.faulty) device.wire = std::make_unique<FaultyWire>(std::move(device.wire), options.faults, options.seed);
  return device;
}

}  // namespace

void add_device(CLI::App& app, Run& run) {
  CLI::App* device = app.add_subcommand("device", "A board in the loop, emulated or on a serial port: run, learn, flash, look");
  device->require_subcommand(1);
  add_device_run(*device, run);
  add_device_learn(*device, run);
  add_device_flash(*device, run);
  add_device_counts(*device, run);
  add_device_status(*device, run);
  add_device_monitor(*device, run);
  add_device_list(*device, run);
  device->footer("penumbra device SUBCOMMAND --help explains each; each takes --json and --threads.\n" + app.get_footer());
}

CLI::App* add_device_command(CLI::App& device, const std::string& name, const std::string& description) {
  CLI::App* command = device.add_subcommand(name, description);
  command->option_defaults()->take_last();
  return command;
}

void add_device_options(CLI::App& command, DeviceOptions& options) {
  CLI::Option* board = command.add_option("--board", options.board, "a board on this machine, emulated or host: " + board_names());
  board->check(known_board())->option_text("NAME");
  CLI::Option* port = command.add_option("--port", options.port, "a board on this serial port; penumbra device list shows them");
  port->check(a_file())->option_text("TTY")->excludes(board);
  add_whole(command, "--baud", options.baud, 1, "speed of the port, 115200 by default", 100000000)->needs(port);
  command.add_option("--firmware", options.firmware, "the board's program, the rover's by default")
      ->check(a_file())
      ->option_text("FILE")
      ->needs(board);
  command
      .add_option("--flash", options.flash,
                  "keep the board's flash in this file; without it, the flash is gone with the board, as the microbit's always is")
      ->check(a_file())
      ->option_text("FILE")
      ->needs(board);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  add_whole(
      command, "--id", options.id, 1,
      "the board's number, which its counts are kept under; 1 by default, and one that is new to the store where the flash is not kept. On "
      "a port: the device that is expected there",
      most);
  add_whole(command, "--deadline", options.deadline_us, 1, "microseconds that a tick may take; by default the firmware's own", most)
      ->needs(board);
  command
      .add_option("--store", options.store,
                  "keep counts, images and events in this file, and go on from it where it is there; without it they are gone at the end")
      ->check(a_file())
      ->option_text("FILE");
  add_number(command, "--patience", options.patience, 0.1, 86400,
             "seconds of silence, or of standing still, after which a device is given up, 10 by default; more than its control period");
  const auto faults = [&options](const std::string& text) -> std::string {
    const Outcome<host::LineFaults> read = read_faults(text);
    if (!read) return read.error().what + "; " + read.error().advice;
    options.faults = read.value();
    options.faulty = true;
    return "";
  };
  command
      .add_option("--faults",
                  "let the line fail, for tests: the probability that a frame is lost, doubled, late, changed …; or drop=0.1,delay=0.01")
      ->check(CLI::Validator(faults, ""))
      ->option_text("WHAT");
  add_whole(command, "--seed", options.seed, 0, "luck of the world, where the host is that, and of --faults; 1 by default");
  add_common(command, options.common);
}

Outcome<void> check_device_options(const DeviceOptions& options) {
  if (options.board.empty() != options.port.empty()) return {};
  return fail(Fault::usage, "", "which device? --board NAME starts one on this machine, --port TTY talks to one on a serial port",
              "penumbra device list shows both");
}

Outcome<Device> open_device(const DeviceOptions& options, std::uint32_t number) {
  Device device;
  if (!options.port.empty()) {
    Outcome<std::unique_ptr<SerialWire>> wire = SerialWire::open(options.port, static_cast<int>(options.baud));
    if (!wire) return fail(wire.error());
    device.name = options.port;
    device.wire = std::move(wire.value());
    return with_faults(std::move(device), options);
  }
  BoardStart start;
  start.board = find_board(options.board);
  start.firmware = options.firmware;
  start.flash = options.flash;
  start.id = number;
  if (options.deadline_us != 0) start.deadline_us = static_cast<std::uint32_t>(options.deadline_us);
  Outcome<std::unique_ptr<BoardProcess>> board = BoardProcess::start(start);
  if (!board) return fail(board.error());
  device.name = options.board;
  device.wire = std::make_unique<SocketWire>(options.board, board.value()->take_line());
  device.board = std::move(board.value());
  return with_faults(std::move(device), options);
}

}  // namespace penumbra::command

// penumbra device list: the boards that this machine can be, and the serial ports where others may be.
#include "device/device.hpp"
#include "device/serial_wire.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <memory>

namespace penumbra::command {

namespace {

bool is_built(const Board& board) { return ::access(board.firmware.c_str(), R_OK) == 0; }

Outcome<int> list(const Common& common) {
  const Outcome<std::vector<SerialPort>> ports = serial_ports();
  if (!ports) return fail(ports.error());
  const bool emulator = emulator_is_here();
  if (common.json) {
    Json boards_json = Json::array();
    for (const Board& board : boards()) {
      boards_json.push_back({{"name", board.name},
                             {"core", board.core},
                             {"machine", board.machine.empty() || board.machine == no_machine ? Json(nullptr) : Json(board.machine)},
                             {"firmware", board.firmware},
                             {"built", is_built(board)}});
    }
    Json ports_json = Json::array();
    for (const SerialPort& port : ports.value()) ports_json.push_back({{"name", port.name}, {"description", port.description}});
    print_json({{"boards", boards_json}, {"ports", ports_json}, {"emulator", emulator}, {"version", PENUMBRA_VERSION}});
    return done;
  }
  std::vector<Row> rows{{"board", "core", "runs", "firmware"}};
  for (const Board& board : boards()) {
    const char* where = board.machine.empty() ? "here" : board.machine == no_machine ? "on a port" : "emulated";
    rows.push_back({board.name, board.core, where, is_built(board) ? "built" : "not built: " + how_to_build(board)});
  }
  print_table(rows);
  if (!emulator) print_line("qemu-system-arm is not here: run toolchains/setup for the emulated ones");
  print_line("");
  if (ports.value().empty()) {
    print_line("no serial ports");
    return done;
  }
  rows = {{"port", "what it is"}};
  for (const SerialPort& port : ports.value()) rows.push_back({port.name, port.description});
  print_table(rows);
  return done;
}

}  // namespace

void add_device_list(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "list", "The boards that can run on this machine, and its serial ports");
  auto common = std::make_shared<Common>();
  add_common(*command, *common);
  command->callback([&run, common] { run = [common] { return list(*common); }; });
}

}  // namespace penumbra::command

// What the commands that talk to a device share: which device it is, and the line to it.
#pragma once

#include "command.hpp"
#include "device/board_process.hpp"
#include "device/wire.hpp"

#include "penumbra/host/faulty_line.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace penumbra::command {

// Each adds its subcommand to `penumbra device`, one file each.
void add_device_run(CLI::App& device, Run& run);
void add_device_learn(CLI::App& device, Run& run);
void add_device_flash(CLI::App& device, Run& run);
void add_device_counts(CLI::App& device, Run& run);
void add_device_status(CLI::App& device, Run& run);
void add_device_monitor(CLI::App& device, Run& run);
void add_device_list(CLI::App& device, Run& run);

// A subcommand of `penumbra device`: where an option is given twice, the last one counts.
[[nodiscard]] CLI::App* add_device_command(CLI::App& device, const std::string& name, const std::string& description);

struct DeviceOptions {
  Common common;
  std::string board;
  std::string port;
  std::uint64_t baud = 115200;
  std::string firmware;
  std::string flash;
  std::uint64_t id = 0;           // 0: chosen by us
  std::uint64_t deadline_us = 0;  // 0: the firmware's own
  std::string store;              // empty: in memory
  double patience = 10;           // seconds of silence, or of standing still, after which the device is given up
  host::LineFaults faults;        // that the line is given, for loop tests
  bool faulty = false;
  std::uint64_t seed = 1;
};
// --board, --port and what belongs to them, --store, --patience, --faults, --json, --threads.
void add_device_options(CLI::App& command, DeviceOptions& options);

// A problem where they name no device, or two.
[[nodiscard]] Outcome<void> check_device_options(const DeviceOptions& options);

// The device that the options name: a board is started, with this number, or a port opened.
struct Device {
  std::string name;                     // as messages call it
  std::unique_ptr<BoardProcess> board;  // none: it is on a serial port
  std::unique_ptr<Wire> wire;
};
[[nodiscard]] Outcome<Device> open_device(const DeviceOptions& options, std::uint32_t number);

}  // namespace penumbra::command

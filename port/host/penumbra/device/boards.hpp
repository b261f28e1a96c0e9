// The boards that this project has a port for: those that are emulated here, as toolchains/boards.cmake and CMakePresets.json list them, those
// without an emulator, and the workstation itself, which runs the host build of the firmware.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace penumbra::command {

struct Board {
  std::string name;
  std::string machine;     // QEMU's name of it, or no_machine; empty: the firmware is a program of this workstation
  std::string core;        // for people
  std::string preset;      // that builds its firmware
  std::string firmware;    // where that puts it
  std::size_t flash_size;  // of a flash that can be in a file of ours; 0: it is the emulator's, and gone with it
};

inline constexpr const char* no_machine = "no-machine";

[[nodiscard]] const std::vector<Board>& boards();
[[nodiscard]] const Board* find_board(const std::string& name);  // null: there is none
[[nodiscard]] std::string board_names();                         // for messages: those that can run here

// How its firmware is built, as a line for a shell.
[[nodiscard]] std::string how_to_build(const Board& board);

}  // namespace penumbra::command

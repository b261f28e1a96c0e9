// The boards that this machine can be: those that are emulated, as toolchains/boards.cmake and CMakePresets.json list them, and the
// workstation itself, which runs the host build of the firmware.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace penumbra::command {

struct Board {
  std::string name;
  std::string machine;     // QEMU's name of it; empty: the firmware is a program of this workstation
  std::string core;        // for people
  std::string preset;      // that builds its firmware
  std::string firmware;    // where that puts it
  std::size_t flash_size;  // of a flash that can be in a file of ours; 0: it is the emulator's, and gone with it
};

[[nodiscard]] const std::vector<Board>& boards();
[[nodiscard]] const Board* find_board(const std::string& name);  // null: there is none
[[nodiscard]] std::string board_names();                         // for messages

// How its firmware is built, as a line for a shell.
[[nodiscard]] std::string how_to_build(const Board& board);

}  // namespace penumbra::command

// The list that the build has made.
#include "device/boards.hpp"

#include <algorithm>

namespace penumbra::command {

const std::vector<Board>& boards() {
  static const std::vector<Board> list = {
#include "boards.inc"
  };
  return list;
}

const Board* find_board(const std::string& name) {
  const auto found = std::find_if(boards().begin(), boards().end(), [&name](const Board& board) { return board.name == name; });
  return found == boards().end() ? nullptr : &*found;
}

std::string board_names() {
  std::string names;
  for (const Board& board : boards()) {
    if (board.machine != no_machine) names += (names.empty() ? "" : ", ") + board.name;
  }
  return names;
}

std::string how_to_build(const Board& board) {
  return "cmake --preset " + board.preset + " && cmake --build --preset " + board.preset + " --target rover";
}

}  // namespace penumbra::command

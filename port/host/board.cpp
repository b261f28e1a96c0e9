// The workstation as a board: text goes to standard output, the exit status to the shell.
#include "board.hpp"

#include <cstdio>
#include <cstdlib>

namespace penumbra::board {

void write(const char* text, std::size_t size) noexcept {
  std::fwrite(text, 1, size, stdout);
  std::fflush(stdout);
}

void exit(int status) noexcept {
  const int code = status & 0xFF;
  std::exit(code == 0 && status != 0 ? 1 : code);
}

}  // namespace penumbra::board

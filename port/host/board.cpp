// The workstation as a board: text goes to standard output, the exit status to the shell.
#include "board.hpp"

#include <cstdio>
#include <cstdlib>

namespace penumbra::board {

void write(const char* text, std::size_t size) noexcept {
  std::fwrite(text, 1, size, stdout);
  std::fflush(stdout);
}

void exit(int status) noexcept { std::exit(exit_code(status)); }

}  // namespace penumbra::board

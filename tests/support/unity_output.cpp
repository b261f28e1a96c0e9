// Unity's output, gathered into lines: on a board each write is a trip through the debugger, so one a line, not one a
// character. Also empty setUp() and tearDown() for the programs that need none.
#include "board.hpp"
#include "unity_config.h"

#include <cstddef>

namespace {

char line[160];
std::size_t used = 0;

}  // namespace

extern "C" {

void unity_flush(void) {
  penumbra::board::write(line, used);
  used = 0;
}

void unity_put_char(int character) {
  line[used++] = static_cast<char>(character);
  if (character == '\n' || used == sizeof line) unity_flush();
}

[[gnu::weak]] void setUp(void);
[[gnu::weak]] void setUp(void) {}
[[gnu::weak]] void tearDown(void);
[[gnu::weak]] void tearDown(void) {}
}

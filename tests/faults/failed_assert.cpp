// A broken contract in a debug build: assert() must name the place and end the program.
#undef NDEBUG
#include <cassert>

int main() {
  volatile int two = 2;
  assert(two == 3);
  return 0;
}

// Allocates. There is no heap on a board: this must not link (ALLOCATE_WITH_NEW chooses the C++ way to try).
#include <cstdlib>

int main() {
#ifdef ALLOCATE_WITH_NEW
  int* volatile number = new int{1};
  return *number;
#else
  void* volatile block = std::malloc(16);
  return block == nullptr ? 1 : 0;
#endif
}

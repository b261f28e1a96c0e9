// Reads from an address where nothing is: the board must report the fault, not go on with a wrong value.
#include <cstdint>

int main() {
  volatile std::uintptr_t nowhere = 0x2F00'0000;
  return static_cast<int>(*reinterpret_cast<volatile std::uint32_t*>(nowhere));
}

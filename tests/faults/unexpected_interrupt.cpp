// Raises an interrupt that nothing handles (number 5 of the board): it must be named, not ignored.
#include <cstdint>

int main() {
  *reinterpret_cast<volatile std::uint32_t*>(0xE000'E100) = 1U << 5;  // NVIC_ISER0: enable
  *reinterpret_cast<volatile std::uint32_t*>(0xE000'E200) = 1U << 5;  // NVIC_ISPR0: pend
  asm volatile("dsb\n\tisb" : : : "memory");
  return 0;
}

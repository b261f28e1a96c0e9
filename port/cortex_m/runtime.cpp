// What the compiler and the C library expect of a system, and the absence of what they must not have: there is no _sbrk
// here and no operator new, so a program that allocates does not link.
#include "board.hpp"

#include <cstddef>
#include <cstring>

namespace {

void print(const char* text) noexcept { penumbra::board::write(text, std::strlen(text)); }

[[noreturn]] void die(const char* reason) noexcept {
  print("\nabort: ");
  print(reason);
  print("\n");
  penumbra::board::exit(penumbra::board::status_abort);
}

}  // namespace

extern "C" {

// The mathematics library reports domain errors here. Its own version would bring a kilobyte of C library state along.
int* __errno() {
  static int number = 0;
  return &number;
}

void* __dso_handle = nullptr;

// Static objects live until the power goes: their destructors are never run.
int __aeabi_atexit(void*, void (*)(void*), void*) { return 0; }
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

[[noreturn]] void __cxa_pure_virtual() { die("pure virtual call"); }
[[noreturn]] void abort() { die("abort() called"); }

[[noreturn]] void __assert_func(const char* file, int line, const char* function, const char* expression) {
  char digits[12];
  char* number = digits + sizeof digits;
  *--number = '\0';
  do *--number = static_cast<char>('0' + line % 10);
  while ((line /= 10) > 0 && number != digits);
  print("\n");
  print(file), print(":"), print(number), print(": ");
  if (function != nullptr) print(function), print(": ");
  print("assertion failed: "), print(expression);
  die("assert");
}

#if __ARM_ARCH < 7
// Integer division by zero, which the larger cores trap by themselves.
[[noreturn]] int __aeabi_idiv0(int) { die("integer division by zero"); }
[[noreturn]] long long __aeabi_ldiv0(long long) { die("integer division by zero"); }
#endif

}  // extern "C"

// A virtual destructor mentions these even if nobody deletes.
void operator delete(void*) noexcept { die("operator delete without a heap"); }
void operator delete(void*, std::size_t) noexcept { die("operator delete without a heap"); }

// How deep the stack goes: paint_stack() marks everything below the caller's stack pointer, used_stack() tells how many
// bytes below it have been written since. Interrupts taken meanwhile use the same stack and are included.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
extern std::uint32_t __stack_limit[];  // lowest word of the stack, from sections.ld
}

namespace penumbra::board {

inline constexpr bool measures_stack = true;

namespace detail {
inline constexpr std::uint32_t stack_paint = 0xC0DE'5AFE;
inline std::uintptr_t painted_below = 0;
}  // namespace detail

// Inlined, and in assembly, so that it needs no stack itself.
[[gnu::always_inline]] inline void paint_stack() noexcept {
  std::uint32_t* word = __stack_limit;
  std::uintptr_t top;
  asm volatile(
      ".syntax unified \n"
      "mov %[top], sp             \n"
      "0: cmp %[word], %[top]     \n"
      "bhs 1f                     \n"
      "str %[paint], [%[word]]    \n"
      "adds %[word], #4           \n"
      "b 0b                       \n"
      "1:                         \n"
      : [word] "+&l"(word), [top] "=&l"(top)
      : [paint] "l"(detail::stack_paint)
      : "cc", "memory");
  detail::painted_below = top;
}

// Bytes of stack used below the stack pointer of paint_stack()'s caller; a word that was written with the very value of
// the paint does not show.
[[nodiscard]] inline std::size_t used_stack() noexcept {
  const volatile std::uint32_t* word = __stack_limit;
  while (reinterpret_cast<std::uintptr_t>(word) < detail::painted_below && *word == detail::stack_paint) ++word;
  return detail::painted_below - reinterpret_cast<std::uintptr_t>(word);
}

}  // namespace penumbra::board

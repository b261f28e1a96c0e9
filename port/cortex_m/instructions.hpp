// How many instructions something takes, exactly: instructions_of([&] { agent.step(o); }).
//
// The count comes from SysTick under the emulator, where each instruction lasts 1024 ns (toolchains/emulate). It is a count
// of instructions, not of cycles. On real hardware SysTick counts clock cycles, so the same figure would mean
// cycles * 1e9 / (systick_hz * 1024): compare such figures with each other only.
//
// Counting uses SysTick and its exception, and must not be nested. Interrupts that arrive meanwhile are counted too.
#pragma once

#include <cstdint>
#include <type_traits>

namespace penumbra::board {

inline constexpr bool counts_instructions = true;

namespace detail {
std::uint32_t count_instructions(void (*function)(void*), void* context) noexcept;
}

// The instructions that `f()` executes, including what it takes to reach its captures, without the call of `f` itself.
template <class F>
[[nodiscard]] std::uint32_t instructions_of(F&& f) noexcept {
  using Function = std::remove_reference_t<F>;
  return detail::count_instructions([](void* context) { (*static_cast<Function*>(context))(); },
                                    const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace penumbra::board

// From reset to main() and from main() to exit(), for every Cortex-M: the vector table, the core's settings, the memory
// image that C++ expects, static constructors. Symbols that begin with __ come from sections.ld.
#include "board.hpp"
#include "board_constants.hpp"
#include "exceptions.hpp"
#include "faults.hpp"
#include "registers.hpp"

#include <array>
#include <cstdint>

// main() under a name that C++ lets us call.
int program() asm("main");

extern "C" {
extern char __stack_top;
extern char __stack_limit;
extern std::uint32_t __data_start;
extern std::uint32_t __data_end;
extern const std::uint32_t __data_load;
extern std::uint32_t __bss_start;
extern std::uint32_t __bss_end;
extern void (*const __init_array_start)();
extern void (*const __init_array_end)();
[[noreturn]] void reset_handler();
}

namespace penumbra::cortex_m {

using Handler = void (*)();

struct VectorTable {
  const void* initial_stack;
  std::array<Handler, 15> exceptions;
  std::array<Handler, board::interrupt_count> interrupts;
};

namespace {

void interrupt_entry() { board_interrupt(static_cast<unsigned>(exception_number()) - 16U); }

template <std::size_t N>
constexpr std::array<Handler, N> all(Handler handler) {
  std::array<Handler, N> table{};
  for (std::size_t i = 0; i < N; ++i) table[i] = handler;
  return table;
}

void configure_core() {
#if __ARM_ARCH >= 7
  // Faults arrive under their own names, integer division by zero is one of them.
  shcsr() = shcsr() | shcsr_fault_enables;
  ccr() = ccr() | ccr_div_0_trp;
#endif
#if defined(__ARM_FP)
  cpacr() = cpacr() | cpacr_fpu_full;
#endif
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
  asm volatile("msr msplim, %0" : : "r"(&__stack_limit));
#elif __ARM_ARCH == 7
  // Some memory maps swallow what is written below RAM, so the 8 KB there are made inaccessible.
  constexpr std::uint32_t size_8k = 12, enable = 1, execute_never = 1U << 28, default_map = 4;
  mpu_rnr() = 0;
  mpu_rbar() = reinterpret_cast<std::uint32_t>(&__stack_limit) - 8192U;
  mpu_rasr() = execute_never | size_8k << 1 | enable;
  mpu_ctrl() = default_map | enable;
#endif
  asm volatile("dsb\n\tisb" : : : "memory");
}

void prepare_memory() {
  const std::uint32_t* from = &__data_load;
  for (std::uint32_t* to = &__data_start; to != &__data_end; ++to, ++from) *to = *from;
  for (std::uint32_t* to = &__bss_start; to != &__bss_end; ++to) *to = 0;
}

[[noreturn, gnu::noinline]] void run() {
  for (Handler const* constructor = &__init_array_start; constructor != &__init_array_end; ++constructor) (*constructor)();
  board::exit(program());
}

}  // namespace
}  // namespace penumbra::cortex_m

extern "C" {

using namespace penumbra::cortex_m;

extern const VectorTable vectors;
[[gnu::section(".vectors"), gnu::used]] const VectorTable vectors = {
    &__stack_top,
    {{
        &reset_handler,
        &nmi_handler,
        &fault_entry,
        &fault_entry,
        &fault_entry,
        &fault_entry,
        &fault_entry,
        nullptr,
        nullptr,
        nullptr,
        &svcall_handler,
        &debug_monitor_handler,
        nullptr,
        &pendsv_handler,
        &systick_handler,
    }},
    all<penumbra::board::interrupt_count>(&interrupt_entry),
};

// Nothing here may use floating point before configure_core() has run.
void reset_handler() {
  configure_core();
  prepare_memory();
  run();
}

}  // extern "C"

// Fault report: the stacked registers and, where the core has them, the fault status registers, in hexadecimal. Then the
// program ends with board::status_fault. `arm-none-eabi-addr2line -e PROGRAM.elf PC` tells the line.
#include "faults.hpp"

#include "board.hpp"
#include "exceptions.hpp"
#include "registers.hpp"

#include <cstddef>
#include <cstdint>

extern "C" {
extern char __stack_limit;
extern char __ram_end;
}

namespace penumbra::cortex_m {
namespace {

template <std::size_t N>
void print(const char (&text)[N]) noexcept {
  board::write(text, N - 1);
}

void print_hex(std::uint32_t value) noexcept {
  char digits[10] = {'0', 'x'};
  for (std::size_t i = 0; i < 8; ++i) digits[2 + i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 0xFU];
  board::write(digits, sizeof digits);
}

void print_exception(std::uint32_t number) noexcept {
  switch (number) {
    case 2: print("NMI"); break;
    case 3: print("HardFault"); break;
    case 4: print("MemManage"); break;
    case 5: print("BusFault"); break;
    case 6: print("UsageFault"); break;
    case 7: print("SecureFault"); break;
    default: print("exception "); print_hex(number);
  }
}

struct Frame {
  std::uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

void print_frame(const Frame& frame) noexcept {
  print("\n  pc  "), print_hex(frame.pc), print("  lr  "), print_hex(frame.lr);
  print("  xpsr ");
  print_hex(frame.xpsr);
  print("\n  r0  "), print_hex(frame.r0), print("  r1  "), print_hex(frame.r1);
  print("  r2   "), print_hex(frame.r2), print("  r3  "), print_hex(frame.r3);
  print("\n  r12 "), print_hex(frame.r12);
}

}  // namespace

extern "C" [[noreturn, gnu::used]] void penumbra_fault_report(std::uint32_t stack, std::uint32_t exception_return) noexcept {
  print("\nfault: ");
  print_exception(exception_number());
  if ((exception_return & 4U) != 0) asm volatile("mrs %0, psp" : "=r"(stack));

#if __ARM_ARCH >= 8
  if ((cfsr() & cfsr_stkof) != 0) print(", stack overflow");
#endif
  const auto low = reinterpret_cast<std::uint32_t>(&__stack_limit);
  const auto high = reinterpret_cast<std::uint32_t>(&__ram_end);
  if (stack >= low && stack <= high - sizeof(Frame)) {
    print_frame(*reinterpret_cast<const Frame*>(stack));
  } else {
    print(", stack overflow: the registers are lost\n");
  }
  print("  sp  ");
  print_hex(stack);
#if __ARM_ARCH >= 7
  print("\n  cfsr "), print_hex(cfsr()), print("  hfsr "), print_hex(hfsr());
  print("  mmfar "), print_hex(mmfar()), print("  bfar "), print_hex(bfar());
#endif
  print("\n");
  board::exit(board::status_fault);
}

// The report needs a stack. If the old one has run out, it starts again from the top: the frames there are the program's
// oldest and nobody returns to them.
[[gnu::naked]] void fault_entry() {
  asm volatile(
      ".syntax unified \n"
      "mrs r0, msp              \n"
      "ldr r2, =__stack_limit   \n"
      "movs r3, #255            \n"
      "adds r2, r2, r3          \n"
      "cmp r0, r2               \n"
      "bhs 1f                   \n"
      "ldr r2, =__stack_top     \n"
      "mov sp, r2               \n"
      "1:                       \n"
      "mov r1, lr               \n"
      "ldr r2, =penumbra_fault_report \n"
      "bx r2                    \n"
      ".ltorg                   \n");
}

void unexpected(std::uint32_t number) noexcept {
  print("\nunexpected ");
  print_exception(number);
  print("\n");
  board::exit(board::status_interrupt);
}

}  // namespace penumbra::cortex_m

extern "C" {

using penumbra::cortex_m::unexpected;

[[gnu::weak]] void nmi_handler() { unexpected(2); }
[[gnu::weak]] void svcall_handler() { unexpected(11); }
[[gnu::weak]] void debug_monitor_handler() { unexpected(12); }
[[gnu::weak]] void pendsv_handler() { unexpected(14); }
[[gnu::weak]] void systick_handler() { unexpected(15); }
[[gnu::weak]] void board_interrupt(unsigned number) { unexpected(number + 16U); }
}

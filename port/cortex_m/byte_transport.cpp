// The tester's side of a board that has nothing but a byte transport: text goes out byte by byte, and the exit status as a last
// line that toolchains/report looks for. The board's uart.cpp says how a byte is sent. It waits for each and uses no interrupt, so that
// fault handlers can report too.
#include "board.hpp"
#include "uart.hpp"

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

namespace {

bool started = false;
char last = '\n';  // byte that was sent

}  // namespace

void write(const char* text, std::size_t size) noexcept {
  if (!started) uart::start();
  started = true;
  for (std::size_t i = 0; i < size; ++i) {
    last = text[i];
    while (!uart::can_send()) {
    }
    uart::send(static_cast<std::uint8_t>(last));
  }
}

void exit(int status) noexcept {
  const int code = exit_code(status);
  const char digits[] = {static_cast<char>('0' + code / 100), static_cast<char>('0' + code / 10 % 10), static_cast<char>('0' + code % 10),
                         '\n'};
  static constexpr char words[] = "exit status ";
  if (last != '\n') write("\n", 1);  // a line of its own
  write(words, sizeof words - 1);
  write(digits, sizeof digits);
  for (;;) asm volatile("");  // nowhere to go back to
}

}  // namespace penumbra::board

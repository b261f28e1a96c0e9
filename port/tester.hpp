// What a firmware may ask of the workstation that runs it: its command line, and files. Semihosting answers on a board (under the
// emulator or a debug probe), the operating system in a host build, nobody in a board that reports over a UART.
#pragma once

#include <etl/span.h>

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

inline constexpr std::size_t longest_command_line = 1024;  // bytes

// The words of the command line, the program's name first, each followed by a zero. Returns the bytes used; 0: there is none. A longer
// one ends the program with a message: what it asks for would be missed.
[[nodiscard]] std::size_t command_line(etl::span<char, longest_command_line> room) noexcept;

// Makes the file if there is none. False: it is not there afterwards, or not for reading and writing.
[[nodiscard]] bool ensure_file(const char* path) noexcept;

// The bytes from the file's start. Returns how many there were, at most room.size().
[[nodiscard]] std::size_t read_file(const char* path, etl::span<std::uint8_t> room) noexcept;

// Replaces the bytes at `offset`, in one piece. When it returns true they outlive this program, however it ends.
[[nodiscard]] bool write_file(const char* path, std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept;

}  // namespace penumbra::board

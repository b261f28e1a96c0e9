// A board that reports over a UART has nobody to ask: no command line, no files.
#include "tester.hpp"

namespace penumbra::board {

std::size_t command_line(etl::span<char, longest_command_line>) noexcept { return 0; }

bool ensure_file(const char*) noexcept { return false; }

std::size_t read_file(const char*, etl::span<std::uint8_t>) noexcept { return 0; }

bool write_file(const char*, std::uint32_t, etl::span<const std::uint8_t>) noexcept { return false; }

}  // namespace penumbra::board

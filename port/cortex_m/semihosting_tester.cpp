// Command line and files through Arm semihosting. Each call opens the file and closes it again, so that a reset leaves nothing open at
// the tester's.
#include "tester.hpp"

#include "board.hpp"
#include "semihosting.hpp"

#include <cstring>

namespace penumbra::board {

using namespace penumbra::cortex_m;

namespace {

class File {
 public:
  File(const char* path, std::uint32_t mode) noexcept {
    const std::uint32_t block[] = {word(path), mode, std::strlen(path)};
    handle_ = semihosting(Semihosting::open, block);
  }
  ~File() {
    const std::uint32_t block[] = {handle()};
    if (is_open()) semihosting(Semihosting::close, block);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return handle_ > 0; }
  [[nodiscard]] std::uint32_t handle() const noexcept { return static_cast<std::uint32_t>(handle_); }

 private:
  std::int32_t handle_;
};

}  // namespace

std::size_t command_line(etl::span<char, longest_command_line> room) noexcept {
  std::uint32_t block[] = {word(room.data()), room.size()};
  asm volatile("" : : "r"(block) : "memory");  // the answer changes it
  if (semihosting(Semihosting::get_command_line, block) != 0) {
    static constexpr char message[] = "the command line is too long for the board: 1023 bytes at most\n";
    write(message, sizeof message - 1);
    exit(status_abort);
  }
  // Its words come separated by blanks; there is no way to tell a blank within a word.
  const std::size_t size = std::strlen(room.data()) + 1;
  for (std::size_t i = 0; i < size; ++i)
    if (room[i] == ' ') room[i] = '\0';
  return size;
}

bool ensure_file(const char* path) noexcept {
  if (File(path, mode_read_and_write).is_open()) return true;
  return File(path, mode_create).is_open();
}

std::size_t read_file(const char* path, etl::span<std::uint8_t> room) noexcept {
  const File file(path, mode_read_and_write);
  std::size_t got = 0;
  while (file.is_open() && got < room.size()) {
    const std::uint32_t block[] = {file.handle(), word(room.data() + got), room.size() - got};
    const auto missing = static_cast<std::uint32_t>(semihosting(Semihosting::read, block));  // all of them: the end, or an error
    if (missing >= room.size() - got) break;
    got = room.size() - missing;
  }
  return got;
}

bool write_file(const char* path, std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  const File file(path, mode_read_and_write);
  if (!file.is_open()) return false;
  const std::uint32_t place[] = {file.handle(), offset};
  if (semihosting(Semihosting::seek, place) != 0) return false;
  const std::uint32_t block[] = {file.handle(), word(bytes.data()), bytes.size()};
  return semihosting(Semihosting::write, block) == 0;
}

}  // namespace penumbra::board

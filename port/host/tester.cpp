// A firmware's host build asks the operating system: its own command line, and files.
#include "tester.hpp"

#include "board.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>

namespace penumbra::board {
namespace {

// A file that closes itself.
class File {
 public:
  File(const char* path, int flags) noexcept : number_{::open(path, flags | O_CLOEXEC, 0666)} {}
  ~File() {
    if (is_open()) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

// Everything that there is, at most room.size() bytes.
std::size_t read_all(const File& file, etl::span<std::uint8_t> room) noexcept {
  std::size_t got = 0;
  while (file.is_open() && got < room.size()) {
    const ::ssize_t now = ::read(file.number(), room.data() + got, room.size() - got);
    if (now <= 0) break;
    got += static_cast<std::size_t>(now);
  }
  return got;
}

}  // namespace

std::size_t command_line(etl::span<char, longest_command_line> room) noexcept {
  const File file("/proc/self/cmdline", O_RDONLY);
  const std::size_t size = read_all(file, {reinterpret_cast<std::uint8_t*>(room.data()), room.size()});
  if (size == room.size() || (size != 0 && room[size - 1] != '\0')) {
    std::fprintf(stderr, "the command line is too long for a firmware: %zu bytes at most\n", room.size() - 1);
    exit(status_abort);
  }
  return size;
}

bool ensure_file(const char* path) noexcept { return File(path, O_RDWR | O_CREAT).is_open(); }

std::size_t read_file(const char* path, etl::span<std::uint8_t> room) noexcept { return read_all(File(path, O_RDONLY), room); }

bool write_file(const char* path, std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  const File file(path, O_RDWR);
  return file.is_open() && ::pwrite(file.number(), bytes.data(), bytes.size(), offset) == static_cast<::ssize_t>(bytes.size());
}

}  // namespace penumbra::board

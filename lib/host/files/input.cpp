// Files, standard input and memory behind one read().
#include "penumbra/host/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penumbra::host {

namespace {

// A byte order mark counts as white space.
constexpr std::string_view white_space = " \t\r\n\xEF\xBB\xBF";

}  // namespace

Outcome<Input> Input::open(const std::string& path) {
  Input input;
  if (path == "-") {
    input.name_ = "standard input";
    input.file_ = STDIN_FILENO;
    return input;
  }
  input.name_ = path;
  input.file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT: the C function is what there is
  input.owned_ = true;
  if (input.file_ < 0) {
    const std::string reason = std::strerror(errno);
    return fail(Fault::system, path, "cannot be read: " + reason, errno == ENOENT ? "check the name and the folder" : "");
  }
  struct stat status {};
  if (::fstat(input.file_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail(Fault::system, path, "is a folder, not a file", "name a file in it");
    if (S_ISREG(status.st_mode)) input.size_ = static_cast<std::uint64_t>(status.st_size);
  }
  return input;
}

Input Input::of_text(std::string name, std::string_view text) {
  Input input;
  input.name_ = std::move(name);
  input.memory_ = text;
  input.size_ = text.size();
  return input;
}

Input::Input(Input&& other) noexcept { *this = std::move(other); }

Input& Input::operator=(Input&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  std::swap(owned_, other.owned_);
  std::swap(ahead_, other.ahead_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

Input::~Input() { close(); }

void Input::close() noexcept {
  if (owned_ && file_ >= 0) ::close(file_);
  file_ = -1;
}

Outcome<size_t> Input::read(char* to, size_t room) {
  if (!ahead_.empty()) {
    const size_t size = ahead_.copy(to, room);
    ahead_.erase(0, size);
    return size;
  }
  if (file_ < 0) {
    const size_t size = memory_.copy(to, room);
    memory_.remove_prefix(size);
    return size;
  }
  ssize_t size = 0;
  do {
    size = ::read(file_, to, room);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail(Fault::system, name_, std::string("cannot be read: ") + std::strerror(errno));
  return static_cast<size_t>(size);
}

Outcome<std::optional<char>> Input::peek() {
  constexpr size_t far_enough = size_t{1} << 16U;
  std::string seen;
  std::optional<char> first;
  char piece[4096];
  while (!first && seen.size() < far_enough) {
    const Outcome<size_t> size = read(piece, sizeof piece);
    if (!size) return fail(size.error());
    if (size.value() == 0) break;
    const std::string_view text(piece, size.value());
    const size_t at = text.find_first_not_of(white_space);
    if (at != std::string_view::npos) first = text[at];
    seen += text;
  }
  ahead_ = seen + ahead_;
  return first;
}

Outcome<std::string> Input::read_all() {
  std::string text;
  if (size_) text.reserve(std::min<std::uint64_t>(*size_, std::uint64_t{1} << 30U));
  char piece[size_t{1} << 16U];
  while (true) {
    const Outcome<size_t> size = read(piece, sizeof piece);
    if (!size) return fail(size.error());
    if (size.value() == 0) return text;
    text.append(piece, size.value());
  }
}

}  // namespace penumbra::host

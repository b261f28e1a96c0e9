// Artefacts, whole or not at all.
#include "penumbra/host/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace penumbra::host {

namespace {

// Names of the temporary files that are open, for remove_temporary_files(): plain memory that a signal handler may read. A command writes
// one or two files at a time; one more than there are slots is written all the same, and a signal would leave it behind.
struct TemporaryName {
  std::atomic<bool> taken{false};
  std::atomic<bool> valid{false};
  char path[PATH_MAX];
};
std::array<TemporaryName, 8> temporary_names;

void remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (TemporaryName& name : temporary_names) {
    if (name.taken.exchange(true)) continue;
    std::memcpy(name.path, path.c_str(), path.size() + 1);
    name.valid = true;
    return;
  }
}

void forget(const std::string& path) {
  for (TemporaryName& name : temporary_names) {
    if (!name.valid || path != name.path) continue;
    name.valid = false;
    name.taken = false;
  }
}

Failure cannot_write(const std::string& path, int error) {
  const char* advice = "";
  if (error == ENOENT) advice = "make its folder first";
  if (error == ENOSPC) advice = "make room on the disk";
  return fail(Fault::system, path, std::string("cannot be written: ") + std::strerror(error), advice);
}

// Permissions that a file made the ordinary way would have.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

}  // namespace

void remove_temporary_files() noexcept {
  for (TemporaryName& name : temporary_names) {
    if (name.valid) ::unlink(name.path);
  }
}

Output::Output(std::string path, std::string temporary, int file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(file), buffer_(buffer_size, '\0') {}

Output::Output(Output&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      file_(std::exchange(other.file_, -1)),
      error_(other.error_),
      buffer_(std::move(other.buffer_)),
      used_(other.used_) {}

Output::~Output() { discard(); }

Outcome<Output> Output::open(const std::string& path) {
  if (path == "-") return Output("standard output", "", ::dup(STDOUT_FILENO));
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return fail(Fault::system, path, "is a folder, not a file", "name a file in it");
  if (exists && !S_ISREG(status.st_mode)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);  // NOLINT: the C function is what there is
    if (file < 0) return cannot_write(path, errno);
    return Output(path, "", file);
  }
  // What a link points to is written, not the link, whether it is there already or not.
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(target, error); ++links) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  std::string temporary = target.string() + ".XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return cannot_write(path, errno);
  remember(temporary);
  ::fchmod(file, exists ? status.st_mode & 07777U : default_mode());
  return Output(target.string(), std::move(temporary), file);
}

void Output::flush() {
  const char* from = buffer_.data();
  size_t left = used_;
  while (left > 0 && error_ == 0) {
    const ssize_t written = ::write(file_, from, left);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    from += written;
    left -= static_cast<size_t>(written);
  }
  used_ = 0;
}

void Output::write_slowly(std::string_view text) {
  while (!text.empty()) {
    if (used_ == buffer_size) flush();
    const size_t size = text.copy(buffer_.data() + used_, buffer_size - used_);
    used_ += size;
    text.remove_prefix(size);
  }
}

Outcome<void> Output::commit() {
  flush();
  if (error_ == 0 && ::close(std::exchange(file_, -1)) != 0) error_ = errno;
  if (error_ == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ != 0) {
    discard();
    return cannot_write(path_, error_);
  }
  if (!temporary_.empty()) forget(temporary_);
  temporary_.clear();
  return {};
}

void Output::discard() noexcept {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget(temporary_);
  temporary_.clear();
}

Outcome<void> write_file(const std::string& path, std::string_view text) {
  Outcome<Output> output = Output::open(path);
  if (!output) return fail(output.error());
  output.value().write(text);
  return output.value().commit();
}

}  // namespace penumbra::host

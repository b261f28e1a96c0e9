// Where an artefact goes: whole or not at all. It is written to a temporary name beside the file and renamed at the end, so that a failure,
// a full disk or a signal leaves what was there before. Standard output (named "-"), devices and pipes are written as they are.
#pragma once

#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace penumbra::host {

class Output {
 public:
  [[nodiscard]] static Outcome<Output> open(const std::string& path);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();  // without a commit() before, nothing is left

  // Buffered. What goes wrong is told by commit(); ok() tells a long job early that it is no use to go on.
  void write(std::string_view text) {
    if (text.size() > buffer_size - used_) return write_slowly(text);
    text.copy(buffer_.data() + used_, text.size());
    used_ += text.size();
  }
  [[nodiscard]] bool ok() const noexcept { return error_ == 0; }

  // The file is there under its name when this succeeds, and not at all otherwise.
  [[nodiscard]] Outcome<void> commit();

 private:
  static constexpr size_t buffer_size = size_t{1} << 18U;

  Output(std::string path, std::string temporary, int file);
  void write_slowly(std::string_view text);
  void flush();
  void discard() noexcept;

  std::string path_;
  std::string temporary_;  // empty: written in place
  int file_ = -1;
  int error_ = 0;  // errno of the first failure
  std::string buffer_;
  size_t used_ = 0;
};

// The whole artefact at once.
[[nodiscard]] Outcome<void> write_file(const std::string& path, std::string_view text);

// For a handler of signals: removes the temporary files that are open now. Safe to call from one.
void remove_temporary_files() noexcept;

}  // namespace penumbra::host

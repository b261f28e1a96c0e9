// Where bytes come from: a file, standard input (named "-"), or memory. Read in pieces, so that a log of any length takes constant memory.
#pragma once

#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penumbra::host {

class Input {
 public:
  // A missing file, a directory and one that cannot be read are a Fault::system.
  [[nodiscard]] static Outcome<Input> open(const std::string& path);

  // `text` outlives the input. `name` is what problems call it.
  [[nodiscard]] static Input of_text(std::string name, std::string_view text);

  Input(Input&& other) noexcept;
  Input& operator=(Input&& other) noexcept;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  // As problems call it: the path, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // At most `room` bytes; 0 means the end.
  [[nodiscard]] Outcome<size_t> read(char* to, size_t room);

  // The first byte that is not white space, which stays to be read: it tells a JSON document from the rest. Nothing where there is none
  // within the first 64 KB.
  [[nodiscard]] Outcome<std::optional<char>> peek();

  // Everything that is left.
  [[nodiscard]] Outcome<std::string> read_all();

  // Bytes in all, where that is known beforehand; for progress.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

 private:
  Input() = default;
  void close() noexcept;

  std::string name_;
  int file_ = -1;            // -1: memory alone
  bool owned_ = false;       // standard input is not
  std::string ahead_;        // read by peek(), not yet handed out
  std::string_view memory_;  // what is left of a text
  std::optional<std::uint64_t> size_;
};

}  // namespace penumbra::host

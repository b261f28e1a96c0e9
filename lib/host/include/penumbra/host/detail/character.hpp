// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace penumbra::host {

// The character that `text`, which is not empty, begins with. No bytes when that is not UTF-8: cut short, longer than need be, a surrogate,
// or past the last code.
struct Character {
  size_t bytes = 0;
  char32_t code = 0;

  [[nodiscard]] bool is_control() const noexcept { return code < 0x20 || (code >= 0x7F && code < 0xA0); }
};
[[nodiscard]] Character first_character(std::string_view text);

}  // namespace penumbra::host

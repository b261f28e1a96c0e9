// Characters, quoting and places for messages.
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace penumbra::host {

Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80U) return {1, first};
  const size_t bytes = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < bytes) return {};
  char32_t code = first & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, code};
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > longest_name) return false;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0 || character.is_control()) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string on_one_line(std::string_view text) {
  constexpr size_t most_shown = 40;  // bytes
  std::string shown;
  size_t at = 0;
  while (at < text.size()) {
    const Character character = first_character(text.substr(at));
    const size_t bytes = std::max<size_t>(character.bytes, 1);
    if (at + bytes > most_shown) return shown + "…";
    if (character.bytes != 0 && !character.is_control()) {
      shown += text.substr(at, bytes);
    } else {
      for (const char c : text.substr(at, bytes)) shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
    at += bytes;
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return '"' + on_one_line(text) + '"'; }

std::string place(const std::string& name, std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}:{}", name, lines + 1, before.size() - line_start + 1);
}

}  // namespace penumbra::host

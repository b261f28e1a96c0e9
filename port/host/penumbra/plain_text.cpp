// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#include "plain_text.hpp"

#include <cstdint>

namespace penumbra::command {

namespace {

std::uint32_t byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

std::uint32_t code_of(std::string_view character) {
  if (character.size() == 1) return byte_at(character, 0);
  std::uint32_t code = byte_at(character, 0) & (0x7FU >> character.size());
  for (size_t i = 1; i < character.size(); ++i) code = (code << 6U) | (byte_at(character, i) & 0x3FU);
  return code;
}

}  // namespace

size_t bytes_of_first(std::string_view text) {
  const std::uint32_t first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const size_t bytes = first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const std::uint32_t code = code_of(text.substr(0, bytes));
  const std::uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  return code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : bytes;
}

std::string plain(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t bytes = bytes_of_first(text);
    const std::uint32_t code = bytes == 0 ? 0 : code_of(text.substr(0, bytes));
    if (code == '\n' || code == '\r' || code == '\t') {
      result += ' ';
    } else if (code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xFFFE || code == 0xFFFF) {
      result += "\xEF\xBF\xBD";
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

}  // namespace penumbra::command

// Characters that are none become the one that stands for such.
#include "plain_text.hpp"

#include "penumbra/host/detail/character.hpp"

#include <algorithm>

namespace penumbra::command {

std::string plain(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const host::Character character = host::first_character(text);
    if (character.code == '\n' || character.code == '\r' || character.code == '\t') {
      result += ' ';
    } else if (character.bytes == 0 || character.is_control() || character.code == 0xFFFE || character.code == 0xFFFF) {
      result += "\xEF\xBF\xBD";
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(std::max<size_t>(character.bytes, 1));
  }
  return result;
}

}  // namespace penumbra::command

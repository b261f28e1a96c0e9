// Text for documents: whatever the bytes are, UTF-8 on one line without control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace penumbra::command {

// The bytes of the character that `text`, which is not empty, begins with; 0 where that is not UTF-8.
[[nodiscard]] size_t bytes_of_first(std::string_view text);

// Ends of lines and tabs become spaces; what is not UTF-8, or a control character, becomes a replacement character: XML has no other way.
[[nodiscard]] std::string plain(std::string_view text);

}  // namespace penumbra::command

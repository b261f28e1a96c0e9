// Text for documents: whatever the bytes are, UTF-8 on one line without control characters.
#pragma once

#include <string>
#include <string_view>

namespace penumbra::command {

// Ends of lines and tabs become spaces; what is not UTF-8, or a control character, becomes a replacement character: XML has no other way.
[[nodiscard]] std::string plain(std::string_view text);

}  // namespace penumbra::command

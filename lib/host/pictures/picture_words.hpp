// Words and numbers as a picture sets them: how wide they are, how they are cut to a place, and how shares and counts are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

// Of UTF-8, not bytes.
[[nodiscard]] size_t characters(std::string_view text);

// In sizes of the font: what a viewer's sans serif takes for a character, on average.
constexpr double character_width = 0.57;
[[nodiscard]] double width_of(std::string_view text, double size);

// At most `most` characters, the last of them an ellipsis if some are missing.
[[nodiscard]] std::string shortened(const std::string& text, size_t most);

// Sentences of this size in lines that are no wider than this; each begins a line.
[[nodiscard]] std::vector<std::string> wrapped(const std::vector<std::string>& sentences, double size, double width);

// 1234567 as 1,234,567.
[[nodiscard]] std::string grouped(std::uint64_t value);

// 0.25 as 25 %; what is there is never 0 %.
[[nodiscard]] std::string percent(double share);

}  // namespace penumbra::host

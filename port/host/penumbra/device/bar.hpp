// A bar for terminals, an eighth of a character fine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace penumbra::command {

// "█████▌    ", `width` characters wide; `share` is cut to [0, 1], and what is no number is nothing.
[[nodiscard]] inline std::string bar(double share, std::size_t width) {
  static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto parts = static_cast<std::size_t>(std::lround((share > 0 ? std::min(share, 1.0) : 0.0) * static_cast<double>(width * 8)));
  std::string text;
  for (std::size_t i = 0; i < parts / 8; ++i) text += "█";
  text += eighths[parts % 8];
  const std::size_t used = parts / 8 + (parts % 8 == 0 ? 0U : 1U);
  return text + std::string(width - used, ' ');
}

}  // namespace penumbra::command

// Words are measured by counting their characters: which font a viewer has is not known here.
#include "picture_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::host {

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

size_t characters(std::string_view text) { return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character)); }

double width_of(std::string_view text, double size) { return character_width * size * static_cast<double>(characters(text)); }

std::string shortened(const std::string& text, size_t most) {
  if (characters(text) <= most) return text;
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if (begins_character(text[end]) && seen++ == most - 1) break;
  }
  return text.substr(0, end) + "…";
}

std::vector<std::string> wrapped(const std::vector<std::string>& sentences, double size, double width) {
  std::vector<std::string> lines;
  for (const std::string& sentence : sentences) {
    lines.emplace_back();
    for (size_t begin = 0; begin < sentence.size();) {
      const size_t end = std::min(sentence.find(' ', begin), sentence.size());
      const std::string word = sentence.substr(begin, end - begin);
      if (!lines.back().empty() && width_of(lines.back() + word, size) > width) lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
      begin = end + 1;
    }
  }
  return lines;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string percent(double share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return share >= 0.0995 || share == 0 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

}  // namespace penumbra::host

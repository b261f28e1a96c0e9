// Text for people from a program that has no heap: printf() would bring one. A line is gathered, then written at once, because on
// a board each write is a trip through the debugger.
#pragma once

#include "board.hpp"

#include <etl/string.h>
#include <etl/to_string.h>

namespace rover {

class Line {
 public:
  // Words, filled with spaces up to `width`. One UTF-8 character is one column wide.
  Line& text(const char* words, size_t width = 0) noexcept {
    for (; *words != '\0'; ++words) {
      text_.push_back(*words);
      const bool begins_character = (static_cast<unsigned char>(*words) & 0xC0U) != 0x80U;
      if (begins_character && width > 0) --width;
    }
    text_.append(width, ' ');
    return *this;
  }

  Line& number(uint32_t value, uint32_t width = 0) noexcept {
    etl::to_string(value, text_, etl::format_spec().width(width), true);
    return *this;
  }

  Line& hex(uint32_t value) noexcept {
    text("0x");
    etl::to_string(value, text_, etl::format_spec().hex().width(8).fill('0'), true);
    return *this;
  }

  // A number from 0 up, with three decimals.
  Line& decimal(float value) noexcept {
    const auto thousandths = static_cast<uint32_t>(value * 1000.0F + 0.5F);
    number(thousandths / 1000U).text(".");
    etl::to_string(thousandths % 1000U, text_, etl::format_spec().width(3).fill('0'), true);
    return *this;
  }

  // A share in [0, 1]: as a bar of `width` characters, eight steps each, and as a percentage.
  Line& share(float value, size_t width) noexcept {
    static constexpr const char* parts[8] = {"·", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto eighths = static_cast<size_t>(value * static_cast<float>(8U * width) + 0.5F);
    for (; width > 0; --width) {
      const size_t here = eighths < 8U ? eighths : 8U;
      text(here == 8U ? "█" : parts[here]);
      eighths -= here;
    }
    return percent(value);
  }

  Line& percent(float value) noexcept { return number(static_cast<uint32_t>(value * 100.0F + 0.5F), 4).text("%"); }

  // Writes the line without the spaces at its end, and begins the next.
  void end() noexcept {
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
    text_.push_back('\n');
    penumbra::board::write(text_.data(), text_.size());
    text_.clear();
  }

 private:
  etl::string<1024> text_;
};

}  // namespace rover

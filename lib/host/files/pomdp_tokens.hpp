// The words of a .pomdp file, one after the other: colons, and whatever white space, colons and comments leave between them. Line breaks
// mean nothing. Words are views into the text, so a word's place is where it points to.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

class PomdpTokens {
 public:
  // From `from` on; the text outlives the tokens.
  explicit PomdpTokens(std::string_view text, size_t from = 0);

  // The word `ahead` of the next one, up to look_ahead - 1; empty at the end.
  [[nodiscard]] std::string_view peek(size_t ahead = 0) const noexcept { return words_[ahead]; }
  std::string_view next();

  // Where peek() stands; the end of the text when there is none.
  [[nodiscard]] size_t place() const noexcept { return static_cast<size_t>(words_[0].data() - text_.data()); }
  // Whether peek() is the first word of its line.
  [[nodiscard]] bool begins_line() const noexcept;
  [[nodiscard]] size_t place_of(std::string_view word) const noexcept { return static_cast<size_t>(word.data() - text_.data()); }

  // Comments "# penumbra: {…}" met so far, each from its brace to the end of its line.
  [[nodiscard]] const std::vector<std::string_view>& structured_comments() const noexcept { return comments_; }

 private:
  static constexpr size_t look_ahead = 3;  // "start include :"

  std::string_view scan();
  void comment(std::string_view line);

  std::string_view text_;
  size_t at_;
  std::array<std::string_view, look_ahead> words_;
  std::vector<std::string_view> comments_;
};

// Digits with an optional sign, point and exponent: .5, 5., -1e-3. Not inf, nan or hexadecimals.
[[nodiscard]] bool is_number(std::string_view word) noexcept;

// The number that is_number() stands for; nothing where double precision cannot hold it.
[[nodiscard]] std::optional<double> to_number(std::string_view word) noexcept;

// What is not text: invalid UTF-8 and control characters other than white space.
struct BadCharacter {
  size_t place;
  std::string what;
};
[[nodiscard]] std::optional<BadCharacter> find_bad_character(std::string_view text);

}  // namespace penumbra::host

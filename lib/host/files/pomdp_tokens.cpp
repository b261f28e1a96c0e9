// Words, numbers and characters of .pomdp files.
#include "pomdp_tokens.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace penumbra::host {

namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";
constexpr std::string_view word_ends = " \t\r\n\v\f:#";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

PomdpTokens::PomdpTokens(std::string_view text, size_t from) : text_(text), at_(from) {
  for (std::string_view& word : words_) word = scan();
}

std::string_view PomdpTokens::next() {
  const std::string_view word = words_[0];
  std::move(words_.begin() + 1, words_.end(), words_.begin());
  words_.back() = scan();
  return word;
}

bool PomdpTokens::begins_line() const noexcept {
  const std::string_view before = text_.substr(0, place());
  const size_t last = before.find_last_not_of(" \t\r\v\f");
  return last == std::string_view::npos || before[last] == '\n';
}

std::string_view PomdpTokens::scan() {
  while (true) {
    at_ = std::min(text_.find_first_not_of(white_space, at_), text_.size());
    if (at_ == text_.size() || text_[at_] != '#') break;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    comment(text_.substr(at_, end - at_));
    at_ = end;
  }
  const size_t begin = at_;
  if (begin == text_.size()) return text_.substr(begin);
  at_ = text_[begin] == ':' ? begin + 1 : std::min(text_.find_first_of(word_ends, begin), text_.size());
  return text_.substr(begin, at_ - begin);
}

void PomdpTokens::comment(std::string_view line) {
  constexpr std::string_view sign = "penumbra:";
  line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
  if (line.substr(0, sign.size()) != sign) return;
  line.remove_prefix(std::min(line.find_first_not_of(" \t", sign.size()), line.size()));
  if (!line.empty() && line[0] == '{') comments_.push_back(line);
}

bool is_number(std::string_view word) noexcept {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < word.size() && is_digit(word[at])) ++at;
    return at - begin;
  };
  const auto skip = [&](char one, char other) {
    const bool here = at < word.size() && (word[at] == one || word[at] == other);
    at += here ? 1 : 0;
    return here;
  };
  skip('+', '-');
  size_t count = digits();
  if (skip('.', '.')) count += digits();
  if (count == 0) return false;
  if (skip('e', 'E')) {
    skip('+', '-');
    if (digits() == 0) return false;
  }
  return at == word.size();
}

std::optional<double> to_number(std::string_view word) noexcept {
  if (word.front() == '+') word.remove_prefix(1);  // which from_chars does not know
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<BadCharacter> find_bad_character(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (character.bytes == 0) return BadCharacter{at, fmt::format("the byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[at]))};
    if (character.is_control() && white_space.find(text[at]) == std::string_view::npos) {
      return BadCharacter{at, fmt::format("a control character, 0x{:02x}", static_cast<unsigned>(character.code))};
    }
    at += character.bytes;
  }
  return std::nullopt;
}

}  // namespace penumbra::host

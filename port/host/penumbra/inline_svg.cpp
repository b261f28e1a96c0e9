// Ids are attributes called id; references are href="#…" and url(#…). Text between tags is left alone.
#include "inline_svg.hpp"

#include <algorithm>

namespace penumbra::command {

namespace {

constexpr std::string_view blank = " \t\r\n";

// The value of one attribute, its ids with the prefix.
std::string renamed(std::string_view name, std::string_view value, std::string_view prefix) {
  std::string result(value);
  if (name == "id" && !value.empty()) return result.insert(0, prefix);
  if ((name == "href" || name == "xlink:href") && value.substr(0, 1) == "#") return result.insert(1, prefix);
  static constexpr std::string_view reference = "url(#";
  for (size_t at = result.find(reference); at != std::string::npos; at = result.find(reference, at + reference.size())) {
    result.insert(at + reference.size(), prefix);
  }
  return result;
}

// From < to > of a tag with its attributes; the rest stays in `text`.
std::string take_tag(std::string_view& text, std::string_view prefix) {
  std::string tag;
  std::string_view name;  // of the attribute whose value comes next
  while (!text.empty()) {
    const char next = text.front();
    if (next == '"' || next == '\'') {
      const size_t end = std::min(text.find(next, 1), text.size() - 1);
      tag += next + renamed(name, text.substr(1, end - 1), prefix) + next;
      text.remove_prefix(end + 1);
      continue;
    }
    const size_t length = next == '>' || blank.find(next) != std::string_view::npos ? 1 : text.find_first_of(" \t\r\n\"'=>", 1);
    const std::string_view piece = text.substr(0, length);
    if (next != '=' && blank.find(next) == std::string_view::npos) name = piece;
    tag += piece;
    text.remove_prefix(piece.size());
    if (next == '>') break;
  }
  return tag;
}

}  // namespace

std::string inline_svg(std::string_view document, std::string_view prefix) {
  const size_t begin = document.find("<svg");
  if (begin == std::string_view::npos) return {};
  document.remove_prefix(begin);
  std::string result;
  while (!document.empty()) {
    if (document.substr(0, 4) == "<!--") {  // comments are not worth their bytes
      document.remove_prefix(std::min(document.find("-->"), document.size() - 3) + 3);
    } else if (document.front() == '<') {
      result += take_tag(document, prefix);
    } else {
      const std::string_view text = document.substr(0, document.find('<'));
      result += text;
      document.remove_prefix(text.size());
    }
  }
  result.erase(result.find_last_not_of(blank) + 1);
  return result;
}

}  // namespace penumbra::command

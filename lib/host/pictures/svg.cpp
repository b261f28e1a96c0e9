// Elements as text, one a line.
#include "svg.hpp"

#include <fmt/format.h>

namespace penumbra::host {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_escaped(std::string_view text) {
  static constexpr std::string_view replacement = "\xEF\xBF\xBD";
  static constexpr std::string_view noncharacter = "\xEF\xBF";  // and BE or BF
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\t':
      case '\n':
      case '\r': escaped += ' '; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20U) {
          escaped += replacement;
        } else if (text.substr(i, 2) == noncharacter && i + 2 < text.size() && static_cast<unsigned char>(text[i + 2]) >= 0xBEU) {
          escaped += replacement;
          i += 2;
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

void Svg::begin(const char* name, Attributes attributes) {
  document_ += '<';
  document_ += name;
  for (const auto& [key, value] : attributes) {
    document_ += ' ';
    document_ += key;
    document_ += "=\"" + value.text + '"';
  }
}

void Svg::element(const char* name, Attributes attributes) {
  begin(name, attributes);
  document_ += "/>\n";
}

void Svg::element(const char* name, Attributes attributes, std::string_view text) {
  begin(name, attributes);
  document_ += '>' + svg_escaped(text) + "</" + name + ">\n";
}

void Svg::open(const char* name, Attributes attributes) {
  begin(name, attributes);
  document_ += ">\n";
}

void Svg::close(const char* name) {
  document_ += "</";
  document_ += name;
  document_ += ">\n";
}

}  // namespace penumbra::host

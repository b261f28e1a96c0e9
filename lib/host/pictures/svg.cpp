// Elements as text, one a line.
#include "svg.hpp"

#include "../files/text.hpp"

#include <fmt/format.h>

namespace penumbra::host {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_point(double x, double y) { return svg_number(x) + "," + svg_number(y); }

std::string svg_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character next = first_character(text);
    switch (next.code) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\t':
      case '\n':
      case '\r': escaped += ' '; break;
      default:
        if (next.bytes == 0 || next.is_control() || next.code == 0xFFFE || next.code == 0xFFFF) {
          escaped += "\xEF\xBF\xBD";
        } else {
          escaped += text.substr(0, next.bytes);
        }
    }
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
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

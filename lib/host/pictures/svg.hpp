// A writer of SVG documents: elements, attributes, and text that cannot break out of them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace penumbra::host {

// Two decimals, and none that say nothing: a hundredth of a pixel is enough.
[[nodiscard]] std::string svg_number(double value);
[[nodiscard]] std::string svg_point(double x, double y);

// `text` in an attribute or between tags. What is not UTF-8, or nothing that XML 1.0 can hold, becomes a replacement character.
[[nodiscard]] std::string svg_escaped(std::string_view text);

class Svg {
 public:
  struct Value {
    Value(double number) : text(svg_number(number)) {}             // NOLINT: attributes are written as they are thought of
    Value(const char* words) : text(svg_escaped(words)) {}         // NOLINT
    Value(const std::string& words) : text(svg_escaped(words)) {}  // NOLINT
    std::string text;
  };
  using Attributes = std::initializer_list<std::pair<const char*, Value>>;

  void element(const char* name, Attributes attributes);
  void element(const char* name, Attributes attributes, std::string_view text);
  void open(const char* name, Attributes attributes);
  void close(const char* name);

  [[nodiscard]] std::string take() { return std::move(document_); }

 private:
  void begin(const char* name, Attributes attributes);
  std::string document_;
};

}  // namespace penumbra::host

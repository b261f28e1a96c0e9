// Images as text.
#include "penumbra/host/image_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace penumbra::host {

namespace {

constexpr std::size_t bytes_a_line = 16;

enum class Record : std::uint8_t { data = 0, end = 1, upper_address = 4 };

unsigned byte_of(char c) { return static_cast<unsigned char>(c); }

// ":", count, address, kind, bytes, and what makes their sum zero.
void put_record(std::string& text, Record kind, std::uint16_t address, std::string_view bytes) {
  unsigned sum = static_cast<unsigned>(bytes.size()) + (address >> 8U) + (address & 0xFFU) + static_cast<unsigned>(kind);
  auto out = std::back_inserter(text);
  fmt::format_to(out, ":{:02X}{:04X}{:02X}", bytes.size(), address, static_cast<unsigned>(kind));
  for (const char c : bytes) {
    fmt::format_to(out, "{:02X}", byte_of(c));
    sum += byte_of(c);
  }
  fmt::format_to(out, "{:02X}\n", (0U - sum) & 0xFFU);
}

void put_upper_address(std::string& text, std::uint32_t address) {
  const std::array<char, 2> upper = {static_cast<char>(address >> 24U), static_cast<char>((address >> 16U) & 0xFFU)};
  put_record(text, Record::upper_address, 0, {upper.data(), upper.size()});
}

// Of C and C++.
constexpr std::string_view keywords[] = {
    "alignas",   "alignof",  "and",      "and_eq",  "asm",          "auto",       "bitand",       "bitor",         "bool",
    "break",     "case",     "catch",    "char",    "char16_t",     "char32_t",   "char8_t",      "class",         "co_await",
    "co_return", "co_yield", "compl",    "concept", "const",        "const_cast", "consteval",    "constexpr",     "constinit",
    "continue",  "decltype", "default",  "delete",  "do",           "double",     "dynamic_cast", "else",          "enum",
    "explicit",  "export",   "extern",   "false",   "float",        "for",        "friend",       "goto",          "if",
    "inline",    "int",      "long",     "mutable", "namespace",    "new",        "noexcept",     "not",           "not_eq",
    "nullptr",   "operator", "or",       "or_eq",   "private",      "protected",  "public",       "register",      "reinterpret_cast",
    "requires",  "restrict", "return",   "short",   "signed",       "sizeof",     "static",       "static_assert", "static_cast",
    "struct",    "switch",   "template", "this",    "thread_local", "throw",      "true",         "try",           "typedef",
    "typeid",    "typename", "typeof",   "union",   "unsigned",     "using",      "virtual",      "void",          "volatile",
    "wchar_t",   "while",    "xor",      "xor_eq"};

// What the array's own definition says, and what every program has.
constexpr std::string_view types[] = {"size_t", "uint8_t", "NULL", "main"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || is_upper(c); }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// For the compiler and its library, in both languages.
bool is_reserved(std::string_view name) { return name.size() > 1 && name[0] == '_' && (name[1] == '_' || is_upper(name[1])); }

template <std::size_t N>
bool contains(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

std::string to_intel_hex(std::string_view bytes, std::uint32_t address) {
  std::string text;
  put_upper_address(text, address);
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto here = static_cast<std::uint32_t>(address + at);
    if (at > 0 && (here & 0xFFFFU) == 0) put_upper_address(text, here);
    const std::size_t to_boundary = 0x10000U - (here & 0xFFFFU);  // a record does not go on in the next 64 KB
    const std::string_view line = bytes.substr(at, std::min(bytes_a_line, to_boundary));
    put_record(text, Record::data, static_cast<std::uint16_t>(here & 0xFFFFU), line);
    at += line.size();
  }
  put_record(text, Record::end, 0, {});
  return text;
}

std::string to_c_array(std::string_view bytes, const std::string& prefix) {
  std::string text = fmt::format(
      "/* A penumbra policy image of {1} bytes, for C11 and C++11. */\n"
      "#ifndef {0}_included\n"
      "#define {0}_included\n\n"
      "#include <stddef.h>\n"
      "#include <stdint.h>\n\n"
      "#ifdef __cplusplus\n"
      "extern \"C\" {{\n"
      "#endif\n\n"
      "extern const uint8_t {0}[];\n"
      "extern const size_t {0}_size;\n\n"
      "#ifdef __cplusplus\n"
      "alignas(4)\n"
      "#else\n"
      "_Alignas(4)\n"
      "#endif\n"
      "const uint8_t {0}[] = {{\n",
      prefix, bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += bytes_a_line) {
    text += "   ";
    for (const char c : bytes.substr(at, bytes_a_line)) fmt::format_to(std::back_inserter(text), " 0x{:02x},", byte_of(c));
    text += "\n";
  }
  text += fmt::format(
      "}};\n"
      "const size_t {0}_size = sizeof {0};\n\n"
      "#ifdef __cplusplus\n"
      "}}\n"
      "#endif\n\n"
      "#endif\n",
      prefix);
  return text;
}

bool is_c_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_letter_or_digit) && !is_reserved(text) &&
         !contains(keywords, text) && !contains(types, text);
}

ValueVectors vectors_of(const PolicyImage& image) {
  const VectorPolicy<RuntimeDims> policy = image.vectors<RuntimeDims>();
  const std::size_t S = image.header().states;
  ValueVectors vectors;
  vectors.actions.assign(policy.actions, policy.actions + policy.count);
  for (std::size_t k = 0; k < policy.count; ++k) {
    const std::int16_t* row = policy.vectors + k * q15_stride(S);
    vectors.values.insert(vectors.values.end(), row, row + S);
  }
  return vectors;
}

}  // namespace penumbra::host

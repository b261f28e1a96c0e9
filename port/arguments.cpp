// name=VALUE on the command line, and the device's identity, which may stand there.
#include "device_constants.hpp"
#include "device_port.hpp"
#include "tester.hpp"

#include <cstring>

namespace penumbra::board {
namespace {

// The value of a digit up to 15, or something larger.
std::uint32_t digit(char character) noexcept {
  if (character >= '0' && character <= '9') return static_cast<std::uint32_t>(character - '0');
  if (character >= 'a' && character <= 'f') return static_cast<std::uint32_t>(character - 'a') + 10U;
  if (character >= 'A' && character <= 'F') return static_cast<std::uint32_t>(character - 'A') + 10U;
  return 16;
}

bool number(const char* text, std::uint32_t& value) noexcept {
  std::uint32_t base = 10;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16, text += 2;
  if (*text == '\0') return false;
  std::uint64_t sum = 0;
  for (; *text != '\0'; ++text) {
    if (digit(*text) >= base) return false;
    sum = sum * base + digit(*text);
    if (sum > UINT32_MAX) return false;
  }
  value = static_cast<std::uint32_t>(sum);
  return true;
}

}  // namespace

bool argument(const char* name, etl::span<char> value) noexcept {
  char line[longest_command_line];
  const std::size_t name_size = std::strlen(name);
  const char* const end = line + command_line(line);
  for (const char* word = line; word != end; word += std::strlen(word) + 1) {
    if (std::strncmp(word, name, name_size) != 0 || word[name_size] != '=') continue;
    const char* const text = word + name_size + 1;
    const std::size_t size = std::strlen(text) + 1;
    if (size > value.size()) return false;
    std::memcpy(value.data(), text, size);
    return true;
  }
  return false;
}

bool argument(const char* name, std::uint32_t& value) noexcept {
  char text[16];
  return argument(name, text) && number(text, value);
}

std::uint32_t device_id() noexcept {
  std::uint32_t id = 0;
  return argument("id", id) ? id : part_id();
}

}  // namespace penumbra::board

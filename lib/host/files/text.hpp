// Text from outside: is it UTF-8, how do messages show it, where in a file is it? Whatever the bytes are, a message stays short,
// printable and on one line.
#pragma once

#include "penumbra/host/detail/character.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace penumbra::host {

// What can be the name of a state, action or observation: 1 to 255 bytes of UTF-8 without control characters, since tables and logs
// have one line a row.
constexpr size_t longest_name = 255;
[[nodiscard]] bool is_name(std::string_view text);

// Shortened; bytes that are no printable UTF-8 as \xNN.
[[nodiscard]] std::string on_one_line(std::string_view text);

// The same in quotes. (std::quoted is another thing, and would be found in place of a function called quoted.)
[[nodiscard]] std::string in_quotes(std::string_view text);

// "name:line:column" of the byte at `offset`; both count from 1, columns in bytes.
[[nodiscard]] std::string place(const std::string& name, std::string_view text, size_t offset);

}  // namespace penumbra::host

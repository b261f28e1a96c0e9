// A policy image for other tools: Intel HEX for those that flash, a C array for firmware that carries it along, and the vectors alone for
// POMDP tools. The same image gives the same bytes.
#pragma once

#include "penumbra/host/vector_plan.hpp"
#include "penumbra/policy_image.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace penumbra::host {

// Records of 16 bytes. address + bytes.size() is at most 2^32.
[[nodiscard]] std::string to_intel_hex(std::string_view bytes, std::uint32_t address);

// Definitions that C11 and C++11 take: `const uint8_t prefix[]`, aligned as the door wants it, and `const size_t prefix_size`.
[[nodiscard]] std::string to_c_array(std::string_view bytes, const std::string& prefix);

// What `prefix` has to be: no keyword of C or C++, no name that is reserved in them, and none of the types in the definitions.
[[nodiscard]] bool is_c_identifier(std::string_view text);

// The 16-bit numbers of an image of vectors, as they are.
[[nodiscard]] ValueVectors vectors_of(const PolicyImage& image);

}  // namespace penumbra::host

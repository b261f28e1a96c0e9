// mps2_an500 in numbers, for a firmware with a link.
#pragma once

#include "penumbra/link/flash.hpp"

#include <cstdint>

namespace penumbra::board {

// The board has no flash that a program could write: it is a mirror in memory (file_flash.cpp).
inline constexpr link::FlashGeometry flash_geometry = {4096, 32, 8};

inline std::uint32_t part_id() noexcept { return 1; }  // it has none

}  // namespace penumbra::board

// A board in numbers, for a firmware with a link.
#pragma once

#include "penumbra/link/flash.hpp"

#include <cstdint>

namespace penumbra::board {

// Page size, number of pages, write size, all but the number in bytes. Together the pages are the region IMAGES of memory.ld.
inline constexpr link::FlashGeometry flash_geometry = {2048, 16, 8};

// A number that tells this board from the next one: the serial number that most parts are made with, folded into a word.
inline std::uint32_t part_id() noexcept { return 1; }

}  // namespace penumbra::board

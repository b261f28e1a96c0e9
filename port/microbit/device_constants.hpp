// microbit in numbers, for a firmware with a link.
#pragma once

#include "registers.hpp"

#include "penumbra/link/flash.hpp"

#include <cstdint>

namespace penumbra::board {

inline constexpr link::FlashGeometry flash_geometry = {1024, 32, 4};  // the part's own, and all of the region IMAGES

// The number that the part was made with, folded into one word (FICR, DEVICEID).
inline std::uint32_t part_id() noexcept { return cortex_m::at(0x1000'0060) ^ cortex_m::at(0x1000'0064); }

}  // namespace penumbra::board

// The workstation in numbers, for a firmware with a link.
#pragma once

#include "penumbra/link/flash.hpp"

#include <cstdint>

namespace penumbra::board {

inline constexpr link::FlashGeometry flash_geometry = {4096, 32, 8};

inline std::uint32_t part_id() noexcept { return 1; }

}  // namespace penumbra::board

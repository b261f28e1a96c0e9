// netduinoplus2 in numbers, for a firmware with a link.
#pragma once

#include "registers.hpp"

#include "penumbra/link/flash.hpp"

#include <cstdint>

namespace penumbra::board {

// The emulator has no model of this part's flash controller, so flash is a mirror in memory (file_flash.cpp), and these are not the
// sectors of the part.
inline constexpr link::FlashGeometry flash_geometry = {2048, 16, 4};

// The number that the part was made with, folded into one word. The emulated part has none, and tells so by having no debug identity.
inline std::uint32_t part_id() noexcept {
  constexpr std::uint32_t dbgmcu_idcode = 0xE004'2000, stm32f405 = 0x413, unique_id = 0x1FFF'7A10;
  if ((cortex_m::at(dbgmcu_idcode) & 0xFFFU) != stm32f405) return 1;
  return cortex_m::at(unique_id) ^ cortex_m::at(unique_id + 4) ^ cortex_m::at(unique_id + 8);
}

}  // namespace penumbra::board

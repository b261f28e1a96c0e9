// The part of flash that belongs to policy images, not to the firmware: from __image_slot_start to __image_slot_end of the
// board's memory.ld. The workstation has none; there images are files.
#pragma once

#include <cstddef>

extern "C" {
extern const unsigned char __image_slot_start[];
extern const unsigned char __image_slot_end[];
}

namespace penumbra::board {

inline const unsigned char* image_slot() noexcept { return __image_slot_start; }
inline std::size_t image_slot_size() noexcept { return static_cast<std::size_t>(__image_slot_end - __image_slot_start); }

}  // namespace penumbra::board

// What the link asks of a board's flash. It is a contract, not a base class (transport.hpp says why):
//
//   struct Flash {
//     FlashGeometry geometry() const noexcept;
//     const uint8_t* data() const noexcept;                                           // where it can be read, at a multiple of 4
//     bool erase(uint32_t offset) noexcept;                                           // the page at `offset`: all its bits become 1
//     bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept;         // clears bits, and can do nothing else
//   };
//
// Offsets count from the start of the area that the board gives to images. erase() takes the start of a page; program() whole write
// units that lie within one page and were erased since they were last programmed. Both return after the work is done; false: the
// hardware refused, and the bytes are whatever they are. Power may fail before, within and after each of them: a torn program() has
// cleared some of its bits, a torn erase() has set some. Both are called from the background alone.
#pragma once

#include <etl/span.h>

#include <stddef.h>
#include <stdint.h>

namespace penumbra::link {

struct FlashGeometry {
  uint32_t page_size;   // bytes that are erased at once: a multiple of 32, and more than four write units
  uint32_t page_count;  // at least 4: two for the boot counter, one for each slot
  uint32_t write_size;  // bytes that are programmed at once: 4, 8, 16 or 32
};

constexpr uint32_t max_write_size = 32;

// The boot counter and the slots can live there, and every place has an offset.
[[nodiscard]] constexpr bool is_usable(const FlashGeometry& flash) noexcept {
  const uint32_t unit = flash.write_size;
  return (unit == 4U || unit == 8U || unit == 16U || unit == max_write_size) && flash.page_size % max_write_size == 0U &&
         flash.page_size > 4U * unit && flash.page_count >= 4U && flash.page_count <= UINT32_MAX / flash.page_size;
}

}  // namespace penumbra::link

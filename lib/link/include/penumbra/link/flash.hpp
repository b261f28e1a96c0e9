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
  uint32_t page_size;   // bytes that are erased at once; a multiple of write_size
  uint32_t page_count;  // at least 4: two for the boot counter, one for each slot
  uint32_t write_size;  // bytes that are programmed at once: 4, 8, 16 or 32
};

}  // namespace penumbra::link

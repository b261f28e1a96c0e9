// The flash of your board, the region IMAGES of memory.ld. The rules are checked here, and what is left to you are the two functions in
// the middle: how the part erases a page and programs a write unit. microbit/flash.cpp is a whole one. If the part stops the core meanwhile,
// a Standstill around it tells the clock.
#include "device_constants.hpp"
#include "device_port.hpp"
#include "flash_rules.hpp"
#include "image_slot.hpp"
#include "standstill.hpp"

#include <cstring>

namespace penumbra::board {
namespace {

// Unlock, choose the page at this address, start, wait until it is done, lock. False: the part reports an error.
bool erase_page(const std::uint8_t* /*address*/) noexcept { return false; }

// Unlock, program flash_geometry.write_size bytes at this address, wait until it is done, lock. `bytes` may lie at any address; flash takes
// whole words, so copy them with memcpy() first. False: the part reports an error.
bool program_unit(const std::uint8_t* /*address*/, const std::uint8_t* /*bytes*/) noexcept { return false; }

}  // namespace

bool BoardFlash::start() noexcept { return image_slot_size() == flash_size(flash_geometry); }

link::FlashGeometry BoardFlash::geometry() const noexcept { return flash_geometry; }

const std::uint8_t* BoardFlash::data() const noexcept { return image_slot(); }

bool BoardFlash::erase(std::uint32_t offset) noexcept {
  if (!may_erase(flash_geometry, offset)) return false;
  const Standstill standstill;
  return erase_page(data() + offset);
}

bool BoardFlash::program(std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  if (!may_program(flash_geometry, data(), offset, bytes)) return false;
  const Standstill standstill;
  for (std::size_t i = 0; i < bytes.size(); i += flash_geometry.write_size)
    if (!program_unit(data() + offset + i, bytes.data() + i)) return false;
  return std::memcmp(data() + offset, bytes.data(), bytes.size()) == 0;
}

}  // namespace penumbra::board

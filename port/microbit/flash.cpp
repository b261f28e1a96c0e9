// The flash of the nRF51 through its controller (NVMC): pages of 1 KB, words of 4 bytes. The area is the region IMAGES of memory.ld. The
// processor stands still meanwhile, interrupts and all: 46 µs a word and 22 ms a page (nRF51 product specification).
#include "device_constants.hpp"
#include "device_port.hpp"
#include "flash_rules.hpp"
#include "image_slot.hpp"
#include "registers.hpp"

#include <cstring>

namespace penumbra::board {
namespace {

volatile std::uint32_t& ready() noexcept { return cortex_m::at(0x4001'E400); }
volatile std::uint32_t& config() noexcept { return cortex_m::at(0x4001'E504); }
volatile std::uint32_t& erase_page() noexcept { return cortex_m::at(0x4001'E508); }

enum Mode : std::uint32_t { read_only = 0, writing = 1, erasing = 2 };

void wait() noexcept {
  while (ready() == 0) {
  }
}

void set(Mode mode) noexcept {
  config() = mode;
  wait();
}

std::uint32_t address(std::uint32_t offset) noexcept { return reinterpret_cast<std::uint32_t>(image_slot()) + offset; }

}  // namespace

bool BoardFlash::start() noexcept { return image_slot_size() == flash_size(flash_geometry); }

link::FlashGeometry BoardFlash::geometry() const noexcept { return flash_geometry; }

const std::uint8_t* BoardFlash::data() const noexcept { return image_slot(); }

bool BoardFlash::erase(std::uint32_t offset) noexcept {
  if (!may_erase(flash_geometry, offset)) return false;
  set(erasing);
  erase_page() = address(offset);
  wait();
  set(read_only);
  return true;
}

bool BoardFlash::program(std::uint32_t offset, etl::span<const std::uint8_t> bytes) noexcept {
  if (!may_program(flash_geometry, data(), offset, bytes)) return false;
  set(writing);
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    cortex_m::at(address(offset) + i) = word;
    wait();
  }
  set(read_only);
  return std::memcmp(data() + offset, bytes.data(), bytes.size()) == 0;
}

}  // namespace penumbra::board

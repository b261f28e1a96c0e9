// Boot counter: a number that no two boots of a device share, though power fails at any moment. Counts are told apart by it: they
// begin at zero with each boot, and the host sums over boots.
//
// Two pages of flash. A page begins with the number of boots before it and that number's complement; each boot then clears two write
// units, one after the other: if a later write overtakes the second and the power fails, the first still has the number taken. When a page
// is full, the other one takes over: the old one stays valid until the new one's beginning is whole. A boot whose marks are not both
// there has not begun; at worst its number is skipped.
#pragma once

#include "penumbra/link/flash.hpp"

#include <etl/array.h>
#include <etl/optional.h>

#include <string.h>

namespace penumbra::link {

[[nodiscard]] inline bool is_erased(const uint8_t* bytes, uint32_t size) noexcept {
  for (uint32_t i = 0; i < size; ++i) {
    if (bytes[i] != 0xFFU) return false;
  }
  return true;
}

template <class Flash>
class BootCounter {
 public:
  static constexpr uint32_t pages = 2;  // the first of the area

  explicit BootCounter(Flash& flash) noexcept : flash_(flash), geometry_(flash.geometry()) {}

  // Counts this boot and returns its number, from 1; nothing: the flash refused, or has no usable geometry.
  [[nodiscard]] etl::optional<uint32_t> count() noexcept {
    if (!is_usable(geometry_)) return etl::nullopt;
    uint32_t page = newest_page();
    if (page == pages && !start_page(page = 0, 0)) return etl::nullopt;
    uint32_t boots = boots_in(page);
    if (boots == room()) {
      const uint32_t before = boots_before(page) + boots;
      page = 1U - page;
      boots = 0;
      if (!start_page(page, before)) return etl::nullopt;
    }
    static constexpr etl::array<uint8_t, max_write_size> zeros{};
    for (uint32_t mark = 0; mark < marks; ++mark) {
      const uint32_t at = page * geometry_.page_size + place(boots) + mark * geometry_.write_size;
      if (!flash_.program(at, {zeros.data(), geometry_.write_size})) return etl::nullopt;
    }
    return boots_before(page) + boots + 1U;
  }

 private:
  static constexpr uint32_t marks = 2;  // of a boot

  [[nodiscard]] uint32_t beginning() const noexcept { return geometry_.write_size < 8U ? 8U : geometry_.write_size; }
  [[nodiscard]] uint32_t room() const noexcept { return (geometry_.page_size - beginning()) / (marks * geometry_.write_size); }  // boots
  [[nodiscard]] uint32_t place(uint32_t boot) const noexcept { return beginning() + boot * marks * geometry_.write_size; }
  [[nodiscard]] const uint8_t* at(uint32_t page) const noexcept { return flash_.data() + page * geometry_.page_size; }

  [[nodiscard]] uint32_t boots_before(uint32_t page) const noexcept {
    uint32_t number = 0;
    memcpy(&number, at(page), sizeof number);
    return number;
  }
  [[nodiscard]] bool is_valid(uint32_t page) const noexcept {
    uint32_t complement = 0;
    memcpy(&complement, at(page) + 4, sizeof complement);
    return boots_before(page) == ~complement;
  }
  [[nodiscard]] uint32_t newest_page() const noexcept {  // `pages`: neither is valid
    if (!is_valid(0)) return is_valid(1) ? 1U : pages;
    return is_valid(1) && boots_before(1) > boots_before(0) ? 1U : 0U;
  }

  // Up to the last one that has left anything.
  [[nodiscard]] uint32_t boots_in(uint32_t page) const noexcept {
    uint32_t boots = room();
    while (boots > 0U && is_erased(at(page) + place(boots - 1U), marks * geometry_.write_size)) --boots;
    return boots;
  }

  bool start_page(uint32_t page, uint32_t boots) noexcept {
    etl::array<uint8_t, max_write_size> unit;
    unit.fill(0xFF);
    const uint32_t complement = ~boots;
    memcpy(unit.data(), &boots, sizeof boots);
    memcpy(unit.data() + 4, &complement, sizeof complement);
    return flash_.erase(page * geometry_.page_size) && flash_.program(page * geometry_.page_size, {unit.data(), beginning()});
  }

  Flash& flash_;
  FlashGeometry geometry_;
};

}  // namespace penumbra::link

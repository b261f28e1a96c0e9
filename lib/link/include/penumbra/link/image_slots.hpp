// Two slots for policy images in flash, so that one stays whole while the other is written. A slot holds an image from its start and its
// marks at its end, each a write unit of its own:
//
//   tried       not erased: the image was put to use. If it is not confirmed at the next boot, it failed
//   confirmed   all zero: the host found it well. Only such an image is used at boot
//
// A torn `tried` counts as tried and a torn `confirmed` does not count. Both are there twice, and one is enough: if a later write overtakes
// the second and the power fails, the first is there. So whatever the power does, what is in use is whole and was never found wanting. The
// pages before the slots belong to the boot counter.
#pragma once

#include "penumbra/link/boot_counter.hpp"
#include "penumbra/link/flash.hpp"
#include "penumbra/policy_image.hpp"

namespace penumbra::link {

enum class Slot : uint8_t { first, second, none };
[[nodiscard]] constexpr Slot other(Slot slot) noexcept { return slot == Slot::first ? Slot::second : Slot::first; }

template <class Flash>
class ImageSlots {
 public:
  explicit ImageSlots(Flash& flash) noexcept : flash_(flash), geometry_(flash.geometry()) {}

  // Bytes of the largest image that fits.
  [[nodiscard]] uint32_t capacity() const noexcept { return slot_pages() * geometry_.page_size - marks * geometry_.write_size; }

  [[nodiscard]] etl::expected<PolicyImage, ImageFault> open(Slot slot) const noexcept {
    return PolicyImage::open({flash_.data() + start(slot), capacity()});
  }
  [[nodiscard]] bool is_tried(Slot slot) const noexcept {
    return !is_erased(flash_.data() + mark(slot, tried_mark), 2U * geometry_.write_size);  // and the one behind it
  }
  [[nodiscard]] bool is_confirmed(Slot slot) const noexcept {
    return is_zero(mark(slot, confirmed_mark)) || is_zero(mark(slot, confirmed_again));
  }

  // How many pages are to be erased before an image of `size` bytes is written: its own, and the one with the marks.
  [[nodiscard]] uint32_t pages_for(uint32_t size) const noexcept {
    const uint32_t pages = (size + geometry_.page_size - 1U) / geometry_.page_size;
    return pages < slot_pages() ? pages + 1U : pages;
  }
  // Erases one of them; the one with the marks first.
  bool erase(Slot slot, uint32_t page) noexcept {
    const uint32_t place = page == 0U ? slot_pages() - 1U : page - 1U;
    return flash_.erase(start(slot) + place * geometry_.page_size);
  }

  // Programs bytes of an image from a multiple of chunk_unit on. What is over of the last write unit stays erased.
  bool write(Slot slot, uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    while (!bytes.empty()) {
      const uint32_t at = start(slot) + offset;
      const uint32_t to_page_end = geometry_.page_size - at % geometry_.page_size;
      uint32_t size = bytes.size() < to_page_end ? static_cast<uint32_t>(bytes.size()) : to_page_end;
      if (size >= geometry_.write_size) {
        size -= size % geometry_.write_size;
        if (!flash_.program(at, bytes.first(size))) return false;
      } else {
        etl::array<uint8_t, max_write_size> unit;
        unit.fill(0xFF);
        memcpy(unit.data(), bytes.data(), size);
        if (!flash_.program(at, {unit.data(), geometry_.write_size})) return false;
      }
      offset += size;
      bytes = bytes.subspan(size);
    }
    return true;
  }
  bool mark_tried(Slot slot) noexcept { return set(mark(slot, tried_mark)) && set(mark(slot, tried_again)); }
  // True: the next boot will find it confirmed, even if the flash refused one of the two. Asking again programs what is missing.
  bool mark_confirmed(Slot slot) noexcept {
    for (const uint32_t which : {confirmed_mark, confirmed_again}) {
      const uint32_t place = mark(slot, which);
      if (is_erased(flash_.data() + place, geometry_.write_size)) static_cast<void>(set(place));
    }
    return is_confirmed(slot);
  }

 private:
  // Write units from the slot's end. An erase that is torn undoes `tried` first.
  static constexpr uint32_t marks = 4;
  static constexpr uint32_t tried_mark = 4;
  static constexpr uint32_t tried_again = 3;
  static constexpr uint32_t confirmed_mark = 2;
  static constexpr uint32_t confirmed_again = 1;

  [[nodiscard]] uint32_t slot_pages() const noexcept { return (geometry_.page_count - BootCounter<Flash>::pages) / 2U; }
  [[nodiscard]] uint32_t start(Slot slot) const noexcept {
    return (BootCounter<Flash>::pages + (slot == Slot::second ? slot_pages() : 0U)) * geometry_.page_size;
  }
  [[nodiscard]] uint32_t mark(Slot slot, uint32_t which) const noexcept {
    return start(slot) + slot_pages() * geometry_.page_size - which * geometry_.write_size;
  }
  [[nodiscard]] bool is_zero(uint32_t offset) const noexcept {
    uint8_t any = 0;
    for (uint32_t i = 0; i < geometry_.write_size; ++i) any = static_cast<uint8_t>(any | flash_.data()[offset + i]);
    return any == 0U;
  }
  bool set(uint32_t offset) noexcept {
    static constexpr etl::array<uint8_t, max_write_size> zeros{};
    return flash_.program(offset, {zeros.data(), geometry_.write_size});
  }

  Flash& flash_;
  FlashGeometry geometry_;
};

}  // namespace penumbra::link

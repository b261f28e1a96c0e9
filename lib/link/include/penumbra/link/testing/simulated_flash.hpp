// A flash in memory, for your tests and ours: it keeps the rules of flash.hpp, and its power can fail within any operation. A call that
// breaks a rule is a mistake of the caller, so it returns false and is counted. That a unit was programmed with ones does not show.
//
// cut_power(after, torn) lets `after` operations pass and stops in the next one: of its bits, those below `torn` are done (a program
// clears its bits in order, an erase sets those of the page in order). With `swap` the operation before it is undone instead, and it
// is done whole on what was there: what two writes that overtook each other leave. From then on nothing is done, until power_on().
#pragma once

#include "penumbra/link/flash.hpp"

#include <etl/array.h>

#include <string.h>

namespace penumbra::link::testing {

template <uint32_t Pages, uint32_t PageSize, uint32_t WriteSize>
class SimulatedFlash {
 public:
  static constexpr uint32_t size = Pages * PageSize;

  SimulatedFlash() noexcept { bytes_.fill(0xFF); }

  [[nodiscard]] FlashGeometry geometry() const noexcept { return {PageSize, Pages, WriteSize}; }
  [[nodiscard]] const uint8_t* data() const noexcept { return bytes_.data(); }

  bool erase(uint32_t offset) noexcept {
    if (dead_) return false;
    if (offset % PageSize != 0U || offset >= size) return broken_rule();
    return apply(offset, PageSize, nullptr);
  }

  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    if (dead_) return false;
    const auto length = static_cast<uint32_t>(bytes.size());
    const bool whole = offset % WriteSize == 0U && length % WriteSize == 0U && length != 0U;
    if (!whole || offset >= size || length > PageSize - offset % PageSize) return broken_rule();
    for (uint32_t i = 0; i < length; ++i) {
      if (bytes_[offset + i] != 0xFFU) return broken_rule();
    }
    return apply(offset, length, bytes.data());
  }

  void cut_power(uint32_t after, uint32_t torn, bool swap = false) noexcept {
    until_cut_ = after;
    torn_ = torn;
    swap_ = swap;
    armed_ = true;
  }
  void power_on() noexcept { armed_ = dead_ = false; }

  [[nodiscard]] bool is_dead() const noexcept { return dead_; }
  [[nodiscard]] uint32_t operations() const noexcept { return operations_; }  // since the beginning
  [[nodiscard]] uint32_t rules_broken() const noexcept { return rules_broken_; }
  [[nodiscard]] uint32_t last_bits() const noexcept { return last_length_ * 8U; }  // of the operation before
  uint8_t* raw() noexcept { return bytes_.data(); }                                // to damage it

 private:
  bool broken_rule() noexcept {
    ++rules_broken_;
    return false;
  }

  // Programs `bytes`, or erases where there are none.
  bool apply(uint32_t offset, uint32_t length, const uint8_t* bytes) noexcept {
    ++operations_;
    const bool cut = armed_ && until_cut_ == 0U;
    if (armed_ && !cut) --until_cut_;
    if (cut && swap_) memcpy(bytes_.data() + last_offset_, before_.data(), last_length_);
    const uint32_t bits = cut && !swap_ ? torn_ : length * 8U;
    if (!cut) {
      last_offset_ = offset;
      last_length_ = length;
      memcpy(before_.data(), bytes_.data() + offset, length);
    }
    for (uint32_t i = 0; i < length && i * 8U < bits; ++i) {
      const uint32_t mask = bits - i * 8U >= 8U ? 0xFFU : (1U << bits % 8U) - 1U;  // the bits of this byte that are done
      uint8_t& byte = bytes_[offset + i];
      byte = static_cast<uint8_t>(bytes == nullptr ? byte | mask : byte & (bytes[i] | ~mask));
    }
    dead_ = cut;
    return !cut;
  }

  alignas(4) etl::array<uint8_t, size> bytes_;
  etl::array<uint8_t, PageSize> before_{};
  uint32_t last_offset_ = 0;
  uint32_t last_length_ = 0;
  uint32_t operations_ = 0;
  uint32_t rules_broken_ = 0;
  uint32_t until_cut_ = 0;
  uint32_t torn_ = 0;
  bool armed_ = false;
  bool swap_ = false;
  bool dead_ = false;
};

}  // namespace penumbra::link::testing

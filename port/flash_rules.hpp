// Flash's rules, in one place for every flash of the port: what erase() and program() must refuse.
#pragma once

#include "penumbra/link/flash.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>

namespace penumbra::board {

[[nodiscard]] constexpr std::uint32_t flash_size(const link::FlashGeometry& geometry) noexcept {
  return geometry.page_size * geometry.page_count;
}

// `offset` is the start of a page.
[[nodiscard]] constexpr bool may_erase(const link::FlashGeometry& geometry, std::uint32_t offset) noexcept {
  return offset < flash_size(geometry) && offset % geometry.page_size == 0;
}

// `bytes` are whole write units within one page, and set no bit of what is there now; `data` is the whole flash.
[[nodiscard]] inline bool may_program(const link::FlashGeometry& geometry, const std::uint8_t* data, std::uint32_t offset,
                                      etl::span<const std::uint8_t> bytes) noexcept {
  if (offset >= flash_size(geometry) || offset % geometry.write_size != 0) return false;
  if (bytes.size() % geometry.write_size != 0 || bytes.size() > geometry.page_size - offset % geometry.page_size) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if ((bytes[i] & ~data[offset + i]) != 0) return false;
  return true;
}

}  // namespace penumbra::board

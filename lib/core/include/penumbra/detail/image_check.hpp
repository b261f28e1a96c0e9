// The door of the image format: every check that PolicyImage::open() makes, from the outermost fact inwards, so that no byte is
// believed before the ones it depends on. Of several faults the first in this order is told.
#pragma once

#include "penumbra/policy_image.hpp"

namespace penumbra {
namespace detail {

class ImageCheck {
 public:
  ImageCheck(const uint8_t* base, const ImageHeader& header, const ImageLayout& layout) noexcept
      : base_(base), header_(header), layout_(layout) {}

  // Everything behind the header. The size of the image is known to fit; `points` come from points_of_rank_table(), 0 for other policies.
  [[nodiscard]] ImageFault contents(uint32_t points) noexcept {
    const uint32_t S = header_.states;
    const uint32_t A = header_.actions;
    const uint32_t O = header_.observations;
    distribution(layout_.prior, S, 1);
    for (uint32_t a = 0; a < A; ++a) {
      for (uint32_t s = 0; s < S; ++s) {
        distribution(layout_.transition + (a * S * S + s) * word, S, S);
        distribution(layout_.observation + (a * O * S + s) * word, O, S);
      }
    }
    zeros(layout_.observation - static_cast<uint32_t>(transition_padding) * word, layout_.observation);
    for (uint32_t at = layout_.reward; at < layout_.table; at += word) {
      if ((bits_at(at) & 0x7F800000U) == 0x7F800000U) fault(Status::image_reward, at);
    }
    if (header_.policy == PolicyKind::vectors) vectors(S);
    if (header_.policy == PolicyKind::lattice) lattice(points);
    return fault_;
  }

  // Points of the lattice, or 0 when the rank table is not Pascal's triangle or has too many of them.
  //   C(m+k-1, k) = C(m+k-2, k) + C(m+k-2, k-1)
  [[nodiscard]] uint32_t points_of_rank_table() noexcept {
    const uint32_t stride = header_.parameter + 1U;
    uint32_t points = 1;
    for (uint32_t k = 1; k < header_.states; ++k) {
      for (uint32_t m = 0; m < stride; ++m) {
        const uint32_t at = layout_.table + ((k - 1U) * stride + m) * word;
        uint32_t expected = m;
        if (k > 1U) expected = m == 0U ? 0U : bits_at(at - word) + bits_at(at - stride * word);
        if (bits_at(at) != expected || expected > max_lattice_points) {
          fault(Status::image_lattice, at);
          return 0;
        }
      }
      points += bits_at(layout_.table + (k * stride - 1U) * word);
    }
    if (points > max_lattice_points) {
      fault(Status::image_lattice, layout_.table);
      return 0;
    }
    return points;
  }

  [[nodiscard]] const ImageFault& found() const noexcept { return fault_; }

 private:
  static constexpr uint32_t word = sizeof(uint32_t);

  void fault(Status status, uint32_t offset) noexcept {
    if (fault_.status == Status::ok) fault_ = {status, offset};
  }

  [[nodiscard]] uint32_t bits_at(uint32_t offset) const noexcept {
    return *static_cast<const uint32_t*>(static_cast<const void*>(base_ + offset));  // NOLINT: every offset is a multiple of four
  }

  void zeros(uint32_t from, uint32_t to) noexcept {
    for (uint32_t at = from; at < to; ++at) {
      if (base_[at] != 0U) fault(Status::image_reserved, at);
    }
  }

  // `count` probabilities, `stride` words apart. Summed as integers of 30 fractional bits, so that the sum does not depend on its order.
  void distribution(uint32_t offset, uint32_t count, uint32_t stride) noexcept {
    constexpr uint32_t one = 0x3F800000U;  // the bits of 1.0F: anything above is larger, negative, infinite or not a number
    constexpr auto unit = static_cast<float>(uint32_t{1} << 30U);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = offset + i * stride * word;
      if (bits_at(at) > one) return fault(Status::image_probability, at);
      sum += static_cast<uint32_t>(*static_cast<const float*>(static_cast<const void*>(base_ + at)) * unit);  // NOLINT
    }
    constexpr auto slack = static_cast<uint64_t>(row_sum_tolerance * unit);
    constexpr auto whole = static_cast<uint64_t>(unit);
    if (sum + slack < whole || sum > whole + slack) fault(Status::image_row_sum, offset);
  }

  void vectors(uint32_t S) noexcept {
    for (uint32_t k = 0; k < header_.parameter; ++k) {
      if (base_[layout_.table + k] >= header_.actions) fault(Status::image_action, layout_.table + k);
      const uint32_t row = layout_.table_rows + k * static_cast<uint32_t>(q15_stride(S)) * 2U;
      if (S % 2U != 0U) zeros(row + S * 2U, row + S * 2U + 2U);
    }
    zeros(layout_.table + header_.parameter, layout_.table_rows);
    zeros(header_.size - word - static_cast<uint32_t>(vector_padding) * 2U, header_.size - word);
  }

  void lattice(uint32_t points) noexcept {
    const uint8_t bits = bits_for(header_.actions);
    for (uint32_t rank = 0; rank < points; ++rank) {
      const uint32_t at = layout_.table_rows + rank * bits / 8U;
      if (packed_action(base_ + layout_.table_rows, rank, bits) >= header_.actions) fault(Status::image_action, at);
    }
    const uint32_t used = points * bits;
    const uint32_t last = layout_.table_rows + used / 8U;
    if (used % 8U != 0U && (base_[last] >> (used % 8U)) != 0U) fault(Status::image_reserved, last);
    zeros(layout_.table_rows + (used + 7U) / 8U, header_.size - word);
  }

  const uint8_t* base_;
  const ImageHeader& header_;
  const ImageLayout& layout_;
  ImageFault fault_{Status::ok, 0};
};

}  // namespace detail

inline etl::expected<PolicyImage, ImageFault> PolicyImage::open(etl::span<const uint8_t> bytes) noexcept {
  const auto refuse = [](Status status, size_t offset) {
    return etl::unexpected<ImageFault>(ImageFault{status, static_cast<uint32_t>(offset)});
  };
  if (bytes.size() < sizeof(ImageHeader)) return refuse(Status::image_truncated, bytes.size());
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(ImageHeader) != 0U) return refuse(Status::image_misaligned, 0);  // NOLINT
  const auto& header = *static_cast<const ImageHeader*>(static_cast<const void*>(bytes.data()));                           // NOLINT
  if (header.magic != image_magic) return refuse(Status::image_not_penumbra, offsetof(ImageHeader, magic));
  if (header.version != image_version) return refuse(Status::image_version, offsetof(ImageHeader, version));
  if (header.header_size != sizeof(ImageHeader)) return refuse(Status::image_field, offsetof(ImageHeader, header_size));
  if (header.size < sizeof(ImageHeader) + sizeof(uint32_t) || header.size % 4U != 0U) {
    return refuse(Status::image_size, offsetof(ImageHeader, size));
  }
  if (header.size > bytes.size()) return refuse(Status::image_truncated, bytes.size());

  const uint32_t checked = header.size - static_cast<uint32_t>(sizeof(uint32_t));
  const uint8_t* base = bytes.data();
  const uint32_t stored = *static_cast<const uint32_t*>(static_cast<const void*>(base + checked));  // NOLINT
  if (etl::crc32_t16(base, base + checked).value() != stored) return refuse(Status::image_checksum, checked);

  if (header.states == 0U) return refuse(Status::image_field, offsetof(ImageHeader, states));
  if (header.actions == 0U) return refuse(Status::image_field, offsetof(ImageHeader, actions));
  if (header.observations == 0U) return refuse(Status::image_field, offsetof(ImageHeader, observations));
  if (header.emission > Emission::arrival) return refuse(Status::image_field, offsetof(ImageHeader, emission));
  if (header.policy > PolicyKind::lattice) return refuse(Status::image_field, offsetof(ImageHeader, policy));
  if (header.reward > RewardKind::by_action_and_state) return refuse(Status::image_field, offsetof(ImageHeader, reward));
  const bool none = header.parameter == 0U;
  const bool too_fine = header.policy == PolicyKind::lattice && header.parameter > max_resolution;
  if (none != (header.policy == PolicyKind::uniform) || too_fine) return refuse(Status::image_field, offsetof(ImageHeader, parameter));
  for (size_t i = 0; i < 3U; ++i) {
    if (header.reserved[i] != 0U) return refuse(Status::image_reserved, offsetof(ImageHeader, reserved) + i * 4U);
  }

  const ImageLayout layout = layout_of(header);
  if (layout.table_rows > checked) return refuse(Status::image_size, offsetof(ImageHeader, size));
  detail::ImageCheck check(base, header, layout);
  const uint32_t points = header.policy == PolicyKind::lattice ? check.points_of_rank_table() : 0U;
  if (check.found().status != Status::ok) return etl::unexpected<ImageFault>(check.found());
  if (checked - layout.table_rows != table_rows_size(header, points)) return refuse(Status::image_size, offsetof(ImageHeader, size));

  const ImageFault fault = check.contents(points);
  if (fault.status != Status::ok) return etl::unexpected<ImageFault>(fault);
  return PolicyImage(base);
}

}  // namespace penumbra

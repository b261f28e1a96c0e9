// Writes policy images. The host builds the table it flashes with this, and the tests build images on the board itself, so it
// allocates nothing either. Models come in the order of the model file; transposing, padding and the checksum happen here.
// What build_image() returns has passed PolicyImage::open(): it cannot write an image that the device would refuse.
#pragma once

#include "penumbra/policy_image.hpp"

#include <string.h>

namespace penumbra {

// What an image is made of. A pointer may be null where that is said, and `actions` and `vectors` where the policy has none.
template <class Real>
struct ImageSource {
  RuntimeDims dims;
  Emission emission = Emission::departure;
  const Real* transition = nullptr;   // [action][state][next state]
  const Real* observation = nullptr;  // [action][state][observation]
  RewardKind reward_kind = RewardKind::by_observation;
  const Real* reward = nullptr;  // [observation] or [action][state]
  const Real* prior = nullptr;   // [state]; null stands for uniform

  PolicyKind policy = PolicyKind::uniform;
  uint16_t parameter = 0;            // vectors: how many; lattice: its resolution
  const uint8_t* actions = nullptr;  // one a vector, or one a lattice point in the order of ranks
  const int16_t* vectors = nullptr;  // [vector][state]

  uint32_t sequence = 0;
  uint32_t episode = 0;
  uint32_t first_length = 0;
  uint32_t seed = 0;
  const uint32_t* pairs_before = nullptr;  // [action]; null stands for zeros
};

namespace detail {

class ImageWriter {
 public:
  ImageWriter(uint8_t* base, uint32_t offset) noexcept : at_(base + offset) {}

  template <class Value>
  void put(Value value) noexcept {
    memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  // Adding zero turns a negative zero, which clipping may leave, into the one that the door lets in.
  template <class Real>
  void put_probability(Real value) noexcept {
    put(static_cast<float>(value) + 0.0F);
  }

 private:
  uint8_t* at_;
};

// The rank table of lattice.hpp: row k holds C(m+k-1, k) for m = 0 … n, each the sum of its neighbours to the left and above.
inline void write_binomials(uint8_t* base, uint32_t offset, uint32_t states, uint32_t resolution) noexcept {
  const size_t row_size = size_t{resolution + 1U} * sizeof(uint32_t);
  ImageWriter out(base, offset);
  for (uint32_t k = 1; k < states; ++k) {
    uint32_t value = 0;
    for (uint32_t m = 0; m <= resolution; ++m) {
      uint32_t above = 1;
      if (k > 1U) memcpy(&above, base + offset + (k - 2U) * row_size + m * sizeof above, sizeof above);
      if (m > 0U) value += above;
      out.put(value);
    }
  }
}

}  // namespace detail

// Writes the image to the beginning of `room` (aligned to four bytes) and returns its size.
template <class Real>
[[nodiscard]] etl::expected<uint32_t, ImageFault> build_image(const ImageSource<Real>& source, etl::span<uint8_t> room) noexcept {
  const auto S = static_cast<uint32_t>(source.dims.states());
  const auto A = static_cast<uint32_t>(source.dims.actions());
  const auto O = static_cast<uint32_t>(source.dims.observations());
  const bool lattice = source.policy == PolicyKind::lattice;
  const uint32_t points = lattice ? lattice_points(S, source.parameter) : 0U;
  if (lattice && points == 0U) {
    return etl::unexpected<ImageFault>(ImageFault{Status::image_lattice, offsetof(ImageHeader, parameter)});
  }

  ImageHeader header{};
  header.magic = image_magic;
  header.version = image_version;
  header.header_size = sizeof(ImageHeader);
  header.states = static_cast<uint8_t>(S);
  header.actions = static_cast<uint8_t>(A);
  header.observations = static_cast<uint8_t>(O);
  header.emission = source.emission;
  header.policy = source.policy;
  header.reward = source.reward_kind;
  header.parameter = source.parameter;
  header.sequence = source.sequence;
  header.episode = source.episode;
  header.first_length = source.first_length;
  header.seed = source.seed;
  const ImageLayout layout = layout_of(header);
  const uint32_t checked = layout.table_rows + table_rows_size(header, points);
  header.size = checked + static_cast<uint32_t>(sizeof(uint32_t));
  if (header.size > room.size()) return etl::unexpected<ImageFault>(ImageFault{Status::image_no_room, header.size});

  uint8_t* base = room.data();
  memset(base, 0, header.size);
  memcpy(base, &header, sizeof header);

  detail::ImageWriter pairs(base, layout.pairs_before);
  for (uint32_t a = 0; a < A; ++a) pairs.put(source.pairs_before != nullptr ? source.pairs_before[a] : uint32_t{0});
  detail::ImageWriter prior(base, layout.prior);
  for (uint32_t s = 0; s < S; ++s) {
    prior.put_probability(source.prior != nullptr ? static_cast<float>(source.prior[s]) : 1.0F / static_cast<float>(S));
  }
  detail::ImageWriter transition(base, layout.transition);
  detail::ImageWriter observation(base, layout.observation);
  for (uint32_t a = 0; a < A; ++a) {
    for (uint32_t next = 0; next < S; ++next) {
      for (uint32_t s = 0; s < S; ++s) transition.put_probability(source.transition[(a * S + s) * S + next]);
    }
    for (uint32_t o = 0; o < O; ++o) {
      for (uint32_t s = 0; s < S; ++s) observation.put_probability(source.observation[(a * S + s) * O + o]);
    }
  }
  detail::ImageWriter reward(base, layout.reward);
  const uint32_t rewards = source.reward_kind == RewardKind::by_observation ? O : A * S;
  for (uint32_t i = 0; i < rewards; ++i) reward.put(static_cast<float>(source.reward[i]));

  if (source.policy == PolicyKind::vectors) {
    memcpy(base + layout.table, source.actions, source.parameter);
    for (uint32_t k = 0; k < source.parameter; ++k) {
      memcpy(base + layout.table_rows + k * q15_stride(S) * sizeof(int16_t), source.vectors + k * S, S * sizeof(int16_t));
    }
  }
  if (lattice) {
    detail::write_binomials(base, layout.table, S, source.parameter);
    const uint8_t bits = bits_for(A);
    uint8_t* packed = base + layout.table_rows;
    for (uint32_t rank = 0; rank < points; ++rank) {
      if (source.actions[rank] >= A) {  // before its bits reach into the next entry
        return etl::unexpected<ImageFault>(ImageFault{Status::image_action, layout.table_rows + rank * bits / 8U});
      }
      const uint32_t bit = rank * bits;
      const uint32_t shifted = static_cast<uint32_t>(source.actions[rank]) << (bit % 8U);
      packed[bit / 8U] = static_cast<uint8_t>(packed[bit / 8U] | (shifted & 0xFFU));
      packed[bit / 8U + 1U] = static_cast<uint8_t>(packed[bit / 8U + 1U] | (shifted >> 8U));
    }
  }
  detail::ImageWriter(base, checked).put(etl::crc32_t16(base, base + checked).value());

  const auto opened = PolicyImage::open(etl::span<const uint8_t>(base, header.size));
  if (!opened.has_value()) return etl::unexpected<ImageFault>(opened.error());
  return header.size;
}

}  // namespace penumbra

// Policy image (`.pnb`): model, policy and episode of one agent, read in place from flash. IMAGE_FORMAT.md beside this library
// describes every byte. All of them are untrusted until open() has checked them, once; what it gives back needs no more checks.
// Cost of open(): one pass over the image for the CRC and one over its numbers; no copy, below 400 bytes of stack.
#pragma once

#include "penumbra/dims.hpp"
#include "penumbra/lattice_policy.hpp"
#include "penumbra/model_view.hpp"
#include "penumbra/status.hpp"
#include "penumbra/vector_policy.hpp"

#include <etl/crc32.h>
#include <etl/expected.h>
#include <etl/span.h>

namespace penumbra {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "images are read in place and are little-endian");

enum class PolicyKind : uint8_t { uniform, vectors, lattice };
enum class RewardKind : uint8_t { by_observation, by_action_and_state };

// The first bytes of an image, as they lie in flash.
struct ImageHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint32_t size;  // of the whole image, checksum included
  uint8_t states;
  uint8_t actions;
  uint8_t observations;
  Emission emission;
  PolicyKind policy;
  RewardKind reward;
  uint16_t parameter;     // vectors: how many; lattice: its resolution; uniform: 0
  uint32_t sequence;      // of two good images in flash the one ahead is newer; it wraps
  uint32_t episode;       // k
  uint32_t first_length;  // T_0, in ticks
  uint32_t seed;          // of the uniform policy's generator
  uint32_t reserved[3];   // zero
};
static_assert(sizeof(ImageHeader) == 48, "the header is 48 bytes on every compiler");

constexpr uint32_t image_magic = 0x1A424E50U;  // "PNB" and an end-of-file sign
constexpr uint16_t image_version = 1;

// A distribution's entries may miss 1 by this much altogether: what single precision leaves of a row that was normalised in double.
constexpr float row_sum_tolerance = 2e-6F;

// Where the parts of an image begin, in bytes from its start.
struct ImageLayout {
  uint32_t pairs_before;
  uint32_t prior;
  uint32_t transition;
  uint32_t observation;
  uint32_t reward;
  uint32_t table;       // vectors: the actions; lattice: the rank table
  uint32_t table_rows;  // vectors: the vectors; lattice: the packed actions
};

// The table's rows begin where its first part, padded to words, ends.
[[nodiscard]] constexpr ImageLayout layout_of(const ImageHeader& header) noexcept {
  const uint32_t S = header.states;
  const uint32_t A = header.actions;
  const uint32_t O = header.observations;
  const uint32_t word = sizeof(float);
  ImageLayout at{};
  at.pairs_before = sizeof(ImageHeader);
  at.prior = at.pairs_before + A * word;
  at.transition = at.prior + S * word;
  at.observation = at.transition + (A * S * S + static_cast<uint32_t>(transition_padding)) * word;
  at.reward = at.observation + A * O * S * word;
  at.table = at.reward + (header.reward == RewardKind::by_observation ? O : A * S) * word;
  switch (header.policy) {
    case PolicyKind::uniform: at.table_rows = at.table; break;
    case PolicyKind::vectors: at.table_rows = at.table + ((header.parameter + 3U) & ~3U); break;
    case PolicyKind::lattice: at.table_rows = at.table + (S - 1U) * (header.parameter + 1U) * word; break;
  }
  return at;
}

// Bytes from table_rows to the checksum. Vectors have vector_padding zeros behind them. Packed actions have one byte more, which may
// be read, and are padded to words.
[[nodiscard]] constexpr uint32_t table_rows_size(const ImageHeader& header, uint32_t lattice_points) noexcept {
  switch (header.policy) {
    case PolicyKind::uniform: return 0;
    case PolicyKind::vectors:
      return (header.parameter * static_cast<uint32_t>(q15_stride(header.states)) + static_cast<uint32_t>(vector_padding)) * 2U;
    case PolicyKind::lattice: return ((lattice_points * bits_for(header.actions) + 7U) / 8U + 1U + 3U) & ~3U;
  }
  return 0;
}

// Why an image is refused, and where.
struct ImageFault {
  Status status;
  uint32_t offset;
};

class PolicyImage {
 public:
  // Of nothing, until open() gives a real one.
  PolicyImage() = default;
  [[nodiscard]] bool is_open() const noexcept { return base_ != nullptr; }

  // Checks everything. `bytes` may go on behind the image, as a flash slot does, and has to outlive what is made of it.
  [[nodiscard]] static etl::expected<PolicyImage, ImageFault> open(etl::span<const uint8_t> bytes) noexcept;

  [[nodiscard]] const ImageHeader& header() const noexcept { return *at<ImageHeader>(0); }
  [[nodiscard]] RuntimeDims dims() const noexcept { return {header().states, header().actions, header().observations}; }

  [[nodiscard]] const uint32_t* pairs_before() const noexcept { return at<uint32_t>(layout().pairs_before); }  // N_k(a)
  [[nodiscard]] const float* reward() const noexcept { return at<float>(layout().reward); }

  template <class Dims>
  [[nodiscard]] ModelView<Dims> model(const Dims& dims) const noexcept {
    const ImageLayout part = layout();
    return {dims, header().emission, at<float>(part.transition), at<float>(part.observation), at<float>(part.prior)};
  }
  template <class Dims>
  [[nodiscard]] VectorPolicy<Dims> vectors() const noexcept {
    const ImageLayout part = layout();
    return {base_ + part.table, at<int16_t>(part.table_rows), header().parameter};
  }
  template <class Dims>
  [[nodiscard]] LatticePolicy<Dims> lattice() const noexcept {
    const ImageLayout part = layout();
    return {at<uint32_t>(part.table), base_ + part.table_rows, header().parameter, bits_for(header().actions)};
  }

 private:
  // Its agent hands an image from the background to the tick as the one word that it is.
  template <class Dims, template <class> class Recorder>
  friend class Agent;
  explicit PolicyImage(const uint8_t* base) noexcept : base_(base) {}

  [[nodiscard]] ImageLayout layout() const noexcept { return layout_of(header()); }

  template <class Part>
  [[nodiscard]] const Part* at(uint32_t offset) const noexcept {
    return static_cast<const Part*>(static_cast<const void*>(base_ + offset));  // NOLINT: aligned by the format, checked by open()
  }

  const uint8_t* base_ = nullptr;
};

}  // namespace penumbra

#include "penumbra/detail/image_check.hpp"

// Lattice policy: act by the action stored for the lattice point nearest to the belief. Actions are packed with the bits that they
// need: the entry of rank r starts at bit r * bits, the lowest bit first, and may reach into the next byte.
// Cost: S*(S-1)/2 compares, S-1 look-ups in the rank table, one in the action table.
#pragma once

#include "penumbra/lattice.hpp"

namespace penumbra {

// Bits an action needs in the packed table: 1 to 8.
[[nodiscard]] constexpr uint8_t bits_for(size_t actions) noexcept {
  uint8_t bits = 1;
  while (bits < 8U && (size_t{1} << bits) < actions) ++bits;
  return bits;
}

[[nodiscard]] inline uint8_t packed_action(const uint8_t* packed, uint32_t rank, uint8_t bits) noexcept {
  const uint32_t bit = rank * bits;
  const uint32_t two_bytes = packed[bit / 8U] | static_cast<uint32_t>(packed[bit / 8U + 1U]) << 8U;
  return static_cast<uint8_t>((two_bytes >> (bit % 8U)) & ((1U << bits) - 1U));
}

template <class Dims>
struct LatticePolicy {
  const uint32_t* binomials = nullptr;
  const uint8_t* packed = nullptr;  // one byte longer than the entries need, so that two can always be read
  uint16_t resolution = 0;
  uint8_t bits = 0;

  [[nodiscard]] Action choose(const Dims& dims, const Belief<Dims>& belief) const noexcept {
    PENUMBRA_ASSERT(packed != nullptr && binomials != nullptr);
    LatticePoint<Dims> point;
    nearest_lattice_point(dims, resolution, belief, point);
    return Action{packed_action(packed, lattice_rank(dims, resolution, binomials, point), bits)};
  }
};

}  // namespace penumbra

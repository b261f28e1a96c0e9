// The belief lattice: beliefs whose entries are multiples of 1/n, that is, all x in N^S with x_1 + … + x_S = n.
//
// Nearest point. Round n*b down, then add one where the fractions are largest until the sum is n (ties to the lowest state): no
// other lattice point is nearer in any p-norm. Fractions have 16 bits and products the 24 of a float, so the point may be farther
// than the nearest by 2^-16 / n + 2^-23.
//
// Rank. With m_k the sum of the last k coordinates,   rank(x) = sum_{k=1}^{S-1} C(m_k + k - 1, k)   numbers the points from 0 to
// C(n+S-1, S-1) - 1 without gaps. The binomials are a table of (S-1) rows of n+1 that travels with the policy.
#pragma once

#include "penumbra/detail/assert.hpp"
#include "penumbra/kernels.hpp"

namespace penumbra {

// Largest n whose product with a belief fits the 16.16 format.
constexpr uint16_t max_resolution = 32767;

// Largest lattice: its rank times eight bits stays within 32 bits, and no microcontroller has the flash for more.
constexpr uint32_t max_lattice_points = uint32_t{1} << 24U;

// Number of lattice points C(n+S-1, S-1), or 0 when there are more than an image may hold.
[[nodiscard]] constexpr uint32_t lattice_points(size_t states, uint16_t resolution) noexcept {
  uint64_t points = 1;
  for (size_t k = 1; k < states; ++k) {
    points = points * (resolution + k) / k;
    if (points > max_lattice_points) return 0;
  }
  return static_cast<uint32_t>(points);
}

template <class Dims>
using LatticePoint = StateVector<Dims, uint32_t>;

template <class Dims>
void nearest_lattice_point(const Dims& dims, uint16_t resolution, const Belief<Dims>& belief, LatticePoint<Dims>& point) noexcept {
  const size_t S = dims.states();
  const float scale = static_cast<float>(resolution) * 65536.0F;
  StateVector<Dims, uint32_t> fraction;
  StateVector<Dims, uint32_t> larger;  // how many fractions come before this one
  uint32_t missing = resolution;
  PENUMBRA_UNROLL
  for (size_t s = 0; s < S; ++s) {
    const auto scaled = static_cast<uint32_t>(static_cast<int32_t>(belief[s] * scale));
    fraction[s] = scaled & 0xFFFFU;
    point[s] = scaled >> 16U;
    missing -= point[s];
    larger[s] = 0;
  }
  PENUMBRA_ASSERT(missing <= S);  // else the belief does not sum to 1
  PENUMBRA_UNROLL
  for (size_t s = 0; s < S; ++s) {
    PENUMBRA_UNROLL
    for (size_t later = s + 1; later < S; ++later) {
      const auto behind = static_cast<uint32_t>(fraction[later] > fraction[s]);
      larger[s] += behind;
      larger[later] += 1U - behind;
    }
  }
  PENUMBRA_UNROLL
  for (size_t s = 0; s < S; ++s) point[s] += static_cast<uint32_t>(larger[s] < missing);
}

template <class Dims>
[[nodiscard]] uint32_t lattice_rank(const Dims& dims, uint16_t resolution, const uint32_t* binomials,
                                    const LatticePoint<Dims>& point) noexcept {
  const size_t S = dims.states();
  uint32_t rank = 0;
  uint32_t tail = 0;
  PENUMBRA_UNROLL
  for (size_t s = S - 1; s > 0; --s) {
    tail += point[s];
    rank += binomials[tail];
    binomials += size_t{resolution} + 1U;
  }
  return rank;
}

}  // namespace penumbra

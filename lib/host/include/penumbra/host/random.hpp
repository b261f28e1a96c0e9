// The one generator of the host half: PCG (128 bits of state, 64 of output). A seed and a stream number give the same numbers
// on every machine (exponential() to the last bit of its libm); streams of one seed are independent, so that the world's luck does not depend on what the policy draws.
#pragma once

#include <pcg_random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace penumbra::host {

// Who draws. A new user of randomness gets a new number, so that the old ones keep their sequences.
enum class Stream : std::uint64_t {
  world = 1,
  policy = 2,
  internal_model = 3,
  generate = 4,
  runs = 5,
  planning = 6,
  comparison = 7,
  particles = 9,
  line_in = 10,
  line_out = 11,
  hold_out = 12
};

// A seed of 64 bits for lib/core's generators, which take 32.
[[nodiscard]] constexpr std::uint32_t folded(std::uint64_t seed) noexcept { return static_cast<std::uint32_t>(seed ^ (seed >> 32U)); }

class Random {
 public:
  Random(std::uint64_t seed, Stream stream) : engine_(seed, static_cast<std::uint64_t>(stream)) {}

  // In [0, 1), all 53 bits of a double.
  [[nodiscard]] double uniform() noexcept { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

  // 64 bits: a seed of something else.
  [[nodiscard]] std::uint64_t bits() noexcept { return engine_(); }

  // 0 … n-1; n is at least 1. A product in place of pcg's bounded rand, which divides.
  [[nodiscard]] size_t below(size_t n) noexcept { return static_cast<size_t>(uniform() * static_cast<double>(n)); }

  // Mean 1.
  [[nodiscard]] double exponential() noexcept { return -std::log1p(-uniform()); }

 private:
  pcg64 engine_;
};

}  // namespace penumbra::host

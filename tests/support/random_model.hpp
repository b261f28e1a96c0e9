// Random models for the tests, the same on every platform: a seeded generator, integers until the last division, rows that sum to 1
// within rounding. Every entry is positive unless a test asks for zeros.
#pragma once

#include "penumbra/image_builder.hpp"

#include <etl/random.h>

namespace penumbra::test {

class Random {
 public:
  explicit Random(uint32_t seed) noexcept : generator_(seed) {
    for (int i = 0; i < 4; ++i) static_cast<void>(generator_());
  }

  uint32_t bits() noexcept { return generator_(); }
  uint32_t below(uint32_t end) noexcept { return static_cast<uint32_t>((uint64_t{generator_()} * end) >> 32U); }
  float unit() noexcept { return static_cast<float>(generator_() >> 8U) * 0x1p-24F; }  // [0, 1)

 private:
  etl::random_pcg generator_;
};

// A distribution over `count` outcomes. `peak` gives one of them that many times the weight of the others. The weights are drawn
// twice from the same place of the sequence: once for their sum.
inline void random_row(Random& random, float* row, size_t count, uint32_t peak = 1) noexcept {
  const size_t favourite = random.below(static_cast<uint32_t>(count));
  const auto weight = [=](Random& from, size_t i) { return (1U + from.below(1000)) * (i == favourite ? peak : 1U); };
  Random ahead = random;
  uint32_t total = 0;
  for (size_t i = 0; i < count; ++i) total += weight(ahead, i);
  for (size_t i = 0; i < count; ++i) row[i] = static_cast<float>(weight(random, i)) / static_cast<float>(total);
}

// A model in the order of the model file.
template <class Dims>
struct RandomModel {
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  float transition[A * S * S];
  float observation[A * S * O];
  float reward[O];
  float prior[S];

  explicit RandomModel(uint32_t seed) noexcept {
    Random random(seed);
    for (size_t row = 0; row < A * S; ++row) random_row(random, transition + row * S, S);
    for (size_t row = 0; row < A * S; ++row) random_row(random, observation + row * O, O, 10);
    for (float& r : reward) r = random.unit();
    random_row(random, prior, S);
  }

  [[nodiscard]] ImageSource<float> source() const noexcept {
    ImageSource<float> source{{static_cast<uint8_t>(S), static_cast<uint8_t>(A), static_cast<uint8_t>(O)}};
    source.transition = transition;
    source.observation = observation;
    source.reward = reward;
    source.prior = prior;
    return source;
  }
};

// Room for an image, aligned as flash is.
template <size_t Size>
struct alignas(4) ImageBuffer {
  uint8_t bytes[Size];
  [[nodiscard]] etl::span<uint8_t> room() noexcept { return {bytes, Size}; }
  [[nodiscard]] etl::span<const uint8_t> view() const noexcept { return {bytes, Size}; }
};

}  // namespace penumbra::test

// What an image does under ten thousand beliefs, folded into a few numbers that are the same on every platform. Beliefs are multiples of
// 2^-18 made of integers, so that their bits are too. There are four sorts, in turn: anywhere; sparse, down to certainty; coarse, which
// lattices and vectors tie on; and those next to a border of the policy, found by halving the way between two beliefs that it treats
// differently, where the last bit of a product decides.
#pragma once

#include "penumbra/policy.hpp"
#include "random_model.hpp"

#include <etl/crc32.h>

namespace penumbra::test {

class IntegerBelief {
 public:
  static constexpr size_t max_states = 32;
  static constexpr uint32_t one = uint32_t{1} << 18U;

  // `grain` is what every entry is a multiple of, a power of two; about one state in `kept_one_in` has mass.
  static IntegerBelief draw(Random& random, size_t states, uint32_t grain, uint32_t kept_one_in) noexcept {
    IntegerBelief belief;
    const size_t sure = random.below(static_cast<uint32_t>(states));
    uint32_t total = 0;
    for (size_t s = 0; s < states; ++s) {
      const bool kept = random.below(kept_one_in) == 0 || s == sure;
      const uint32_t weight = 1U + ((random.below(1U << 14U) * random.below(1U << 14U)) >> 15U);  // up to 2^13: times one it fits
      belief.entry_[s] = kept ? weight : 0;
      total += belief.entry_[s];
    }
    uint32_t left = one;
    for (size_t s = 0; s < states; ++s) {
      belief.entry_[s] = belief.entry_[s] * one / total / grain * grain;
      left -= belief.entry_[s];
    }
    belief.entry_[sure] += left;
    return belief;
  }

  // Half way; where a half is left over, every other state gets it.
  static IntegerBelief between(const IntegerBelief& a, const IntegerBelief& b, size_t states) noexcept {
    IntegerBelief belief;
    uint32_t odd = 0;
    for (size_t s = 0; s < states; ++s) {
      const uint32_t sum = a.entry_[s] + b.entry_[s];
      belief.entry_[s] = sum / 2U + (sum % 2U != 0U && odd++ % 2U == 0U ? 1U : 0U);
    }
    return belief;
  }

  template <class Dims>
  void to(const Dims& dims, Belief<Dims>& belief) const noexcept {
    for (size_t s = 0; s < dims.states(); ++s) belief[s] = static_cast<float>(entry_[s]) * (1.0F / static_cast<float>(one));
  }

 private:
  uint32_t entry_[max_states];
};

struct Choices {
  static constexpr uint32_t beliefs = 10000;
  static constexpr uint32_t block = 1000;

  uint32_t digest = 0;                    // of all beliefs and what is done under them
  uint32_t blocks[beliefs / block] = {};  // of each thousand
  uint16_t count[max_size] = {};          // by action
  uint32_t others = 0;                    // beliefs under which `Fixed` does something else than RuntimeDims
};

// `Fixed` are sizes known to the compiler, which are compared where they are the image's.
template <class Fixed>
class ChoicesOf {
 public:
  // The image has at most IntegerBelief::max_states states, and a table.
  explicit ChoicesOf(const PolicyImage& image) noexcept : dims_(image.dims()), policy_(dims_, 0), fixed_(Fixed{}, 0) {
    compare_ = same_sizes(dims_, Fixed{});
    policy_.use(image);
    if (compare_) fixed_.use(image);
    etl::crc32 all;
    for (uint32_t i = 0; i < Choices::beliefs; i += Choices::block) {
      etl::crc32 block;
      for (uint32_t j = i; j < i + Choices::block; ++j) add(j, all, block);
      result_.blocks[i / Choices::block] = block.value();
    }
    result_.digest = all.value();
  }

  [[nodiscard]] const Choices& result() const noexcept { return result_; }

 private:
  void add(uint32_t number, etl::crc32& all, etl::crc32& block) noexcept {
    const IntegerBelief belief = make(number);
    const auto action = static_cast<uint8_t>(choose(belief));
    const auto* bytes = static_cast<const uint8_t*>(static_cast<const void*>(belief_.data()));
    for (etl::crc32* crc : {&all, &block}) {
      crc->add(bytes, bytes + dims_.states() * sizeof(float));
      crc->add(action);
    }
    ++result_.count[action];
    if (!compare_) return;
    Belief<Fixed> same;
    belief.to(Fixed{}, same);
    if (static_cast<uint8_t>(fixed_.choose(same)) != action) ++result_.others;
  }

  Action choose(const IntegerBelief& belief) noexcept {
    belief.to(dims_, belief_);
    return policy_.choose(belief_);
  }

  // Each has a generator of its own: what one is does not depend on those before it.
  IntegerBelief make(uint32_t number) noexcept {
    Random random(number);
    const size_t S = dims_.states();
    switch (number % 4U) {
      case 1: return IntegerBelief::draw(random, S, 1, 2U + number / 4U % 8U);
      case 2: return IntegerBelief::draw(random, S, IntegerBelief::one >> (2U + number / 4U % 6U), 1U + number / 32U % 2U);
      case 3: return next_to_a_border(random, S);
      default: return IntegerBelief::draw(random, S, 1, 1);
    }
  }

  IntegerBelief next_to_a_border(Random& random, size_t S) noexcept {
    IntegerBelief here = IntegerBelief::draw(random, S, 1, 2);
    IntegerBelief there = IntegerBelief::draw(random, S, 1, 2);
    const Action action = choose(here);
    if (choose(there) == action) return here;
    for (int halving = 0; halving < 18; ++halving) {
      const IntegerBelief middle = IntegerBelief::between(here, there, S);
      (choose(middle) == action ? here : there) = middle;
    }
    return random.below(2) == 0 ? here : there;
  }

  RuntimeDims dims_;
  Policy<RuntimeDims> policy_;
  Policy<Fixed> fixed_;
  Belief<RuntimeDims> belief_{};
  bool compare_ = false;
  Choices result_;
};

}  // namespace penumbra::test

// Episode rule: when the agent has seen enough to plan anew (paper, Algorithm 2, line 18). An episode k goes on
//
//   while t < T_0 or n_k(a) < N_k(a),   a = pi_k(b_t) the action chosen next
//
// where t counts the actions executed since the beginning, n_k(a) the pairs of this episode whose first action is a, and N_k(a) those
// of all episodes before. Episodes end at T_0 or later, so t < T_0 holds in episode 0 only; a board that restarts in a later
// episode counts t from 0 again and must not wait for T_0 a second time, hence the test on k.
// The end is a flag: the agent goes on acting under its policy until the next image comes, and the pairs it gathers count too.
#pragma once

#include "penumbra/dims.hpp"

#include <etl/array.h>

namespace penumbra {

template <class Dims>
class Episode {
 public:
  explicit Episode(const Dims& dims) noexcept : dims_(dims) {}

  // Episode `k` begins. `pairs_before` points at N_k(a) for each action and outlives the episode. Before the first start() no episode
  // ends: T_0 is not known yet.
  void start(uint32_t k, uint32_t first_length, const uint32_t* pairs_before) noexcept {
    k_ = k;
    first_length_ = k == 0U ? first_length : 0U;
    pairs_before_ = pairs_before;
    ended_ = false;
    for (size_t a = 0; a < dims_.actions(); ++a) pairs_[a] = 0;
  }

  // A step was recorded: when it completed a pair, that pair began with `first`. Then t = t + 1. N_k(a) is below 2^32, so the end is
  // raised before n_k(a) can wrap, and it stays raised. t wraps after 2^32 ticks; only T_0 asks for it, and T_0 is below that.
  void executed(bool paired, Action first) noexcept {
    pairs_[index(first)] += static_cast<uint32_t>(paired);
    ++executed_;
  }

  // The policy chose `next`: does the episode end before it? Algorithm 2 executes the first action of an episode without asking.
  void chose(Action next) noexcept {
    const bool first_goes_on = executed_ < first_length_;
    ended_ |= !(first_goes_on | (pairs_[index(next)] < pairs_before_[index(next)]));
  }

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] uint32_t k() const noexcept { return k_; }
  [[nodiscard]] uint32_t pairs(Action first) const noexcept { return pairs_[index(first)]; }  // n_k(a)
  [[nodiscard]] uint32_t executed() const noexcept { return executed_; }                      // t

 private:
  // What is not known yet is out of reach: neither t < T_0 nor n(a) < N(a) ever fails against it.
  static constexpr etl::array<uint32_t, Dims::max_actions> out_of_reach() noexcept {
    etl::array<uint32_t, Dims::max_actions> counts{};
    for (uint32_t& count : counts) count = UINT32_MAX;
    return counts;
  }
  static constexpr etl::array<uint32_t, Dims::max_actions> unknown = out_of_reach();

  Dims dims_;
  bool ended_ = false;
  uint32_t k_ = 0;
  uint32_t executed_ = 0;
  uint32_t first_length_ = UINT32_MAX;
  etl::array<uint32_t, Dims::max_actions> pairs_{};
  const uint32_t* pairs_before_ = unknown.data();
};

}  // namespace penumbra

// Tally: any recorder, with the number of pairs and of full cells beside it. The host compares its own sum with the number of pairs.
#pragma once

#include "penumbra/link/detail/word.hpp"
#include "penumbra/pair_counts.hpp"

namespace penumbra::link {

template <class Recorder>
class Tally : public Recorder {
 public:
  using Recorder::Recorder;
  Tally() = default;
  explicit Tally(const Recorder& recorder) noexcept : Recorder(recorder) {}

  Recorded record(Action action, Observation observation) noexcept {
    const Recorded recorded = Recorder::record(action, observation);
    const bool full = recorded.status == Status::count_saturated;
    pairs_.add(static_cast<uint32_t>(recorded.counted && !full));
    saturations_.add(static_cast<uint32_t>(full));
    return recorded;
  }

  [[nodiscard]] uint32_t pairs() const noexcept { return pairs_.load(); }  // wraps
  [[nodiscard]] uint32_t saturations() const noexcept { return saturations_.load(); }

 private:
  detail::Word pairs_;
  detail::Word saturations_;
};

}  // namespace penumbra::link

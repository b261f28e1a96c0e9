// How often each triple of consecutive steps came: (action, state) before, now and after. All that the moments of the spectral estimate
// are made of, so that an estimate costs the same after any number of steps.
//
// The states are hidden ones: only learners whose source lets them see so much can keep these counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace penumbra::host {

class Triples {
 public:
  struct Step {
    std::size_t action;
    std::size_t state;
  };

  Triples(std::size_t states, std::size_t actions) : states_(states), steps_(actions * states), samples_(actions, 0.0) {}

  // The next step of the run; from the third on each completes a triple.
  void add(Step step);
  // The next step does not follow the last one, or is not to be counted with it.
  void break_off() noexcept { known_ = 0; }
  // Forgets all.
  void clear();

  // The same for a triple that is known as a whole, or to be taken so many times: also probabilities do.
  void add(Step before, Step now, Step after, double times);

  // Triples with this action in the middle.
  [[nodiscard]] double samples(std::size_t action) const noexcept { return samples_[action]; }

  // Calls visit(index of before, state now, index of after, times) for those with this action in the middle, in order, and those that agree
  // in the first two arguments in a row. The index of a step is action · S + state.
  template <class Visit>
  void for_each(std::size_t action, Visit visit) const {
    const std::uint64_t width = states_ * steps_ * steps_;
    for (auto entry = times_.lower_bound(action * width); entry != times_.end() && entry->first < (action + 1) * width; ++entry) {
      const std::uint64_t key = entry->first % width;
      visit(static_cast<std::size_t>(key / steps_ % steps_), static_cast<std::size_t>(key / steps_ / steps_),
            static_cast<std::size_t>(key % steps_), entry->second);
    }
  }

 private:
  std::size_t states_;
  std::size_t steps_;                      // how many there are to tell apart
  std::map<std::uint64_t, double> times_;  // by ((now · A S) + before) · A S + after; of what came alone: A³ S³ can be too many
  std::vector<double> samples_;
  Step last_[2] = {};  // the one before the last, and the last
  int known_ = 0;      // of those
};

}  // namespace penumbra::host

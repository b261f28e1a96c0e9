// Counting.
#include "triples.hpp"

#include <algorithm>

namespace penumbra::host {

void Triples::add(Step step) {
  if (known_ == 2) {
    add(last_[0], last_[1], step, 1);
  } else {
    ++known_;
  }
  last_[0] = last_[1];
  last_[1] = step;
}

void Triples::add(Step before, Step now, Step after, double times) {
  const auto index = [this](Step step) { return static_cast<std::uint64_t>(step.action * states_ + step.state); };
  times_[(index(now) * steps_ + index(before)) * steps_ + index(after)] += times;
  samples_[now.action] += times;
}

void Triples::clear() {
  times_.clear();
  std::fill(samples_.begin(), samples_.end(), 0.0);
  break_off();
}

}  // namespace penumbra::host

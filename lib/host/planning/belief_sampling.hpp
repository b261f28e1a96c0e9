// Which beliefs to plan at: of those that a policy visits, the ones farthest from all that are there already.
#pragma once

#include "workshop.hpp"

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host::vector_planning {

// Beliefs, one after another.
struct Beliefs {
  explicit Beliefs(size_t state_count) : states(state_count) {}
  size_t states;
  std::vector<double> numbers;

  [[nodiscard]] size_t size() const noexcept { return numbers.size() / states; }
  [[nodiscard]] const double* operator[](size_t i) const noexcept { return numbers.data() + i * states; }
  void add(const double* belief) { numbers.insert(numbers.end(), belief, belief + states); }
  void add(const Beliefs& more) { numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end()); }
};

struct Visit {
  size_t chains = 1;
  size_t steps = 100;  // of each chain
  size_t every = 1;    // one belief in so many steps
  double explore = 0;
};
// The beliefs that chains visit, those of the first chain first.
[[nodiscard]] Beliefs visited(const Workshop& workshop, const ValueVectors& policy, const Visit& visit, std::uint64_t seed);

// Adds to `beliefs`, one by one, the belief of `pool` that is farthest in L1 from all of them, until there are `wanted` or what is left
// is as good as there. `beliefs` is not empty.
void add_farthest(Beliefs& beliefs, const Beliefs& pool, size_t wanted);

}  // namespace penumbra::host::vector_planning

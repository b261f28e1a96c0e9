// Pruning by action loss. Each belief remembers its winner and its runner-up, so that a removal looks again only where it matters.
#include "pruning.hpp"

#include "vector_set.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>

namespace penumbra::host::vector_planning {

void judge(const Workshop& workshop, const VectorLookahead& ahead, const Beliefs& more, JudgedBeliefs& judged) {
  const size_t A = workshop.joint.actions();
  const size_t before = judged.beliefs.size();
  judged.beliefs.add(more);
  judged.action_values.resize(judged.beliefs.size() * A);
  constexpr size_t together = 16;
  detail::in_parallel((more.size() + together - 1) / together, workshop.threads, [&](size_t piece) {
    VectorLookahead::Scratch scratch(workshop.joint);
    for (size_t i = piece * together; i < std::min(more.size(), (piece + 1) * together); ++i) {
      for (size_t a = 0; a < A; ++a) judged.action_values[(before + i) * A + a] = ahead.action_value(more[i], a, scratch);
    }
  });
}

namespace {

class Pruner {
 public:
  Pruner(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions)
      : vectors_(vectors),
        judged_(judged),
        actions_(actions),
        count_(vectors.actions.size()),
        width_(padded(count_)),
        alive_(count_, true) {
    const size_t S = judged.beliefs.states;
    const VectorSet set(vectors, S);
    SparseWeights weights(S);
    products_.resize(judged.beliefs.size() * width_);
    places_.resize(judged.beliefs.size());
    for (size_t i = 0; i < judged.beliefs.size(); ++i) {
      weights.take(judged.beliefs[i], S);
      column_products(set.rows(), width_, weights, products_.data() + i * width_);
      rank(i);
    }
  }

  void remove_cheapest() {
    std::vector<double> cost(count_, 0.0);
    for (size_t i = 0; i < places_.size(); ++i) {
      cost[places_[i].winner] += value_of(i, places_[i].winner) - value_of(i, places_[i].runner_up);
    }
    size_t cheapest = count_;
    for (size_t k = 0; k < count_; ++k) {
      if (alive_[k] && (cheapest == count_ || cost[k] <= cost[cheapest])) cheapest = k;  // of equal ones the last
    }
    alive_[cheapest] = false;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].winner == cheapest || places_[i].runner_up == cheapest) rank(i);
    }
  }

  [[nodiscard]] ValueVectors rest() const {
    const size_t S = judged_.beliefs.states;
    ValueVectors left;
    for (size_t k = 0; k < count_; ++k) {
      if (alive_[k]) append(left, vectors_, k, S);
    }
    return left;
  }

 private:
  struct Place {
    size_t winner = 0;
    size_t runner_up = 0;
  };

  [[nodiscard]] double value_of(size_t belief, size_t k) const noexcept {
    return judged_.action_values[belief * actions_ + vectors_.actions[k]];
  }

  void rank(size_t belief) {
    const double* products = products_.data() + belief * width_;
    size_t first = count_;
    size_t second = count_;
    for (size_t k = 0; k < count_; ++k) {
      if (!alive_[k]) continue;
      if (first == count_ || products[k] > products[first]) {
        second = first;
        first = k;
      } else if (second == count_ || products[k] > products[second]) {
        second = k;
      }
    }
    places_[belief] = {first, second == count_ ? first : second};
  }

  const ValueVectors& vectors_;
  const JudgedBeliefs& judged_;
  size_t actions_;
  size_t count_;
  size_t width_;
  std::vector<bool> alive_;
  std::vector<double> products_;  // [belief][vector]
  std::vector<Place> places_;     // [belief]
};

}  // namespace

std::vector<size_t> wins(const ValueVectors& vectors, const Beliefs& beliefs) {
  const VectorSet set(vectors, beliefs.states);
  SparseWeights weights(beliefs.states);
  std::vector<size_t> count(vectors.actions.size(), 0);
  for (size_t i = 0; i < beliefs.size(); ++i) {
    weights.take(beliefs[i], beliefs.states);
    ++count[set.best(weights).vector];
  }
  return count;
}

ValueVectors winners(const ValueVectors& vectors, const Beliefs& beliefs) {
  const std::vector<size_t> count = wins(vectors, beliefs);
  ValueVectors left;
  for (size_t k = 0; k < count.size(); ++k) {
    if (count[k] > 0) append(left, vectors, k, beliefs.states);
  }
  return left;
}

ValueVectors prune(const ValueVectors& vectors, const JudgedBeliefs& judged, size_t actions, size_t most) {
  if (vectors.actions.size() <= most) return vectors;
  Pruner pruner(vectors, judged, actions);
  for (size_t left = vectors.actions.size(); left > most; --left) pruner.remove_cheapest();
  return pruner.rest();
}

}  // namespace penumbra::host::vector_planning

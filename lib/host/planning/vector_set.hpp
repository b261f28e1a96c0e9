// Value vectors laid out for products with beliefs: the numbers of one state side by side, so that all vectors advance together and
// states that a belief excludes cost nothing.
#pragma once

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <vector>

namespace penumbra::host::vector_planning {

[[nodiscard]] inline double dot(const double* one, const double* other, size_t size) noexcept {
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += one[i] * other[i];
  return sum;
}

// Nothing looks at pairs of more than these: they can come from outside, and be very many.
constexpr size_t manageable_vectors = 4096;

// Appends vector `k` of `from`.
inline void append(ValueVectors& to, const ValueVectors& from, size_t k, size_t states) {
  const double* values = from.values.data() + k * states;
  to.actions.push_back(from.actions[k]);
  to.values.insert(to.values.end(), values, values + states);
}

// The part of a belief (or of what an observation leaves of it) that matters: states below `negligible` are left out.
class SparseWeights {
 public:
  explicit SparseWeights(size_t states) : state_(states), weight_(states) {}

  void take(const double* weights, size_t states) noexcept {
    size_t count = 0;
    for (size_t s = 0; s < states; ++s) count = add(count, s, weights[s]);
    count_ = count;
  }
  void take_product(const double* weights, const double* likelihood, size_t states) noexcept {
    size_t count = 0;
    for (size_t s = 0; s < states; ++s) count = add(count, s, weights[s] * likelihood[s]);
    count_ = count;
  }
  [[nodiscard]] size_t count() const noexcept { return count_; }
  [[nodiscard]] const size_t* states() const noexcept { return state_.data(); }
  [[nodiscard]] const double* weights() const noexcept { return weight_.data(); }

 private:
  static constexpr double negligible = 1e-9;
  // Without a branch: which states remain is hard to guess.
  size_t add(size_t at, size_t s, double weight) noexcept {
    state_[at] = s;
    weight_[at] = weight;
    return at + static_cast<size_t>(weight > negligible);
  }

  size_t count_ = 0;
  std::vector<size_t> state_;
  std::vector<double> weight_;
};

// Vectors advance this many at a time.
constexpr size_t lanes = 8;
[[nodiscard]] constexpr size_t padded(size_t vectors) noexcept { return (vectors + lanes - 1) / lanes * lanes; }

struct Winner {
  size_t vector = 0;
  double value = 0;
};

// Of rows [state][width], the column with the largest product with the weights, the first such. `width` is a multiple of lanes.
[[nodiscard]] Winner best_column(const double* rows, size_t width, const SparseWeights& weights) noexcept;
// All products.
void column_products(const double* rows, size_t width, const SparseWeights& weights, double* products) noexcept;

class VectorSet {
 public:
  // Of one vector at least.
  VectorSet(const ValueVectors& vectors, size_t states);

  [[nodiscard]] size_t size() const noexcept { return actions_.size(); }
  [[nodiscard]] size_t width() const noexcept { return width_; }  // columns behind the last are copies of the first, and never win
  [[nodiscard]] size_t action(size_t k) const noexcept { return actions_[k]; }
  [[nodiscard]] const double* rows() const noexcept { return rows_.data(); }
  [[nodiscard]] Winner best(const SparseWeights& weights) const noexcept { return best_column(rows(), width_, weights); }

 private:
  std::vector<size_t> actions_;
  size_t width_;
  std::vector<double> rows_;  // [state][width]
};

}  // namespace penumbra::host::vector_planning

// The inner loops of planning. Each column is summed in the order of states whatever the processor does side by side: the same bits
// everywhere.
#include "vector_set.hpp"

#include "penumbra/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace penumbra::host::vector_planning {

namespace {

// Two doubles, which compilers keep in one register.
using Pair = double __attribute__((vector_size(16)));

inline Pair load(const double* from) noexcept {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

// The products of 2 * pairs columns. The loops over pairs are unrolled, or the sums would go through memory.
template <size_t pairs>
inline void block_products(const double* rows, size_t width, const SparseWeights& weights, double* products) noexcept {
  std::array<Pair, pairs> sums{};
  const size_t count = weights.count();
  const size_t* states = weights.states();
  const double* numbers = weights.weights();
  for (size_t i = 0; i < count; ++i) {
    const Pair weight = {numbers[i], numbers[i]};
    const double* row = rows + states[i] * width;
    PENUMBRA_UNROLL
    for (size_t k = 0; k < pairs; ++k) sums[k] += weight * load(row + 2 * k);
  }
  PENUMBRA_UNROLL
  for (size_t k = 0; k < pairs; ++k) std::memcpy(products + 2 * k, &sums[k], sizeof(Pair));
}

// Of a multiple of four numbers. Four chains of comparisons, which do not wait for each other.
inline double largest(const double* numbers, size_t count) noexcept {
  double top0 = numbers[0];
  double top1 = numbers[1];
  double top2 = numbers[2];
  double top3 = numbers[3];
  for (size_t k = 4; k < count; k += 4) {
    top0 = std::max(top0, numbers[k]);
    top1 = std::max(top1, numbers[k + 1]);
    top2 = std::max(top2, numbers[k + 2]);
    top3 = std::max(top3, numbers[k + 3]);
  }
  return std::max(std::max(top0, top1), std::max(top2, top3));
}

// use(first column, how many, their products) for blocks of columns, wide ones first.
template <class Use>
inline void for_blocks(const double* rows, size_t width, const SparseWeights& weights, Use use) noexcept {
  std::array<double, 2 * lanes> products;  // NOLINT: filled before it is read
  size_t first = 0;
  for (; first + 2 * lanes <= width; first += 2 * lanes) {
    block_products<lanes>(rows + first, width, weights, products.data());
    use(first, 2 * lanes, products.data());
  }
  if (first == width) return;
  block_products<lanes / 2>(rows + first, width, weights, products.data());
  use(first, lanes, products.data());
}

}  // namespace

Winner best_column(const double* rows, size_t width, const SparseWeights& weights) noexcept {
  Winner winner;
  for_blocks(rows, width, weights, [&winner](size_t first, size_t count, const double* products) {
    const double top = largest(products, count);
    if (first != 0 && top <= winner.value) return;
    winner.value = top;
    winner.vector = first + static_cast<size_t>(std::find(products, products + count, top) - products);
  });
  return winner;
}

void column_products(const double* rows, size_t width, const SparseWeights& weights, double* products) noexcept {
  for_blocks(rows, width, weights,
             [products](size_t first, size_t count, const double* block) { std::copy(block, block + count, products + first); });
}

VectorSet::VectorSet(const ValueVectors& vectors, size_t states)
    : actions_(vectors.actions), width_(padded(vectors.actions.size())), rows_(states * width_) {
  for (size_t k = 0; k < width_; ++k) {
    const double* values = vectors.values.data() + (k < size() ? k : 0) * states;
    for (size_t s = 0; s < states; ++s) rows_[s * width_ + k] = values[s];
  }
}

}  // namespace penumbra::host::vector_planning

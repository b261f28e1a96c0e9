// The inner loop of planning.
#include "lattice_sweeps.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace penumbra::host {

namespace {

constexpr double damping = 0.9;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The value of one row: what an action earns and leads to.
double value_of(const LatticeBlock& block, std::size_t row, const double* bias) {
  const std::uint32_t* point = block.point.data() + block.start[row];
  const std::uint32_t* end = block.point.data() + block.start[row + 1];
  const double* probability = block.probability.data() + block.start[row];
  double even = block.reward[row];  // two sums do not wait for each other
  double odd = 0;
  for (; point + 2 <= end; point += 2, probability += 2) {
    even += probability[0] * bias[point[0]];
    odd += probability[1] * bias[point[1]];
  }
  if (point < end) even += probability[0] * bias[point[0]];
  return even + odd;
}

}  // namespace

LatticeSweeps::Range LatticeSweeps::look_ahead() {
  const std::size_t blocks = structures_.front().blocks().size();
  std::vector<Range> ranges(blocks, {infinity, -infinity});
  detail::in_parallel(blocks, threads_, [&](std::size_t block) { look_ahead(block, ranges[block]); });
  Range all = ranges.front();
  for (const Range& range : ranges) all = {std::min(all.smallest, range.smallest), std::max(all.largest, range.largest)};
  return all;
}

void LatticeSweeps::mix(double min_action, std::vector<std::size_t> real) {
  min_action_ = min_action;
  real_ = std::move(real);
}

double LatticeSweeps::best_at(std::size_t number, std::size_t i) const {
  double best = -infinity;
  for (const LatticeStructure& structure : structures_) {
    const LatticeBlock& block = structure.blocks()[number];
    const std::uint32_t end = block.first_row[i + 1];
    for (std::uint32_t row = block.first_row[i]; row < end; ++row) best = std::max(best, value_of(block, row, bias_.data()));
  }
  return best;
}

double LatticeSweeps::mixture_at(std::size_t number, std::size_t i, std::vector<double>& best) const {
  best.assign(real_.back() + 1, -infinity);
  for (const LatticeStructure& structure : structures_) {
    const LatticeBlock& block = structure.blocks()[number];
    for (std::uint32_t row = block.first_row[i]; row < block.first_row[i + 1]; ++row) {
      double& of_action = best[real_[block.action[row]]];
      of_action = std::max(of_action, value_of(block, row, bias_.data()));
    }
  }
  const double sum = std::accumulate(best.begin(), best.end(), 0.0);
  return (1 - static_cast<double>(best.size()) * min_action_) * *std::max_element(best.begin(), best.end()) + min_action_ * sum;
}

void LatticeSweeps::look_ahead(std::size_t number, Range& range) {
  const std::uint32_t first = structures_.front().blocks()[number].first_point;
  const std::uint32_t points = structures_.front().blocks()[number].points;
  std::vector<double> by_action;
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t point = first + i;
    const double step = (real_.empty() ? best_at(number, i) : mixture_at(number, i, by_action)) - bias_[point];
    step_[point] = step;
    if (!counted_.empty() && counted_[point] == 0) continue;
    range.smallest = std::min(range.smallest, step);
    range.largest = std::max(range.largest, step);
  }
}

void LatticeSweeps::move(std::uint32_t reference) noexcept {
  const double base = step_[reference];
  for (std::size_t i = 0; i < bias_.size(); ++i) bias_[i] += damping * (step_[i] - base);
}

double LatticeSweeps::bias_span() const {
  Range range{infinity, -infinity};
  for (std::size_t i = 0; i < bias_.size(); ++i) {
    if (counted_.empty() || counted_[i] != 0) range = {std::min(range.smallest, bias_[i]), std::max(range.largest, bias_[i])};
  }
  return range.span();
}

void LatticeSweeps::values(std::size_t actions, std::vector<double>& values) const {
  values.assign(bias_.size() * actions, -infinity);
  for (const LatticeStructure& structure : structures_) {
    detail::in_parallel(structure.blocks().size(), threads_, [&](std::size_t number) {
      const LatticeBlock& block = structure.blocks()[number];
      for (std::size_t i = 0; i < block.points; ++i) {
        double* at = values.data() + (block.first_point + i) * actions;
        for (std::uint32_t row = block.first_row[i]; row < block.first_row[i + 1]; ++row) {
          at[block.action[row]] = value_of(block, row, bias_.data());
        }
      }
    });
  }
}

}  // namespace penumbra::host

// Ranks, cells and weights.
#include "belief_lattice.hpp"

#include "penumbra/lattice.hpp"

#include <algorithm>
#include <numeric>

namespace penumbra::host {

namespace {

// Tails this near to a whole number are one: what rounding leaves of a belief that is a lattice point.
constexpr double whole = 1e-12;

}  // namespace

BeliefLattice::BeliefLattice(std::size_t states, std::uint32_t resolution)
    : states_(states),
      resolution_(resolution),
      points_(lattice_points(states, static_cast<std::uint16_t>(resolution))),
      binomials_((states - 1) * (resolution + 2U)) {
  for (std::size_t k = 1; k < states; ++k) {
    std::uint32_t* row = binomials_.data() + (k - 1) * (resolution + 2U);
    row[0] = 0;
    for (std::uint32_t m = 1; m <= resolution + 1U; ++m) row[m] = row[m - 1] + (k == 1 ? 1U : binomials(k - 1)[m]);
  }
}

std::size_t BeliefLattice::locate(const double* tails, Scratch& scratch) const noexcept {
  auto* fractions = scratch.fractions.data();
  std::size_t count = 0;
  std::uint32_t rank = 0;
  const std::uint32_t* row = binomials_.data();
  for (std::size_t k = 1; k < states_; ++k, row += resolution_ + 2U) {
    const double tail = std::min(std::max(tails[k - 1], 0.0), static_cast<double>(resolution_));
    auto m = static_cast<std::uint32_t>(tail + whole);
    const double fraction = tail - static_cast<double>(m);
    rank += row[m];
    if (fraction <= whole) continue;
    // Falling fractions; of equal ones the longer tail first, so that every vertex is a point.
    std::size_t at = count++;
    for (; at > 0 && fractions[at - 1].value <= fraction; --at) fractions[at] = fractions[at - 1];
    fractions[at] = {fraction, row[m + 1] - row[m]};
  }
  Vertex* vertices = scratch.vertices.data();
  std::size_t found = 0;
  double before = 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = before - fractions[i].value;
    if (weight > 0) vertices[found++] = {rank, weight};
    rank += fractions[i].step;
    before = fractions[i].value;
  }
  vertices[found++] = {rank, before};
  return found;
}

std::uint32_t BeliefLattice::nearest(const double* tails) const {
  std::vector<std::uint32_t> point(states_);
  std::vector<double> fraction(states_);
  std::uint32_t missing = resolution_;
  for (std::size_t s = 0; s < states_; ++s) {  // state s is the difference of the tails of S-s and S-s-1
    const double longer = s == 0 ? static_cast<double>(resolution_) : tails[states_ - s - 1];
    const double shorter = s + 1 == states_ ? 0.0 : tails[states_ - s - 2];
    const double scaled = std::max(longer - shorter, 0.0);
    point[s] = std::min(static_cast<std::uint32_t>(scaled + whole), missing);
    fraction[s] = scaled - static_cast<double>(point[s]);
    missing -= point[s];
  }
  std::vector<std::size_t> order(states_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return fraction[a] > fraction[b]; });
  for (std::size_t i = 0; missing > 0; ++i, --missing) ++point[order[i]];
  std::uint32_t rank = 0;
  std::uint32_t tail = 0;
  for (std::size_t k = 1; k < states_; ++k) {
    tail += point[states_ - k];
    rank += binomials(k)[tail];
  }
  return rank;
}

void BeliefLattice::tails_of(const double* belief, double* tails) const noexcept {
  double sum = 0;
  for (std::size_t k = 1; k < states_; ++k) {
    sum += belief[states_ - k];
    tails[k - 1] = sum * static_cast<double>(resolution_);
  }
}

void BeliefLattice::unrank(std::uint32_t rank, std::uint32_t* point) const noexcept {
  std::uint32_t longer = resolution_;
  for (std::size_t k = states_ - 1; k > 0; --k) {  // the longest tail whose number fits into what is left
    const std::uint32_t* row = binomials(k);
    const auto m = static_cast<std::uint32_t>(std::upper_bound(row, row + longer + 1, rank) - row) - 1U;
    rank -= row[m];
    point[states_ - 1 - k] = longer - m;
    longer = m;
  }
  point[states_ - 1] = longer;
}

void BeliefLattice::next(std::uint32_t* point) const noexcept {
  // The shortest tail that is below the next one grows, and all shorter ones, which were as long as it, become zero.
  std::size_t k = 1;
  while (k < states_ && point[states_ - 1 - k] == 0) ++k;
  if (k == states_) return;  // the last point
  const std::uint32_t tail = point[states_ - 1];
  --point[states_ - 1 - k];
  point[states_ - 1] = 0;
  point[states_ - k] = tail + 1;
}

}  // namespace penumbra::host

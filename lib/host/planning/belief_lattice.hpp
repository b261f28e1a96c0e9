// The belief lattice of lib/core (lattice.hpp: same points, same ranks) in double precision, with Freudenthal's triangulation: the cell
// around a belief, and the belief's barycentric weights in it.
//
// A point is held by its tails m_k, the sums of its last k coordinates, k = 1 … S-1: 0 <= m_1 <= … <= m_{S-1} <= n. In tails the
// triangulation is the usual one: round down, then add one in the order of falling fractions; and the rank is a sum of one number a tail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host {

class BeliefLattice {
 public:
  // C(n+S-1, S-1) is at most max_lattice_points.
  BeliefLattice(std::size_t states, std::uint32_t resolution);

  [[nodiscard]] std::size_t states() const noexcept { return states_; }
  [[nodiscard]] std::uint32_t resolution() const noexcept { return resolution_; }
  [[nodiscard]] std::uint32_t points() const noexcept { return points_; }

  struct Vertex {
    std::uint32_t rank;
    double weight;
  };
  // A place to work in; one a thread.
  struct Scratch {
    explicit Scratch(std::size_t states) : fractions(states), vertices(states) {}
    struct Fraction {
      double value;
      std::uint32_t step;  // what one more in this tail adds to the rank
    };
    std::vector<Fraction> fractions;
    std::vector<Vertex> vertices;
  };

  // The vertices of positive weight around the belief of these tails, b_{S-k+1} + … + b_S at k-1 for k = 1 … S-1, times n: at most S of
  // them, at the beginning of scratch.vertices. Returns how many.
  std::size_t locate(const double* tails, Scratch& scratch) const noexcept;

  // The point nearest to it, as in lib/core: its rank.
  [[nodiscard]] std::uint32_t nearest(const double* tails) const;

  // n times the tails of a belief.
  void tails_of(const double* belief, double* tails) const noexcept;

  // What one more in tail k, which is m now, adds to the rank.
  [[nodiscard]] std::uint32_t step(std::size_t k, std::uint32_t m) const noexcept { return binomials(k)[m + 1] - binomials(k)[m]; }

  // The points in the order of ranks, as their coordinates: from `point`, of rank `rank`, to the next.
  void unrank(std::uint32_t rank, std::uint32_t* point) const noexcept;
  void next(std::uint32_t* point) const noexcept;

 private:
  [[nodiscard]] const std::uint32_t* binomials(std::size_t k) const noexcept { return binomials_.data() + (k - 1) * (resolution_ + 2U); }

  std::size_t states_;
  std::uint32_t resolution_;
  std::uint32_t points_;
  std::vector<std::uint32_t> binomials_;  // [k-1][m]: C(m+k-1, k), m = 0 … n+1
};

}  // namespace penumbra::host

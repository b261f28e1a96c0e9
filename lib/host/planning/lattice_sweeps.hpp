// One sweep of relative value iteration over a lattice, and what comes of many: the bias, and how far each point still moves.
#pragma once

#include "lattice_structure.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace penumbra::host {

class LatticeSweeps {
 public:
  LatticeSweeps(std::vector<double> bias, std::uint64_t threads) : threads_(threads), bias_(std::move(bias)), step_(bias_.size()) {}

  // More rows to look at, for the same lattice. Each point needs one before the first sweep.
  void add(LatticeStructure structure) { structures_.push_back(std::move(structure)); }
  [[nodiscard]] const std::vector<LatticeStructure>& structures() const noexcept { return structures_; }

  // Only these points count for the range of steps, [point]; else all of them.
  void count_only(std::vector<std::uint8_t> counted) { counted_ = std::move(counted); }

  // The best action gets 1 - A x, and every action x besides: [row's action] is the real one that it stands for, of which the best row is taken.
  void mix(double min_action, std::vector<std::size_t> real);

  [[nodiscard]] const std::vector<double>& bias() const noexcept { return bias_; }
  [[nodiscard]] const std::vector<double>& step() const noexcept { return step_; }
  [[nodiscard]] double bias_span() const;  // over the points that count

  struct Range {
    double smallest;
    double largest;
    [[nodiscard]] double span() const noexcept { return largest - smallest; }
  };

  // step(b) = max_a [ r(b,a) + sum_o p(o|b,a) bias(b') ] - bias(b), or the mixture of that. The gain lies in its range.
  Range look_ahead();

  // bias += damping (step - the step at `reference`): there it stays as it is. Undamped, periodic models would never converge.
  void move(std::uint32_t reference) noexcept;

  // [point][action], for this many actions: the value of each, minus infinity where it is not looked at.
  void values(std::size_t actions, std::vector<double>& values) const;

 private:
  void look_ahead(std::size_t block, Range& range);
  [[nodiscard]] double best_at(std::size_t block, std::size_t i) const;
  [[nodiscard]] double mixture_at(std::size_t block, std::size_t i, std::vector<double>& best) const;

  std::vector<LatticeStructure> structures_;
  std::vector<std::uint8_t> counted_;
  double min_action_ = 0;
  std::vector<std::size_t> real_;
  std::uint64_t threads_;
  std::vector<double> bias_;
  std::vector<double> step_;
};

}  // namespace penumbra::host

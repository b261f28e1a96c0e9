// The pairs of one action, and the parameters of their distribution: T, d and pi (refinement.hpp).
#pragma once

#include "ascent.hpp"

#include "penumbra/host/model.hpp"
#include "penumbra/host/refinement.hpp"

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

class PairFit {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // `pairs` is [a'][o][o'] of action `a`, with a pair at least. The parameters begin with d even, pi as frequent as a' followed o, and this
  // T_a, [s][s'], its entries at least `least`. All of it outlives the fit but `transition`.
  PairFit(const Model& model, const double* pairs, size_t a, const double* transition, double least, NextAction next_action);

  // The rest fitted to the pairs while T stays.
  void fit_rest();
  // All of it.
  void fit();

  // Of each pair, [a'][o][o']; 0 for next actions that there were none of.
  [[nodiscard]] std::vector<double> probabilities() const;

  [[nodiscard]] const Ascent& ascent() const noexcept { return ascent_; }
  [[nodiscard]] const double* transition() const noexcept { return parameters_.data(); }
  [[nodiscard]] double impossible() const noexcept { return impossible_; }  // pairs, as of the last pass

  // What pi(a'|o,s) has more than pi(a'|o): only actions that did follow an observation take a parameter.
  [[nodiscard]] double extra_parameters() const;

  // Of each entry of T_a, [s][s'] (pair_information.cpp).
  [[nodiscard]] std::vector<double> standard_errors() const;

  static constexpr std::uint64_t most_passes = 10000;

 private:
  [[nodiscard]] Eigen::MatrixXd weights(const double* parameters) const;
  [[nodiscard]] Eigen::MatrixXd sensor(size_t action) const;  // O_a'(o'|s'), [o'][s']; 0 where it is hardly more
  PassResult pass(std::vector<double>& parameters, bool transition_moves);
  [[nodiscard]] double share(size_t next, size_t o) const { return share_[next * O_ + o]; }

  const Model& model_;
  const double* pairs_;
  NextAction next_action_;
  size_t S_;
  size_t A_;
  size_t O_;
  std::vector<size_t> followers_;         // the next actions that there were
  Eigen::MatrixXd sensor_;                // [o][s]
  std::vector<Eigen::MatrixXd> sensors_;  // of each follower, [o'][s']
  std::vector<double> share_;             // pi(a'|o) as it was seen, [a'][o]
  std::vector<double> parameters_;        // T [s][s'], d [s], and perhaps pi [s][o][a']
  Ascent ascent_;
  double impossible_ = 0;
};

}  // namespace penumbra::host

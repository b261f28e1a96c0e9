// A log and the transitions of all actions: expectations of Baum-Welch with known sensors, piece by piece.
#pragma once

#include "ascent.hpp"

#include "penumbra/host/model.hpp"
#include "penumbra/host/run_log.hpp"

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host {

// Steps that are looked at together. A piece begins with the model's initial belief where its run does (unless that rules out what is seen first), others with an even one.
struct LogPiece {
  const std::uint16_t* steps;
  std::size_t count;
  bool from_initial;
};

class TrajectoryFit {
 public:
  // Both outlive it.
  TrajectoryFit(const Model& model, const RunLog& log, std::uint64_t threads);

  // One pass of expectation maximisation over `transition`, [a][s][s'].
  PassResult pass(std::vector<double>& transition) const;

  // Of each entry; NaN for actions that were never followed by anything, empty where there are too many (trajectory_information.cpp).
  [[nodiscard]] std::vector<double> standard_errors(const std::vector<double>& transition) const;

  [[nodiscard]] std::uint64_t impossible() const noexcept { return impossible_; }  // steps

 private:
  // What pieces add up to: sum over steps of P(s, s' | the piece), by action, divided by T; and the log-likelihood.
  struct Expectation {
    std::vector<double> moves;  // [a][s][s'], rows padded
    double log_likelihood = 0;
  };
  template <int P>
  void expect(const LogPiece& piece, const std::vector<double>& padded, std::vector<double>& memory, Expectation& to) const;
  template <int P>
  [[nodiscard]] std::vector<Expectation> expect_all(const std::vector<double>& padded) const;

  std::uint64_t threads_;
  std::size_t S_;
  std::size_t A_;
  std::size_t O_;
  std::size_t width_;               // of a row: S, padded
  std::vector<double> likelihood_;  // [action and observation][s], padded with zeros; ones for what no state gives
  std::vector<double> even_;        // beliefs, padded
  std::vector<double> initial_;
  std::vector<LogPiece> pieces_;
  std::vector<bool> moved_;  // [action]: another step followed it
  std::uint64_t impossible_ = 0;
};

}  // namespace penumbra::host

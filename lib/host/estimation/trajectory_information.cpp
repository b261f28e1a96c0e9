// The observed information about T in a log: each step's gradient of log P(o | what came before), squared. Those gradients are uncorrelated,
// so that sums of a few steps serve as well and cost less. The belief's own gradient is carried along from step to step.
#include "trajectory_fit.hpp"

#include "rows.hpp"

#include "penumbra/host/detail/parallel.hpp"
#include "penumbra/host/refinement.hpp"

#include <algorithm>
#include <limits>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t steps_of_a_sum = 8;
constexpr Index sums_of_a_product = 64;
constexpr std::size_t most_groups = 8;  // of pieces that are added up one after the other: each has a matrix of its own
constexpr double most_work = 2e10;      // multiplications, some ten seconds; a longer log is looked at here and there

}  // namespace

std::vector<double> TrajectoryFit::standard_errors(const std::vector<double>& transition) const {
  const auto S = static_cast<Index>(S_);
  const std::size_t free = A_ * S_ * (S_ - 1);
  if (free > most_free_parameters) return {};
  const auto known = [&](std::vector<double> errors) {
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (!moved_[i / (S_ * S_)]) errors[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return errors;
  };
  if (free == 0) return known(std::vector<double>(A_, 0.0));
  std::vector<std::size_t> rest(A_ * S_);  // of each row, the entry that is not free
  for (std::size_t row = 0; row < rest.size(); ++row) rest[row] = largest_entry(transition.data() + row * S_, S_);
  std::vector<MatrixXd> T;  // [action], transposed
  for (std::size_t a = 0; a < A_; ++a) T.emplace_back(Eigen::Map<const MatrixXd>(transition.data() + a * S_ * S_, S, S));

  std::size_t all = 0;
  for (const LogPiece& piece : pieces_) all += piece.count;
  const double affordable = most_work / static_cast<double>(std::max<std::size_t>(S_ * S_ * free, 1));
  const auto stride = static_cast<std::size_t>(std::max(1.0, static_cast<double>(all) / affordable));
  const std::size_t pieces = (pieces_.size() + stride - 1) / stride;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < pieces; ++i) looked_at += pieces_[i * stride].count;

  const auto P = static_cast<Index>(free);
  struct Part {
    MatrixXd information;
    MatrixXd sums;  // of gradients; of the steps of several pieces where these are short
    std::size_t steps = 0;
  };
  const auto settle = [](Part& part) {
    part.information.selfadjointView<Eigen::Lower>().rankUpdate(part.sums.transpose());
    part.sums.setZero();
  };
  const auto add = [&](const LogPiece& piece, Part& part, MatrixXd& slope, MatrixXd& weighed) {
    VectorXd belief = Eigen::Map<const VectorXd>(piece.from_initial ? initial_.data() : even_.data(), S);
    slope.setZero(S, P);  // of the belief
    weighed.resize(S, P);
    Eigen::RowVectorXd gradient(P);
    for (std::size_t t = 0; t < piece.count; ++t) {
      const Eigen::Map<const VectorXd> likelihood(likelihood_.data() + piece.steps[t] * width_, S);
      const std::size_t action = piece.steps[t] / O_;
      const VectorXd seen = belief.cwiseProduct(likelihood);
      const double probability = seen.sum();
      weighed.noalias() = likelihood.asDiagonal() * slope;
      gradient = weighed.colwise().sum() / probability;
      part.sums.row(static_cast<Index>(part.steps / steps_of_a_sum) % sums_of_a_product) += gradient;
      if (++part.steps % (steps_of_a_sum * static_cast<std::size_t>(sums_of_a_product)) == 0) settle(part);
      slope.noalias() = T[action] * weighed;
      auto at = static_cast<Index>(action * S_ * (S_ - 1));
      for (std::size_t s = 0; s < S_; ++s) {
        const std::size_t left = rest[action * S_ + s];
        for (std::size_t next = 0; next < S_; ++next) {
          if (next == left) continue;
          slope(static_cast<Index>(next), at) += seen(static_cast<Index>(s));
          slope(static_cast<Index>(left), at) -= seen(static_cast<Index>(s));
          ++at;
        }
      }
      belief.noalias() = T[action] * seen / probability;
      slope /= probability;
      slope.noalias() -= belief * gradient;
    }
  };
  const std::size_t groups = std::min(pieces, most_groups);
  std::vector<Part> parts(groups);
  detail::in_parallel(groups, threads_, [&](std::size_t group) {
    Part& part = parts[group];
    part.information = MatrixXd::Zero(P, P);
    part.sums = MatrixXd::Zero(sums_of_a_product, P);
    MatrixXd slope;
    MatrixXd weighed;
    for (std::size_t i = pieces * group / groups; i < pieces * (group + 1) / groups; ++i) add(pieces_[i * stride], part, slope, weighed);
    settle(part);
  });
  MatrixXd information = MatrixXd::Zero(P, P);
  for (const Part& part : parts) information += part.information;
  information *= static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(looked_at, 1));
  information = MatrixXd(information.selfadjointView<Eigen::Lower>());

  return known(errors_of_rows(std::move(information), transition.data(), A_ * S_, S_));
}

}  // namespace penumbra::host

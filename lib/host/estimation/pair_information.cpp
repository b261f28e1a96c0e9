// The observed information about T_a in the pairs, and the standard errors that it gives: each cell's gradient of log p, squared and weighed by its
// count. What the pairs tell of d and pi is taken off (Schur's complement), of pi for each observation o by itself, as no cell has two of them.
#include "pair_fit.hpp"

#include "rows.hpp"

#include "penumbra/host/refinement.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Index as_index(size_t size) { return static_cast<Index>(size); }

// `block` less what comes by way of `rest`; directions of `rest` that nothing is known about are left alone.
void take_off(const MatrixXd& across, MatrixXd rest, MatrixXd& block) {
  const double largest = rest.diagonal().maxCoeff();
  if (!(largest > 0)) return;
  rest.diagonal().array() += 1e-9 * largest;
  block.noalias() -= across * rest.llt().solve(across.transpose());
}

}  // namespace

std::vector<double> PairFit::standard_errors() const {
  const size_t of_T = S_ * (S_ - 1);
  const size_t of_choice = next_action_ == NextAction::observation_and_state ? S_ * (followers_.size() - 1) : 0;  // after each observation
  if (of_T + of_choice > most_free_parameters) return std::vector<double>(S_ * S_, std::numeric_limits<double>::quiet_NaN());
  if (S_ == 1) return {0.0};
  const size_t K = followers_.size();
  const bool looks_at_state = next_action_ == NextAction::observation_and_state;
  const double* T = parameters_.data();
  const double* d = T + S_ * S_;
  const double* pi = d + S_;
  const MatrixXd W = weights(T);
  const MatrixXd moved = Eigen::Map<const RowMajor>(T, as_index(S_), as_index(S_)).transpose() * W;
  const MatrixXd onward = Eigen::Map<const RowMajor>(T, as_index(S_), as_index(S_));  // [s][s']
  std::vector<size_t> rest(S_);                                                       // of each row of T, the entry that is not free
  for (size_t s = 0; s < S_; ++s) rest[s] = largest_entry(T + s * S_, S_);
  const size_t d_rest = largest_entry(d, S_);

  const Index main_size = as_index(of_T + S_ - 1);
  MatrixXd main = MatrixXd::Zero(main_size, main_size);
  for (size_t o = 0; o < O_; ++o) {
    const Index pi_size = looks_at_state && K > 1 ? as_index(S_ * (K - 1)) : 0;
    MatrixXd of_pi = MatrixXd::Zero(pi_size, pi_size);
    MatrixXd across = MatrixXd::Zero(main_size, pi_size);
    std::vector<size_t> pi_rest(S_, 0);  // the follower that is not free
    for (size_t s = 0; s < S_ && pi_size > 0; ++s) {
      for (size_t f = 1; f < K; ++f) {
        if (pi[(s * O_ + o) * A_ + followers_[f]] > pi[(s * O_ + o) * A_ + followers_[pi_rest[s]]]) pi_rest[s] = f;
      }
    }
    for (size_t f = 0; f < K; ++f) {
      const Index column = as_index(f * O_ + o);
      const Eigen::VectorXd p = sensors_[f] * moved.col(column);    // [o']
      const MatrixXd seen_from = sensors_[f] * onward.transpose();  // P(o'|s): rows o', columns s
      MatrixXd G = MatrixXd::Zero(as_index(O_), main_size);
      MatrixXd H = MatrixXd::Zero(as_index(O_), pi_size);
      for (size_t second = 0; second < O_; ++second) {
        const double count = pairs_[(followers_[f] * O_ + o) * O_ + second];
        const Index row = as_index(second);
        if (!(count > 0) || !(p(row) > 0)) continue;
        const double scale = std::sqrt(count) / p(row);
        Index at = 0;
        for (size_t s = 0; s < S_; ++s) {
          const double weight = scale * W(as_index(s), column);
          for (size_t to = 0; to < S_; ++to) {
            if (to != rest[s]) G(row, at++) = weight * (sensors_[f](row, as_index(to)) - sensors_[f](row, as_index(rest[s])));
          }
        }
        const auto of_state = [&](size_t s) {
          return d[s] > 0 ? scale * W(as_index(s), column) / d[s] * seen_from(row, as_index(s)) : 0.0;
        };
        for (size_t s = 0; s < S_; ++s) {
          if (s != d_rest) G(row, at++) = of_state(s) - of_state(d_rest);
        }
        if (pi_size == 0) continue;
        Index at_choice = 0;
        for (size_t s = 0; s < S_; ++s) {
          const double chosen = scale * d[s] * sensor_(as_index(o), as_index(s)) * seen_from(row, as_index(s));
          for (size_t g = 0; g < K; ++g) {
            if (g != pi_rest[s]) H(row, at_choice++) = (g == f ? chosen : 0.0) - (pi_rest[s] == f ? chosen : 0.0);
          }
        }
      }
      main.noalias() += G.transpose() * G;
      of_pi.noalias() += H.transpose() * H;
      across.noalias() += G.transpose() * H;
    }
    if (pi_size > 0) take_off(across, std::move(of_pi), main);
  }
  MatrixXd information = main.topLeftCorner(as_index(of_T), as_index(of_T));
  take_off(main.topRightCorner(as_index(of_T), as_index(S_ - 1)), main.bottomRightCorner(as_index(S_ - 1), as_index(S_ - 1)), information);
  return errors_of_rows(std::move(information), T, S_, S_);
}

}  // namespace penumbra::host

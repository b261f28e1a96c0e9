// AOAS as the paper's Algorithm 1 has it, step by step: the block-diagonal matrix B_a of size AO² × AS² with its Kronecker blocks
// written out, and the pseudo-inverse of the whole. Far too slow to use, and simple enough to believe.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <vector>

namespace penumbra::test {

// O_a, O × S.
inline Eigen::MatrixXd sensor_matrix(const host::Model& model, size_t a) {
  Eigen::MatrixXd matrix(model.observations.size(), model.states.size());
  for (size_t s = 0; s < model.states.size(); ++s) {
    for (size_t o = 0; o < model.observations.size(); ++o) {
      matrix(static_cast<Eigen::Index>(o), static_cast<Eigen::Index>(s)) = model.observation_row(a, s)[o];
    }
  }
  return matrix;
}

inline Eigen::MatrixXd kronecker(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  Eigen::MatrixXd product(x.rows() * y.rows(), x.cols() * y.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) product.block(i * y.rows(), j * y.cols(), y.rows(), y.cols()) = x(i, j) * y;
  }
  return product;
}

inline Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& sigma = svd.singularValues();
  const double tolerance = static_cast<double>(std::max(matrix.rows(), matrix.cols())) * std::numeric_limits<double>::epsilon() * sigma(0);
  const Eigen::VectorXd inverse = (sigma.array() > tolerance).select(sigma.cwiseInverse(), 0.0);
  return svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
}

// T_a, [state][next state], from c(a), the counts of (a',o,o') in that order. The action has been played.
inline std::vector<double> literal_aoas(const host::Model& model, const host::Counts& counts, size_t a) {
  const auto S = static_cast<Eigen::Index>(model.states.size());
  const auto A = static_cast<Eigen::Index>(model.actions.size());
  const auto O = static_cast<Eigen::Index>(model.observations.size());

  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(A * O * O, A * S * S);
  for (Eigen::Index next = 0; next < A; ++next) {
    B.block(next * O * O, next * S * S, O * O, S * S) = kronecker(sensor_matrix(model, a), sensor_matrix(model, static_cast<size_t>(next)));
  }

  Eigen::VectorXd d_AOO(A * O * O);
  for (Eigen::Index i = 0; i < d_AOO.size(); ++i) {
    d_AOO(i) = static_cast<double>(counts.pairs[a * static_cast<size_t>(A * O * O) + static_cast<size_t>(i)]);
  }
  d_AOO /= d_AOO.sum();
  const Eigen::VectorXd d_ASS = pseudo_inverse(B) * d_AOO;

  Eigen::VectorXd d_SS = Eigen::VectorXd::Zero(S * S);
  for (Eigen::Index next = 0; next < A; ++next) d_SS += d_ASS.segment(next * S * S, S * S);
  d_SS = d_SS.cwiseMax(0.0);
  for (Eigen::Index s = 0; s < S; ++s) {
    auto row = d_SS.segment(s * S, S);
    const double sum = row.sum();
    if (sum > 0) row /= sum;
    if (!(sum > 0)) row.setConstant(1.0 / static_cast<double>(S));  // the paper's footnote leaves this one open
  }
  return {d_SS.data(), d_SS.data() + d_SS.size()};
}

}  // namespace penumbra::test

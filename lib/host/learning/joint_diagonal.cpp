// Jacobi's method for several matrices.
#include "joint_diagonal.hpp"

#include <cmath>

namespace penumbra::host {

namespace {

// Half the angle is too small to matter: what is left beside the diagonal is rounding.
constexpr double still = 1e-13;
constexpr int most_sweeps = 100;  // some ten do; noise so large that it never settles is no estimate anyway

struct Rotation {
  double cosine;
  double sine;
};

// The one in the plane of p and q that leaves least beside the diagonals.
Rotation best_rotation(const std::vector<Eigen::MatrixXd>& matrices, Eigen::Index p, Eigen::Index q) {
  double difference = 0;
  double product = 0;
  for (const Eigen::MatrixXd& matrix : matrices) {
    const double diagonal = matrix(p, p) - matrix(q, q);
    const double beside = 2 * matrix(p, q);
    difference += diagonal * diagonal - beside * beside;
    product += 2 * diagonal * beside;
  }
  const double angle = 0.5 * std::atan2(product, difference + std::hypot(difference, product));
  return {std::cos(angle), std::sin(angle)};
}

void rotate_columns(Eigen::MatrixXd& matrix, Eigen::Index p, Eigen::Index q, Rotation rotation) {
  const Eigen::VectorXd first = matrix.col(p);
  matrix.col(p) = rotation.cosine * first + rotation.sine * matrix.col(q);
  matrix.col(q) = rotation.cosine * matrix.col(q) - rotation.sine * first;
}

void rotate_rows(Eigen::MatrixXd& matrix, Eigen::Index p, Eigen::Index q, Rotation rotation) {
  const Eigen::RowVectorXd first = matrix.row(p);
  matrix.row(p) = rotation.cosine * first + rotation.sine * matrix.row(q);
  matrix.row(q) = rotation.cosine * matrix.row(q) - rotation.sine * first;
}

}  // namespace

Eigen::MatrixXd joint_eigenvectors(std::vector<Eigen::MatrixXd> matrices) {
  const Eigen::Index size = matrices.front().rows();
  Eigen::MatrixXd vectors = Eigen::MatrixXd::Identity(size, size);
  bool moved = true;
  for (int sweep = 0; moved && sweep < most_sweeps; ++sweep) {
    moved = false;
    for (Eigen::Index p = 0; p < size; ++p) {
      for (Eigen::Index q = p + 1; q < size; ++q) {
        const Rotation rotation = best_rotation(matrices, p, q);
        if (!(std::abs(rotation.sine) > still)) continue;
        moved = true;
        for (Eigen::MatrixXd& matrix : matrices) {
          rotate_columns(matrix, p, q, rotation);
          rotate_rows(matrix, p, q, rotation);
        }
        rotate_columns(vectors, p, q, rotation);
      }
    }
  }
  return vectors;
}

}  // namespace penumbra::host

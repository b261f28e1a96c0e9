// Moments, whitening, decomposition, and back.
#include "spectral.hpp"

#include "joint_diagonal.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A singular value this much smaller than the largest is none.
constexpr double negligible = 1e-9;

// O_a, O × S.
MatrixXd sensor_matrix(const Model& sensors, std::size_t a) {
  const auto S = static_cast<Index>(sensors.states.size());
  const auto O = static_cast<Index>(sensors.observations.size());
  return Eigen::Map<const MatrixXd>(sensors.observation_row(a, 0), O, S);
}

// All values of e_a ⊗ O_a(.|s), a column each, in the order of the steps' indices.
MatrixXd outer_views(const Model& sensors) {
  const auto S = static_cast<Index>(sensors.states.size());
  const auto O = static_cast<Index>(sensors.observations.size());
  const auto A = static_cast<Index>(sensors.actions.size());
  MatrixXd views = MatrixXd::Zero(A * O, A * S);
  for (Index a = 0; a < A; ++a) views.block(a * O, a * S, O, S) = sensor_matrix(sensors, static_cast<std::size_t>(a));
  return views;
}

// Of rank S; nothing when that is more than the matrix has.
std::optional<MatrixXd> pseudo_inverse(const MatrixXd& matrix, Index rank) {
  if (rank > std::min(matrix.rows(), matrix.cols())) return std::nullopt;
  const Eigen::JacobiSVD<MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& values = svd.singularValues();
  if (!(values(rank - 1) > negligible * values(0))) return std::nullopt;
  return svd.matrixV().leftCols(rank) * values.head(rank).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(rank).transpose();
}

// Frequencies of the steps before and after together with the state in the middle, and with each other.
struct Frequencies {
  MatrixXd before_now;    // A S × S
  MatrixXd after_now;     // A S × S
  MatrixXd before_after;  // A S × A S
};

Frequencies frequencies_of(const Triples& triples, std::size_t action, Index steps, Index states) {
  Frequencies found{MatrixXd::Zero(steps, states), MatrixXd::Zero(steps, states), MatrixXd::Zero(steps, steps)};
  const double samples = triples.samples(action);
  triples.for_each(action, [&](std::size_t before, std::size_t now, std::size_t after, double times) {
    const double share = times / samples;
    found.before_now(static_cast<Index>(before), static_cast<Index>(now)) += share;
    found.after_now(static_cast<Index>(after), static_cast<Index>(now)) += share;
    found.before_after(static_cast<Index>(before), static_cast<Index>(after)) += share;
  });
  return found;
}

// The third moment of whitened views as its slices, made symmetric: it is, but for noise. The columns of each argument are the values
// that its view can take.
std::vector<MatrixXd> third_moment(const Triples& triples, std::size_t action, const MatrixXd& before_view, const MatrixXd& now_view,
                                   const MatrixXd& after_view) {
  const Index S = now_view.rows();
  const auto size = static_cast<std::size_t>(S);
  std::vector<MatrixXd> raw(size, MatrixXd::Zero(S, S));
  // Summed over the step after first: there are far more triples than pairs.
  VectorXd sum = VectorXd::Zero(S);
  Index before = 0;
  Index now = 0;
  const auto add_pair = [&] {
    for (std::size_t k = 0; k < size; ++k)
      raw[k].noalias() += (sum(static_cast<Index>(k)) * before_view.col(before)) * now_view.col(now).transpose();
  };
  const double samples = triples.samples(action);
  triples.for_each(action, [&](std::size_t step_before, std::size_t state_now, std::size_t step_after, double times) {
    if (static_cast<Index>(step_before) != before || static_cast<Index>(state_now) != now) {
      add_pair();
      sum.setZero();
      before = static_cast<Index>(step_before);
      now = static_cast<Index>(state_now);
    }
    sum += (times / samples) * after_view.col(static_cast<Index>(step_after));
  });
  add_pair();

  const auto at = [&](Index i, Index j, Index k) { return raw[static_cast<std::size_t>(k)](i, j); };
  std::vector<MatrixXd> slices(size, MatrixXd(S, S));
  for (Index k = 0; k < S; ++k) {
    for (Index i = 0; i < S; ++i) {
      for (Index j = 0; j < S; ++j) {
        slices[static_cast<std::size_t>(k)](i, j) = (at(i, j, k) + at(i, k, j) + at(j, i, k) + at(j, k, i) + at(k, i, j) + at(k, j, i)) / 6;
      }
    }
  }
  return slices;
}

// What the decomposition finds of each hidden state, a column each, in no order.
struct Components {
  MatrixXd after;  // E[v3 | state]
  MatrixXd now;    // E[v2 | state]
};

std::optional<Components> decompose(const Triples& triples, std::size_t action, const MatrixXd& outer, const MatrixXd& inner) {
  const Index S = inner.cols();
  const Frequencies frequencies = frequencies_of(triples, action, outer.cols(), S);
  const MatrixXd moment12 = outer * frequencies.before_now * inner.transpose();
  const MatrixXd moment32 = outer * frequencies.after_now * inner.transpose();
  const MatrixXd moment13 = outer * frequencies.before_after * outer.transpose();
  const std::optional<MatrixXd> inverse12 = pseudo_inverse(moment12, S);
  if (!inverse12) return std::nullopt;

  // Views 1 and 2 turned into vectors of the same mean as view 3: by E[v3 v2^T] E[v1 v2^T]^+ and E[v3 v1^T] E[v2 v1^T]^+.
  const MatrixXd turn1 = moment32 * *inverse12;
  const MatrixXd turn2 = moment13.transpose() * inverse12->transpose();

  // Their second moment, sum_s w_s mu_s mu_s^T, and W with W^T M2 W = 1.
  const MatrixXd second = turn1 * moment13;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((second + second.transpose()) / 2);
  const VectorXd values = eigen.eigenvalues().tail(S);  // they ascend
  if (eigen.info() != Eigen::Success || !(values(0) > negligible * values(S - 1))) return std::nullopt;
  const MatrixXd vectors = eigen.eigenvectors().rightCols(S);
  const MatrixXd whiten = vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
  const MatrixXd unwhiten = vectors * values.cwiseSqrt().asDiagonal();

  const std::vector<MatrixXd> slices =
      third_moment(triples, action, whiten.transpose() * turn1 * outer, whiten.transpose() * turn2 * inner, whiten.transpose() * outer);
  const MatrixXd orthonormal = joint_eigenvectors(slices);

  // sum_i w_i^(-1/2) u_i ⊗ u_i ⊗ u_i
  Components components{MatrixXd(outer.rows(), S), MatrixXd(inner.rows(), S)};
  const MatrixXd turned = moment32.transpose() * whiten * orthonormal;
  for (Index i = 0; i < S; ++i) {
    double root = 0;
    const VectorXd u = orthonormal.col(i);
    for (Index k = 0; k < S; ++k) root += u(k) * u.dot(slices[static_cast<std::size_t>(k)] * u);
    if (!std::isfinite(root) || root == 0) return std::nullopt;
    components.after.col(i) = root * (unwhiten * u);  // of either sign of u
    components.now.col(i) = root * turned.col(i);     // E[v2 v3^T] W u_i = w_i^(1/2) E[v2 | i]
  }
  if (!components.after.allFinite() || !components.now.allFinite()) return std::nullopt;
  return components;
}

// Which component is which state: [state]. The nearest pair of a recovered and a known column first, then the nearest of the others.
std::vector<Index> match(const MatrixXd& recovered, const MatrixXd& known) {
  const Index S = known.cols();
  struct Pair {
    double distance;
    Index state;
    Index component;
  };
  std::vector<Pair> pairs;
  for (Index s = 0; s < S; ++s) {
    for (Index i = 0; i < S; ++i) pairs.push_back({(recovered.col(i) - known.col(s)).squaredNorm(), s, i});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  std::vector<Index> component(static_cast<std::size_t>(S), -1);
  std::vector<bool> taken(static_cast<std::size_t>(S), false);
  for (const Pair& pair : pairs) {
    Index& chosen = component[static_cast<std::size_t>(pair.state)];
    if (chosen >= 0 || taken[static_cast<std::size_t>(pair.component)]) continue;
    chosen = pair.component;
    taken[static_cast<std::size_t>(pair.component)] = true;
  }
  return component;
}

// Clipped at zero and scaled to a distribution; uniform where nothing is left.
void write_distribution(const VectorXd& found, double* row) {
  const VectorXd positive = found.cwiseMax(0.0);
  const double sum = positive.sum();
  const bool usable = std::isfinite(sum) && sum > 0;
  for (Index i = 0; i < found.size(); ++i) row[i] = usable ? positive(i) / sum : 1.0 / static_cast<double>(found.size());
}

}  // namespace

std::vector<double> uniform_next_action(const Model& sensors) {
  const std::size_t A = sensors.actions.size();
  return std::vector<double>(A * sensors.states.size() * A, 1.0 / static_cast<double>(A));
}

std::vector<double> memoryless_next_action(const Model& sensors, const std::vector<double>& policy) {
  const std::size_t A = sensors.actions.size();
  const std::size_t S = sensors.states.size();
  std::vector<double> next_action(A * S * A, 0.0);
  for (std::size_t row = 0; row < A * S; ++row) {
    for (std::size_t o = 0; o < sensors.observations.size(); ++o) {
      const double probability = sensors.observation[row * sensors.observations.size() + o];
      for (std::size_t next = 0; next < A; ++next) next_action[row * A + next] += probability * policy[o * A + next];
    }
  }
  return next_action;
}

bool estimate_by_moments(const Model& sensors, const Triples& triples, const std::vector<double>& next_action, std::size_t action,
                         double* rows) {
  if (!(triples.samples(action) > 0)) return false;
  const MatrixXd outer = outer_views(sensors);
  const MatrixXd inner = sensor_matrix(sensors, action);
  const std::optional<Components> components = decompose(triples, action, outer, inner);
  if (!components) return false;

  const Index S = inner.cols();
  const Index O = inner.rows();
  const std::vector<Index> component = match(components->now, inner);
  MatrixXd stacked(outer.rows(), S);
  for (Index s = 0; s < S; ++s) {
    const double* follows = next_action.data() + (action * sensors.states.size() + static_cast<std::size_t>(s)) * sensors.actions.size();
    for (std::size_t next = 0; next < sensors.actions.size(); ++next) {
      stacked.middleRows(static_cast<Index>(next) * O, O) = follows[next] * sensor_matrix(sensors, next);
    }
    // Where no action ever follows there is nothing to solve.
    const bool any = stacked.cwiseAbs().maxCoeff() > 0;
    const VectorXd found =
        any ? VectorXd(stacked.colPivHouseholderQr().solve(components->after.col(component[static_cast<std::size_t>(s)])))
            : VectorXd::Zero(S);
    write_distribution(found, rows + s * S);
  }
  return true;
}

}  // namespace penumbra::host

// What the sensors let us see: the pseudo-inverse of each O_a, and the reasons why AOAS cannot work with it.
#include "penumbra/host/aoas.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <limits>

namespace penumbra::host {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

SensorInverse invert(const double* observation, size_t S, size_t O) {
  // The model stores O_a(o|s) by rows of s, the transpose of the paper's matrix.
  const Eigen::Map<const RowMajor> transposed(observation, static_cast<Index>(S), static_cast<Index>(O));
  // By Jacobi rotations: 0.7 s at 255 states. BDCSVD takes a tenth of that, but in Eigen 3.4.0 it gives wrong vectors, and reads out of
  // bounds, where singular values repeat, as they do when states look alike.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(transposed.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& sigma = svd.singularValues();  // falling
  const double tolerance = static_cast<double>(std::max(S, O)) * std::numeric_limits<double>::epsilon() * sigma(0);
  const Index rank = (sigma.array() > tolerance).count();

  SensorInverse inverse;
  inverse.rank = static_cast<size_t>(rank);
  inverse.sigma_min = S > O ? 0.0 : sigma(static_cast<Index>(S) - 1);
  inverse.pseudo_inverse.resize(S * O);
  Eigen::Map<RowMajor>(inverse.pseudo_inverse.data(), static_cast<Index>(S), static_cast<Index>(O)) =
      svd.matrixV().leftCols(rank) * sigma.head(rank).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(rank).transpose();
  return inverse;
}

}  // namespace

std::vector<SensorInverse> invert_sensors(const Model& model) {
  std::vector<SensorInverse> sensors;
  sensors.reserve(model.actions.size());
  for (size_t a = 0; a < model.actions.size(); ++a) {
    sensors.push_back(invert(model.observation_row(a, 0), model.states.size(), model.observations.size()));
  }
  return sensors;
}

std::vector<std::string> obstacles_to_aoas(const Model& model, const std::vector<SensorInverse>& sensors) {
  const size_t S = model.states.size();
  const size_t O = model.observations.size();
  std::vector<std::string> obstacles;
  if (model.emission == Emission::arrival) {
    obstacles.emplace_back(
        "observations come from the state that an action reaches (arrival): the next action is chosen after seeing them, which biases the "
        "pair counts");
  }
  if (S > O) {
    // Then no O_a has full rank; to say it of each would only repeat this.
    obstacles.push_back(fmt::format(
        "{} observation{} cannot tell {} states apart: there have to be at least as many observations as states", O, O == 1 ? "" : "s", S));
    return obstacles;
  }
  for (size_t a = 0; a < sensors.size(); ++a) {
    if (sensors[a].rank == S) continue;
    obstacles.push_back(fmt::format(
        "action \"{}\": two or more states, or mixtures of states, look the same to the sensors (rank {}, but {} states), so their "
        "transitions cannot be told apart",
        model.actions.of(a), sensors[a].rank, S));
  }
  return obstacles;
}

Outcome<void> check_aoas_applies(const Model& model, const std::vector<SensorInverse>& sensors, const std::string& name) {
  std::vector<std::string> obstacles = obstacles_to_aoas(model, sensors);
  if (obstacles.empty()) return {};
  std::string detail;
  if (obstacles.size() == 2) detail = std::move(obstacles[1]);
  if (obstacles.size() > 2) detail = fmt::format("and {} more obstacles, which penumbra check lists", obstacles.size() - 1);
  return fail(Fault::input, name, std::move(obstacles[0]),
              model.emission == Emission::arrival
                  ? "only models with departure emission can be learned; this one can be planned for and flashed"
                  : "add a sensor that tells them apart, or merge the states that look the same",
              std::move(detail));
}

}  // namespace penumbra::host

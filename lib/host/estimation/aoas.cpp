// AOAS, from counts and from frequencies, with its standard errors.
#include "penumbra/host/aoas.hpp"

#include "penumbra/host/detail/aoas_frequencies.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace penumbra::host {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

// The sensors' side of the computation, made once for all actions, and one action at a time after that.
//
// T(s,s') = d(s,s') / D(s) is a function of the frequencies c(a',o,o'), and n·c is taken as multinomial. By the delta method
//
//   g(a',o,o') = dT(s,s') / dc(a',o,o') = P_a(s,o) [ P_a'(s',o') − T(s,s') e_a'(o') ] / D(s),     e_a'(o') = sum_s'' P_a'(s'',o')
//   n · Var T(s,s') = sum c g² − (sum c g)²
//
// where P_a is the pseudo-inverse of O_a. Each term of [ ]² is a product of something of (s,o) and something of (a',o'), so the sums over
// (a',o,o') are the same matrix products that give d, with squares in place of P.
//
// The pairs of a run overlap and the world remembers, so they are no multinomial sample; but given state and action at the first of its two
// steps, g has mean zero, whatever came before. So a pair is correlated with its neighbours only, and with those only where an action
// follows itself. What that leaves is small: 1.96 errors cover 0.94 to 0.97 of the entries, under any of the policies tried.
class Estimator {
 public:
  Estimator(const Model& model, const std::vector<SensorInverse>& sensors)
      : S_(static_cast<Index>(model.states.size())), O_(static_cast<Index>(model.observations.size())), sensors_(sensors) {
    for (const SensorInverse& sensor : sensors_) {
      const auto P = pseudo_inverse(sensor).transpose().array();
      const Eigen::ArrayXd e = P.rowwise().sum();
      Eigen::MatrixXd factors(O_, 3 * S_ + 1);
      factors << P.matrix(), P.square().matrix(), (P.colwise() * e).matrix(), e.square().matrix();
      factors_.push_back(std::move(factors));
    }
  }

  // Appends action a to the estimate. `frequencies` is [a'][o][o'].
  void add(size_t a, const double* frequencies, double samples, Estimate& to) const {
    const size_t S = static_cast<size_t>(S_);
    to.clipped.push_back(0);
    to.uniform_rows.emplace_back();
    if (!(samples > 0)) {
      for (size_t s = 0; s < S; ++s) add_uniform_row(s, to);
      return;
    }

    // The sum over a' comes first and the clipping after it: under a policy that looks at o, one a' alone has entries far below zero.
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(O_, 3 * S_ + 1);
    double rounding = 0;
    for (size_t next = 0; next < sensors_.size(); ++next) {
      const Eigen::Map<const RowMajor> block(frequencies + next * static_cast<size_t>(O_ * O_), O_, O_);
      sum.noalias() += block * factors_[next];
      rounding += block.sum() * rounding_error(sensors_[a].sigma_min, sensors_[next].sigma_min);
    }
    const auto P = pseudo_inverse(sensors_[a]);
    const Eigen::MatrixXd d = P * sum.leftCols(S_);
    const Eigen::MatrixXd squares = P.cwiseAbs2() * sum.rightCols(2 * S_ + 1);

    for (Index s = 0; s < S_; ++s) {
      // What rounding alone can make of a zero is a zero. Else the row of a state that was never there, which comes out as ±1e-17, would
      // be scaled up to a transition of nonsense, and perfect sensors, whose d is a plain frequency, would be told of negative entries.
      const Eigen::ArrayXd positive = (d.row(s).array() > rounding).select(d.row(s).array(), 0.0);
      to.clipped.back() += static_cast<size_t>((d.row(s).array() < -rounding).count());
      const double D = positive.sum();
      if (!(D > 0)) {
        add_uniform_row(static_cast<size_t>(s), to);
        continue;
      }
      const double row_sum = d.row(s).sum();  // D, where nothing was clipped
      for (Index next = 0; next < S_; ++next) {
        const double T = positive(next) / D;
        to.transition.push_back(T);
        // A clipped entry keeps the gradient of d itself: that of the clipped value is 0, and so would be its error, a certainty that
        // nobody has.
        const double second = squares(s, next) - 2 * T * squares(s, S_ + next) + T * T * squares(s, 2 * S_);
        const double mean = d(s, next) - T * row_sum;
        // What rounding leaves of a variance of zero is a zero.
        const double negligible = 1e-12 * (squares(s, next) + T * T * squares(s, 2 * S_));
        const double variance = second - mean * mean;
        to.standard_error.push_back(variance <= negligible ? 0.0 : std::sqrt(variance / samples) / D);
      }
    }
  }

 private:
  [[nodiscard]] Eigen::Map<const RowMajor> pseudo_inverse(const SensorInverse& sensor) const {
    return {sensor.pseudo_inverse.data(), S_, O_};
  }

  // Of an entry of d that belongs to these two actions: a pseudo-inverse is right to about epsilon/sigma², and is multiplied by another.
  // Far below the noise of any number of samples that can be counted.
  [[nodiscard]] double rounding_error(double sigma, double next_sigma) const {
    return static_cast<double>(O_) * std::numeric_limits<double>::epsilon() * (1 / sigma + 1 / next_sigma) / (sigma * next_sigma);
  }

  void add_uniform_row(size_t s, Estimate& to) const {
    const size_t S = static_cast<size_t>(S_);
    to.uniform_rows.back().push_back(s);
    to.transition.insert(to.transition.end(), S, 1.0 / static_cast<double>(S));
    to.standard_error.insert(to.standard_error.end(), S, std::numeric_limits<double>::quiet_NaN());
  }

  Index S_;
  Index O_;
  const std::vector<SensorInverse>& sensors_;
  std::vector<Eigen::MatrixXd> factors_;  // [action]: rows o; columns P(s,o), P(s,o)², P(s,o)·e(o) by state, and e(o)²
};

}  // namespace

Outcome<Estimate> estimate_transition(const Model& model, const Counts& counts, const std::string& name) {
  const std::vector<SensorInverse> sensors = invert_sensors(model);
  const Outcome<void> applies = check_aoas_applies(model, sensors, name);
  if (!applies) return fail(applies.error());
  return estimate_transition(model, sensors, counts);
}

Estimate estimate_transition(const Model& model, const std::vector<SensorInverse>& sensors, const Counts& counts) {
  assert(counts.actions == model.actions.size() && counts.observations == model.observations.size());
  Estimate estimate;
  estimate.samples = counts.samples();
  const Estimator estimator(model, sensors);
  const size_t cells = counts.actions * counts.observations * counts.observations;
  std::vector<double> frequencies(cells);
  for (size_t a = 0; a < counts.actions; ++a) {
    const double samples = static_cast<double>(estimate.samples[a]);
    const std::uint64_t* pairs = counts.pairs.data() + a * cells;
    if (samples > 0)
      std::transform(pairs, pairs + cells, frequencies.begin(),
                     [samples](std::uint64_t count) { return static_cast<double>(count) / samples; });
    estimator.add(a, frequencies.data(), samples, estimate);
    // Of samples that never varied no error can be told: one pair, or perfect sensors that never saw it otherwise, are no certainty.
    if (model.states.size() > 1) {
      const auto first = estimate.standard_error.end() - static_cast<std::ptrdiff_t>(model.states.size() * model.states.size());
      std::replace(first, estimate.standard_error.end(), 0.0, std::numeric_limits<double>::quiet_NaN());
    }
    estimate.sigma_min.push_back(sensors[a].sigma_min);
    estimate.rank.push_back(sensors[a].rank);
  }
  return estimate;
}

Estimate detail::estimate_from_frequencies(const Model& model, const std::vector<SensorInverse>& sensors,
                                           const std::vector<double>& frequencies, const std::vector<double>& samples) {
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  assert(frequencies.size() == A * A * O * O && samples.size() == A);
  Estimate estimate;
  const Estimator estimator(model, sensors);
  for (size_t a = 0; a < A; ++a) estimator.add(a, frequencies.data() + a * A * O * O, samples[a], estimate);
  return estimate;
}

std::vector<double> standard_errors(const Model& model, const std::vector<SensorInverse>& sensors, const std::vector<double>& frequencies,
                                    const std::vector<double>& samples) {
  return detail::estimate_from_frequencies(model, sensors, frequencies, samples).standard_error;
}

std::vector<double> frobenius_errors(const std::vector<double>& transition, const std::vector<double>& truth, size_t states) {
  assert(transition.size() == truth.size());
  const size_t cells = states * states;
  std::vector<double> errors(transition.size() / cells, 0.0);
  for (size_t i = 0; i < transition.size(); ++i) errors[i / cells] += (transition[i] - truth[i]) * (transition[i] - truth[i]);
  for (double& error : errors) error = std::sqrt(error);
  return errors;
}

}  // namespace penumbra::host

// Expectation and maximisation, as matrix products over all (a', o) at once.
#include "pair_fit.hpp"

#include "rows.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double tolerance = 1e-3;  // nats a pass
constexpr int passes_of_rest = 20;

Index as_index(size_t size) { return static_cast<Index>(size); }

}  // namespace

PairFit::PairFit(const Model& model, const double* pairs, size_t a, const double* transition, double least, NextAction next_action)
    : model_(model),
      pairs_(pairs),
      next_action_(next_action),
      S_(model.states.size()),
      A_(model.actions.size()),
      O_(model.observations.size()),
      sensor_(sensor(a)),
      share_(A_ * O_) {
  std::vector<double> seen(O_, 0.0);
  for (size_t next = 0; next < A_; ++next) {
    double all = 0;
    for (size_t o = 0; o < O_; ++o) {
      double& count = share_[next * O_ + o];
      for (size_t second = 0; second < O_; ++second) count += pairs[(next * O_ + o) * O_ + second];
      seen[o] += count;
      all += count;
    }
    if (all > 0) {
      followers_.push_back(next);
      sensors_.push_back(sensor(next));
    }
  }
  for (size_t i = 0; i < share_.size(); ++i) share_[i] = seen[i % O_] > 0 ? share_[i] / seen[i % O_] : 1.0 / static_cast<double>(A_);

  parameters_ = raised_to(least, transition, S_, S_);
  parameters_.insert(parameters_.end(), S_, 1.0 / static_cast<double>(S_));
  if (next_action_ != NextAction::observation_and_state) return;
  for (size_t s = 0; s < S_; ++s) {
    for (size_t o = 0; o < O_; ++o) {
      for (size_t next = 0; next < A_; ++next) parameters_.push_back(share(next, o));
    }
  }
}

MatrixXd PairFit::sensor(size_t action) const {
  const MatrixXd exact = Eigen::Map<const MatrixXd>(model_.observation_row(action, 0), as_index(O_), as_index(S_));
  return (exact.array() < least_likelihood).select(0.0, exact);
}

// d(s) O_a(o|s) pi(a'|o,s): rows s, columns (a', o), those of a follower together.
MatrixXd PairFit::weights(const double* parameters) const {
  const double* d = parameters + S_ * S_;
  const double* pi = d + S_;
  MatrixXd weights(as_index(S_), as_index(followers_.size() * O_));
  for (size_t f = 0; f < followers_.size(); ++f) {
    for (size_t o = 0; o < O_; ++o) {
      for (size_t s = 0; s < S_; ++s) {
        const double chosen = next_action_ == NextAction::observation ? share(followers_[f], o) : pi[(s * O_ + o) * A_ + followers_[f]];
        weights(as_index(s), as_index(f * O_ + o)) = d[s] * sensor_(as_index(o), as_index(s)) * chosen;
      }
    }
  }
  return weights;
}

PassResult PairFit::pass(std::vector<double>& parameters, bool transition_moves) {
  const Index S = as_index(S_);
  const Index O = as_index(O_);
  Eigen::Map<RowMajor> T(parameters.data(), S, S);
  PassResult result;
  result.objective = T.array().log().sum() * pseudo_count(S_);
  impossible_ = 0;

  const MatrixXd W = weights(parameters.data());
  const MatrixXd moved = T.transpose() * W;  // of s' and (a', o)
  MatrixXd R(S, W.cols());                   // sum_o' C / p O_a'(o'|s')
  for (size_t f = 0; f < followers_.size(); ++f) {
    const Eigen::Map<const MatrixXd> C(pairs_ + followers_[f] * O_ * O_, O, O);  // o' and o
    const auto columns = [&](auto& matrix) { return matrix.middleCols(as_index(f) * O, O); };
    const MatrixXd p = sensors_[f] * columns(moved);
    const MatrixXd ratio = (C.array() > 0 && p.array() > 0).select(C.array() / p.array(), 0.0);
    result.log_likelihood += (C.array() > 0 && p.array() > 0).select(C.array() * p.array().log(), 0.0).sum();
    impossible_ += (p.array() > 0).select(0.0, C.array()).sum();
    columns(R).noalias() = sensors_[f].transpose() * ratio;
  }
  result.objective += result.log_likelihood;

  const MatrixXd expected = W.cwiseProduct(T * R);  // pairs of s and (a', o)
  if (transition_moves) {
    T = T.cwiseProduct(W * R.transpose()).eval();
    T.array() += pseudo_count(S_);
    T.array().colwise() /= T.rowwise().sum().array().eval();
  }
  double* d = parameters.data() + S_ * S_;
  const Eigen::VectorXd of_state = expected.rowwise().sum();
  const double all = of_state.sum();
  if (!(all > 0)) return result;  // nothing that the sensors could have said
  for (size_t s = 0; s < S_; ++s) d[s] = of_state(as_index(s)) / all;
  if (next_action_ != NextAction::observation_and_state) return result;
  double* pi = d + S_;
  for (size_t s = 0; s < S_; ++s) {
    for (size_t o = 0; o < O_; ++o, pi += A_) {
      double sum = 0;
      for (size_t f = 0; f < followers_.size(); ++f) sum += expected(as_index(s), as_index(f * O_ + o));
      if (!(sum > 0)) continue;
      for (size_t f = 0; f < followers_.size(); ++f) pi[followers_[f]] = expected(as_index(s), as_index(f * O_ + o)) / sum;
    }
  }
  return result;
}

void PairFit::fit_rest() {
  for (int i = 0; i < passes_of_rest; ++i) static_cast<void>(pass(parameters_, false));
}

void PairFit::fit() {
  AscentRequest request;
  request.pass = [&](std::vector<double>& parameters) { return pass(parameters, true); };
  request.row_sizes.assign(S_ + 1, S_);
  if (next_action_ == NextAction::observation_and_state) request.row_sizes.insert(request.row_sizes.end(), S_ * O_, A_);
  request.tolerance = tolerance;
  request.most_passes = most_passes;
  ascent_ = ascend(request, parameters_);
}

std::vector<double> PairFit::probabilities() const {
  const Eigen::Map<const RowMajor> T(parameters_.data(), as_index(S_), as_index(S_));
  const MatrixXd moved = T.transpose() * weights(parameters_.data());
  std::vector<double> all(A_ * O_ * O_, 0.0);
  for (size_t f = 0; f < followers_.size(); ++f) {
    Eigen::Map<MatrixXd> of_follower(all.data() + followers_[f] * O_ * O_, as_index(O_), as_index(O_));  // o' and o
    of_follower.noalias() = sensors_[f] * moved.middleCols(as_index(f * O_), as_index(O_));
  }
  return all;
}

double PairFit::extra_parameters() const {
  double extra = 0;
  for (size_t o = 0; o < O_; ++o) {
    const auto chosen = std::count_if(followers_.begin(), followers_.end(), [&](size_t next) { return share(next, o) > 0; });
    if (chosen > 1) extra += static_cast<double>(S_ - 1) * static_cast<double>(chosen - 1);
  }
  return extra;
}

}  // namespace penumbra::host

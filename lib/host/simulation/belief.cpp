// Bayes' rule in double precision, and a model's numbers in single.
#include "penumbra/host/belief.hpp"

namespace penumbra::host {

namespace {

// Rarer observations count as impossible: far above the smallest normal double, so that the products in the sum are normal numbers.
constexpr double least_probability_f64 = 0x1p-900;

// Element [action][observation][state] of what the file has as [action][state][observation].
template <class Real>
std::vector<Real> likelihoods_as(const Model& model) {
  const size_t S = model.states.size();
  const size_t O = model.observations.size();
  std::vector<Real> likelihood;
  likelihood.reserve(model.observation.size());
  for (size_t a = 0; a < model.actions.size(); ++a) {
    for (size_t o = 0; o < O; ++o) {
      for (size_t s = 0; s < S; ++s) likelihood.push_back(static_cast<Real>(model.observation_row(a, s)[o]));
    }
  }
  return likelihood;
}

}  // namespace

std::vector<double> likelihoods(const Model& model) { return likelihoods_as<double>(model); }

BeliefTracker::BeliefTracker(const Model& model)
    : states_(model.states.size()),
      observations_(model.observations.size()),
      emission_(model.emission),
      transition_(model.transition),
      likelihood_(likelihoods(model)),
      initial_(model.initial),
      belief_(model.initial),
      next_(states_) {}

// belief = belief o likelihood, scaled to 1. False where the observation is impossible: then there is nothing to scale.
bool BeliefTracker::weigh(const double* likelihood) noexcept {
  double probability = 0;
  for (size_t s = 0; s < states_; ++s) {
    belief_[s] *= likelihood[s];
    probability += belief_[s];
  }
  if (!(probability >= least_probability_f64)) return false;
  const double scale = 1.0 / probability;
  for (size_t s = 0; s < states_; ++s) belief_[s] *= scale;
  return true;
}

// belief = belief T. Row by row: the inner loop has no sum, so that the compiler can use vectors.
void BeliefTracker::move(const double* transition) noexcept {
  for (size_t next = 0; next < states_; ++next) next_[next] = belief_[0] * transition[next];
  for (size_t s = 1; s < states_; ++s) {
    transition += states_;
    for (size_t next = 0; next < states_; ++next) next_[next] += belief_[s] * transition[next];
  }
  belief_.swap(next_);
}

Status BeliefTracker::update(size_t action, size_t observation) noexcept {
  const double* transition = transition_.data() + action * states_ * states_;
  const double* likelihood = likelihood_.data() + (action * observations_ + observation) * states_;
  if (emission_ == Emission::arrival) move(transition);
  if (!weigh(likelihood)) {
    reset();
    return Status::impossible_observation;
  }
  if (emission_ == Emission::departure) move(transition);
  return Status::ok;
}

DeviceModel::DeviceModel(const Model& model)
    : dims_(static_cast<uint8_t>(model.states.size()), static_cast<uint8_t>(model.actions.size()),
            static_cast<uint8_t>(model.observations.size())),
      emission_(model.emission),
      observation_(likelihoods_as<float>(model)),
      prior_(model.initial.begin(), model.initial.end()) {
  const size_t S = model.states.size();
  transition_.reserve(model.transition.size() + transition_padding);
  for (size_t a = 0; a < model.actions.size(); ++a) {
    for (size_t next = 0; next < S; ++next) {
      for (size_t s = 0; s < S; ++s) transition_.push_back(static_cast<float>(model.transition_row(a, s)[next]));
    }
  }
  transition_.resize(transition_.size() + transition_padding);
}

}  // namespace penumbra::host

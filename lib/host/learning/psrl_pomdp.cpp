// PSRL-POMDP (Jahromi et al. 2022) with the particle filter that the paper's appendix takes for its posterior: particles are transition models,
// each with the belief that it gives, weighed by how well it foretells the observations. Every episode draws one of them, plans for
// it, and acts by its belief. An episode ends when it has become longer than the one before (SCHED(t_k, T_{k-1}) = t_k + T_{k-1}), or
// when some action was played twice as often as at its beginning (the pseudo-counts m_t(s,a) = n_t(a)).
//
// Resampling copies the heavy particles, and a share of a fresh random row (the jitter) tells the copies apart: without it a hundred models
// drawn at the start would be all there ever is. Neither the source nor the paper says how much; of 0, .003, .01, .03 and .1 the
// fourth loses least on average over four random models that no figure uses (generate S3 A4 O4, seeds 11 to 14; learn, 8 runs of 10^5 steps). On
// two of the four .1 loses less.
#include "kinds.hpp"

#include "belief_policy.hpp"
#include "oracle.hpp"

#include "penumbra/host/belief.hpp"
#include "penumbra/host/generate.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace penumbra::host {

namespace {

struct Particle {
  std::uint64_t number = 0;        // copies that are still the same have the same
  std::vector<double> transition;  // [action][state][next state]
  std::vector<double> belief;

  // Bayes' rule, and the probability of what was seen. An impossible observation restarts the belief.
  double update(const std::vector<double>& initial, const double* likelihood, std::size_t action, std::vector<double>& weighed) noexcept {
    const std::size_t S = belief.size();
    double probability = 0;
    for (std::size_t s = 0; s < S; ++s) {
      weighed[s] = belief[s] * likelihood[s];
      probability += weighed[s];
    }
    if (!(probability > 0)) {
      belief = initial;
      return 0;
    }
    std::fill(belief.begin(), belief.end(), 0.0);
    const double* row = transition.data() + action * S * S;
    for (std::size_t s = 0; s < S; ++s, row += S) {
      const double share = weighed[s] / probability;
      for (std::size_t next = 0; next < S; ++next) belief[next] += share * row[next];
    }
    return probability;
  }
};

class PsrlPomdp final : public Learner {
 public:
  PsrlPomdp(const LearnerSetting& setting, std::uint64_t seed)
      : setting_(setting),
        believed_(setting.sensors),
        oracle_(setting.sensors, setting.options, seed),
        random_(seed, Stream::particles),
        likelihood_(likelihoods(setting.sensors)),
        played_(setting.sensors.actions.size()),
        played_before_(played_.size()),
        weighed_(setting.sensors.states.size()) {
    const Model& sensors = setting.sensors;
    believed_.transition = uniform_transition(sensors);
    for (std::size_t i = 0; i < setting.options.particles; ++i) particles_.push_back({i, drawn_transition(), sensors.initial});
    weights_.assign(particles_.size(), 1.0 / static_cast<double>(particles_.size()));
    numbers_ = particles_.size();
  }

  Outcome<void> begin() override { return next_episode(); }

  std::size_t choose() override {
    Belief<RuntimeDims> belief{};
    std::copy(acting_.belief.begin(), acting_.belief.end(), belief.begin());
    action_ = index(policy_->choose(belief));
    return action_;
  }

  bool observe(const World::Answer& answer) override {
    const double* likelihood =
        likelihood_.data() + (action_ * setting_.sensors.observations.size() + answer.observation) * setting_.sensors.states.size();
    double sum = 0;
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      weights_[i] *= particles_[i].update(setting_.sensors.initial, likelihood, action_, weighed_);
      sum += weights_[i];
    }
    static_cast<void>(acting_.update(setting_.sensors.initial, likelihood, action_, weighed_));
    double squares = 0;
    for (double& weight : weights_) {
      weight = sum > 0 ? weight / sum : 1.0 / static_cast<double>(weights_.size());
      squares += weight * weight;
    }
    if (1.0 / squares < setting_.options.least_effective) resample();
    ++length_;
    ++played_[action_];
    return length_ > length_before_ || played_[action_] > 2 * std::max<std::uint64_t>(played_before_[action_], 1);
  }

  Outcome<void> next_episode() override {
    length_before_ = std::max<std::uint64_t>(length_, 1);
    length_ = 0;
    played_before_ = played_;
    acting_ = particles_[drawn_particle()];
    believed_.transition = acting_.transition;
    auto plan = plans_.find(acting_.number);
    if (plan == plans_.end()) {
      const Outcome<PolicyTable> table = oracle_.plan(believed_.transition, {});
      if (!table) return fail(table.error());
      Outcome<ImageFile> image = ImageFile::build(believed_, table.value(), {}, "the plan");
      if (!image) return fail(image.error());
      plan = plans_.emplace(acting_.number, std::move(image.value())).first;
    }
    const PolicyImage& image = plan->second.image();
    if (!policy_) policy_.emplace(image.dims(), 1);
    policy_->use(image);
    return {};
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return believed_.transition; }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = oracle_.remarks();
    remarks.push_back(fmt::format("{} particles with a jitter of {}", particles_.size(), setting_.options.jitter));
    return remarks;
  }

 private:
  // The prior: rows drawn evenly from the simplex, above epsilon where that is known.
  [[nodiscard]] std::vector<double> drawn_transition() {
    return random_transition(setting_.sensors.states.size(), setting_.sensors.actions.size(), setting_.options.epsilon, random_);
  }

  [[nodiscard]] std::size_t drawn_particle() {
    double left = random_.uniform();
    std::size_t i = 0;
    while (i + 1 < weights_.size() && left >= weights_[i]) left -= weights_[i++];
    return i;
  }

  // Systematic: one draw, and then even steps through the weights.
  void resample() {
    const auto count = static_cast<double>(particles_.size());
    std::vector<Particle> chosen;
    double reached = weights_[0];
    std::size_t i = 0;
    const double first = random_.uniform();
    for (std::size_t j = 0; j < particles_.size(); ++j) {
      const double at = (static_cast<double>(j) + first) / count;
      while (at >= reached && i + 1 < particles_.size()) reached += weights_[++i];
      chosen.push_back(particles_[i]);
    }
    particles_ = std::move(chosen);
    std::fill(weights_.begin(), weights_.end(), 1.0 / count);
    const double jitter = setting_.options.jitter;
    if (!(jitter > 0)) return;
    for (auto plan = plans_.begin(); plan != plans_.end();) {  // what follows are new models; the one in use stays
      plan = plan->first == acting_.number ? std::next(plan) : plans_.erase(plan);
    }
    for (Particle& particle : particles_) {
      particle.number = numbers_++;
      const std::vector<double> fresh = drawn_transition();
      for (std::size_t cell = 0; cell < fresh.size(); ++cell) {
        particle.transition[cell] = (1 - jitter) * particle.transition[cell] + jitter * fresh[cell];
      }
    }
  }

  const LearnerSetting& setting_;
  Model believed_;
  Oracle oracle_;
  Random random_;
  std::vector<Particle> particles_;
  std::vector<double> weights_;     // sum to 1
  std::vector<double> likelihood_;  // [action][observation][state]
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, ImageFile> plans_;  // by the particle's number
  Particle acting_;                           // the drawn one; its belief goes on whatever becomes of the others
  std::optional<Policy<RuntimeDims>> policy_;
  std::size_t action_ = 0;
  std::uint64_t length_ = 0;  // of this episode
  std::uint64_t length_before_ = 1;
  std::vector<std::uint64_t> played_;  // [action]: n_t(a)
  std::vector<std::uint64_t> played_before_;
  std::vector<double> weighed_;
};

}  // namespace

const LearnerKind psrl_pomdp{"psrl-pomdp",
                             "posterior sampling with a particle filter (Jahromi et al. 2022)",
                             true,
                             {"epsilon", "resolution", "particles", "least-effective", "jitter"},
                             [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> {
                               return std::make_unique<PsrlPomdp>(setting, seed);
                             }};

}  // namespace penumbra::host

// SM-UCRL (Azizzadenesheli et al. 2016) with known sensors: optimism among memoryless policies, spectral estimates from the last episode's
// samples alone.
//
//   episode 1:      T_0 steps, uniform
//   episode k > 1:  ends when some action has twice the samples that it had in any episode before, N_k(a) = 2 max_{j<k} N_j(a)
//
// A sample is a triple of steps within the episode, and counts for the action in its middle.
#include "confidence.hpp"
#include "kinds.hpp"
#include "memoryless.hpp"
#include "spectral_estimate.hpp"

#include "penumbra/host/random.hpp"

#include <algorithm>
#include <optional>

namespace penumbra::host {

namespace {

class SmUcrl final : public Learner {
 public:
  SmUcrl(const LearnerSetting& setting, std::uint64_t seed)
      : setting_(setting),
        random_(seed, Stream::policy),
        seed_(seed),
        actions_(setting.sensors.actions.size()),
        model_(setting.sensors),
        policy_(setting.sensors.observations.size() * actions_, 1.0 / static_cast<double>(actions_)),
        sampler_(policy_, actions_),
        triples_(setting.sensors.states.size(), actions_),
        estimate_(setting.sensors),
        most_samples_(actions_, 0.0) {}

  std::size_t choose() override {
    action_ = observation_ ? sampler_.draw(*observation_, random_.uniform()) : random_.below(actions_);
    return action_;
  }

  bool observe(const World::Answer& answer) override {
    observation_ = answer.observation;
    // The hidden state: the paper's modification of the spectral method takes the distribution that the observation came from.
    triples_.add({action_, answer.state});
    ++steps_;
    if (episode_ == 1) return steps_ >= setting_.options.first_episode;
    for (std::size_t a = 0; a < actions_; ++a) {
      if (triples_.samples(a) >= 2 * std::max(most_samples_[a], 1.0)) return true;
    }
    return false;
  }

  Outcome<void> next_episode() override {
    estimate_.update(triples_, memoryless_next_action(setting_.sensors, policy_));
    MemorylessRequest request;
    request.min_action = std::min(setting_.options.min_action, 1.0 / static_cast<double>(actions_));
    request.optimism = confidence_radius(setting_.sensors, setting_.options, episode_, estimate_.samples());
    request.epsilon = setting_.options.epsilon;
    request.seed = seed_;
    model_.transition = estimate_.transition();
    policy_ = plan_memoryless(model_, request).policy;
    sampler_ = RowSampler(policy_, actions_);

    for (std::size_t a = 0; a < actions_; ++a) most_samples_[a] = std::max(most_samples_[a], triples_.samples(a));
    triples_.clear();
    steps_ = 0;
    ++episode_;
    return {};
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return estimate_.transition(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return estimate_.remarks(); }

 private:
  const LearnerSetting& setting_;
  Random random_;
  std::uint64_t seed_;
  std::size_t actions_;
  Model model_;                 // the sensors, and the estimate that is planned for
  std::vector<double> policy_;  // [observation][action]
  RowSampler sampler_;          // of it
  Triples triples_;             // of this episode
  SpectralEstimate estimate_;
  std::vector<double> most_samples_;  // [action]: in any one of the earlier episodes
  std::uint64_t episode_ = 1;
  std::uint64_t steps_ = 0;  // of this episode
  std::size_t action_ = 0;
  std::optional<std::size_t> observation_;  // the last one; at the very beginning there is none
};

}  // namespace

const LearnerKind sm_ucrl{
    "sm-ucrl",
    "stochastic memoryless policies, spectral estimates (Azizzadenesheli et al. 2016)",
    true,
    {"first-episode", "delta", "radius", "epsilon", "min-action"},
    [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> { return std::make_unique<SmUcrl>(setting, seed); }};

}  // namespace penumbra::host

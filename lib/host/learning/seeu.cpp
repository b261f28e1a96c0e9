// SEEU (Xiong et al. 2022) as the paper runs it: it explores uniformly, estimates by spectral decomposition, and exploits an optimistic plan
// for the estimate, in phases that grow.
//
//   phase k = 1, 2, …:   tau_1 steps of exploration, an estimate from the exploration of all phases, round(tau_2 sqrt(k)) of exploitation
//
// The paper gives it the real observation model, for the moments and for the plan.
#include "belief_policy.hpp"
#include "confidence.hpp"
#include "kinds.hpp"
#include "oracle.hpp"
#include "spectral_estimate.hpp"

#include "penumbra/host/random.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

class Seeu final : public Learner {
 public:
  Seeu(const LearnerSetting& setting, std::uint64_t seed)
      : setting_(setting),
        random_(seed, Stream::policy),
        policy_(setting.sensors, seed),
        oracle_(setting.sensors, setting.options, seed),
        triples_(setting.sensors.states.size(), setting.sensors.actions.size()),
        estimate_(setting.sensors),
        left_(exploration()) {}

  std::size_t choose() override {
    action_ = exploring_ ? random_.below(setting_.sensors.actions.size()) : policy_.choose();
    return action_;
  }

  bool observe(const World::Answer& answer) override {
    policy_.observe(action_, answer.observation);
    // The hidden state: the paper's modification of the spectral method takes the distribution that the observation came from.
    if (exploring_) triples_.add({action_, answer.state});
    if (--left_ > 0) return false;
    if (exploring_) return true;
    explore();
    return false;
  }

  Outcome<void> next_episode() override {
    estimate_.update(triples_, uniform_next_action(setting_.sensors));
    const std::vector<double> radius = confidence_radius(setting_.sensors, setting_.options, phase_, estimate_.samples());
    const Outcome<PolicyTable> table = oracle_.plan(estimate_.transition(), radius);
    if (!table) return fail(table.error());
    const Outcome<void> used = policy_.use(estimate_.transition(), table.value());
    if (!used) return fail(used.error());
    left_ = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(setting_.options.exploitation) * std::sqrt(static_cast<double>(phase_))));
    ++phase_;
    exploring_ = false;
    if (left_ == 0) explore();
    return {};
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return estimate_.transition(); }

  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = oracle_.remarks();
    for (std::string& remark : estimate_.remarks()) remarks.push_back(std::move(remark));
    return remarks;
  }

 private:
  [[nodiscard]] std::uint64_t exploration() const { return std::max<std::uint64_t>(setting_.options.exploration, 1); }

  void explore() {
    exploring_ = true;
    left_ = exploration();
    triples_.break_off();
  }

  const LearnerSetting& setting_;
  Random random_;
  BeliefPolicy policy_;  // its belief goes on during exploration
  Oracle oracle_;
  Triples triples_;
  SpectralEstimate estimate_;
  std::uint64_t phase_ = 1;
  std::uint64_t left_;  // steps of this half of the phase
  bool exploring_ = true;
  std::size_t action_ = 0;
};

}  // namespace

const LearnerKind seeu{
    "seeu",
    "explores and exploits in turn, spectral estimates (Xiong et al. 2022)",
    true,
    {"delta", "radius", "epsilon", "resolution", "exploration", "exploitation"},
    [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> { return std::make_unique<Seeu>(setting, seed); }};

}  // namespace penumbra::host

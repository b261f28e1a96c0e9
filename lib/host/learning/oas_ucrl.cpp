// OAS-UCRL (Russo et al. 2024, as the paper's appendix runs it): episodes of doubling length, an estimate from the last one's samples alone
// (overlapping pairs), and stochastic belief policies that play every action with probability iota at least, planned as such.
#include "kinds.hpp"

#include "belief_policy.hpp"
#include "confidence.hpp"
#include "oracle.hpp"

#include "penumbra/host/aoas.hpp"

#include <algorithm>

namespace penumbra::host {

namespace {

class OasUcrl final : public Learner {
 public:
  OasUcrl(const LearnerSetting& setting, std::uint64_t seed)
      : setting_(setting),
        sensors_(invert_sensors(setting.sensors)),
        oracle_(setting.sensors, setting.options, seed, setting.options.min_action),
        policy_(setting.sensors, seed),
        random_(seed, Stream::policy),
        pairs_(setting.sensors),
        left_(setting.options.first_episode),
        length_(left_) {}

  std::size_t choose() override {
    const std::size_t A = setting_.sensors.actions.size();
    const double drawn = random_.uniform();
    const bool any = drawn < static_cast<double>(A) * setting_.options.min_action;
    action_ = any ? std::min(static_cast<std::size_t>(drawn / setting_.options.min_action), A - 1) : policy_.choose();
    return action_;
  }

  bool observe(const World::Answer& answer) override {
    policy_.observe(action_, answer.observation);
    pairs_.add(action_, answer.observation);
    return --left_ == 0;
  }

  Outcome<void> next_episode() override {
    ++k_;
    const Estimate estimate = estimate_transition(setting_.sensors, sensors_, pairs_.counts());
    const Outcome<PolicyTable> table =
        oracle_.plan(estimate.transition, confidence_radius(setting_.sensors, setting_.options, k_, estimate.samples));
    if (!table) return fail(table.error());
    length_ *= 2;
    left_ = length_;
    pairs_.clear();  // and no pair spans two policies
    return policy_.use(estimate.transition, table.value());
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return policy_.transition(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return oracle_.remarks(); }

 private:
  const LearnerSetting& setting_;
  std::vector<SensorInverse> sensors_;
  Oracle oracle_;
  BeliefPolicy policy_;
  Random random_;
  PairCounter pairs_;  // of this episode
  std::size_t action_ = 0;
  std::uint64_t left_;  // steps of this episode
  std::uint64_t length_;
  std::uint64_t k_ = 0;
};

}  // namespace

const LearnerKind oas_ucrl{
    "oas-ucrl",
    "samples of the last episode only, stochastic belief policies (Russo et al. 2024)",
    true,
    {"first-episode", "delta", "radius", "epsilon", "resolution", "min-action"},
    [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> { return std::make_unique<OasUcrl>(setting, seed); }};

}  // namespace penumbra::host

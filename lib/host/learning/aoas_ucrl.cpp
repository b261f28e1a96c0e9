// AOAS-UCRL (paper, Algorithm 2). Its device half is lib/core's Agent itself, fed with images as a board is: it counts, tracks the belief,
// acts and applies the episode rule. The host half is here: between two episodes it estimates from the agent's counts, builds the
// confidence regions, plans, and hands over the next image.
#include "kinds.hpp"

#include "belief_policy.hpp"
#include "confidence.hpp"
#include "oracle.hpp"

#include "penumbra/agent.hpp"
#include "penumbra/host/aoas.hpp"
#include "penumbra/host/image_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace penumbra::host {

namespace {

RuntimeDims dims_of(const Model& model) {
  return {static_cast<std::uint8_t>(model.states.size()), static_cast<std::uint8_t>(model.actions.size()),
          static_cast<std::uint8_t>(model.observations.size())};
}

// The memory of an agent whose sizes come from a file.
class AgentMemory {
 public:
  explicit AgentMemory(std::size_t cells) : cells_(cells), changed_(changed_words(cells)), taken_(changed_words(cells)) {}
  [[nodiscard]] CountStorage<RuntimeDims> storage() {
    CountStorage<RuntimeDims> storage;
    storage.cells = cells_;
    storage.changed = changed_;
    storage.taken = taken_;
    return storage;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& cells() const noexcept { return cells_; }

 private:
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> taken_;
};

std::size_t cells_of(const Model& model) {
  const std::size_t steps = model.actions.size() * model.observations.size();
  return steps * steps;
}

class AoasUcrl final : public Learner {
 public:
  AoasUcrl(const LearnerSetting& setting, std::uint64_t seed)
      : setting_(setting),
        sensors_(invert_sensors(setting.sensors)),
        believed_(setting.sensors),
        oracle_(setting.sensors, setting.options, seed),
        memory_(cells_of(setting.sensors)),
        agent_(dims_of(setting.sensors), PairCounts<RuntimeDims>(dims_of(setting.sensors), memory_.storage())),
        before_(memory_.cells().size()) {
    believed_.transition = uniform_transition(setting.sensors);
    ImageStamp stamp;
    stamp.first_length = static_cast<std::uint32_t>(setting.options.first_episode);
    stamp.seed = folded(seed);
    image_ = std::move(ImageFile::build(believed_, {}, stamp, "").value());  // check_learnable() has seen to it that it fits
    static_cast<void>(agent_.adopt(image_->image()));
    decision_ = agent_.step(Observation{});  // the observation of the first step belongs to no action
  }

  std::size_t choose() override { return index(decision_.action); }

  bool observe(const World::Answer& answer) override {
    decision_ = agent_.step(Observation{static_cast<std::uint8_t>(answer.observation)});
    return decision_.episode_ended;
  }

  Outcome<void> next_episode() override {
    ++k_;
    const Counts used = counts();
    const Estimate estimate = estimate_transition(setting_.sensors, sensors_, used);
    believed_.transition = estimate.transition;
    const Outcome<PolicyTable> table =
        oracle_.plan(believed_.transition, confidence_radius(setting_.sensors, setting_.options, k_, estimate.samples));
    if (!table) return fail(table.error());
    ImageStamp stamp;
    stamp.sequence = static_cast<std::uint32_t>(k_);
    stamp.episode = static_cast<std::uint32_t>(k_);
    stamp.pairs_before = pairs_before();
    Outcome<ImageFile> image = ImageFile::build(believed_, table.value(), stamp, "the plan");
    if (!image) return fail(image.error());
    static_cast<void>(agent_.adopt(image.value().image()));
    decision_ = agent_.revise();  // takes the new image over, so that the old one may go
    image_ = std::move(image.value());
    return {};
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return believed_.transition; }
  [[nodiscard]] std::vector<std::string> remarks() const override { return oracle_.remarks(); }

 private:
  // What is estimated from: all pairs so far, or, without reuse, those of the last episode.
  Counts counts() {
    const std::vector<std::uint32_t>& cells = memory_.cells();
    Counts counts;
    counts.actions = setting_.sensors.actions.size();
    counts.observations = setting_.sensors.observations.size();
    counts.pairs.assign(cells.begin(), cells.end());
    if (!setting_.options.reuse) {
      for (std::size_t i = 0; i < cells.size(); ++i) counts.pairs[i] -= before_[i];
      before_ = cells;
    }
    return counts;
  }

  // N_k(a). At least 1: after an action that was never paired an episode would end at once, without a pair, and so would the next.
  [[nodiscard]] std::vector<std::uint32_t> pairs_before() const {
    const std::vector<std::uint32_t>& cells = memory_.cells();
    const std::size_t block = cells.size() / setting_.sensors.actions.size();
    std::vector<std::uint32_t> pairs(setting_.sensors.actions.size());
    for (std::size_t i = 0; i < cells.size(); ++i) pairs[i / block] += cells[i];
    for (std::uint32_t& count : pairs) count = std::max(count, 1U);
    return pairs;
  }

  const LearnerSetting& setting_;
  std::vector<SensorInverse> sensors_;
  Model believed_;
  Oracle oracle_;
  AgentMemory memory_;
  Agent<RuntimeDims> agent_;
  std::optional<ImageFile> image_;
  Decision decision_{};
  std::uint64_t k_ = 0;
  std::vector<std::uint32_t> before_;  // the cells at the end of the episode before
};

}  // namespace

const LearnerKind aoas_ucrl{"aoas-ucrl",
                            "the paper's: AOAS from all samples, optimistic belief policies",
                            true,
                            {"first-episode", "delta", "radius", "epsilon", "resolution", "no-reuse"},
                            [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> {
                              return std::make_unique<AoasUcrl>(setting, seed);
                            }};

}  // namespace penumbra::host

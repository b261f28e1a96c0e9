// AOAS-UCRL (paper, Algorithm 2) in a simulated world. Its device half is lib/core's Agent itself, fed with images as a board is: it counts,
// tracks the belief, acts and applies the episode rule. The host half is the EpisodePlanner, as it is for boards.
#include "kinds.hpp"

#include "episode_planner.hpp"

#include "penumbra/agent.hpp"

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
        planner_(setting.sensors, setting.options, seed),
        memory_(cells_of(setting.sensors)),
        agent_(dims_of(setting.sensors), PairCounts<RuntimeDims>(dims_of(setting.sensors), memory_.storage())),
        image_(planner_.first(0)),
        before_(memory_.cells().size()),
        log_(setting.sensors) {
    log_.begin_run();
    static_cast<void>(agent_.adopt(image_.image()));
    decision_ = agent_.step(Observation{});  // the observation of the first step belongs to no action
  }

  std::size_t choose() override { return index(decision_.action); }

  bool observe(const World::Answer& answer) override {
    if (setting_.options.estimator == Estimator::trajectory) log_.add(index(decision_.action), answer.observation);
    decision_ = agent_.step(Observation{static_cast<std::uint8_t>(answer.observation)});
    return decision_.episode_ended;
  }

  Outcome<void> next_episode() override {
    ++k_;
    const Counts all = counts();
    const bool reuse = setting_.options.reuse;
    Outcome<ImageFile> image = planner_.next(k_, static_cast<std::uint32_t>(k_), reuse ? all : since_before(all), all, &log_);
    if (!image) return fail(image.error());
    if (!reuse) {
      log_ = RunLog(setting_.sensors);
      log_.begin_run(RunStart::anywhere);
    }
    static_cast<void>(agent_.adopt(image.value().image()));
    decision_ = agent_.revise();  // takes the new image over, so that the old one may go
    image_ = std::move(image.value());
    return {};
  }

  [[nodiscard]] const std::vector<double>& transition() const override { return planner_.transition(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return planner_.remarks(); }

 private:
  [[nodiscard]] Counts counts() const {
    Counts counts;
    counts.actions = setting_.sensors.actions.size();
    counts.observations = setting_.sensors.observations.size();
    counts.pairs.assign(memory_.cells().begin(), memory_.cells().end());
    return counts;
  }

  // The pairs of the last episode alone.
  [[nodiscard]] Counts since_before(Counts counts) {
    for (std::size_t i = 0; i < before_.size(); ++i) counts.pairs[i] -= before_[i];
    before_ = memory_.cells();
    return counts;
  }

  const LearnerSetting& setting_;
  EpisodePlanner planner_;
  AgentMemory memory_;
  Agent<RuntimeDims> agent_;
  ImageFile image_;
  Decision decision_{};
  std::uint64_t k_ = 0;
  std::vector<std::uint32_t> before_;  // the cells at the end of the episode before
  RunLog log_;                         // the steps, where the estimator wants their order
};

}  // namespace

const LearnerKind aoas_ucrl{
    "aoas-ucrl",
    "the paper's: AOAS from all samples, optimistic belief policies",
    true,
    {"first-episode", "delta", "radius", "epsilon", "resolution", "no-reuse", "estimator", "least-samples"},
    [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> { return std::make_unique<AoasUcrl>(setting, seed); },
    true};

}  // namespace penumbra::host

// What learners are held against: one who knows the true model, one who never plans, and one who knows nothing and does not mind.
#include "kinds.hpp"

#include "penumbra/host/reference.hpp"

namespace penumbra::host {

namespace {

// Looks one step ahead with the reference's own values: its Bellman gap is zero by definition.
class Optimal final : public Learner {
 public:
  explicit Optimal(const LearnerSetting& setting) : belief_(setting.reference->values()) {}
  std::size_t choose() override { return belief_.best(); }
  bool observe(const World::Answer& answer) override {
    belief_.observe(belief_.best(), answer.observation);
    return false;
  }

 private:
  TrueBelief belief_;
};

// An actor that needs to be told nothing.
template <class Acting>
class Yardstick final : public Learner {
 public:
  template <class... Arguments>
  explicit Yardstick(Arguments&&... arguments) : actor_(std::forward<Arguments>(arguments)...) {}
  std::size_t choose() override { return action_ = actor_.choose(); }
  bool observe(const World::Answer& answer) override {
    actor_.observe(action_, answer.observation);
    return false;
  }

 private:
  Acting actor_;
  std::size_t action_ = 0;
};

}  // namespace

const LearnerKind optimal{
    "optimal",
    "yardstick: knows the true model and looks ahead with its values",
    false,
    {},
    [](const LearnerSetting& setting, std::uint64_t /*seed*/) -> std::unique_ptr<Learner> { return std::make_unique<Optimal>(setting); }};

const LearnerKind uniform{"uniform",
                          "yardstick: every action alike",
                          false,
                          {},
                          [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> {
                            return std::make_unique<Yardstick<UniformActor>>(setting.sensors.actions.size(), seed);
                          }};

const LearnerKind myopic{"myopic",
                         "yardstick: knows the true model, takes the highest immediate reward",
                         false,
                         {},
                         [](const LearnerSetting& setting, std::uint64_t seed) -> std::unique_ptr<Learner> {
                           return std::make_unique<Yardstick<MyopicActor>>(*setting.world, 0.0, seed);
                         }};

}  // namespace penumbra::host

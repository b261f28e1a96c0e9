// Agent: the whole tick in one call. Hand over what the last action answered; get the next action.
//
//   penumbra::Agent<penumbra::StaticDims<3, 4, 4>> agent;
//   void control_tick() { drive(agent.step(read_sensor()).action); }
//
// step() does, in this order: count the pair, update the belief, adopt a new image if there is one, choose, apply the episode rule.
// The observation handed to the very first step() belongs to no action and is passed over. Without an image the agent acts
// uniformly and counts, which is all that the first episode needs. It allocates nothing, never fails and never stops acting: what
// was unusual is in the decision's status.
//
// Threads: step(), missed(), revise() and reset() belong to the control interrupt. adopt() belongs to the background of the same core: a step
// may interrupt it, and it must not interrupt a step.
#pragma once

#include "penumbra/belief_filter.hpp"
#include "penumbra/episode.hpp"
#include "penumbra/pair_counts.hpp"
#include "penumbra/policy.hpp"

namespace penumbra {

struct Decision {
  Action action;
  Status status;       // ok, or what was unusual about the observation
  bool episode_ended;  // Algorithm 2 would plan anew; stays up until an image is adopted
};

// `Recorder` is what the agent keeps of what it saw: PairCounts, or UncountedPairs where counts would not fit.
template <class Dims, template <class> class Recorder = PairCounts>
class Agent {
 public:
  // The seed is for the uniform policy before the first image; give each robot its own.
  explicit Agent(uint32_t seed = 1) noexcept : filter_(ModelView<Dims>{dims_}), policy_(dims_, seed), episode_(dims_) {}
  Agent(const Dims& dims, const Recorder<Dims>& recorder, uint32_t seed = 1) noexcept  // for RuntimeDims: the caller has the storage
      : dims_(dims), recorder_(recorder), filter_(ModelView<Dims>{dims}), policy_(dims, seed), episode_(dims) {}

  // Another seed than the constructor's, before the first step.
  void seed(uint32_t seed) noexcept { policy_.seed(seed); }

  // The last action answered with `observation`: what next?
  Decision step(Observation observation) noexcept { return decide(observe(observation)); }

  // The last action was executed, and its observation is lost: the belief moves on without it, and no pair spans the gap.
  Decision missed() noexcept { return decide(lose(quiet())); }

  // The last decision was not executed, and an image was adopted meanwhile: decide again, by that one. So Algorithm 2 plans: between two
  // actions. A robot that cannot wait for its plan goes on acting instead, and this is not for it.
  Decision revise() noexcept { return decide(quiet()); }

  // The world was put elsewhere by hand: back to the prior, and no pair spans it.
  void reset() noexcept {
    recorder_.break_pair();
    filter_.reset();
    acting_ = false;
  }

  // Use `image` from the next decision on. Its bytes must stay until another image has been adopted and a step taken.
  Status adopt(const PolicyImage& image) noexcept {
    if (!image.is_open()) return Status::no_image;
    if (!same_sizes(image.dims(), dims_)) return Status::image_other_sizes;
    next_ = image.base_;  // one word: an interrupt sees the old or the new
    return Status::ok;
  }

  [[nodiscard]] const Belief<Dims>& belief() const noexcept { return filter_.belief(); }
  [[nodiscard]] const Episode<Dims>& episode() const noexcept { return episode_; }
  [[nodiscard]] const Recorder<Dims>& recorder() const noexcept { return recorder_; }
  [[nodiscard]] Recorder<Dims>& recorder() noexcept { return recorder_; }

 private:
  Status observe(Observation observation) noexcept {
    if (index(observation) >= dims_.observations()) return lose(Status::observation_out_of_range);
    if (!acting_) return quiet();
    const Recorded recorded = recorder_.record(action_, observation);
    episode_.executed(recorded.counted, recorded.first);
    if (!has_image_) return recorded.status != Status::ok ? recorded.status : quiet();
    const Status status = filter_.update(action_, observation);
    return status != Status::ok ? status : recorded.status;
  }

  Status lose(Status status) noexcept {
    recorder_.break_pair();
    if (acting_) {
      episode_.executed(false, action_);
      if (has_image_) filter_.predict(action_);
    }
    return status;
  }

  [[nodiscard]] Status quiet() const noexcept { return has_image_ ? Status::ok : Status::no_image; }

  // Inlined for the tick's sake: handing three bytes through a call costs more than the episode rule does.
  [[gnu::always_inline]] Decision decide(Status status) noexcept {
    if (next_ != nullptr) status = begin_episode(status);
    action_ = policy_.choose(filter_.belief());
    if (acting_) episode_.chose(action_);
    acting_ = true;
    return {action_, status, episode_.ended()};
  }

  // The step before was the old policy's, the next one is the new policy's: they are no pair. Algorithm 2 executes the first action
  // of an episode without asking whether the episode ends before it.
  [[gnu::noinline]] Status begin_episode(Status status) noexcept {
    const PolicyImage image(next_);
    next_ = nullptr;
    recorder_.break_pair();
    filter_.use(image.model(dims_));
    if (!has_image_ || !acting_) filter_.reset();  // nothing is believed yet, or no more: begin with this model's prior
    has_image_ = true;
    acting_ = false;
    policy_.use(image);
    episode_.start(image.header().episode, image.header().first_length, image.pairs_before());
    return status == Status::no_image ? Status::ok : status;
  }

  Dims dims_;
  Action action_{};
  bool acting_ = false;
  bool has_image_ = false;
  const uint8_t* volatile next_ = nullptr;  // the image that takes over at the next decision
  Recorder<Dims> recorder_;
  BeliefFilter<Dims> filter_;
  Policy<Dims> policy_;
  Episode<Dims> episode_;
};

}  // namespace penumbra

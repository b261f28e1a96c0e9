// From counts to the next image.
#include "episode_planner.hpp"

#include "belief_policy.hpp"
#include "confidence.hpp"

#include "penumbra/host/random.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace penumbra::host {

namespace {

// N_k(a). At least 1: after an action that was never paired an episode would end at once, without a pair, and so would the next.
std::vector<std::uint32_t> pairs_before(const Counts& all) {
  std::vector<std::uint32_t> pairs;
  for (const std::uint64_t count : all.samples()) {
    pairs.push_back(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, 1, std::numeric_limits<std::uint32_t>::max())));
  }
  return pairs;
}

}  // namespace

EpisodePlanner::EpisodePlanner(const Model& sensors, const LearnerOptions& options, std::uint64_t seed)
    : options_(options), inverses_(invert_sensors(sensors)), believed_(sensors), oracle_(sensors, options, seed), seed_(seed) {
  believed_.transition = uniform_transition(sensors);
}

ImageFile EpisodePlanner::first(std::uint32_t sequence) const {
  Model unknown = believed_;
  unknown.transition = uniform_transition(believed_);
  ImageStamp stamp;
  stamp.sequence = sequence;
  stamp.first_length = static_cast<std::uint32_t>(options_.first_episode);
  stamp.seed = folded(seed_);
  return std::move(ImageFile::build(unknown, {}, stamp, "").value());  // check_learnable() has seen to it that it fits
}

Outcome<ImageFile> EpisodePlanner::next(std::uint64_t k, std::uint32_t sequence, const Counts& used, const Counts& all) {
  const Estimate estimate = estimate_transition(believed_, inverses_, used);
  believed_.transition = estimate.transition;
  const Outcome<PolicyTable> table = oracle_.plan(believed_.transition, confidence_radius(believed_, options_, k, estimate.samples));
  if (!table) return fail(table.error());
  gain_ = oracle_.gain();
  ImageStamp stamp;
  stamp.sequence = sequence;
  stamp.episode = static_cast<std::uint32_t>(k);
  stamp.pairs_before = pairs_before(all);
  return ImageFile::build(believed_, table.value(), stamp, "the plan");
}

}  // namespace penumbra::host

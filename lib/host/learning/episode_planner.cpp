// From counts, or the steps themselves, to the next image.
#include "episode_planner.hpp"

#include "belief_policy.hpp"
#include "confidence.hpp"

#include "penumbra/host/random.hpp"

#include <algorithm>
#include <cassert>
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

// The transition goes to `believed_`; what comes back are its standard errors, where they are asked for and can be told.
std::vector<double> EpisodePlanner::estimate(const Counts& used, const RunLog* log, bool with_errors) {
  Estimate first = estimate_transition(believed_, inverses_, used);
  if (options_.estimator == Estimator::aoas) {
    believed_.transition = std::move(first.transition);
    return std::move(first.standard_error);
  }
  assert(options_.estimator == Estimator::counts || log != nullptr);
  RefinementRequest request;
  request.standard_errors = with_errors;
  request.threads = 1;  // runs are parallel already
  Refinement refined = options_.estimator == Estimator::counts ? refine_by_counts(believed_, used, first.transition, request)
                                                               : refine_by_trajectory(believed_, *log, first.transition, request);
  believed_.transition = std::move(refined.transition);
  return std::move(refined.standard_error);
}

Outcome<ImageFile> EpisodePlanner::next(std::uint64_t k, std::uint32_t sequence, const Counts& used, const Counts& all, const RunLog* log) {
  const std::vector<std::uint64_t> samples = used.samples();
  const std::vector<bool> starved = starved_actions(samples, options_.least_samples);
  const bool any_starved = std::find(starved.begin(), starved.end(), true) != starved.end();
  const std::vector<double> standard_error = estimate(used, log, any_starved);
  std::vector<double> radius = confidence_radius(believed_, options_, k, samples);
  if (any_starved && !standard_error.empty()) radius = radius_of_rows(radius, starved, standard_error);
  const Outcome<PolicyTable> table = oracle_.plan(believed_.transition, radius);
  if (!table) return fail(table.error());
  gain_ = oracle_.gain();
  ImageStamp stamp;
  stamp.sequence = sequence;
  stamp.episode = static_cast<std::uint32_t>(k);
  stamp.pairs_before = pairs_before(all);
  return ImageFile::build(believed_, table.value(), stamp, "the plan");
}

}  // namespace penumbra::host

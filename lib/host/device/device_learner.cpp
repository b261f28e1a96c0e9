// Episode after episode: counts in, an image out.
#include "penumbra/host/device_learner.hpp"

#include "learning/episode_planner.hpp"

#include "penumbra/link/image_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace penumbra::host {

namespace {

constexpr std::uint64_t sweep_every_ms = 1000;  // within an episode: what a board that boots may lose
constexpr int most_disagreements = 5;           // of sweeps; each asks for everything before it says so
constexpr int most_failures = 3;                // of images on trial
constexpr std::size_t most_points = 1024;       // of the curve, which is then thinned out
constexpr std::uint64_t longest_trial = 64;     // ticks: more than a session wants of an image

std::uint64_t sum_of(const Counts& counts) { return std::accumulate(counts.pairs.begin(), counts.pairs.end(), std::uint64_t{0}); }

}  // namespace

DeviceLearner::DeviceLearner(const Model& world, const LearnerOptions& options, std::uint64_t seed, DeviceRecord* record)
    : model_(world),
      options_(options),
      world_(world, seed),
      planner_(std::make_unique<EpisodePlanner>(LearnerSetting(world).sensors, options, seed)),
      record_(record) {}

DeviceLearner::~DeviceLearner() = default;

const std::vector<double>& DeviceLearner::transition() const noexcept { return planner_->transition(); }
std::vector<std::string> DeviceLearner::remarks() const { return planner_->remarks(); }

// --- The world

std::optional<std::uint8_t> DeviceLearner::act(std::uint8_t action) {
  const World::Answer answer = world_.act(action);
  ++total_.ticks;
  total_.reward += answer.reward;
  ++episode_.ticks;
  ++since_takeover_;
  episode_.reward += answer.reward;
  if (total_.ticks - curve_.back().ticks >= curve_step_) {
    curve_.push_back(total_);
    if (curve_.size() > most_points) {
      for (std::size_t i = 1; 2 * i < curve_.size(); ++i) curve_[i] = curve_[2 * i];
      curve_.resize((curve_.size() + 1) / 2);
      curve_step_ *= 2;
    }
  }
  return static_cast<std::uint8_t>(answer.observation);
}

// --- What happens

Outcome<void> DeviceLearner::take(const SessionEvent& event, Session& session, std::uint64_t now_ms) {
  if (std::holds_alternative<Reset>(event)) asked_ = false;
  if (const auto* came = std::get_if<ImageCame>(&event); came != nullptr && state_ == State::joining) {
    const bool has_gone_by = came->report.incarnation != session.device()->incarnation;  // the reset that is told of next asks again
    return has_gone_by ? Outcome<void>{} : join(came->report, session);
  }
  if (const auto* sweep = std::get_if<CountsSwept>(&event)) return swept(*sweep, session, now_ms);
  if (state_ != State::sending) return {};
  if (std::holds_alternative<ImageBusy>(event)) release_world(session);  // another one's trial takes ticks
  if (std::holds_alternative<ImageOnTrial>(event)) return took_over(session);
  if (std::holds_alternative<ImageConfirmed>(event)) return confirmed(session);
  if (const auto* refused = std::get_if<ImageRefused>(&event)) return fail(refused->problem);
  if (const auto* fell = std::get_if<ImageFellBack>(&event)) return fell_back(*fell, session);
  return {};
}

Outcome<void> DeviceLearner::advance(Session& session, std::uint64_t now_ms) {
  if (!session.device()) return {};
  if (state_ == State::joining && !std::exchange(asked_, true)) session.ask_image();
  const bool counts = session.device()->has(link::feature_counts);
  if (state_ == State::gathering && !counts && session.log_is_read()) return plan(session);
  if (state_ == State::sending && sent_.checksum == episode_.checksum && is_over(session)) hold_world(session);  // not confirmed yet
  if (state_ != State::acting) return {};
  if (is_over(session)) {
    gather(session);
  } else if (counts && !session.is_sweeping() && now_ms - swept_at_ >= sweep_every_ms) {
    ask_for_counts(session);
  }
  return {};
}

Outcome<void> DeviceLearner::finish(Session& session) { return keep_episode(session); }

// --- Where to begin

Outcome<void> DeviceLearner::join(const link::ImageReport& report, Session& session) {
  const DeviceInfo& device = *session.device();
  newest_sequence_ = report.sequence;
  if (record_ == nullptr && !device.has(link::feature_counts) && !session.follows_log()) session.follow_log();

  const Outcome<Counts> known = counts(session);
  if (!known) return fail(known.error());
  pairs_before_ = known->pairs;
  const Outcome<std::uint64_t> own = own_pairs(session);
  if (!own) return fail(own.error());
  pairs_at_start_ = own.value();
  std::optional<ImageRow> in_use;
  std::optional<std::uint32_t> last_k;
  if (record_ != nullptr) {
    const Outcome<std::vector<ImageRow>> images = record_->store().images();
    if (!images) return fail(images.error());
    for (const ImageRow& image : images.value()) {
      if (link::is_newer(image.sequence, newest_sequence_)) newest_sequence_ = image.sequence;
      last_k = std::max(last_k.value_or(0), image.episode);
      if (report.checksum != 0 && image.checksum == report.checksum && image.sequence == report.sequence) in_use = image;
    }
    if (in_use) {
      const Outcome<bool> is_episode = is_of_an_episode(*in_use, images.value(), device.device);
      if (!is_episode) return fail(is_episode.error());
      if (!is_episode.value()) in_use.reset();
    }
    const Outcome<void> recalled = recall(device.device, in_use);
    if (!recalled) return recalled;
  }
  if (in_use) return resume(*in_use, report, session);
  if (last_k && sum_of(known.value()) > 0) {  // much is known, and this board has nothing of it
    next_k_ = *last_k + 1;
    gather(session);
    return {};
  }
  next_k_ = 0;
  return plan(session);
}

// One that was planned elsewhere and flashed has no place among the episodes: a later episode of this board had its image before.
Outcome<bool> DeviceLearner::is_of_an_episode(const ImageRow& in_use, const std::vector<ImageRow>& images, std::uint32_t device) const {
  const Outcome<std::vector<ImageUse>> uses = record_->store().uses();
  if (!uses) return fail(uses.error());
  return std::none_of(uses->begin(), uses->end(), [&](const ImageUse& use) {
    const auto image = std::find_if(images.begin(), images.end(), [&](const ImageRow& one) { return one.sequence == use.sequence; });
    return use.device == device && image != images.end() && image->episode > in_use.episode &&
           link::is_newer(in_use.sequence, image->sequence);
  });
}

// The episodes of this board that are in the store: they are part of the curve, and that of the image in use goes on.
Outcome<void> DeviceLearner::recall(std::uint32_t device, const std::optional<ImageRow>& in_use) {
  const Outcome<std::vector<EpisodeRow>> rows = record_->store().episodes();
  if (!rows) return fail(rows.error());
  for (const EpisodeRow& row : rows.value()) {
    if (row.device != device) continue;
    total_.ticks += row.ticks;
    total_.reward += row.reward;
    curve_.push_back(total_);
    if (!in_use || row.number != in_use->episode) continue;
    episode_ = {row.number, row.ticks, row.pairs, row.reward, row.gain, 0, 0, 0};
    pairs_at_start_ -= std::min(pairs_at_start_, row.pairs);
  }
  return {};
}

// The board has an image of this project. One that is still on trial is sent again, which is short, to see it through.
Outcome<void> DeviceLearner::resume(const ImageRow& known, const link::ImageReport& report, Session& session) {
  const Outcome<std::string> bytes = record_->store().image(known.sequence);
  if (!bytes) return fail(bytes.error());
  auto image = ImageFile::open("the image in use", bytes.value());
  if (!image) return fail(Fault::input, "the store", fmt::format("image {}: {}", known.sequence, describe(image.error(), bytes.value())));
  episode_.k = known.episode;
  episode_.sequence = known.sequence;
  episode_.checksum = known.checksum;
  episode_.image_size = known.size;
  next_k_ = known.episode + 1;
  if (report.confirmed == 0) return send(std::move(image.value()), session);
  image_ = std::move(image.value());
  state_ = State::acting;
  release_world(session);
  return {};
}

// Where the world waits, not before a tick that does not hang on when the confirmation comes.
bool DeviceLearner::is_over(const Session& session) const noexcept {
  return session.episode_ended() && (!world_waits_ || since_takeover_ >= longest_trial);
}
void DeviceLearner::hold_world(Session& session) const {
  if (world_waits_) session.hold();
}
void DeviceLearner::release_world(Session& session) const {
  if (world_waits_) session.release();
}

// --- Counts

void DeviceLearner::gather(Session& session) {
  state_ = State::gathering;
  disagreements_ = 0;
  hold_world(session);
  if (session.device()->has(link::feature_counts)) {
    ask_for_counts(session);
  } else {
    session.read_log();
  }
}

void DeviceLearner::ask_for_counts(Session& session) {
  session.ask_status();  // its ticks, for the store
  session.start_counts();
}

Outcome<void> DeviceLearner::swept(const CountsSwept& sweep, Session& session, std::uint64_t now_ms) {
  swept_at_ = now_ms;
  if (state_ == State::acting) return keep_episode(session);
  if (state_ != State::gathering) return {};
  if (sweep.agree) return plan(session);
  if (++disagreements_ < most_disagreements) {
    session.start_counts(true);
    return {};
  }
  return fail(Fault::system, "the device",
              fmt::format("says that it has {} pairs, and its cells say otherwise, {} times in a row", sweep.pairs, disagreements_),
              "is its firmware built for these sizes, and its memory sound?");
}

Outcome<Counts> DeviceLearner::counts(const Session& session) const {
  if (record_ != nullptr) return record_->store().counts(model_, "the model");
  Outcome<Counts> sum = Counts::of(model_, "the model");
  if (sum) sum.value().pairs = session.total_counts();
  return sum;
}

Outcome<std::uint64_t> DeviceLearner::own_pairs(const Session& session) const {
  const Outcome<Counts> all = record_ == nullptr ? counts(session) : record_->store().counts(model_, "the model", session.device()->device);
  if (!all) return fail(all.error());
  return sum_of(all.value());
}

// --- Images

Outcome<void> DeviceLearner::plan(Session& session) {
  const std::uint32_t k = *next_k_;
  const std::uint32_t sequence = newest_sequence_ + 1;
  if (k == 0) return send(planner_->first(sequence), session);
  const Outcome<Counts> all = counts(session);
  if (!all) return fail(all.error());
  Counts used = all.value();
  if (!options_.reuse) {
    for (std::size_t i = 0; i < used.pairs.size(); ++i) used.pairs[i] -= pairs_before_[i];
  }
  Outcome<ImageFile> image = planner_->next(k, sequence, used, all.value());
  if (!image) return fail(image.error());
  return send(std::move(image.value()), session);
}

Outcome<void> DeviceLearner::send(ImageFile planned, Session& session) {
  Outcome<ImageFile> kept = std::move(planned);
  if (record_ != nullptr) kept = record_->keep_image(std::move(kept.value()), session);
  if (!kept) return fail(kept.error());
  ImageFile& image = kept.value();
  const ImageHeader& header = image.image().header();
  sent_ = {};
  sent_.k = header.episode;
  sent_.gain = header.episode == 0 ? std::nullopt : planner_->gain();
  sent_.sequence = header.sequence;
  sent_.checksum = link::checksum_of(image.image());
  sent_.image_size = header.size;
  newest_sequence_ = header.sequence;
  const Outcome<void> begun = session.send_image(image.bytes(), fmt::format("the image of episode {}", header.episode));
  if (!begun) return begun;
  hold_world(session);
  state_ = State::sending;
  sent_image_ = std::move(image);
  return {};
}

// An episode begins, and the one before it is over. What came before the first image belongs to what that image begins. The image may have been in
// use already, with a host that died before it was confirmed.
Outcome<void> DeviceLearner::took_over(Session& session) {
  release_world(session);
  if (episode_.checksum == sent_.checksum) return {};
  since_takeover_ = 0;
  const Outcome<void> kept = keep_episode(session);
  if (!kept) return kept;
  if (episode_.checksum != 0) {
    pairs_at_start_ += episode_.pairs;
    episodes_.push_back(episode_);
  } else {
    sent_.ticks = episode_.ticks;
    sent_.reward = episode_.reward;
  }
  episode_ = sent_;
  return {};
}

Outcome<void> DeviceLearner::confirmed(Session& session) {
  const Outcome<void> taken = took_over(session);  // its trial may be over before we have heard of it
  if (!taken) return taken;
  const Outcome<Counts> all = counts(session);
  if (!all) return fail(all.error());
  pairs_before_ = all->pairs;
  next_k_ = sent_.k + 1;
  failures_ = 0;
  state_ = State::acting;
  image_ = std::move(sent_image_);
  sent_image_.reset();
  return {};
}

// The board is back at the image before, and so is its episode: the next image is planned from what has been counted by now.
Outcome<void> DeviceLearner::fell_back(const ImageFellBack& event, Session& session) {
  if (episode_.checksum == sent_.checksum) {
    BoardEpisode before;
    if (event.in_use != 0 && !episodes_.empty()) {
      before = episodes_.back();
      episodes_.pop_back();
      pairs_at_start_ -= before.pairs;
    }
    before.ticks += episode_.ticks;
    before.reward += episode_.reward;
    episode_ = before;
  }
  if (++failures_ >= most_failures) {
    state_ = State::given_up;
    return {};
  }
  if (sent_.k == 0) return plan(session);
  gather(session);
  return {};
}

Outcome<void> DeviceLearner::keep_episode(Session& session) {
  const Outcome<std::uint64_t> own = own_pairs(session);
  if (!own) return fail(own.error());
  episode_.pairs = own.value() - pairs_at_start_;
  if (record_ == nullptr || episode_.checksum == 0) return {};
  EpisodeRow row;
  row.device = session.device()->device;
  row.number = episode_.k;
  row.ticks = episode_.ticks;
  row.pairs = episode_.pairs;
  row.reward = episode_.reward;
  row.average_reward = episode_.average_reward();
  row.gain = episode_.gain;
  row.image_checksum = episode_.checksum;
  return record_->store().keep_episode(row);
}

}  // namespace penumbra::host

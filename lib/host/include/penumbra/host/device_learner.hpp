// AOAS-UCRL with a board as its agent (paper, Algorithm 2): the board counts, tracks the belief, acts, and says when an episode has ended; the
// host is its world, fetches the counts, estimates, plans, and sends the next image. The board goes on acting while counts come and the image
// is sent, and what it counts until the image takes over counts too; unless world_waits(), which makes a run that repeats.
//
//   DeviceLearner learner(world, options, seed, &record);
//   session.set_plant(&learner);
//   …for each event of the session: record.take(event, session), learner.take(event, session, now);
//   after each exchange: learner.advance(session, now)…
//
// With a store nothing is lost that was in it: a host that begins anew, a board that boots, another board of the same sizes go on with the
// sum of all counts and the number of the episode. Without, a host that begins anew begins with episode 0, and with the counts that the board
// has since its boot, which are taken for counts of this world.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/device_record.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/learner.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

class EpisodePlanner;

// An episode on a board: from when its image took over until the next one did. What happened before the first image is part of episode 0.
struct BoardEpisode {
  std::uint32_t k = 0;
  std::uint64_t ticks = 0;
  std::uint64_t pairs = 0;     // that were counted in it, as far as the host has them
  double reward = 0;           // the sum
  std::optional<double> gain;  // that its policy was planned to have, in the best world that the counts allow; none in episode 0
  std::uint32_t sequence = 0;  // of its image
  std::uint32_t checksum = 0;
  std::uint64_t image_size = 0;  // bytes

  [[nodiscard]] double average_reward() const noexcept { return ticks == 0 ? 0 : reward / static_cast<double>(ticks); }
};

// What was earned up to a tick.
struct RewardPoint {
  std::uint64_t ticks = 0;
  double reward = 0;  // the sum
};

class DeviceLearner final : public Plant {
 public:
  // `world` has passed check_learnable(), and outlives the learner; so does the record, when there is one. The estimator is not `trajectory`:
  // what comes from a board are counts.
  DeviceLearner(const Model& world, const LearnerOptions& options, std::uint64_t seed, DeviceRecord* record = nullptr);
  ~DeviceLearner() override;

  // Before the first event, with the session held. The world waits until the first image has taken over, and from the end of each episode until
  // the next one has: how long that takes is of no consequence then, and the same seed gives the same episodes. An episode is as long as the
  // trial of its image, at least. (Where another host has left an image on trial, that is seen through first, and the world does not wait.)
  void world_waits() noexcept { world_waits_ = true; }
  // At the end: whoever calls this holds the world from now on, and what is still heard of an image does not release it.
  void world_is_held() noexcept { world_waits_ = false; }

  // Every event of the session, in order. A problem ends the run: an image was refused; counts do not agree; the store cannot be written. Estimating and planning are done in here, when counts have come: milliseconds for small models.
  [[nodiscard]] Outcome<void> take(const SessionEvent& event, Session& session, std::uint64_t now_ms);
  // After each exchange.
  [[nodiscard]] Outcome<void> advance(Session& session, std::uint64_t now_ms);
  // At the end, when counts have been swept for the last time: writes the episode under way to the store.
  [[nodiscard]] Outcome<void> finish(Session& session);

  enum class State {
    joining,    // asks what the board has
    acting,     // an episode goes on
    gathering,  // it has ended: counts are on their way
    sending,    // so is the next image, or it is on trial
    given_up,   // three images in a row did not last: there will be no more
  };
  [[nodiscard]] State state() const noexcept { return state_; }

  [[nodiscard]] const BoardEpisode& episode() const noexcept { return episode_; }                 // under way
  [[nodiscard]] const std::vector<BoardEpisode>& episodes() const noexcept { return episodes_; }  // over, in this run
  [[nodiscard]] std::uint64_t ticks() const noexcept { return total_.ticks; }                     // earlier runs in the store included
  [[nodiscard]] double reward() const noexcept { return total_.reward; }                          // likewise
  [[nodiscard]] const std::vector<RewardPoint>& curve() const noexcept { return curve_; }         // evenly spaced, some hundred points
  [[nodiscard]] const std::vector<double>& transition() const noexcept;                           // estimated last
  [[nodiscard]] const std::optional<ImageFile>& image() const noexcept { return image_; }         // confirmed last
  [[nodiscard]] std::vector<std::string> remarks() const;

  // The world's part.
  std::optional<std::uint8_t> act(std::uint8_t action) override;

 private:
  [[nodiscard]] Outcome<void> join(const link::ImageReport& report, Session& session);
  [[nodiscard]] Outcome<void> resume(const ImageRow& known, const link::ImageReport& report, Session& session);
  [[nodiscard]] Outcome<bool> is_of_an_episode(const ImageRow& in_use, const std::vector<ImageRow>& images, std::uint32_t device) const;
  [[nodiscard]] Outcome<void> recall(std::uint32_t device, const std::optional<ImageRow>& in_use);
  [[nodiscard]] Outcome<void> swept(const CountsSwept& sweep, Session& session, std::uint64_t now_ms);
  [[nodiscard]] Outcome<void> plan(Session& session);
  [[nodiscard]] Outcome<void> send(ImageFile planned, Session& session);
  [[nodiscard]] Outcome<void> took_over(Session& session);
  [[nodiscard]] Outcome<void> confirmed(Session& session);
  [[nodiscard]] Outcome<void> fell_back(const ImageFellBack& event, Session& session);
  [[nodiscard]] Outcome<void> keep_episode(Session& session);
  [[nodiscard]] Outcome<Counts> counts(const Session& session) const;            // of all devices
  [[nodiscard]] Outcome<std::uint64_t> own_pairs(const Session& session) const;  // of this one
  void gather(Session& session);
  static void ask_for_counts(Session& session);
  [[nodiscard]] bool is_over(const Session& session) const noexcept;
  void hold_world(Session& session) const;
  void release_world(Session& session) const;

  const Model& model_;
  LearnerOptions options_;
  World world_;
  std::unique_ptr<EpisodePlanner> planner_;
  DeviceRecord* record_;
  bool world_waits_ = false;
  std::uint64_t since_takeover_ = 0;  // ticks
  State state_ = State::joining;
  bool asked_ = false;                   // what the board has
  std::uint32_t newest_sequence_ = 0;    // of all images, here and on the board
  std::optional<std::uint32_t> next_k_;  // of the episode that is planned next
  std::optional<ImageFile> sent_image_;
  std::optional<ImageFile> image_;
  BoardEpisode sent_;  // what the image will begin
  BoardEpisode episode_;
  std::vector<BoardEpisode> episodes_;
  std::uint64_t pairs_at_start_ = 0;         // of this board, when the episode began
  std::vector<std::uint64_t> pairs_before_;  // of all boards, by cell: for those who estimate from the last episode alone
  RewardPoint total_;
  std::vector<RewardPoint> curve_{{}};
  std::uint64_t curve_step_ = 16;
  std::uint64_t swept_at_ = 0;
  int disagreements_ = 0;  // in a row
  int failures_ = 0;       // likewise
};

}  // namespace penumbra::host

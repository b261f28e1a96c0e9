// AOAS-UCRL with a board as its agent: the real device's end and the real store, over a line that fails, with boards that boot, hosts that die and
// images that do not last.
#include "penumbra/host/device_learner.hpp"

#include "penumbra/host/reference.hpp"
#include "penumbra/link/step_log.hpp"
#include "sanitized.hpp"
#include "simulated_board.hpp"

#include <unity.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::sanitized;
using penumbra::test::SimulatedBoard;
namespace fs = std::filesystem;
namespace link = penumbra::link;

const Model& rover() {
  static const Model model = penumbra::test::random_model(3, 4, 4, 12);
  return model;
}

LearnerOptions quick() {
  LearnerOptions options;
  options.first_episode = 500;
  options.resolution = 10;
  return options;
}

// A host with its learner, which can die. The board and its line stay.
template <class Board>
class Host {
 public:
  Host(Board& board, Store* store, std::uint64_t seed = 1, const LearnerOptions& options = quick())
      : record_(store != nullptr ? std::make_unique<DeviceRecord>(*store) : nullptr),
        learner(rover(), options, seed, record_.get()),
        board_(board) {
    board.connect();
    board.events.clear();
    board.world.other = &learner;
  }
  ~Host() {
    board_.session.reset();
    board_.world.other = nullptr;
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // The problem that ended it, if any.
  template <class Done>
  [[nodiscard]] std::optional<Problem> run(const Done& done) {
    for (const std::uint64_t end = board_.now + 10'000'000; !done();) {
      TEST_ASSERT_TRUE_MESSAGE(board_.now < end, "nothing comes of it");
      board_.turn();
      for (const SessionEvent& event : board_.events) {
        Outcome<void> taken = keep(event);
        if (taken) taken = learner.take(event, *board_.session, board_.now);
        if (!taken) return taken.error();
      }
      board_.events.clear();
      const Outcome<void> advanced = learner.advance(*board_.session, board_.now);
      if (!advanced) return advanced.error();
    }
    return std::nullopt;
  }
  void run_ticks(std::uint64_t ticks) {
    const std::uint64_t end = board_.world.steps() + ticks;
    const std::optional<Problem> problem = run([&] { return board_.world.steps() >= end; });
    if (problem) TEST_FAIL_MESSAGE(to_text(*problem).c_str());
  }
  void run_until_episode(std::uint32_t k) {
    const std::optional<Problem> problem =
        run([&] { return learner.episode().k >= k && learner.state() != DeviceLearner::State::sending; });
    if (problem) TEST_FAIL_MESSAGE(to_text(*problem).c_str());
  }
  // The world waits, and the last counts come.
  void sweep_exactly() {
    board_.session->hold();
    bool done = false;
    board_.session->start_counts();
    while (!done) {
      board_.turn();
      for (const SessionEvent& event : board_.events) {
        const CountsSwept* swept = std::get_if<CountsSwept>(&event);
        done = done || (swept != nullptr && swept->exact);
        TEST_ASSERT_TRUE(swept == nullptr || swept->agree);
        TEST_ASSERT_TRUE(keep(event).has_value());
      }
      board_.events.clear();
    }
    TEST_ASSERT_TRUE(learner.finish(*board_.session).has_value());
    board_.session->release();
  }

 private:
  [[nodiscard]] Outcome<void> keep(const SessionEvent& event) { return record_ ? record_->take(event, *board_.session) : Outcome<void>{}; }

  std::unique_ptr<DeviceRecord> record_;

 public:
  DeviceLearner learner;

 private:
  Board& board_;
};

Store fresh_store(const char* name) {
  const fs::path path = fs::path(PENUMBRA_SCRATCH) / (std::string(name) + ".db");
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix);
  return std::move(Store::open(path.string()).value());
}

void a_board_learns_its_world_to_within_a_few_percent_of_the_best() {
  const double best = Reference::of(rover(), "rover", 1).value().gain().mean;
  SimulatedBoard<> board(rover());
  LearnerOptions options;
  if (sanitized) options.resolution = 10;
  Host host(board, nullptr, 1, options);
  host.run_ticks(sanitized ? 30000 : 300000);
  const std::vector<BoardEpisode>& episodes = host.learner.episodes();
  TEST_ASSERT_TRUE(episodes.size() >= (sanitized ? 2 : 5));
  std::printf("best %.4f\n  k    ticks   reward    gain  image\n", best);
  for (const BoardEpisode& episode : episodes) {
    std::printf("%3u %8llu   %.4f  %.4f %6llu\n", episode.k, static_cast<unsigned long long>(episode.ticks), episode.average_reward(),
                episode.gain.value_or(0), static_cast<unsigned long long>(episode.image_size));
  }
  for (std::size_t i = 0; i < episodes.size(); ++i) TEST_ASSERT_EQUAL(i, episodes[i].k);
  TEST_ASSERT_FALSE(episodes[0].gain.has_value());
  TEST_ASSERT_TRUE(episodes[1].gain.has_value());
  TEST_ASSERT_TRUE(episodes[0].average_reward() < 0.8 * best);
  TEST_ASSERT_TRUE(host.learner.episode().average_reward() > (sanitized ? 0.9 : 0.97) * best);
}

void the_curve_is_the_sum_of_the_rewards_with_a_bounded_number_of_points() {
  SimulatedBoard<> board(rover());
  Host host(board, nullptr);
  host.run_ticks(50000);
  const std::vector<RewardPoint>& curve = host.learner.curve();
  TEST_ASSERT_TRUE(curve.size() > 256 && curve.size() <= 1024);
  TEST_ASSERT_EQUAL(0, curve[0].ticks);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    TEST_ASSERT_TRUE(curve[i].ticks > curve[i - 1].ticks && curve[i].reward >= curve[i - 1].reward);
  }
  double reward = host.learner.episode().reward;
  std::uint64_t ticks = host.learner.episode().ticks;
  for (const BoardEpisode& episode : host.learner.episodes()) {
    reward += episode.reward;
    ticks += episode.ticks;
  }
  TEST_ASSERT_EQUAL(ticks, host.learner.ticks());
  TEST_ASSERT_EQUAL(ticks, board.world.steps());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, reward, host.learner.reward());
}

void images_go_out_with_growing_numbers_and_lengths_that_go_by_all_pairs() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.01));
  Store store = fresh_store("growing");
  Host host(board, &store);
  host.run_until_episode(5);
  const std::vector<ImageRow> images = store.images().value();
  TEST_ASSERT_EQUAL(6, images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    TEST_ASSERT_EQUAL(i + 1, images[i].sequence);
    TEST_ASSERT_EQUAL(i, images[i].episode);
  }
  const std::vector<ImageUse> uses = store.uses().value();
  for (const ImageUse& use : uses) TEST_ASSERT_TRUE(use.state == ImageState::confirmed);
  // N_k(a) is in the image; its sum is what had been counted when it was made.
  const ImageFile last = std::move(ImageFile::open("last", store.image(6).value()).value());
  std::uint64_t pairs = 0;
  for (std::size_t a = 0; a < 4; ++a) pairs += last.image().pairs_before()[a];
  TEST_ASSERT_TRUE(pairs > 500 && pairs <= board.world.steps());
}

std::uint64_t pairs_of(const PairCounter& log) {
  std::uint64_t sum = 0;
  for (const std::uint64_t cell : log.counts().pairs) sum += cell;
  return sum;
}

void the_store_has_all_pairs_of_the_worlds_log() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.02));
  Store store = fresh_store("exact");
  Host host(board, &store);
  host.run_until_episode(4);
  host.run_ticks(1000);
  host.sweep_exactly();
  TEST_ASSERT_TRUE(store.counts(rover(), "rover").value().pairs == board.world.lives().back().counts().pairs);
  std::uint64_t ticks = 0;
  std::uint64_t pairs = 0;
  const std::vector<EpisodeRow> rows = store.episodes().value();
  for (const EpisodeRow& row : rows) {
    ticks += row.ticks;
    pairs += row.pairs;
  }
  TEST_ASSERT_EQUAL(board.world.steps(), ticks);
  TEST_ASSERT_EQUAL(pairs_of(board.world.lives().back()), pairs);
}

// The board has the image of episode k, and the store all counts.
void a_host_that_dies_is_followed_by_one_that_goes_on_with_the_episode() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.01));
  Store store = fresh_store("dies");
  std::uint32_t k = 0;
  for (std::uint64_t life = 1; life <= 6; ++life) {
    Host host(board, &store, life);
    const std::optional<Problem> problem = host.run([&] { return host.learner.state() == DeviceLearner::State::acting; });
    TEST_ASSERT_FALSE(problem.has_value());
    TEST_ASSERT_TRUE(host.learner.episode().k >= k);
    TEST_ASSERT_TRUE(life == 1 || host.learner.ticks() > 0);
    host.run_ticks(300 * life);
    k = host.learner.episode().k;
  }
  TEST_ASSERT_TRUE(k >= 1);
  // Pairs of the last moments of each host may be lost for the log's comparison, and none is counted twice.
  Host host(board, &store, 99);
  host.run_ticks(100);
  host.sweep_exactly();
  const std::vector<std::uint64_t> kept = store.counts(rover(), "rover").value().pairs;
  const std::vector<std::uint64_t>& log = board.world.lives().back().counts().pairs;
  std::uint64_t missing = 0;
  for (std::size_t cell = 0; cell < log.size(); ++cell) {
    TEST_ASSERT_TRUE(kept[cell] <= log[cell]);
    missing += log[cell] - kept[cell];
    TEST_ASSERT_EQUAL(board.device->agent().recorder().count(cell), kept[cell]);
  }
  TEST_ASSERT_TRUE(missing <= 7);
}

void a_host_that_dies_while_an_image_is_on_trial_is_followed_by_one_that_confirms_it() {
  SimulatedBoard<> board(rover());
  Store store = fresh_store("trial");
  {
    Host host(board, &store);
    const std::optional<Problem> problem =
        host.run([&] { return board.device->images().on_trial() && board.device->images().image().header().episode == 1; });
    TEST_ASSERT_FALSE(problem.has_value());
  }
  Host host(board, &store);
  host.run_until_episode(1);
  TEST_ASSERT_EQUAL(1, host.learner.episode().k);
  TEST_ASSERT_EQUAL(2, board.device->images().image().header().sequence);
  TEST_ASSERT_FALSE(board.device->images().on_trial());
}

// By its ticks a device is told from another that has its number, or lost its flash.
void the_store_knows_how_far_a_board_has_come_that_is_still_learning() {
  SimulatedBoard<> board(rover());
  Store store = fresh_store("ticks");
  Host host(board, &store);
  host.run_until_episode(2);
  const std::uint64_t ticks = store.begin_life(7, board.device->incarnation(), CountedBy::device, false).value().ticks;
  TEST_ASSERT_TRUE(ticks > 500 && ticks <= board.world.steps());
}

// Somebody has flashed an image of episode 0 by hand, and the store has it too.
void an_image_that_was_planned_elsewhere_does_not_begin_the_episodes_anew() {
  SimulatedBoard<> board(rover());
  Store store = fresh_store("elsewhere");
  std::uint32_t k = 0;
  {
    Host host(board, &store);
    host.run_until_episode(3);
    k = host.learner.episode().k;
    host.sweep_exactly();
  }
  DeviceRecord record(store);
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  ImageFile planned = std::move(ImageFile::open("plan.pnb", penumbra::test::image_bytes(rover(), 1, 4)).value());
  TEST_ASSERT_EQUAL(0, planned.image().header().episode);
  const ImageFile kept = std::move(record.keep_image(std::move(planned), *board.session).value());
  TEST_ASSERT_TRUE(board.session->send_image(kept.bytes(), "plan.pnb").has_value());
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  Host host(board, &store, 2);
  host.run_until_episode(1);
  TEST_ASSERT_TRUE(host.learner.episode().k > k);
}

void a_board_whose_image_has_the_last_sequence_number_of_all_learns_on() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  TEST_ASSERT_TRUE(board.session->send_image(penumbra::test::image_bytes(rover(), UINT32_MAX), "plan.pnb").has_value());
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  Store store = fresh_store("numbers");
  Host host(board, &store);
  host.run_until_episode(3);
  TEST_ASSERT_EQUAL_UINT32(3, board.device->images().image().header().sequence);
}

void a_board_that_boots_again_and_again_loses_no_episode_and_nothing_that_was_kept() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.01));
  Store store = fresh_store("boots");
  Host host(board, &store);
  std::uint64_t kept = 0;
  std::uint32_t k = 0;
  Random random(3, Stream::runs);
  for (int boot = 0; boot < 40; ++boot) {
    host.run_ticks(50 + random.below(600));
    board.reset();
    const std::vector<std::uint64_t> pairs = store.counts(rover(), "rover").value().pairs;
    std::uint64_t sum = 0;
    for (const std::uint64_t cell : pairs) sum += cell;
    TEST_ASSERT_TRUE(sum >= kept);
    kept = sum;
    TEST_ASSERT_TRUE(host.learner.episode().k + 1 >= k);  // an image that was on trial is given up
    k = host.learner.episode().k;
  }
  host.run_until_episode(k + 2);
  host.sweep_exactly();
  std::vector<std::uint64_t> log(256, 0);
  for (const PairCounter& life : board.world.lives()) {
    for (std::size_t cell = 0; cell < log.size(); ++cell) log[cell] += life.counts().pairs[cell];
  }
  const std::vector<std::uint64_t> all = store.counts(rover(), "rover").value().pairs;
  for (std::size_t cell = 0; cell < log.size(); ++cell) TEST_ASSERT_TRUE(all[cell] <= log[cell]);
  const LifeCounts& last = board.session->counts().at(board.device->incarnation());
  const std::vector<std::uint64_t>& log_of_last = board.world.lives().back().counts().pairs;
  for (const auto& [cell, value] : last.cells) TEST_ASSERT_EQUAL(log_of_last[cell], value);
  TEST_ASSERT_EQUAL(pairs_of(board.world.lives().back()), last.pairs);
}

// Two boards of a project are in different episodes: the one that is behind goes on with its own.
void a_slower_board_goes_on_with_its_own_episode() {
  Store store = fresh_store("slower");
  SimulatedBoard<> first(rover());
  {
    Host host(first, &store);
    host.run_until_episode(1);
  }
  SimulatedBoard<> second(rover(), {}, 2);
  second.rename(8);
  {
    Host host(second, &store, 2);
    host.run_until_episode(4);
  }
  std::uint32_t k = 0;
  {
    Host host(first, &store, 3);
    host.run_until_episode(2);
    k = host.learner.episode().k;
  }
  TEST_ASSERT_TRUE(k < 4);
  const std::uint32_t sequence = first.device->images().image().header().sequence;
  Host host(first, &store, 4);
  TEST_ASSERT_FALSE(host.run([&] { return host.learner.state() == DeviceLearner::State::acting; }).has_value());
  TEST_ASSERT_EQUAL(k, host.learner.episode().k);
  TEST_ASSERT_EQUAL(sequence, host.learner.episode().sequence);
}

// Another board of the project begins with what the first has learned.
void a_second_board_starts_where_the_first_one_is() {
  Store store = fresh_store("fleet");
  {
    SimulatedBoard<> first(rover());
    Host host(first, &store);
    host.run_until_episode(3);
    host.sweep_exactly();
  }
  SimulatedBoard<> second(rover(), {}, 2);
  second.rename(8);
  Host host(second, &store, 2);
  host.run_until_episode(1);
  TEST_ASSERT_EQUAL(4, host.learner.episode().k);
  TEST_ASSERT_EQUAL(2, store.devices().value().size());
}

void an_image_that_does_not_last_is_made_again_and_the_third_time_is_the_last() {
  SimulatedBoard<> board(rover());
  Store store = fresh_store("falls");
  Host host(board, &store);
  host.run_until_episode(0);
  std::set<std::uint32_t> failed;
  const std::optional<Problem> problem = host.run([&] {
    if (board.device->images().on_trial()) {
      const std::uint32_t sequence = board.device->images().image().header().sequence;
      if (sequence > 1 && failed.insert(sequence).second) board.late_ticks = 1;
    }
    return failed.size() > 10 || host.learner.state() == DeviceLearner::State::given_up;
  });
  TEST_ASSERT_FALSE(problem.has_value());
  TEST_ASSERT_EQUAL(3, failed.size());
  TEST_ASSERT_EQUAL(0, host.learner.episode().k);
  TEST_ASSERT_EQUAL(1, board.device->images().image().header().sequence);
  host.run_ticks(5000);  // it acts on by that
  TEST_ASSERT_EQUAL(3, failed.size());
  TEST_ASSERT_FALSE(board.session->is_sending());
}

void an_image_that_does_not_last_once_costs_nothing_but_time() {
  SimulatedBoard<> board(rover());
  Host host(board, nullptr);
  bool failed = false;
  const std::optional<Problem> problem = host.run([&] {
    if (!failed && board.device->images().on_trial() && board.device->images().image().header().episode == 1) {
      failed = true;
      board.late_ticks = 1;
    }
    return host.learner.episode().k == 2;
  });
  TEST_ASSERT_FALSE(problem.has_value());
  TEST_ASSERT_TRUE(failed);
  TEST_ASSERT_EQUAL(2, host.learner.episodes().size());
  TEST_ASSERT_EQUAL(3, host.learner.episodes()[1].sequence);
}

// How long counts and images take to travel is of no consequence, nor is what gets lost on the way.
void where_the_world_waits_the_same_seed_gives_the_same_episodes() {
  LearnerOptions options = quick();
  const auto learn = [&options](const LineFaults& faults, std::uint64_t line_seed) {
    SimulatedBoard<> board(rover(), faults, line_seed);
    Host host(board, nullptr, 1, options);
    host.learner.world_waits();
    board.session->hold();
    host.run_ticks(20000);
    std::vector<BoardEpisode> episodes = host.learner.episodes();
    episodes.push_back(host.learner.episode());
    return episodes;
  };
  for (const std::uint64_t length : {500U, 30U}) {  // and one that is over before its image is confirmed
    options.first_episode = length;
    const std::vector<BoardEpisode> first = learn({}, 1);
    TEST_ASSERT_TRUE(first.size() >= 4);
    if (length == 500) TEST_ASSERT_EQUAL(501, first[0].ticks);  // with the one that takes the image over
    for (std::uint64_t seed = 2; seed <= 4; ++seed) {
      const std::vector<BoardEpisode> again = learn(LineFaults::all_at(0.01), seed);
      TEST_ASSERT_EQUAL(first.size(), again.size());
      for (std::size_t i = 0; i < first.size(); ++i) {
        TEST_ASSERT_EQUAL(first[i].ticks, again[i].ticks);
        TEST_ASSERT_EQUAL_DOUBLE(first[i].reward, again[i].reward);
        TEST_ASSERT_EQUAL_HEX32(first[i].checksum, again[i].checksum);
      }
    }
  }
}

// Nor does it wait for ever: for an image that does not last, for one of another host that is on trial, for a board that boots.
void a_world_that_waits_goes_on_whatever_happens() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.01));
  SessionOptions patient;
  patient.healthy_ticks = 1'000'000;
  board.connect(patient);
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  TEST_ASSERT_TRUE(board.session->send_image(penumbra::test::image_bytes(rover(), 5, 0, 1), "plan.pnb").has_value());
  TEST_ASSERT_TRUE(board.run([&] { return board.device->images().on_trial(); }));
  TEST_ASSERT_TRUE(board.run_steps(1000));
  LearnerOptions options = quick();
  options.first_episode = 1;  // over before its image is confirmed
  Host host(board, nullptr, 1, options);
  host.learner.world_waits();
  board.session->hold();
  std::set<std::uint32_t> failed;
  const std::optional<Problem> problem = host.run([&] {
    if (board.device->images().on_trial()) {
      const std::uint32_t episode = board.device->images().image().header().episode;
      if (episode % 2 == 1 && failed.insert(episode).second) {
        if (episode % 4 == 1) {
          board.late_ticks = 1;
        } else {
          board.reset();
        }
      }
    }
    return host.learner.episode().k == 8;
  });
  TEST_ASSERT_FALSE(problem.has_value());
  TEST_ASSERT_TRUE(failed.size() >= 4);
}

template <class Dims>
using Log = link::StepLog<Dims, 256>;

void a_board_that_logs_its_steps_learns_too() {
  SimulatedBoard<Log> board(rover());
  Store store = fresh_store("log");
  Host host(board, &store);
  host.run_until_episode(3);
  const Counts kept = store.counts(rover(), "rover").value();
  std::uint64_t sum = 0;
  const std::vector<std::uint64_t>& log = board.world.lives().back().counts().pairs;
  for (std::size_t cell = 0; cell < log.size(); ++cell) {
    TEST_ASSERT_TRUE(kept.pairs[cell] <= log[cell]);
    sum += kept.pairs[cell];
  }
  TEST_ASSERT_TRUE(sum > 500);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_board_learns_its_world_to_within_a_few_percent_of_the_best);
  RUN_TEST(the_curve_is_the_sum_of_the_rewards_with_a_bounded_number_of_points);
  RUN_TEST(images_go_out_with_growing_numbers_and_lengths_that_go_by_all_pairs);
  RUN_TEST(the_store_has_all_pairs_of_the_worlds_log);
  RUN_TEST(a_host_that_dies_is_followed_by_one_that_goes_on_with_the_episode);
  RUN_TEST(a_host_that_dies_while_an_image_is_on_trial_is_followed_by_one_that_confirms_it);
  RUN_TEST(the_store_knows_how_far_a_board_has_come_that_is_still_learning);
  RUN_TEST(an_image_that_was_planned_elsewhere_does_not_begin_the_episodes_anew);
  RUN_TEST(a_board_whose_image_has_the_last_sequence_number_of_all_learns_on);
  RUN_TEST(a_board_that_boots_again_and_again_loses_no_episode_and_nothing_that_was_kept);
  RUN_TEST(a_slower_board_goes_on_with_its_own_episode);
  RUN_TEST(a_second_board_starts_where_the_first_one_is);
  RUN_TEST(an_image_that_does_not_last_is_made_again_and_the_third_time_is_the_last);
  RUN_TEST(an_image_that_does_not_last_once_costs_nothing_but_time);
  RUN_TEST(where_the_world_waits_the_same_seed_gives_the_same_episodes);
  RUN_TEST(a_world_that_waits_goes_on_whatever_happens);
  RUN_TEST(a_board_that_logs_its_steps_learns_too);
  return UNITY_END();
}

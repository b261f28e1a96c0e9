// penumbra device learn: AOAS-UCRL with a device as its agent. The model is the world that the device acts in; it knows the sensors and
// learns the rest, episode by episode, and a line tells how much of the optimum each one earned.
#include "device/bar.hpp"
#include "device/connection.hpp"
#include "device/loop_world.hpp"
#include "learner_options.hpp"
#include "plot.hpp"

#include "penumbra/host/device_learner.hpp"
#include "penumbra/host/learning.hpp"
#include "penumbra/host/output_folder.hpp"
#include "penumbra/host/policy_picture.hpp"
#include "penumbra/host/reference.hpp"
#include "penumbra/host/run_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace penumbra::command {

namespace {

struct Options {
  DeviceOptions device;
  ModelFile model;
  host::LearnerOptions learner;
  LearnerOptionList given;
  std::uint64_t steps = 0;
  bool repeatable = false;
  std::string output;
};

// What came of it.
struct Result {
  std::vector<host::BoardEpisode> episodes;
  std::uint64_t steps = 0;
  double reward = 0;  // a step
  double seconds = 0;
  LoopAccount::Balance balance;
  std::uint64_t takeovers = 0;        // of images: the pair across each is not counted
  std::uint32_t resets_on_trial = 0;  // of an image, which was given up for it
  bool synced = false;                // the device's counts are all here
  bool whole = false;

  [[nodiscard]] bool agree() const noexcept { return synced && balance.more == 0 && balance.pairs - balance.counted <= takeovers; }
};

// Of the optimum that an episode earned; 0 where there is nothing to earn.
double share_of(const host::BoardEpisode& episode, double optimum) { return optimum > 0 ? episode.average_reward() / optimum : 0; }

// --- A line an episode

class EpisodeTable {
 public:
  EpisodeTable(double optimum, bool shown) : optimum_(optimum), shown_(shown) {
    line("episode", "ticks", "image", "reward", fmt::format("{:<{}}  {:>5}", "of the optimum", bar_width, ""), "planned");
  }

  [[nodiscard]] bool has_more(const std::vector<host::BoardEpisode>& over) const noexcept { return next_ < over.size(); }
  // Those that are over and were not shown yet. One that was over goes on after its successor was given up.
  void show(const std::vector<host::BoardEpisode>& over) {
    next_ = std::min(next_, over.size());
    for (; next_ < over.size(); ++next_) show(over[next_]);
  }
  void show(const host::BoardEpisode& episode) {
    const double share = share_of(episode, optimum_);
    line(std::to_string(episode.k), grouped(episode.ticks), grouped(episode.image_size), fmt::format("{:.4f}", episode.average_reward()),
         fmt::format("{}  {:>3.0f} %", bar(share, bar_width), 100 * share), episode.gain ? fmt::format("{:.4f}", *episode.gain) : "-");
  }

 private:
  static constexpr std::size_t bar_width = 30;

  void line(const std::string& k, const std::string& ticks, const std::string& image, const std::string& reward, const std::string& share,
            const std::string& planned) const {
    if (!shown_) return;
    print_line(fmt::format("{:>7}  {:>9}  {:>6}  {:>7}  {}  {:>7}", k, ticks, image, reward, share, planned));
    static_cast<void>(flush_results());  // as it happens; main() asks again
  }

  double optimum_;
  bool shown_;
  std::size_t next_ = 0;
};

// --- What is written

// The reward of a tick over the run, as the average of each of some forty parts.
Line reward_line(const std::vector<host::RewardPoint>& curve) {
  Line line{"the board", {}, {}, {}, false};
  const std::size_t stride = std::max<std::size_t>(1, (curve.size() - 1) / 40);
  for (std::size_t i = stride; i < curve.size(); i += stride) {
    const host::RewardPoint& from = curve[i - stride];
    if (curve[i].ticks == from.ticks) continue;
    line.x.push_back(static_cast<double>(curve[i].ticks));
    line.mean.push_back((curve[i].reward - from.reward) / static_cast<double>(curve[i].ticks - from.ticks));
  }
  return line;
}

std::string curve_csv(const Line& line, double optimum) {
  std::string text = "tick,reward,optimum\n";
  for (std::size_t i = 0; i < line.x.size(); ++i) text += fmt::format("{},{},{}\n", line.x[i], line.mean[i], optimum);
  return text;
}

std::string episodes_csv(const std::vector<host::BoardEpisode>& episodes) {
  std::string text = "episode,ticks,pairs,reward,planned,sequence,image_bytes\n";
  for (const host::BoardEpisode& one : episodes) {
    text += fmt::format("{},{},{},{},{},{},{}\n", one.k, one.ticks, one.pairs, one.average_reward(),
                        one.gain ? fmt::format("{}", *one.gain) : "", one.sequence, one.image_size);
  }
  return text;
}

// Names of what will be in the folder.
Outcome<std::vector<std::string>> add_files(const Options& options, const Model& model, const host::Reference& reference,
                                            const host::DeviceLearner& learner, const Result& result, const host::RunLog& runs,
                                            host::OutputFolder& folder) {
  std::vector<std::string> names;
  const auto add = [&](const char* name, std::string text) {
    folder.add(name, std::move(text));
    names.emplace_back(folder.path() + "/" + name);
  };
  const Line rewards = reward_line(learner.curve());
  const double optimum = reference.gain().mean;
  add("curve.csv", curve_csv(rewards, optimum));
  add("episodes.csv", episodes_csv(result.episodes));
  if (!rewards.x.empty()) {
    const Line best{"optimum", {0, rewards.x.back()}, {optimum, optimum}, {}, true};
    const Outcome<Drawn> drawn = draw({Plot{options.model.name(), "tick", "Reward of a tick", {rewards, best}, false, false}});
    if (drawn) {
      add("curve.svg", drawn.value().svg);
      add("curve.png", drawn.value().png);
    } else {
      say(drawn.error());
      say("the curve is written without its plot");
    }
  }
  if (learner.image()) {
    const host::ImageFile& image = *learner.image();
    add("policy.pnb", std::string(image.bytes()));
    if (image.image().header().policy != PolicyKind::uniform) {
      host::PictureRequest request;
      request.states = model.states;
      request.actions = model.actions;
      const Outcome<host::PolicyPicture> picture = host::draw_policy(image.image(), request, runs, "the last image");
      if (!picture) return fail(picture.error());
      add("policy.svg", picture.value().svg);
    }
  }
  return names;
}

Json summary_json(const Options& options, const host::LearnerKind& kind, const host::Reference& reference, Connection& connection,
                  const host::DeviceLearner& learner, const Result& result, const std::vector<std::string>& files) {
  const double optimum = reference.gain().mean;
  const host::SessionStatistics& line = connection.session().statistics();
  Json episodes = Json::array();
  for (const host::BoardEpisode& one : result.episodes) {
    episodes.push_back({{"episode", one.k},
                        {"ticks", one.ticks},
                        {"pairs", one.pairs},
                        {"average_reward", one.average_reward()},
                        {"share", optimum > 0 ? Json(share_of(one, optimum)) : Json(nullptr)},
                        {"planned_gain", one.gain ? json_number(*one.gain) : Json(nullptr)},
                        {"sequence", one.sequence},
                        {"image_size", one.image_size}});
  }
  const link::DeviceStatus& status = connection.status();
  Json json{{"device", connection.info().device}, {"board", connection.info().board}, {"incarnation", connection.info().incarnation}};
  json["steps"] = result.steps;
  json["average_reward"] = result.reward;
  json["optimal_gain"] = optimum;
  json["optimal_gain_method"] = reference.method();
  json["episodes"] = episodes;
  json["pairs"] = result.balance.pairs;
  json["pairs_counted"] = result.balance.counted;
  json["agree"] = result.agree();
  json["missed_deadlines"] = connection.missed_deadlines();
  json["missed_observations"] = status.missed_observations;
  json["impossible_observations"] = status.impossible_observations;
  json["frames"] = line.frames_in + line.frames_out;
  json["repeats"] = line.asked_again + line.answered_again;
  json["refused"] = line.refused + status.frames_refused;
  json["resets"] = connection.resets();
  json["whole"] = result.whole;
  json["seconds"] = result.seconds;
  json["seed"] = options.device.seed;
  json["repeatable"] = options.repeatable;
  json["options"] = to_json(options.learner, kind);
  json["model"] = options.model.name();
  json["remarks"] = learner.remarks();
  json["files"] = files;
  json["version"] = PENUMBRA_VERSION;
  return json;
}

// --- The loop

// Whether the board did well, and why not.
bool judge(Connection& connection, const host::DeviceLearner& learner, const Result& result) {
  bool good = true;
  const LoopAccount::Balance& balance = result.balance;
  if (!result.synced) {
    say_counts_are_missing(connection);
    good = false;
  } else if (!result.agree()) {
    say(fmt::format("{}: counts disagree: {} pairs in the world's log, {} counted, {} images", connection.name(), balance.pairs,
                    balance.counted, result.takeovers));
    if (connection.resets() > 0) say("  it started again meanwhile: pairs that it had not told of are lost");
    good = false;
  }
  if (learner.state() == host::DeviceLearner::State::given_up) {
    say(fmt::format("{}: gave one image after the other up: learning ended after {} ticks", connection.name(), grouped(result.steps)));
    say("  does the firmware have the time that a tick of such an image takes?");
    good = false;
  } else if (!learner.image()) {
    say(fmt::format("{}: no image was confirmed in {} ticks", connection.name(), grouped(result.steps)));
    good = false;
  }
  good = stayed_up(connection, result.resets_on_trial) && good;
  return made_its_deadlines(connection) && good;
}

// The steps since the image in use took over, for its picture.
class RecentSteps {
 public:
  explicit RecentSteps(const Model& model) : none_(model), runs_(none_) { begin(); }

  void begin() {
    runs_ = none_;
    runs_.begin_run();
  }
  void add(std::uint8_t action, std::uint8_t observation) {
    if (runs_.steps() < most) runs_.add(action, observation);
  }
  [[nodiscard]] const host::RunLog& runs() const noexcept { return runs_; }

 private:
  static constexpr std::size_t most = 20000;
  host::RunLog none_;
  host::RunLog runs_;
};

Outcome<int> learn_on(const Options& options, const host::LearnerKind& kind) {
  const Outcome<void> named = check_device_options(options.device);
  if (!named) return fail(named.error());
  const Outcome<Model> read = read_model(options.model);
  if (!read) return fail(read.error());
  const Model& model = read.value();
  const Outcome<void> learnable = host::check_learnable(model, options.model.name());
  if (!learnable) return fail(learnable.error());
  const Outcome<void> usable = check_learner_options(options.given, kind, options.learner, model);
  if (!usable) return fail(usable.error());
  if (options.learner.estimator == host::Estimator::trajectory) {
    return fail(Fault::usage, "", "--estimator trajectory wants every step in its order, and a board sends counts",
                "--estimator counts takes out of them what they hold");
  }
  std::optional<host::OutputFolder> folder;
  if (!options.output.empty()) {
    Outcome<host::OutputFolder> opened = host::OutputFolder::open(options.output);
    if (!opened) return fail(opened.error());
    folder.emplace(std::move(opened.value()));
  }

  Interruption interruption;
  const Outcome<host::Reference> reference = host::Reference::of(model, options.model.name(), options.device.common.threads);
  if (!reference) return fail(reference.error());
  const double optimum = reference.value().gain().mean;
  Outcome<std::unique_ptr<Connection>> connected = Connection::open(options.device, sizes_of(model), interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  host::Session& session = connection.session();
  const Outcome<void> plant = needs_world(connection);
  if (!plant) return fail(plant.error());
  const Outcome<void> known = connection.know_counts();
  if (!known) return fail(known.error());

  connection.keep_files();

  const bool table_wanted = !options.device.common.json;
  if (table_wanted) {
    print_line(fmt::format("{} on {}, in {}: {} ticks; who knows this world earns {:.4f} a tick", kind.name, connection.name(),
                           options.model.name(), grouped(options.steps), optimum));
    print_line("");
  }
  EpisodeTable table(optimum, table_wanted);
  host::DeviceLearner learner(model, options.learner, options.device.seed, connection.record());
  LoopAccount account(learner, model, session);
  RecentSteps recent(model);
  Result result;
  double reward = 0;
  account.watch([&](std::uint8_t action, std::uint8_t observation) {
    reward += model.reward[observation];
    recent.add(action, observation);
  });
  std::uint32_t in_use = 0;  // checksum; 0: not known
  const auto took_over = [&](std::uint32_t checksum) {
    if (std::exchange(in_use, checksum) == checksum) return;
    ++result.takeovers;
    recent.begin();
  };
  bool closing = false;  // no more plans
  connection.watch([&](const host::SessionEvent& event) -> Outcome<void> {
    if (const auto* trial = std::get_if<host::ImageOnTrial>(&event)) took_over(trial->checksum);
    if (const auto* kept = std::get_if<host::ImageConfirmed>(&event)) took_over(kept->checksum);
    if (const auto* fell = std::get_if<host::ImageFellBack>(&event)) {
      took_over(fell->failed);  // which may not have been heard of
      took_over(fell->in_use);
      if (connection.resets() > result.resets_on_trial) ++result.resets_on_trial;
      say(fell->problem);
    }
    const bool plans = std::holds_alternative<host::CountsSwept>(event) || std::holds_alternative<host::ImageFellBack>(event);
    return closing && plans ? Outcome<void>{} : learner.take(event, session, connection.milliseconds());
  });
  session.set_plant(&account);
  if (options.repeatable) {
    learner.world_waits();
  } else {
    session.release();
  }
  const std::uint64_t begin = connection.milliseconds();
  std::optional<ProgressLine> progress(std::in_place, "learning", options.steps, options.device.common);
  Outcome<void> advanced;
  const Outcome<bool> finished = connection.work_until([&] {
    if (table.has_more(learner.episodes())) {
      progress.emplace("learning", options.steps, options.device.common);  // the old one is wiped away first
      table.show(learner.episodes());
    }
    progress->at(account.steps());
    if (account.steps() >= options.steps || learner.state() == host::DeviceLearner::State::given_up) return true;
    advanced = learner.advance(session, connection.milliseconds());
    return !advanced;
  });
  progress.reset();
  if (!finished) return fail(finished.error());
  if (!advanced) return fail(advanced.error());
  closing = true;
  learner.world_is_held();
  session.hold();
  result.seconds = static_cast<double>(connection.milliseconds() - begin) / 1000;
  const Outcome<bool> synced = connection.sync();
  if (!synced) return fail(synced.error());
  const Outcome<void> kept = learner.finish(session);
  if (!kept) return fail(kept.error());
  result.synced = synced.value();
  result.steps = account.steps();
  result.whole = finished.value() && result.steps >= options.steps;
  result.reward = result.steps > 0 ? reward / static_cast<double>(result.steps) : 0;
  result.balance = account.balance();
  result.episodes = learner.episodes();
  if (learner.episode().ticks > 0 || result.episodes.empty()) result.episodes.push_back(learner.episode());
  table.show(result.episodes);

  std::vector<std::string> files;
  if (folder) {
    Outcome<std::vector<std::string>> added = add_files(options, model, reference.value(), learner, result, recent.runs(), *folder);
    if (!added) return fail(added.error());
    files = std::move(added.value());
  }
  if (options.device.common.json) {
    print_json(summary_json(options, kind, reference.value(), connection, learner, result, files));
  } else {
    print_line("");
    print_line(fmt::format("{} ticks in {:.1f} s, {} a second; {} pairs counted", grouped(result.steps), result.seconds,
                           grouped(static_cast<std::uint64_t>(result.seconds > 0 ? static_cast<double>(result.steps) / result.seconds : 0)),
                           grouped(result.balance.counted)));
    for (const std::string& remark : learner.remarks()) print_line(remark);
    for (const std::string& file : files) print_line(file);
  }
  const bool good = judge(connection, learner, result);
  const Outcome<void> flushed = flush_results();
  if (!flushed) return fail(flushed.error());
  if (folder) {
    const Outcome<void> written = folder->commit();
    if (!written) return fail(written.error());
  }
  if (!finished.value()) say(fmt::format("interrupted: the figures are of {} of {} ticks", grouped(result.steps), grouped(options.steps)));
  connected.value().reset();  // and with it the store, whole
  interruption.die_if_asked();
  return good ? done : answer_is_no;
}

}  // namespace

void add_device_learn(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "learn", "AOAS-UCRL with the device as its agent, and the model as its world");
  auto options = std::make_shared<Options>();
  const host::LearnerKind* kind = host::find_learner("aoas-ucrl");
  add_model(*command, options->model);
  add_whole(*command, "--steps", options->steps, 1, "ticks of this run; required", host::most_learning_steps)->required();
  command->add_flag("--repeatable", options->repeatable,
                    "the world waits while counts come and an image is sent: the same seed gives the same run, whatever the machine does");
  options->given = add_learner_options(*command, options->learner, kind);
  command
      ->add_option("-o,--output", options->output,
                   "write the learning curve (CSV, SVG, PNG), the episodes, the last image and a picture of its policy into this folder")
      ->option_text("DIR");
  add_device_options(*command, options->device);
  command->callback([&run, options, kind] { run = [options, kind] { return learn_on(*options, *kind); }; });
}

}  // namespace penumbra::command

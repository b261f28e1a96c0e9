// penumbra device monitor: a device at work, as it happens. Where the host is its world, tick by tick: belief, action, what came of it. Else
// every now and then the belief, and what it did last, where it keeps a log of that. On a terminal it is redrawn in place; elsewhere it is a
// line each time.
#include "device/bar.hpp"
#include "device/connection.hpp"
#include "device/loop_world.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  DeviceOptions device;
  ModelFile model;          // without a path: no names, and no world
  std::uint64_t steps = 0;  // 0: until Ctrl-C
  double rate = 10;         // a second
};

struct Step {
  std::size_t action = 0;
  std::size_t observation = 0;
  std::optional<double> reward;  // none where no model says what an observation is worth
};

// One look at the device.
struct Look {
  std::uint32_t ticks = 0;
  std::vector<double> belief;
  std::optional<Step> step;              // the last one
  std::optional<double> average_reward;  // of the steps seen so far
};

class Screen {
 public:
  Screen(const Model& names, const Options& options)
      : names_(names), shown_(!options.device.common.json), in_place_(::isatty(STDOUT_FILENO) == 1) {}

  void show(const Look& look) {
    if (!shown_) return;
    if (in_place_) {
      redraw(look);
    } else {
      print_line(line(look));
    }
    static_cast<void>(flush_results());  // main() asks again
  }

 private:
  [[nodiscard]] std::string line(const Look& look) const {
    std::string text = fmt::format("tick {}", look.ticks);
    if (look.step) {
      text += fmt::format("  {} -> {}", names_.actions.of(look.step->action), names_.observations.of(look.step->observation));
      if (look.step->reward) text += fmt::format("  reward {}  average {}", number(*look.step->reward), number(*look.average_reward));
    }
    text += "  belief";
    for (std::size_t s = 0; s < look.belief.size(); ++s) text += fmt::format(" {} {:.2f}", names_.states.of(s), look.belief[s]);
    return text;
  }

  void redraw(const Look& look) {
    constexpr std::size_t width = 40;
    std::size_t widest = 7;
    for (std::size_t s = 0; s < names_.states.size(); ++s) widest = std::max(widest, names_.states.of(s).size());
    std::vector<std::string> lines = {fmt::format("tick {}", grouped(look.ticks)), ""};
    for (std::size_t s = 0; s < look.belief.size(); ++s) {
      lines.push_back(fmt::format("{:<{}}  {}  {:.2f}", names_.states.of(s), widest, bar(look.belief[s], width), look.belief[s]));
    }
    if (look.step) {
      lines.emplace_back("");
      lines.push_back(fmt::format("{:<{}}  {} -> {}", "action", widest, names_.actions.of(look.step->action),
                                  names_.observations.of(look.step->observation)));
    }
    if (look.step && look.step->reward) {
      const auto gauge = [&](const char* name, double reward) {
        lines.push_back(fmt::format("{:<{}}  {}  {}", name, widest, bar(reward, width), number(reward)));
      };
      gauge("reward", *look.step->reward);
      gauge("average", *look.average_reward);
    }
    std::string text = drawn_ == 0 ? "" : fmt::format("\x1b[{}F", drawn_);
    for (const std::string& one : lines) text += one + "\x1b[K\n";
    text.pop_back();  // print_line() has one
    print_line(text);
    drawn_ = lines.size();
  }

  const Model& names_;
  bool shown_;
  bool in_place_;
  std::size_t drawn_ = 0;  // lines
};

Json to_json(const Look& look, const Model& names) {
  Json json{{"ticks", look.ticks}, {"action", nullptr}, {"observation", nullptr}, {"reward", nullptr}, {"belief", look.belief}};
  if (look.step) {
    json["action"] = names.actions.of(look.step->action);
    json["observation"] = names.observations.of(look.step->observation);
    if (look.step->reward) json["reward"] = *look.step->reward;
  }
  return json;
}

// The names of a model, or none.
Outcome<Model> names_for(const Options& options, const host::DeviceInfo& info, const std::optional<Model>& model) {
  if (model) return *model;
  if (info.has(link::feature_plant)) {
    return fail(Fault::usage, "", "the host is this device's world: without one it waits", "name a model with --model MODEL",
                options.device.board);
  }
  Model names;
  names.states = host::Labels(info.sizes.states);
  names.actions = host::Labels(info.sizes.actions);
  names.observations = host::Labels(info.sizes.observations);
  return names;
}

Outcome<int> monitor(const Options& options) {
  const Outcome<void> named = check_device_options(options.device);
  if (!named) return fail(named.error());
  std::optional<Model> model;
  if (!options.model.path.empty()) {
    Outcome<Model> read = read_model(options.model);
    if (!read) return fail(read.error());
    model = std::move(read.value());
  }
  Interruption interruption;
  Outcome<std::unique_ptr<Connection>> connected =
      Connection::open(options.device, model ? std::optional(sizes_of(*model)) : std::nullopt, interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  host::Session& session = connection.session();
  const Outcome<Model> names = names_for(options, connection.info(), model);
  if (!names) return fail(names.error());
  std::optional<LoopWorld> world;
  if (connection.info().has(link::feature_plant)) {
    if (!model->has_transition())
      return fail(Fault::input, options.model.name(), "has no transition, and a world takes one",
                  "add \"transition\", or estimate it from a log: penumbra estimate");
    world.emplace(*model, options.device.seed);
    session.set_plant(&*world);
  }
  connection.keep_files();

  Look look;
  // A log alone is followed in any case: the counts are made from it.
  if (!world && connection.info().has(link::feature_log) && connection.info().has(link::feature_counts)) session.follow_log();
  const bool has_rewards = model && model->reward_kind == RewardKind::by_observation;
  double reward = 0;
  std::uint64_t steps = 0;
  bool came = false;
  connection.watch([&](const host::SessionEvent& event) -> Outcome<void> {
    if (const auto* log = std::get_if<host::LogSteps>(&event); log != nullptr && !world) {
      for (const host::LogStep& one : log->steps) {
        look.step = Step{one.action, one.observation, {}};
        if (!has_rewards) continue;
        look.step->reward = model->reward[one.observation];
        reward += *look.step->reward;
        look.average_reward = reward / static_cast<double>(++steps);
      }
    }
    if (const auto* belief = std::get_if<host::BeliefCame>(&event)) {
      look.ticks = belief->ticks;
      look.belief = belief->belief;
      came = true;
    }
    return {};
  });
  Screen screen(names.value(), options);
  Json looks = Json::array();
  const auto period = std::chrono::milliseconds(static_cast<std::int64_t>(1000 / options.rate));
  const auto stopped = [&interruption] { return interruption.asked().load(); };
  for (std::uint64_t i = 0; (options.steps == 0 || i < options.steps) && !stopped(); ++i) {
    const std::uint64_t due = connection.milliseconds() + static_cast<std::uint64_t>(period.count());
    if (world) {
      const std::uint64_t before = world->steps();
      session.release();
      Outcome<bool> acted = connection.work_until([&] { return world->steps() > before; });
      session.hold();
      if (acted && acted.value()) acted = connection.work_until([&] { return session.stands_still(); });  // it has taken the answer in
      if (!acted) return fail(acted.error());
      if (!acted.value()) break;
      const LoopWorld::Step& last = world->last();
      look.step = Step{last.action, last.answer.observation, last.answer.reward};
      look.average_reward = world->reward() / static_cast<double>(std::max<std::uint64_t>(1, world->steps()));
    }
    came = false;
    session.ask_belief();
    const Outcome<bool> told = connection.work_until([&] { return came; });
    if (!told) return fail(told.error());
    if (!told.value()) break;
    screen.show(look);
    if (options.device.common.json) looks.push_back(to_json(look, names.value()));
    const Outcome<bool> rested = connection.work_until([&] { return connection.milliseconds() >= due; });
    if (!rested) return fail(rested.error());
  }
  const Outcome<bool> synced = connection.sync();
  if (!synced) return fail(synced.error());
  if (!synced.value()) say_counts_are_missing(connection);
  if (options.device.common.json) {
    print_json({{"device", connection.info().device},
                {"board", connection.info().board},
                {"looks", looks},
                {"average_reward", look.average_reward ? Json(*look.average_reward) : Json(nullptr)},
                {"version", PENUMBRA_VERSION}});
  }
  const bool good = stayed_up(connection) && synced.value();
  connected.value().reset();  // and with it the store, whole
  interruption.die_if_asked();
  return good ? done : answer_is_no;
}

}  // namespace

void add_device_monitor(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "monitor", "A device at work: belief, action and reward as they come, until Ctrl-C");
  auto options = std::make_shared<Options>();
  add_model_option(*command, options->model,
                   "names of states, actions and observations, and the world where the host is the device's plant");
  add_whole(*command, "--steps", options->steps, 1, "looks, after which it ends; by default it goes on until Ctrl-C");
  add_number(*command, "--rate", options->rate, 0.001, 1000, "looks a second, 10 by default; where the host is the world, a tick each");
  add_device_options(*command, options->device);
  command->callback([&run, options] { run = [options] { return monitor(*options); }; });
}

}  // namespace penumbra::command

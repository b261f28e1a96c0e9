// The rover's firmware. It opens the table that was flashed into the board's image slot, acts from it in a simulated world, and
// says what it believed and did. A table that does not pass the checks is refused: status 1, with the reason;
// one that is worth nothing ends in status 2.
#include "text.hpp"
#include "world.hpp"

#include "board_constants.hpp"
#include "image_slot.hpp"
#include "instructions.hpp"

#include "penumbra/agent.hpp"

namespace {

using namespace penumbra;
using rover::Line;

constexpr uint32_t ticks = 4000;
constexpr uint32_t shown = 12;   // ticks in full
constexpr uint32_t block = 500;  // ticks a line afterwards
constexpr size_t bar = 6;        // characters

Line line;
Agent<rover::Dims> agent;       // acts from the flashed table
Agent<rover::Dims> uninformed;  // the same, without one: every action is as good as the next

// What became of a stretch of ticks. Observations are counted and rewards are a sum over them, so nothing drifts.
struct Tally {
  uint32_t seen[rover::O] = {};
  uint32_t done[rover::A] = {};
  uint32_t right = 0;  // the most believed state was the true one

  void add(const Tally& other) noexcept {
    for (size_t o = 0; o < rover::O; ++o) seen[o] += other.seen[o];
    for (size_t a = 0; a < rover::A; ++a) done[a] += other.done[a];
    right += other.right;
  }
  [[nodiscard]] uint32_t total() const noexcept {
    uint32_t sum = 0;
    for (const uint32_t count : done) sum += count;
    return sum;
  }
  [[nodiscard]] float share(uint32_t count) const noexcept { return static_cast<float>(count) / static_cast<float>(total()); }
  [[nodiscard]] float average_reward() const noexcept {
    float sum = 0.0F;
    for (size_t o = 0; o < rover::O; ++o) sum += static_cast<float>(seen[o]) * rover::reward[o];
    return sum / static_cast<float>(total());
  }
};

State most_believed(const Belief<rover::Dims>& belief) noexcept {
  size_t best = 0;
  for (size_t s = 1; s < rover::S; ++s) best = belief[s] > belief[best] ? s : best;
  return static_cast<State>(best);
}

void show_heading() {
  line.end();
  line.text("tick  ");
  for (const char* name : rover::state_names) line.text(name, bar + 7);
  line.text("so it does  and sees   truth").end();
}

void show_tick(uint32_t tick, State truth, Action action, Observation seen) {
  line.number(tick, 4).text("  ");
  for (const float probability : agent.belief()) line.share(probability, bar).text("  ");
  line.text(rover::action_names[index(action)], 12).text(rover::observation_names[index(seen)], 11);
  line.text(rover::state_names[index(truth)]).end();
}

void show_block_heading() {
  line.end();
  line.text("ticks        reward  belief right  ");
  for (const char* name : rover::action_names) line.text(name, 8);
  line.end();
}

void show_block(uint32_t end, const Tally& tally) {
  line.number(end - tally.total(), 4).text("-").number(end - 1U, 0).text(end > 1000U ? "    " : "     ");
  line.decimal(tally.average_reward()).text("  ").percent(tally.share(tally.right)).text("         ");
  for (const uint32_t count : tally.done) line.percent(tally.share(count)).text("   ");
  line.end();
}

uint32_t pairs_counted() noexcept {
  uint32_t pairs = 0;
  for (size_t cell = 0; cell < agent.recorder().cell_count(); ++cell) pairs += agent.recorder().count(cell);
  return pairs;
}

// The average reward of acting uniformly in the same world.
float reward_without_table() {
  rover::World world(rover::world_seed);
  Tally tally;
  Observation seen{};
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    const Decision decision = uninformed.step(seen);
    seen = world.execute(decision.action);
    ++tally.seen[index(seen)];
    ++tally.done[index(decision.action)];
  }
  return tally.average_reward();
}

int refuse(const ImageFault& fault) {
  line.text("rover: no usable table at ").hex(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(board::image_slot())));
  line.text(" of ").text(board::name).end();
  line.text("  ").text(describe(fault.status)).text(" (byte ").number(fault.offset).text(")").end();
  line.text("  examples/rover/run makes and flashes one").end();
  return 1;
}

}  // namespace

int main() {
  const auto opened = PolicyImage::open({board::image_slot(), board::image_slot_size()});
  if (!opened.has_value()) return refuse(opened.error());
  const PolicyImage& image = opened.value();
  if (const Status status = agent.adopt(image); status != Status::ok) return refuse({status, 0});

  line.text(board::name).text(": table of ").number(image.header().size).text(" bytes, ").number(image.header().parameter);
  line.text(" value vectors; the agent takes ").number(sizeof agent).text(" bytes of RAM").end();

  rover::World world(rover::world_seed);
  Tally all, stretch;
  uint32_t least = UINT32_MAX, most = 0, impossible = 0, episode_end = 0;
  Observation seen{};  // of no action yet: the first step passes it over
  show_heading();
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    Decision decision{};
    const uint32_t instructions = board::instructions_of([&] { decision = agent.step(seen); });
    if (tick > 1U) {  // the first tick adopts the table, the second begins its first pair
      least = instructions < least ? instructions : least;
      most = instructions > most ? instructions : most;
    }
    if (decision.status == Status::impossible_observation) ++impossible;
    if (decision.episode_ended && episode_end == 0) episode_end = tick;

    const State truth = world.state();
    stretch.right += static_cast<uint32_t>(most_believed(agent.belief()) == truth);
    seen = world.execute(decision.action);
    ++stretch.seen[index(seen)];
    ++stretch.done[index(decision.action)];

    if (tick < shown) show_tick(tick, truth, decision.action, seen);
    if (tick + 1U == shown) show_block_heading();
    if ((tick + 1U) % block == 0U) {
      show_block(tick + 1U, stretch);
      all.add(stretch);
      stretch = {};
    }
  }

  line.end();
  line.text("average reward        ").decimal(all.average_reward()).text(" from the table, ");
  const float uninformed_reward = reward_without_table();
  line.decimal(uninformed_reward).text(" acting uniformly").end();
  line.text("most believed state  ").percent(all.share(all.right)).text(" of the time the true one").end();
  line.text("counted               ").number(pairs_counted()).text(" pairs in ").number(ticks).text(" ticks, ");
  line.number(impossible).text(" impossible observations").end();
  line.text("episode               ").text(episode_end != 0 ? "ended at tick " : "goes on");
  if (episode_end != 0) line.number(episode_end).text(": seen enough to plan anew");
  line.end();
  line.text("a tick                ").number(least).text(" to ").number(most).text(" instructions");
  line.text(" with ").number(image.header().parameter).text(" vectors").end();
  return all.average_reward() > uninformed_reward ? 0 : 2;
}

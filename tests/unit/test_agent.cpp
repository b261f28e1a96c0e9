// The agent: the whole tick is its parts, in their order, whatever happens; and what each unusual event does to belief, pairs and
// episode.
#include "penumbra/agent.hpp"

#include "random_model.hpp"

#include <etl/optional.h>
#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

using Dims = StaticDims<3, 3, 3>;
constexpr size_t S = Dims::states();
constexpr size_t A = Dims::actions();
constexpr size_t O = Dims::observations();
constexpr RuntimeDims runtime_dims{S, A, O};
constexpr uint32_t agent_seed = 11;

constexpr Action action(size_t a) { return Action{static_cast<uint8_t>(a)}; }
constexpr Observation seen(size_t o) { return Observation{static_cast<uint8_t>(o)}; }
constexpr Observation out_of_range = seen(O);

// --- Images

constexpr uint16_t vector_count = 6;
constexpr uint16_t resolution = 6;

// An image in its own flash, with a random table. Observation 2 of action 0 has probability zero in it, everything else has not.
struct Flashed {
  test::ImageBuffer<512> flash;

  PolicyImage with(uint32_t seed, PolicyKind kind, Emission emission, uint32_t episode, uint32_t first_length,
                   const uint32_t* pairs_before) {
    test::RandomModel<Dims> model(seed);
    for (size_t s = 0; s < S; ++s) {
      float* row = model.observation + s * O;
      const float left = row[0] + row[1];
      for (size_t o = 0; o < O; ++o) row[o] = o == 2U ? 0.0F : row[o] / left;
    }
    Random random(seed + 1U);
    uint8_t actions[lattice_points(S, resolution)];
    for (uint8_t& a : actions) a = static_cast<uint8_t>(random.below(A));
    int16_t vectors[vector_count * S];
    for (int16_t& v : vectors) v = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
    ImageSource<float> source = model.source();
    source.emission = emission;
    source.policy = kind;
    source.parameter = kind == PolicyKind::vectors ? vector_count : kind == PolicyKind::lattice ? resolution : uint16_t{0};
    source.actions = actions;
    source.vectors = vectors;
    source.episode = episode;
    source.first_length = first_length;
    source.seed = seed;
    source.pairs_before = pairs_before;
    const auto built = build_image(source, flash.room());
    TEST_ASSERT_TRUE_MESSAGE(built.has_value(), built.has_value() ? "" : describe(built.error().status));
    return PolicyImage::open(flash.view()).value();
  }
};
Flashed flashed[2];

PolicyImage first_image(PolicyKind kind = PolicyKind::uniform, Emission emission = Emission::departure) {
  return flashed[0].with(100, kind, emission, 0, 300, nullptr);
}

constexpr uint32_t N_1[A] = {30, 50, 40};

PolicyImage second_image(PolicyKind kind = PolicyKind::uniform, Emission emission = Emission::departure) {
  return flashed[1].with(200, kind, emission, 1, 300, N_1);
}

template <class OtherDims>
PolicyImage image_of_other_sizes() {
  static test::ImageBuffer<640> flash;
  const test::RandomModel<OtherDims> other(300);
  TEST_ASSERT_TRUE(build_image(other.source(), flash.room()).has_value());
  return PolicyImage::open(flash.view()).value();
}

// --- Agents, one kind of each at a time, in memory that the smallest board has

// Algorithm 2 and the design's "one tick" with the parts themselves. Behaves as an agent does, for the comparison.
class Parts {
 public:
  Decision step(Observation observation) {
    if (index(observation) >= O) return lost(Status::observation_out_of_range);
    if (!executing_) return next(image_ ? Status::ok : Status::no_image);
    const Recorded recorded = counts_.record(last_, observation);
    episode_.executed(recorded.counted, recorded.first);
    if (!image_) return next(Status::no_image);
    return next(filter_.update(last_, observation));
  }
  Decision missed() { return lost(image_ ? Status::ok : Status::no_image); }

  void reset() {
    counts_.break_pair();
    filter_.reset();
    executing_ = false;
  }

  Status adopt(const PolicyImage& image) {
    if (!same_sizes(image.dims(), Dims{})) return Status::image_other_sizes;
    waiting_ = image;
    return Status::ok;
  }

  [[nodiscard]] const Belief<Dims>& belief() const { return filter_.belief(); }
  [[nodiscard]] const Episode<Dims>& episode() const { return episode_; }
  [[nodiscard]] const PairCounts<Dims>& recorder() const { return counts_; }

 private:
  Decision lost(Status status) {
    counts_.break_pair();
    if (executing_) episode_.executed(false, last_);
    if (executing_ && image_) filter_.predict(last_);
    return next(status);
  }

  Decision next(Status status) {
    const bool first_of_episode = waiting_.has_value() || !executing_;
    if (waiting_) {
      counts_.break_pair();
      filter_.use(waiting_->model(Dims{}));
      if (!image_ || !executing_) filter_.reset();
      policy_.use(*waiting_);
      episode_.start(waiting_->header().episode, waiting_->header().first_length, waiting_->pairs_before());
      if (!image_ && status == Status::no_image) status = Status::ok;
      image_ = waiting_;
      waiting_.reset();
    }
    last_ = policy_.choose(filter_.belief());
    if (!first_of_episode) episode_.chose(last_);
    executing_ = true;
    return {last_, status, episode_.ended()};
  }

  BeliefFilter<Dims> filter_{ModelView<Dims>{}};
  PairCounts<Dims> counts_;
  Policy<Dims> policy_{Dims{}, agent_seed};
  Episode<Dims> episode_{Dims{}};
  etl::optional<PolicyImage> image_;
  etl::optional<PolicyImage> waiting_;
  Action last_{};
  bool executing_ = false;
};

using StaticAgent = Agent<Dims>;
using RuntimeAgent = Agent<RuntimeDims>;
using UncountedAgent = Agent<Dims, UncountedPairs>;

constexpr size_t cell_count = A * A * O * O;
uint32_t runtime_cells[cell_count];
uint32_t runtime_changed[2][changed_words(cell_count)];

// Built in place: an agent of runtime sizes is half of the smallest board's stack.
RuntimeAgent& fresh_runtime_agent() {
  static etl::optional<RuntimeAgent> agent;
  for (uint32_t& cell : runtime_cells) cell = 0;
  for (auto& words : runtime_changed) {
    for (uint32_t& bits : words) bits = 0;
  }
  const CountStorage<RuntimeDims> storage{runtime_cells, runtime_changed[0], runtime_changed[1]};
  agent.emplace(runtime_dims, PairCounts<RuntimeDims>(runtime_dims, storage), agent_seed);
  return *agent;
}

// --- Comparing

template <class Left, class Right>
void assert_same_belief(const Left& left, const Right& right) {
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(left.data(), right.data(), S * sizeof(float), "the beliefs differ");
}

void assert_at_prior(const PolicyImage& image, const Agent<Dims>& agent) {
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(image.model(Dims{}).prior, agent.belief().data(), S * sizeof(float), "not the prior");
}

template <class Counts>
uint32_t total(const Counts& counts) {
  uint32_t sum = 0;
  for (size_t cell = 0; cell < counts.cell_count(); ++cell) sum += counts.count(cell);
  return sum;
}

template <class Left, class Right>
void assert_same_counts(const Left& left, const Right& right) {
  for (size_t cell = 0; cell < cell_count; ++cell) TEST_ASSERT_EQUAL_UINT32(left.count(cell), right.count(cell));
}
template <class Left>
void assert_same_counts(const Left&, const UncountedPairs<Dims>&) {}

void assert_same_decision(const Decision& left, const Decision& right) {
  TEST_ASSERT_EQUAL(left.action, right.action);
  TEST_ASSERT_EQUAL_STRING(describe(left.status), describe(right.status));
  TEST_ASSERT_EQUAL(left.episode_ended, right.episode_ended);
}

template <class Left, class Right>
void assert_same_state(const Left& left, const Right& right) {
  assert_same_belief(left.belief(), right.belief());
  TEST_ASSERT_EQUAL_UINT32(left.episode().k(), right.episode().k());
  TEST_ASSERT_EQUAL_UINT32(left.episode().executed(), right.episode().executed());
  for (size_t a = 0; a < A; ++a) TEST_ASSERT_EQUAL_UINT32(left.episode().pairs(action(a)), right.episode().pairs(action(a)));
}

// What happened in a run, to be sure that it was worth running.
struct Met {
  uint32_t actions[A] = {};
  uint32_t ok = 0;
  uint32_t no_image = 0;
  uint32_t impossible = 0;
  uint32_t lost = 0;
  uint32_t ended = 0;

  void note(const Decision& decision) {
    ++actions[index(decision.action)];
    ok += decision.status == Status::ok ? 1U : 0U;
    no_image += decision.status == Status::no_image ? 1U : 0U;
    impossible += decision.status == Status::impossible_observation ? 1U : 0U;
    lost += decision.status == Status::observation_out_of_range ? 1U : 0U;
    ended += decision.episode_ended ? 1U : 0U;
  }
  void assert_worth() const {
    for (const uint32_t count : actions) TEST_ASSERT_GREATER_THAN_UINT32(20, count);
    for (const uint32_t count : {ok, no_image, impossible, lost, ended}) TEST_ASSERT_GREATER_THAN_UINT32(20, count);
  }
};

// Both through the same run: good, out-of-range and missed observations, resets, images of this and of other sizes at any time.
template <class Left, class Right>
void run_together(Left& left, Right& right, PolicyKind kind, Emission emission) {
  const PolicyImage images[2] = {first_image(kind, emission), second_image(kind, emission)};
  const PolicyImage unfit = image_of_other_sizes<StaticDims<3, 3, 2>>();
  Random random(55);
  Met met;
  for (uint32_t t = 0; t < 8000; ++t) {
    const uint32_t chance = random.below(1000);
    if (chance < 2U) {
      left.reset();
      right.reset();
    }
    if (t == 200U || (t > 200U && chance >= 998U)) {
      const PolicyImage& image = images[t == 200U ? 0U : random.below(2)];
      TEST_ASSERT_EQUAL(Status::ok, left.adopt(image));
      TEST_ASSERT_EQUAL(Status::ok, right.adopt(image));
    }
    if (chance == 500U) {
      TEST_ASSERT_EQUAL(Status::image_other_sizes, left.adopt(unfit));
      TEST_ASSERT_EQUAL(Status::image_other_sizes, right.adopt(unfit));
    }
    const uint32_t kind_of_tick = random.below(20);
    const Observation observation = kind_of_tick == 0U ? seen(O + random.below(256U - O)) : seen(random.below(O));
    const bool is_missed = kind_of_tick == 1U;
    const Decision decision = is_missed ? left.missed() : left.step(observation);
    assert_same_decision(decision, is_missed ? right.missed() : right.step(observation));
    assert_same_state(left, right);
    met.note(decision);
  }
  assert_same_counts(left.recorder(), right.recorder());
  TEST_ASSERT_GREATER_THAN_UINT32(6000, total(left.recorder()));
  met.assert_worth();
}

template <class Run>
void for_every_kind(Run run) {
  for (const PolicyKind kind : {PolicyKind::uniform, PolicyKind::vectors, PolicyKind::lattice}) {
    for (const Emission emission : {Emission::departure, Emission::arrival}) run(kind, emission);
  }
}

void the_tick_is_its_parts_in_their_order() {
  for_every_kind([](PolicyKind kind, Emission emission) {
    StaticAgent agent(agent_seed);
    Parts parts;
    run_together(agent, parts, kind, emission);
  });
}

void sizes_known_late_give_the_same_bits_as_sizes_known_early() {
  for_every_kind([](PolicyKind kind, Emission emission) {
    StaticAgent agent(agent_seed);
    run_together(agent, fresh_runtime_agent(), kind, emission);
  });
}

void an_agent_that_does_not_count_decides_as_one_that_does() {
  for_every_kind([](PolicyKind kind, Emission emission) {
    StaticAgent agent(agent_seed);
    UncountedAgent uncounted(agent_seed);
    run_together(agent, uncounted, kind, emission);
  });
}

// --- Before an image

void without_an_image_it_acts_uniformly_and_counts() {
  StaticAgent agent(agent_seed);
  UniformPolicy uniform(agent_seed);
  PairCounts<Dims> counts;
  Random random(1);
  Action last{};
  for (uint32_t t = 0; t < 500; ++t) {
    const Observation observation = seen(random.below(O));
    if (t > 0) static_cast<void>(counts.record(last, observation));
    const Decision decision = agent.step(observation);
    last = uniform.choose(A);
    TEST_ASSERT_EQUAL(last, decision.action);
    TEST_ASSERT_EQUAL(Status::no_image, decision.status);
    TEST_ASSERT_FALSE(decision.episode_ended);
    for (const float b : agent.belief()) TEST_ASSERT_EQUAL_FLOAT(1.0F / S, b);
  }
  assert_same_counts(counts, agent.recorder());
  TEST_ASSERT_EQUAL_UINT32(498, total(agent.recorder()));
}

void seeds_make_agents_that_act_differently() {
  StaticAgent by_default;
  StaticAgent one(1);
  StaticAgent two(2);
  StaticAgent late(3);
  late.seed(1);
  int same = 0;
  for (int t = 0; t < 300; ++t) {
    const Action chosen = one.step(seen(0)).action;
    TEST_ASSERT_EQUAL(chosen, by_default.step(seen(0)).action);
    TEST_ASSERT_EQUAL(chosen, late.step(seen(0)).action);
    same += chosen == two.step(seen(0)).action ? 1 : 0;
  }
  TEST_ASSERT_LESS_THAN_INT(150, same);  // 100 expected
}

void without_an_image_unusual_ticks_are_told_and_break_the_pair() {
  StaticAgent agent;
  static_cast<void>(agent.step(seen(0)));
  static_cast<void>(agent.step(seen(0)));
  TEST_ASSERT_EQUAL(Status::observation_out_of_range, agent.step(out_of_range).status);
  TEST_ASSERT_EQUAL(Status::no_image, agent.step(seen(0)).status);
  TEST_ASSERT_EQUAL(Status::no_image, agent.missed().status);
  TEST_ASSERT_EQUAL(Status::no_image, agent.step(seen(0)).status);
  TEST_ASSERT_EQUAL_UINT32(0, total(agent.recorder()));
  static_cast<void>(agent.step(seen(0)));
  TEST_ASSERT_EQUAL_UINT32(1, total(agent.recorder()));
}

// --- An agent that has an image from the start, and what it last did

struct Running {
  StaticAgent agent{agent_seed};
  Decision last{};

  explicit Running(const PolicyImage& image, Observation passed_over = seen(0)) {
    TEST_ASSERT_EQUAL(Status::ok, agent.adopt(image));
    step(passed_over);
  }
  Decision step(Observation observation) { return last = agent.step(observation); }

  // Until the last action is this one; observations that every action can give.
  void until(Action chosen) {
    while (last.action != chosen) step(seen(1));
  }

  // What the filter alone would make of the belief.
  [[nodiscard]] BeliefFilter<Dims> filter(const ModelView<Dims>& model) const {
    ModelView<Dims> from_here = model;
    from_here.prior = agent.belief().data();
    BeliefFilter<Dims> alone(from_here);
    alone.use(model);
    return alone;
  }
};

void the_first_observation_belongs_to_no_action() {
  const PolicyImage image = first_image(PolicyKind::lattice);
  Running one(image, seen(0));
  Running other(image, seen(2));
  Running none(image, out_of_range);
  assert_at_prior(image, one.agent);
  TEST_ASSERT_EQUAL_UINT32(0, one.agent.episode().executed());
  TEST_ASSERT_EQUAL(Status::ok, one.last.status);
  TEST_ASSERT_EQUAL(Status::observation_out_of_range, none.last.status);
  for (int t = 0; t < 20; ++t) {
    assert_same_state(one.agent, other.agent);
    assert_same_state(one.agent, none.agent);
    assert_same_decision(one.step(seen(1)), other.step(seen(1)));
    static_cast<void>(none.step(seen(1)));
  }
  TEST_ASSERT_EQUAL_UINT32(19, total(one.agent.recorder()));
  assert_same_counts(one.agent.recorder(), other.agent.recorder());
  assert_same_counts(one.agent.recorder(), none.agent.recorder());
}

void the_first_image_starts_from_its_prior() {
  const PolicyImage image = first_image(PolicyKind::vectors);
  StaticAgent agent;
  for (int t = 0; t < 10; ++t) static_cast<void>(agent.step(seen(1)));
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(image));
  for (const float b : agent.belief()) TEST_ASSERT_EQUAL_FLOAT(1.0F / S, b);
  TEST_ASSERT_EQUAL(Status::ok, agent.step(seen(1)).status);
  assert_at_prior(image, agent);
}

// --- Adopting

void assert_refused_without_a_trace(const PolicyImage& unfit) {
  const PolicyImage image = first_image(PolicyKind::lattice);
  StaticAgent agent(agent_seed);
  StaticAgent twin(agent_seed);
  Random random(2);
  for (int t = 0; t < 100; ++t) {
    if (t == 50) {  // a good image that waits goes on waiting
      TEST_ASSERT_EQUAL(Status::ok, agent.adopt(image));
      TEST_ASSERT_EQUAL(Status::ok, twin.adopt(image));
    }
    TEST_ASSERT_EQUAL(Status::image_other_sizes, agent.adopt(unfit));
    const Observation observation = seen(random.below(O));
    assert_same_decision(twin.step(observation), agent.step(observation));
    assert_same_state(twin, agent);
  }
  assert_same_counts(twin.recorder(), agent.recorder());
}

void an_image_of_other_sizes_is_refused_and_changes_nothing() {
  assert_refused_without_a_trace(image_of_other_sizes<StaticDims<4, 3, 3>>());
  assert_refused_without_a_trace(image_of_other_sizes<StaticDims<3, 2, 3>>());
  assert_refused_without_a_trace(image_of_other_sizes<StaticDims<3, 3, 2>>());
}

// The observation belongs to an action of the old policy in the old model; the choice is the new one's.
void a_new_image_takes_effect_at_the_next_decision_and_keeps_the_belief() {
  const PolicyImage before = first_image(PolicyKind::vectors);
  const PolicyImage after = second_image(PolicyKind::lattice);
  for (int trial = 0; trial < 30; ++trial) {
    Running running(before);
    for (int t = 0; t < trial; ++t) running.step(seen(1));
    const Belief<Dims> belief = running.agent.belief();
    TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(after));
    assert_same_belief(belief, running.agent.belief());

    BeliefFilter<Dims> filter = running.filter(before.model(Dims{}));
    TEST_ASSERT_EQUAL(Status::ok, filter.update(running.last.action, seen(1)));
    running.step(seen(1));
    assert_same_belief(filter.belief(), running.agent.belief());
    TEST_ASSERT_EQUAL(after.lattice<Dims>().choose(Dims{}, filter.belief()), running.last.action);
    TEST_ASSERT_EQUAL_UINT32(1, running.agent.episode().k());

    filter.use(after.model(Dims{}));
    TEST_ASSERT_EQUAL(Status::ok, filter.update(running.last.action, seen(0)));
    running.step(seen(0));
    assert_same_belief(filter.belief(), running.agent.belief());
  }
}

void an_image_that_was_never_opened_is_refused() {
  Running running(first_image());
  TEST_ASSERT_EQUAL(Status::no_image, running.agent.adopt(PolicyImage{}));
  running.step(seen(1));
  TEST_ASSERT_EQUAL(Status::ok, running.last.status);
}

void of_two_images_before_a_step_the_last_is_taken() {
  Running running(first_image());
  TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(first_image()));
  TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(second_image()));
  running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(1, running.agent.episode().k());
}

// The last step of the old policy still ends a pair of its own; the first of the new one ends none.
void no_pair_spans_a_change_of_policy() {
  Running running(first_image());
  for (int t = 0; t < 5; ++t) running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(4, total(running.agent.recorder()));
  TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(second_image()));
  running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(5, total(running.agent.recorder()));
  const Action first = running.last.action;
  running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(5, total(running.agent.recorder()));
  const Action second = running.last.action;
  const PairCounts<Dims>& counts = running.agent.recorder();
  const size_t cell = counts.cell_of(first, second, seen(1), seen(0));
  const uint32_t before = counts.count(cell);
  running.step(seen(0));
  TEST_ASSERT_EQUAL_UINT32(6, total(running.agent.recorder()));
  TEST_ASSERT_EQUAL_UINT32(before + 1U, counts.count(cell));
}

void no_pair_of_the_time_without_an_image_reaches_into_the_first_episode() {
  StaticAgent agent;
  for (int t = 0; t < 4; ++t) static_cast<void>(agent.step(seen(1)));
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(first_image()));
  for (int t = 0; t < 3; ++t) static_cast<void>(agent.step(seen(1)));
  TEST_ASSERT_EQUAL_UINT32(3 + 1, total(agent.recorder()));  // six steps answered, five pairs but for the change
  TEST_ASSERT_EQUAL_UINT32(6, agent.episode().executed());
}

// --- Unusual ticks

// Two ways to lose an observation, which differ in their status only.
template <class Lose>
void assert_lost(Status status, Lose lose) {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    const PolicyImage image = first_image(PolicyKind::vectors, emission);
    Running running(image);
    for (int t = 0; t < 10; ++t) running.step(seen(1));
    BeliefFilter<Dims> filter = running.filter(image.model(Dims{}));
    filter.predict(running.last.action);
    const uint32_t pairs = total(running.agent.recorder());
    running.last = lose(running.agent);
    TEST_ASSERT_EQUAL(status, running.last.status);
    assert_same_belief(filter.belief(), running.agent.belief());
    TEST_ASSERT_EQUAL_UINT32(11, running.agent.episode().executed());
    running.step(seen(1));
    TEST_ASSERT_EQUAL_UINT32(pairs, total(running.agent.recorder()));
    TEST_ASSERT_EQUAL(Status::ok, running.step(seen(1)).status);
    TEST_ASSERT_EQUAL_UINT32(pairs + 1U, total(running.agent.recorder()));
  }
}

void an_observation_out_of_range_is_told_and_lost() {
  for (const size_t wrong : {O, O + 1U, size_t{128}, size_t{255}}) {
    assert_lost(Status::observation_out_of_range, [wrong](StaticAgent& agent) { return agent.step(seen(wrong)); });
  }
}

void a_missed_observation_is_lost() {
  assert_lost(Status::ok, [](StaticAgent& agent) { return agent.missed(); });
}

// What came before the hand belongs to another world: neither its pair nor its observation counts.
void a_reset_goes_back_to_the_prior_and_spans_no_pair() {
  const PolicyImage image = first_image(PolicyKind::vectors);
  Running running(image);
  for (int t = 0; t < 10; ++t) running.step(seen(1));
  const uint32_t pairs = total(running.agent.recorder());
  running.agent.reset();
  assert_at_prior(image, running.agent);
  running.step(seen(1));
  assert_at_prior(image, running.agent);
  TEST_ASSERT_EQUAL_UINT32(10, running.agent.episode().executed());
  running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(pairs, total(running.agent.recorder()));
  running.step(seen(1));
  TEST_ASSERT_EQUAL_UINT32(pairs + 1U, total(running.agent.recorder()));
}

void a_missed_observation_after_a_reset_belongs_to_no_action_either() {
  const PolicyImage image = first_image();
  Running running(image);
  for (int t = 0; t < 10; ++t) running.step(seen(1));
  running.agent.reset();
  TEST_ASSERT_EQUAL(Status::ok, running.agent.missed().status);
  assert_at_prior(image, running.agent);
  TEST_ASSERT_EQUAL_UINT32(10, running.agent.episode().executed());
}

// Nothing was believed since: the new model's prior is the better one.
void an_image_that_comes_with_a_reset_starts_from_its_own_prior() {
  Running running(first_image());
  for (int t = 0; t < 10; ++t) running.step(seen(1));
  const PolicyImage image = second_image();
  TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(image));
  running.agent.reset();
  running.step(seen(1));
  assert_at_prior(image, running.agent);
}

// The pair happened, whatever the model thinks of it: it is counted.
void an_impossible_observation_restarts_the_belief_is_told_and_counts() {
  for (const Emission emission : {Emission::departure, Emission::arrival}) {
    const PolicyImage image = first_image(PolicyKind::uniform, emission);
    Running running(image);
    for (int t = 0; t < 10; ++t) running.step(seen(1));
    running.until(action(0));
    const uint32_t pairs = total(running.agent.recorder());
    TEST_ASSERT_EQUAL(Status::impossible_observation, running.step(seen(2)).status);
    assert_at_prior(image, running.agent);
    TEST_ASSERT_EQUAL_UINT32(pairs + 1U, total(running.agent.recorder()));
    TEST_ASSERT_EQUAL(Status::ok, running.step(seen(1)).status);
  }
}

void a_full_cell_is_told_and_stays_full() {
  RuntimeAgent& agent = fresh_runtime_agent();
  for (uint32_t& cell : runtime_cells) cell = UINT32_MAX;
  TEST_ASSERT_EQUAL(Status::no_image, agent.step(seen(1)).status);
  TEST_ASSERT_EQUAL(Status::no_image, agent.step(seen(1)).status);  // ends no pair yet
  TEST_ASSERT_EQUAL(Status::count_saturated, agent.step(seen(1)).status);
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(first_image()));
  TEST_ASSERT_EQUAL(Status::count_saturated, agent.step(seen(1)).status);
  TEST_ASSERT_EQUAL(Status::ok, agent.step(seen(1)).status);
  Decision last = agent.step(seen(1));
  TEST_ASSERT_EQUAL(Status::count_saturated, last.status);
  while (last.action != action(0)) last = agent.step(seen(1));
  TEST_ASSERT_EQUAL(Status::impossible_observation, agent.step(seen(2)).status);  // the graver of the two
  for (const uint32_t cell : runtime_cells) TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, cell);
  uint32_t in_this_episode = 0;
  for (size_t a = 0; a < A; ++a) in_this_episode += agent.episode().pairs(action(a));
  TEST_ASSERT_EQUAL_UINT32(agent.episode().executed() - 4U, in_this_episode);  // three before it, and its first step
}

// --- Episodes

// Algorithm 2 from what an observer sees: which actions were executed, which of them follow one another, and what was decided.
struct Observer {
  uint32_t t = 0;
  uint32_t k = 0;
  uint32_t T_0 = UINT32_MAX;
  const uint32_t* N = nullptr;
  uint32_t n[A] = {};
  bool executing = false;  // an action is under way
  bool before_is_known = false;
  Action before{};
  Action now{};
  bool ended = false;

  // The answer to the action under way came, or not.
  void answered(bool got_one) {
    if (executing) ++t;
    if (executing && got_one && before_is_known) ++n[index(before)];
    before_is_known = executing && got_one;
    before = now;
  }
  void began(uint32_t episode, uint32_t length_of_first, const uint32_t* pairs_before) {
    k = episode;
    T_0 = length_of_first;
    N = pairs_before;
    for (uint32_t& pairs : n) pairs = 0;
    executing = false;
    before_is_known = false;
    ended = false;
  }
  void chose(Action next) {
    const bool first_goes_on = k == 0U && t < T_0;
    if (executing && !first_goes_on && n[index(next)] >= (N == nullptr ? 0U : N[index(next)])) ended = true;
    executing = true;
    now = next;
  }
};

void an_episode_ends_when_algorithm_2_says_and_stays_ended() {
  constexpr uint32_t first_length = 150;
  constexpr uint32_t last_episode = 6;
  for (const PolicyKind kind : {PolicyKind::uniform, PolicyKind::vectors}) {
    StaticAgent agent(agent_seed);
    Observer observer;
    Random random(77);
    uint32_t N[A] = {};
    uint32_t ended_for = 0;
    uint32_t episodes = 0;
    for (uint32_t t = 0; t < 6000 && episodes < last_episode; ++t) {
      const bool starts = t == 20U || ended_for == 40U;  // the host takes its time, and the agent goes on meanwhile
      if (starts) {
        for (size_t a = 0; a < A; ++a) N[a] += t == 20U ? 0U : observer.n[a];
        Flashed& flash = flashed[episodes % 2U];  // the other slot is in use
        const PolicyImage image = flash.with(400U + episodes, kind, Emission::departure, episodes, first_length, N);
        TEST_ASSERT_EQUAL(Status::ok, agent.adopt(image));
        ++episodes;
      }
      const bool lost = random.below(25) == 0U;
      const Decision decision = lost ? agent.missed() : agent.step(seen(random.below(2)));
      observer.answered(!lost);
      if (starts) observer.began(episodes - 1U, first_length, N);
      observer.chose(decision.action);
      TEST_ASSERT_EQUAL(observer.ended, decision.episode_ended);
      TEST_ASSERT_EQUAL_UINT32(observer.t, agent.episode().executed());
      for (size_t a = 0; a < A; ++a) TEST_ASSERT_EQUAL_UINT32(observer.n[a], agent.episode().pairs(action(a)));
      if (decision.episode_ended && ended_for == 0U && episodes == 1U) TEST_ASSERT_EQUAL_UINT32(first_length, observer.t);
      ended_for = decision.episode_ended ? ended_for + 1U : 0U;
    }
    TEST_ASSERT_EQUAL_UINT32(last_episode, episodes);
  }
}

void a_new_image_begins_a_new_episode() {
  Running running(flashed[0].with(100, PolicyKind::uniform, Emission::departure, 3, 0, nullptr));
  TEST_ASSERT_FALSE(running.last.episode_ended);  // the first action of an episode is executed without asking
  for (int t = 0; t < 5; ++t) TEST_ASSERT_TRUE(running.step(seen(1)).episode_ended);
  TEST_ASSERT_EQUAL(Status::ok, running.agent.adopt(second_image()));
  TEST_ASSERT_TRUE(running.agent.episode().ended());
  TEST_ASSERT_FALSE(running.step(seen(1)).episode_ended);
  TEST_ASSERT_FALSE(running.step(seen(1)).episode_ended);
}

// As if the old policy had never been asked: the belief is that of the step, the choice the new policy's, and no pair is lost or made.
void a_decision_that_was_not_executed_can_be_revised_by_a_new_image() {
  const PolicyImage after = second_image(PolicyKind::lattice);
  Running revising(first_image(PolicyKind::vectors));
  Running waiting(first_image(PolicyKind::vectors));
  for (int t = 0; t < 7; ++t) {
    revising.step(seen(1));
    waiting.step(seen(1));
  }
  revising.step(seen(0));
  TEST_ASSERT_EQUAL(Status::ok, revising.agent.adopt(after));
  revising.last = revising.agent.revise();
  TEST_ASSERT_EQUAL(Status::ok, waiting.agent.adopt(after));
  waiting.step(seen(0));
  for (int t = 0; t < 60; ++t) {
    TEST_ASSERT_EQUAL(waiting.last.action, revising.last.action);
    TEST_ASSERT_EQUAL(waiting.last.episode_ended, revising.last.episode_ended);
    assert_same_belief(waiting.agent.belief(), revising.agent.belief());
    TEST_ASSERT_EQUAL_UINT32(waiting.agent.episode().executed(), revising.agent.episode().executed());
    TEST_ASSERT_EQUAL_UINT32(total(waiting.agent.recorder()), total(revising.agent.recorder()));
    revising.step(seen(static_cast<size_t>(t) % 2U));
    waiting.step(seen(static_cast<size_t>(t) % 2U));
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_tick_is_its_parts_in_their_order);
  RUN_TEST(sizes_known_late_give_the_same_bits_as_sizes_known_early);
  RUN_TEST(an_agent_that_does_not_count_decides_as_one_that_does);
  RUN_TEST(without_an_image_it_acts_uniformly_and_counts);
  RUN_TEST(seeds_make_agents_that_act_differently);
  RUN_TEST(without_an_image_unusual_ticks_are_told_and_break_the_pair);
  RUN_TEST(the_first_observation_belongs_to_no_action);
  RUN_TEST(the_first_image_starts_from_its_prior);
  RUN_TEST(an_image_of_other_sizes_is_refused_and_changes_nothing);
  RUN_TEST(a_new_image_takes_effect_at_the_next_decision_and_keeps_the_belief);
  RUN_TEST(an_image_that_was_never_opened_is_refused);
  RUN_TEST(of_two_images_before_a_step_the_last_is_taken);
  RUN_TEST(no_pair_spans_a_change_of_policy);
  RUN_TEST(no_pair_of_the_time_without_an_image_reaches_into_the_first_episode);
  RUN_TEST(an_observation_out_of_range_is_told_and_lost);
  RUN_TEST(a_missed_observation_is_lost);
  RUN_TEST(a_reset_goes_back_to_the_prior_and_spans_no_pair);
  RUN_TEST(a_missed_observation_after_a_reset_belongs_to_no_action_either);
  RUN_TEST(an_image_that_comes_with_a_reset_starts_from_its_own_prior);
  RUN_TEST(an_impossible_observation_restarts_the_belief_is_told_and_counts);
  RUN_TEST(a_full_cell_is_told_and_stays_full);
  RUN_TEST(an_episode_ends_when_algorithm_2_says_and_stays_ended);
  RUN_TEST(a_new_image_begins_a_new_episode);
  RUN_TEST(a_decision_that_was_not_executed_can_be_revised_by_a_new_image);
  return UNITY_END();
}

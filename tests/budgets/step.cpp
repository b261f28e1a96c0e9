// What a tick costs: instructions (exact, from the emulator), stack and memory of Agent::step, each against its bar. Beside it what
// one would write first: three CMSIS-DSP calls a tick, with no checks, counts, integers or episodes.
// Lines that begin with "footprint" are read by tests/budgets/footprint, which makes a table of them.
#include "instructions.hpp"
#include "print.hpp"
#include "random_model.hpp"
#include "stack.hpp"

#include "penumbra/agent.hpp"

#include <etl/placement_new.h>
#include <unity.h>

namespace {

using namespace penumbra;
using test::print;
using test::Random;

// What one board allows: about 5 % above what was measured. A figure far below its bar means that the bar should come down.
struct Bars {
  uint32_t s3_vectors, s3_lattice, s10_vectors, s10_lattice, s32_vectors;
  uint32_t adopting;  // more than that, in a tick that takes over an image
  size_t s3_stack, s10_stack, s32_stack, s3_agent;
  bool same_every_tick;
};
#if defined(__ARM_FEATURE_MVE)
constexpr Bars bars{300, 250, 830, 1060, 2500, 100, 96, 400, 730, 1270, true};
#elif defined(__ARM_FP)
constexpr Bars bars{300, 250, 830, 1060, 5550, 100, 96, 380, 490, 1270, true};
#else  // floating point in software takes as long as its operands want
constexpr Bars bars{4100, 4000, 26500, 25700, 0, 100, 150, 380, 0, 1270, false};
#endif

struct Cost {
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  size_t stack = 0;

  void add(uint32_t instructions) noexcept {
    least = instructions < least ? instructions : least;
    most = instructions > most ? instructions : most;
  }
};

#if defined(__ARM_FP)
using Largest = StaticDims<32, 4, 64>;
template <class Dims>
using MediumRecorder = PairCounts<Dims>;
#else  // 16 KB of memory have no room for 16 KB of counts
using Largest = StaticDims<10, 4, 16>;
template <class Dims>
using MediumRecorder = UncountedPairs<Dims>;
#endif

// What an image is made of. The last observation is impossible.
template <class Dims>
struct Ingredients : test::RandomModel<Dims> {
  using test::RandomModel<Dims>::O;
  int16_t vectors[32 * Dims::states()];
  uint8_t actions[2002];  // the points of the largest lattice here

  Ingredients() noexcept : test::RandomModel<Dims>(7) {
    for (size_t row = 0; row < Dims::actions() * Dims::states(); ++row) {
      float* probability = this->observation + row * O;
      const float possible = 1.0F - probability[O - 1U];
      for (size_t o = 0; o < O; ++o) probability[o] = o + 1U < O ? probability[o] / possible : 0.0F;
    }
    Random random(8);
    for (int16_t& entry : vectors) entry = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
    for (uint8_t& action : actions) action = static_cast<uint8_t>(random.below(Dims::actions()));
  }
};

// One room for all, because a board is small: the image at its beginning, the ingredients at its end, and where they were, once
// the image is built, the agent.
constexpr size_t image_room = sizeof(Ingredients<Largest>) - 600;
alignas(8) uint8_t memory[image_room + sizeof(Ingredients<Largest>)];

template <class Thing>
Thing& at_the_end_of_memory() noexcept {
  return *new (memory + (sizeof memory - sizeof(Thing)) / 8U * 8U) Thing;
}

template <class Dims>
PolicyImage flash_image(PolicyKind kind, uint16_t parameter, Emission emission = Emission::departure) {
  const auto& from = at_the_end_of_memory<Ingredients<Dims>>();
  ImageSource<float> source = from.source();
  source.emission = emission;
  source.policy = kind;
  source.parameter = parameter;
  source.actions = from.actions;
  source.vectors = from.vectors;
  source.episode = 1;
  const auto built = build_image(source, etl::span<uint8_t>(memory, image_room));
  TEST_ASSERT_TRUE_MESSAGE(built.has_value(), built.has_value() ? "" : describe(built.error().status));
  return PolicyImage::open(etl::span<const uint8_t>(memory, built.value())).value();
}

// Two ticks: the instructions of the first, the stack of the second.
template <class Tick>
void measure(Cost& cost, const Tick& tick) {
  cost.add(board::instructions_of(tick));
  board::paint_stack();
  tick();
  const size_t used = board::used_stack();
  cost.stack = used > cost.stack ? used : cost.stack;
}

// Calls of their own, as in a firmware, so that their stack is all their own too.
template <class TheAgent>
[[gnu::noinline]] Decision step(TheAgent& agent, Observation seen) {
  return agent.step(seen);
}
template <class TheAgent>
[[gnu::noinline]] Decision missed(TheAgent& agent) {
  return agent.missed();
}

template <class Dims, template <class> class Recorder = PairCounts>
void step_keeps_to(const char* name, PolicyKind kind, uint16_t parameter, uint32_t instructions, size_t stack,
                   Emission emission = Emission::departure) {
  using TheAgent = Agent<Dims, Recorder>;
  const PolicyImage image = flash_image<Dims>(kind, parameter, emission);
  auto& agent = at_the_end_of_memory<TheAgent>();
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(image));
  Decision decision = step(agent, Observation{0});
  step(agent, Observation{0});

  Cost usual;  // under random possible observations, hence random beliefs
  Random random(11);
  for (int t = 0; t < 250; ++t) {
    const Observation seen{static_cast<uint8_t>(random.below(Dims::observations() - 1U))};
    measure(usual, [&] { decision = step(agent, seen); });
    TEST_ASSERT_EQUAL(Status::ok, decision.status);
  }

  Cost unusual;
  measure(unusual, [&] { decision = step(agent, Observation{static_cast<uint8_t>(Dims::observations() - 1U)}); });
  TEST_ASSERT_EQUAL(Status::impossible_observation, decision.status);
  measure(unusual, [&] { decision = step(agent, Observation{255}); });
  TEST_ASSERT_EQUAL(Status::observation_out_of_range, decision.status);
  measure(unusual, [&] { decision = missed(agent); });
  TEST_ASSERT_EQUAL(Status::ok, decision.status);

  Cost adopting;
  measure(adopting, [&] {
    static_cast<void>(agent.adopt(image));
    decision = step(agent, Observation{0});
  });
  TEST_ASSERT_EQUAL(Status::ok, decision.status);

  print(emission == Emission::departure ? "footprint|" : "arrival|", name, "|", usual.least, "|", usual.most, "|", usual.stack, "|",
        sizeof agent, "|", sizeof(Recorder<Dims>) < sizeof(PairCounts<Dims>) ? "no counts" : "counts", "\n");
  print("  unusual ticks: at most ", unusual.most, " instructions, ", unusual.stack, " bytes of stack; adopting an image: ", adopting.most,
        " and ", adopting.stack, "\n");
  if (board::counts_instructions) {
    TEST_ASSERT_GREATER_THAN_UINT32(0, usual.least);
    TEST_ASSERT_LESS_OR_EQUAL_UINT32_MESSAGE(instructions, usual.most, name);
    TEST_ASSERT_LESS_OR_EQUAL_UINT32_MESSAGE(instructions, unusual.most, name);
    TEST_ASSERT_LESS_OR_EQUAL_UINT32_MESSAGE(instructions + bars.adopting, adopting.most, name);
    if (bars.same_every_tick) TEST_ASSERT_EQUAL_UINT32_MESSAGE(usual.least, usual.most, name);
  }
  for (const Cost& cost : {usual, unusual, adopting}) TEST_ASSERT_LESS_OR_EQUAL_UINT32_MESSAGE(stack, cost.stack, name);
}

void a_small_agent_with_vectors() {
  step_keeps_to<StaticDims<3, 4, 4>>("S3 A4 O4, 8 vectors", PolicyKind::vectors, 8, bars.s3_vectors, bars.s3_stack);
}
void a_small_agent_with_a_lattice() {
  step_keeps_to<StaticDims<3, 4, 4>>("S3 A4 O4, lattice n=40", PolicyKind::lattice, 40, bars.s3_lattice, bars.s3_stack);
}
void a_small_agent_in_a_world_of_arrival() {
  step_keeps_to<StaticDims<3, 4, 4>>("S3 A4 O4, 8 vectors", PolicyKind::vectors, 8, bars.s3_vectors, bars.s3_stack, Emission::arrival);
}
using Medium = StaticDims<10, 4, 16>;
void a_medium_agent_with_vectors() {
  step_keeps_to<Medium, MediumRecorder>("S10 A4 O16, 16 vectors", PolicyKind::vectors, 16, bars.s10_vectors, bars.s10_stack);
}
void a_medium_agent_with_a_lattice() {
  step_keeps_to<Medium, MediumRecorder>("S10 A4 O16, lattice n=5", PolicyKind::lattice, 5, bars.s10_lattice, bars.s10_stack);
}
#if defined(__ARM_FP)
using Large = StaticDims<32, 4, 64>;
void a_large_agent_that_records_nothing() {
  step_keeps_to<Large, UncountedPairs>("S32 A4 O64, 32 vectors", PolicyKind::vectors, 32, bars.s32_vectors, bars.s32_stack);
}
#endif

// The door is opened once, but on the same small stack.
void opening_an_image_takes_little_stack() {
  const uint32_t size = flash_image<StaticDims<3, 4, 4>>(PolicyKind::lattice, 40).header().size;
  board::paint_stack();
  const bool good = PolicyImage::open(etl::span<const uint8_t>(memory, size)).has_value();
  const size_t used = board::used_stack();
  TEST_ASSERT_TRUE(good);
  print("stack of PolicyImage::open: ", used, " bytes\n");
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(400, used);
}

void an_agent_is_little_more_than_its_counts() { TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.s3_agent, sizeof(Agent<StaticDims<3, 4, 4>>)); }

#if defined(PENUMBRA_CMSIS_DSP)
// What one would write first: CMSIS-DSP for the three products, plain loops for the rest, single precision throughout.
template <class Dims, size_t K>
struct Naive {
  static constexpr size_t S = Dims::states();
  ModelView<Dims> model;
  float vectors[K * S];
  float belief[S];
  float scratch[S];
  float scores[K];

  // Always inlined, as the agent's parts are, so that both are one call.
  [[gnu::always_inline]] size_t step(Action action, Observation seen) noexcept {
    arm_mult_f32(belief, model.likelihood_of(action, seen), scratch, S);
    float sum = 0.0F;
    for (size_t s = 0; s < S; ++s) sum += scratch[s];
    for (size_t s = 0; s < S; ++s) scratch[s] /= sum;
    const arm_matrix_instance_f32 transition{S, S, const_cast<float*>(model.transition_of(action))};
    arm_mat_vec_mult_f32(&transition, scratch, belief);
    const arm_matrix_instance_f32 table{K, S, vectors};
    arm_mat_vec_mult_f32(&table, belief, scores);
    size_t best = 0;
    for (size_t k = 1; k < K; ++k) best = scores[k] > scores[best] ? k : best;
    return best;
  }
};

template <class Dims, size_t K>
void naive_pipeline_takes_more_than(uint32_t ours, const char* name) {
  const PolicyImage image = flash_image<Dims>(PolicyKind::vectors, K);
  const VectorPolicy<Dims> table = image.vectors<Dims>();
  auto& naive = at_the_end_of_memory<Naive<Dims, K>>();
  naive.model = image.model(Dims{});
  BeliefFilter<Dims> filter(naive.model);
  for (size_t s = 0; s < naive.S; ++s) naive.belief[s] = filter.belief()[s];
  for (size_t i = 0; i < K * naive.S; ++i) {
    naive.vectors[i] = static_cast<float>(table.vectors[i / naive.S * q15_stride(naive.S) + i % naive.S]);
  }
  Random random(11);
  Action action{};
  Cost cost;
  for (int t = 0; t < 500; ++t) {
    const Observation seen{static_cast<uint8_t>(random.below(Dims::observations() - 1U))};
    size_t best = 0;
    cost.add(board::instructions_of([&] { best = naive.step(action, seen); }));
    TEST_ASSERT_EQUAL(Status::ok, filter.update(action, seen));
    for (size_t s = 0; s < naive.S; ++s) TEST_ASSERT_FLOAT_WITHIN(1e-5F, filter.belief()[s], naive.belief[s]);
    action = Action{table.actions[best]};
  }
  print("footprint-naive|", name, "|", cost.most, "\n");
  TEST_ASSERT_GREATER_THAN_UINT32_MESSAGE(ours, cost.most, name);
}

void a_tick_does_more_and_takes_less_than_three_library_calls() {
  naive_pipeline_takes_more_than<StaticDims<3, 4, 4>, 8>(bars.s3_vectors, "S3 A4 O4, 8 vectors");
  naive_pipeline_takes_more_than<Medium, 16>(bars.s10_vectors, "S10 A4 O16, 16 vectors");
#if defined(__ARM_FP)
  naive_pipeline_takes_more_than<Large, 32>(bars.s32_vectors, "S32 A4 O64, 32 vectors");
#endif
}
#endif

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_small_agent_with_vectors);
  RUN_TEST(a_small_agent_with_a_lattice);
  RUN_TEST(a_small_agent_in_a_world_of_arrival);
  RUN_TEST(a_medium_agent_with_vectors);
  RUN_TEST(a_medium_agent_with_a_lattice);
#if defined(__ARM_FP)
  RUN_TEST(a_large_agent_that_records_nothing);
#endif
  RUN_TEST(opening_an_image_takes_little_stack);
  RUN_TEST(an_agent_is_little_more_than_its_counts);
#if defined(PENUMBRA_CMSIS_DSP)
  RUN_TEST(a_tick_does_more_and_takes_less_than_three_library_calls);
#endif
  return UNITY_END();
}

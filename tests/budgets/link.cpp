// What the link costs a device: instructions of a tick beside those of the agent alone, memory, and the stack of everything that the background
// calls, each against its bar. Lines that begin with "link" are figures of lib/link/README.md.
#include "instructions.hpp"
#include "print.hpp"
#include "stack.hpp"

#include "device_bench.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::Line;
using test::print;
using test::Random;

using Dims = StaticDims<3, 4, 4>;
using Flash = testing::SimulatedFlash<6, 512, 4>;
using TheDevice = Device<Dims, PairCounts, Line, Flash>;

// What one board allows: about 5 % above what was measured. A figure far below its bar means that the bar should come down.
struct Bars {
  uint32_t tick;  // instructions of a tick more than of Agent::step
  size_t device;  // bytes
  size_t tick_stack, poll_stack, start_stack, construct_stack;
};
#if defined(__ARM_FP)
constexpr Bars bars{55, 1830, 110, 635, 210, 95};
#elif defined(__arm__)
constexpr Bars bars{55, 1830, 160, 700, 215, 75};
#else  // the workstation has wider pointers, and measures neither instructions nor stack
constexpr Bars bars{0, 2100, 0, 0, 0, 0};
#endif

Flash flash;
Line line;
alignas(8) uint8_t device_memory[sizeof(TheDevice)];
TheDevice* device;
Agent<Dims> agent;

struct ImageOfRover {
  test::ImageBuffer<800> buffer;
  uint32_t size = 0;
  uint32_t checksum = 0;

  ImageOfRover() noexcept {
    const test::RandomModel<Dims> model(7);
    int16_t vectors[8 * 3];
    uint8_t actions[8];
    Random random(8);
    for (int16_t& entry : vectors) entry = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
    for (uint8_t& action : actions) action = static_cast<uint8_t>(random.below(4));
    ImageSource<float> source = model.source();
    source.policy = PolicyKind::vectors;
    source.parameter = 8;
    source.actions = actions;
    source.vectors = vectors;
    source.episode = 1;
    source.sequence = 1;
    size = build_image(source, buffer.room()).value_or(0U);
    if (size != 0U) memcpy(&checksum, buffer.bytes + size - 4U, 4);
  }
};
const ImageOfRover image;

// The deepest that `call` goes.
template <class Call>
size_t stack_of(const Call& call) {
  board::paint_stack();
  call();
  return board::used_stack();
}
void deepest(size_t& most, size_t used) { most = used > most ? used : most; }

[[gnu::noinline]] void construct() { device = new (device_memory) TheDevice(line, flash, DeviceOptions{}); }
[[gnu::noinline]] bool start() { return device->start(); }
[[gnu::noinline]] void poll() { device->poll(++line.now); }
[[gnu::noinline]] Decision tick(Observation seen) { return device->tick(seen); }
[[gnu::noinline]] Decision step(Observation seen) { return agent.step(seen); }

void starting_takes_little_stack() {
  const size_t constructing = stack_of(construct);
  bool started = false;
  const size_t starting = stack_of([&] { started = start(); });
  TEST_ASSERT_TRUE(started);
  print("link-ram|", sizeof(TheDevice), "|of it the agent|", sizeof(Agent<Dims>), "\n");
  print("link-stack|construction|", constructing, "|start|", starting, "\n");
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.device, sizeof(TheDevice));
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.construct_stack, constructing);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.start_stack, starting);
}

// Every message, until all is said that it leads to.
template <class Message>
void say(size_t& most, const Message& message) {
  line.say(message);
  for (int i = 0; i < 12; ++i) {
    deepest(most, stack_of(poll));
    while (!line.hear().empty()) {
    }
  }
}

void poll_takes_little_stack() {
  size_t most = 0;
  say(most, AskHello{});
  say(most, AskStatus{});
  say(most, AskBelief{});
  for (int i = 0; i < 50; ++i) tick(Observation{static_cast<uint8_t>(i % 4)});
  AskCounts counts;
  counts.all = 1;
  say(most, counts);
  say(most, AskLog{});
  BeginImage begin;
  begin.size = image.size;
  begin.checksum = image.checksum;
  say(most, begin);
  Chunk chunk;
  for (; chunk.offset < image.size; chunk.offset += static_cast<uint32_t>(max_chunk)) {
    const uint32_t left = image.size - chunk.offset;
    chunk.bytes = image.buffer.view().subspan(chunk.offset, left < max_chunk ? left : max_chunk);
    say(most, chunk);
  }
  TEST_ASSERT_TRUE(device->images().on_trial());
  Confirm confirm;
  confirm.checksum = image.checksum;
  say(most, confirm);
  TEST_ASSERT_TRUE(device->images().image().is_open());
  TEST_ASSERT_FALSE(device->images().on_trial());
  print("link-stack|poll|", most, "\n");
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.poll_stack, most);
}

// The same steps, side by side: the belief is the same, so the agent's own share is.
void a_tick_costs_little_more_than_a_step() {
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(PolicyImage::open(image.buffer.view()).value()));
  Random random(11);
  tick(Observation{0});
  step(Observation{0});
  uint32_t of_tick = 0;
  uint32_t of_step = 0;
  uint32_t more = 0;
  size_t stack = 0;
  for (int t = 0; t < 300; ++t) {
    const Observation seen{static_cast<uint8_t>(random.below(4))};
    Decision by_device{};
    Decision by_agent{};
    const uint32_t ticks = board::instructions_of([&] { by_device = tick(seen); });
    const uint32_t steps = board::instructions_of([&] { by_agent = step(seen); });
    TEST_ASSERT_EQUAL(by_agent.action, by_device.action);
    TEST_ASSERT_EQUAL(by_agent.status, by_device.status);
    of_tick = ticks > of_tick ? ticks : of_tick;
    of_step = steps > of_step ? steps : of_step;
    more = ticks - steps > more ? ticks - steps : more;
    deepest(stack, stack_of([&] { by_device = tick(seen); }));
    step(seen);
  }
  print("link-tick|", of_tick, "|of the agent alone|", of_step, "|more at most|", more, "|stack|", stack, "\n");
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.tick_stack, stack);
  if (board::counts_instructions) TEST_ASSERT_LESS_OR_EQUAL_UINT32(bars.tick, more);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(starting_takes_little_stack);
  RUN_TEST(poll_takes_little_stack);
  RUN_TEST(a_tick_costs_little_more_than_a_step);
  return UNITY_END();
}

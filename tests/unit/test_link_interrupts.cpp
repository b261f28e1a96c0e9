// A control tick may interrupt poll() at any instruction. What poll() shares with the tick stays right, and nothing in it makes the tick wait:
// it masks no interrupt, whatever message it is at. This is about lib/link alone, over a line and a flash that are arrays.
#include "penumbra/link/device.hpp"

#include "device_bench.hpp"
#include "interrupt_after.hpp"
#include "print.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::interrupt;
using test::interrupt_after;
using test::Line;
using test::renew;

using Dims = StaticDims<2, 2, 2>;
using Flash = testing::SimulatedFlash<8, 256, 4>;
using Image = test::TestImage<300>;

// --- The step log: what is read is what was recorded under these numbers

StepLog<Dims, 4> steps;

Action action_of(uint32_t n) { return Action{static_cast<uint8_t>(n % 251U)}; }
void record() {
  const uint32_t n = steps.next_step();
  static_cast<void>(steps.record(action_of(n), Observation{static_cast<uint8_t>(n % 7U)}));
}
void record_twice() {
  record();
  record();
}

void a_log_that_is_overwritten_while_it_is_read_gives_nothing_wrong() {
  uint8_t room[4 * step_size];
  uint32_t empty = 0;
  uint32_t k = 1;
  for (bool hit = true; hit; ++k) {
    for (int i = 0; i < 4; ++i) record();
    const uint32_t from = steps.next_step() - (k % 2U == 0U ? 4U : 3U);
    decltype(steps)::Reading reading{};
    hit = interrupt_after(k, record_twice, [&] { reading = steps.read(from, room); });
    if (reading.size == 0U) ++empty;
    TEST_ASSERT_LESS_OR_EQUAL_UINT32(2, reading.first - from);  // at most what the two ticks took
    for (uint32_t i = 0; i < reading.size / step_size; ++i) {
      TEST_ASSERT_EQUAL_UINT32(index(action_of(reading.first + i)), room[i * step_size]);
      TEST_ASSERT_EQUAL_UINT32((reading.first + i) % 7U, room[i * step_size + 1U]);
    }
  }
  TEST_ASSERT_GREATER_THAN_UINT32(40, k);
  TEST_ASSERT_GREATER_THAN_UINT32(10, empty);
}

// --- The device

Flash flash;
Line line;
etl::optional<Device<Dims, PairCounts, Line, Flash>> device;

constexpr Action safe_action{1};
const Image zeros(0, 1, 1, 4);
const Image ones(1, 2, 1, 5);

void boot() {
  renew(line);
  DeviceOptions options;
  options.safe_action = safe_action;
  device.emplace(line, flash, options);
  TEST_ASSERT_TRUE(device->start());
}
void start_with_confirmed_image() {
  renew(flash);
  boot();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), test::send_image(*device, line, zeros).checksum);
  TEST_ASSERT_EQUAL_UINT32(1, test::confirm(*device, line, zeros.checksum()).confirmed);
}

void nothing() {}

// All but the last chunk of `image` is there, and the next poll() has the rest of it.
void one_poll_before_the_end(const Image& image) {
  const auto most = static_cast<uint32_t>((image.size() - 1U) / max_chunk);
  const ImageReport report = test::send_image(*device, line, image.view(), image.checksum(), most);
  TEST_ASSERT_EQUAL_UINT32(most * max_chunk, report.next);
  Chunk chunk;
  chunk.offset = report.next;
  chunk.bytes = image.view().subspan(report.next);
  line.say(chunk);
  while (line.waiting_for_device() > bytes_a_poll) device->poll(++line.now);
}
void poll_once() { device->poll(++line.now); }

bool was_on_trial;
bool new_image_acted;
void tick_that_is_late() {
  was_on_trial = device->images().on_trial();
  device->tick(Observation{0});
  new_image_acted = device->agent().episode().k() == 2U;
  device->deadline_missed();
}

// A new image is taken over, and after k instructions of that a tick misses its deadline.
bool late_after(uint32_t k, bool has_fallback) {
  if (has_fallback) {
    start_with_confirmed_image();
  } else {
    renew(flash);
    boot();
  }
  one_poll_before_the_end(ones);
  was_on_trial = new_image_acted = false;
  return interrupt_after(k, tick_that_is_late, poll_once);
}

// The last instruction at which the books do not have the new image.
uint32_t last_before_the_trial(bool has_fallback) {
  uint32_t before = 0;
  for (uint32_t step = 1U << 17U; step > 0U; step /= 2U) {
    if (late_after(before + step, has_fallback) && !was_on_trial) before += step;
  }
  return before;
}

// Agent and books agree, at whichever instruction it was: a new image that has acted is given up, and one that was not is watched.
void a_late_tick_meets_the_image_before_or_on_trial(bool has_fallback) {
  const uint32_t before = last_before_the_trial(has_fallback);
  uint32_t given_up = 0;
  uint32_t kept = 0;
  for (uint32_t k = before - 20U; late_after(k, has_fallback) && given_up < 100U; ++k) {
    poll_once();
    const bool gave_up = device->images().has_failed_image();
    ++(gave_up ? given_up : kept);
    if (new_image_acted) TEST_ASSERT_TRUE(gave_up);
    if (!gave_up) {
      TEST_ASSERT_TRUE(ones.is(device->images().image()));
      TEST_ASSERT_TRUE(device->images().on_trial());
      TEST_ASSERT_EQUAL_UINT32(1, index(device->tick(Observation{0}).action));
      device->deadline_missed();
      poll_once();
    }
    TEST_ASSERT_TRUE(device->images().has_failed_image());
    TEST_ASSERT_FALSE(device->images().on_trial());
    TEST_ASSERT_EQUAL(has_fallback, zeros.is(device->images().image()));
    TEST_ASSERT_EQUAL_UINT32(has_fallback ? 0U : index(safe_action), index(device->tick(Observation{0}).action));
    TEST_ASSERT_EQUAL_UINT32(has_fallback ? 0 : 1, test::ask<DeviceStatus>(*device, line, AskStatus{})->safe);
  }
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(20, kept);
  TEST_ASSERT_GREATER_THAN_UINT32(20, given_up);
}
// The books have the new image before the agent has. Two ticks within the hand-over: one is late before the agent has it, and the image is given
// up; the next acts by it all the same, before it is taken back. Nothing of that is left to the image after it.
uint32_t gap;
bool given_up_image_acted;
void tick_that_is_late_and_another() {
  tick_that_is_late();
  interrupt.again = gap;
  interrupt.tick = [] { given_up_image_acted = device->tick(Observation{0}).status == Status::ok && device->agent().episode().k() == 2U; };
}
void an_image_that_is_given_up_while_it_is_taken_over_leaves_no_trace() {
  const auto first_belief_by_the_next = [] {
    for (int i = 0; i < 10; ++i) poll_once();  // what is to be said of the image before
    while (!line.hear().empty()) {
    }
    TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), test::send_image(*device, line, zeros).checksum);
    TEST_ASSERT_EQUAL(Status::ok, device->tick(Observation{1}).status);
    return device->agent().belief()[0];
  };
  renew(flash);
  boot();
  const float prior = first_belief_by_the_next();
  const uint32_t before = last_before_the_trial(false);
  uint32_t acted = 0;
  for (gap = 2; gap <= 60U; gap += 2U) {
    for (uint32_t k = before; k < before + 40U; ++k) {
      renew(flash);
      boot();
      one_poll_before_the_end(ones);
      given_up_image_acted = false;
      static_cast<void>(interrupt_after(k, tick_that_is_late_and_another, poll_once));
      poll_once();
      if (!given_up_image_acted || !device->images().has_failed_image()) continue;
      ++acted;
      TEST_ASSERT_EQUAL(Status::no_image, device->tick(Observation{0}).status);
      TEST_ASSERT_EQUAL_FLOAT(prior, first_belief_by_the_next());
    }
  }
  test::print("acted by an image that was given up|", acted, "\n");
  TEST_ASSERT_GREATER_THAN_UINT32(0, acted);
}

void a_deadline_missed_while_an_image_is_taken_over_falls_back() { a_late_tick_meets_the_image_before_or_on_trial(true); }
void with_no_fallback_it_leads_to_the_safe_action() { a_late_tick_meets_the_image_before_or_on_trial(false); }

// --- How long poll() can make a tick wait

constexpr uint32_t longest_wait = 10;  // instructions, those from the vector to the handler's first look at the clock among them

// Interrupts the poll() behind `prepare` every `stride` instructions of it.
template <class Prepare, class Poll = void (*)()>
void never_waits(const char* what, uint32_t stride, Prepare prepare, Poll poll = poll_once) {
  interrupt.latency = 0;
  uint32_t points = 0;
  uint32_t k = 20;
  for (;; k += stride, ++points) {
    prepare();
    if (!interrupt_after(k, nothing, poll)) break;
  }
  test::print("wait|", what, "|", points, " points|", k, " instructions of poll()|at most ", interrupt.latency, "\n");
  TEST_ASSERT_GREATER_THAN_UINT32_MESSAGE(2, points, what);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32_MESSAGE(longest_wait, interrupt.latency, what);
}

template <class Message>
void never_waits_for(const char* what, const Message& message, uint32_t stride = 7) {
  never_waits(what, stride, [&] {
    for (int i = 0; i < 10; ++i) poll_once();  // what was to be said before is said
    while (!line.hear().empty()) {
    }
    line.say(message);
  });
}

void no_message_makes_a_tick_wait() {
  start_with_confirmed_image();
  for (int i = 0; i < 50; ++i) device->tick(Observation{static_cast<uint8_t>(i % 2)});
  never_waits_for("ask_hello", AskHello{});
  AskCounts counts;
  counts.all = 1;
  never_waits_for("ask_counts", counts);
  never_waits_for("ask_log, which this device refuses", AskLog{});
  never_waits_for("ask_status", AskStatus{});
  never_waits_for("ask_belief", AskBelief{});
  never_waits_for("confirm", Confirm{});
  never_waits_for("chunk, not wanted", Chunk{});
  never_waits("garbage", 7, [] {
    const uint8_t garbage[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 5, 5, 5, 5, 5, 0, 0, 0, 1, 1, 0};
    line.send(garbage);
  });
  never_waits("nothing", 7, nothing);

  static_cast<void>(device->start_plant());
  StepMark mark;
  mark.incarnation = static_cast<uint8_t>(device->incarnation());
  const auto never_waits_for_answer = [&](const char* what, auto message) {
    never_waits(what, 7, [&] {
      poll_once();
      while (!line.hear().empty()) {
      }
      message.mark = mark;
      line.say(message);
      if (device->poll(line.now += repeat_after_ms)) {
        device->plant_tick();
        ++mark.step;
      }
      message.mark = mark;
      line.say(message);
    });
  };
  never_waits_for_answer("observed, and the action before it", Observed{});
  never_waits_for_answer("lost, and the action before it", Lost{});
  never_waits_for_answer("moved, and the action before it", Moved{});
  TEST_ASSERT_GREATER_THAN_UINT32(20, mark.step);
}

template <class D>
using Log = StepLog<D, 64>;

void no_part_of_a_log_makes_a_tick_wait() {
  static Device<Dims, Log, Line, Flash> logging(line, flash, DeviceOptions{});
  renew(flash);
  renew(line);
  TEST_ASSERT_TRUE(logging.start());
  for (uint8_t i = 0; i < 70; ++i) logging.tick(Observation{static_cast<uint8_t>(i % 2U)});
  const auto poll_log = [] { logging.poll(++line.now); };
  size_t told = 0;
  never_waits(
      "ask_log, answered", 7,
      [&] {
        for (int i = 0; i < 4; ++i) poll_log();
        for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
          const auto part = decode<LogPart>(bytes);
          if (part.has_value()) told += part->steps.size() / step_size;
        }
        line.say(AskLog{});
      },
      poll_log);
  TEST_ASSERT_GREATER_THAN_UINT32(20U * steps_in_part, told);
}

void no_step_of_an_update_makes_a_tick_wait() {
  uint32_t checksum = 1;
  start_with_confirmed_image();
  device->tick(Observation{0});
  const auto begin = [&] {
    BeginImage message;
    message.size = 150;
    message.checksum = ++checksum;
    line.say(message);
  };
  never_waits("begin_image, and a page erased", 61, begin);
  never_waits("chunk, programmed", 61, [&] {
    begin();
    Chunk chunk;
    chunk.bytes = ones.view().first(32);
    for (int i = 0; i < 10; ++i) poll_once();
    line.say(chunk);
  });
  never_waits("the last chunk, the check of the image, its trial", 211, [] {
    start_with_confirmed_image();
    one_poll_before_the_end(ones);
  });
  never_waits("confirm, of the image on trial", 61, [] {
    start_with_confirmed_image();
    one_poll_before_the_end(ones);
    poll_once();
    Confirm message;
    message.checksum = ones.checksum();
    line.say(message);
  });
  never_waits("an image given up", 7, [] {
    start_with_confirmed_image();
    one_poll_before_the_end(ones);
    poll_once();
    device->deadline_missed();
  });
}

// The measure can see what it is for.
void a_masked_interrupt_waits() {
  interrupt.latency = 0;
  TEST_ASSERT_TRUE(interrupt_after(200, nothing, [] {
    asm volatile("cpsid i" : : : "memory");
    asm volatile(".rept 300 \n nop \n .endr");
    asm volatile("cpsie i" : : : "memory");
  }));
  test::print("wait|masked for 300 instructions|at least ", interrupt.latency, "\n");
  TEST_ASSERT_GREATER_THAN_UINT32(longest_wait, interrupt.latency);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_masked_interrupt_waits);
  RUN_TEST(a_log_that_is_overwritten_while_it_is_read_gives_nothing_wrong);
  RUN_TEST(a_deadline_missed_while_an_image_is_taken_over_falls_back);
  RUN_TEST(with_no_fallback_it_leads_to_the_safe_action);
  RUN_TEST(an_image_that_is_given_up_while_it_is_taken_over_leaves_no_trace);
  RUN_TEST(no_message_makes_a_tick_wait);
  RUN_TEST(no_part_of_a_log_makes_a_tick_wait);
  RUN_TEST(no_step_of_an_update_makes_a_tick_wait);
  return UNITY_END();
}

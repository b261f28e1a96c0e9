#include "penumbra/link/device.hpp"

#include "device_bench.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::ask;
using test::hear;
using test::Line;
using test::Random;
using test::renew;
using test::send_image;

using Dims = StaticDims<2, 2, 2>;
using Flash = testing::SimulatedFlash<8, 256, 4>;
using Image = test::TestImage<500>;
template <class D>
using Log = StepLog<D, 16>;
using Counting = Device<Dims, PairCounts, Line, Flash>;
using Logging = Device<Dims, Log, Line, Flash>;

constexpr uint8_t safe_action = 1;

Flash flash;
Line line;
etl::optional<Counting> device;

// The power was off: only the flash is as it was.
void boot() {
  renew(line);
  DeviceOptions options;
  options.id = 0x12345678;
  options.board = "bench";
  options.safe_action = Action{safe_action};
  device.emplace(line, flash, options);
  TEST_ASSERT_TRUE(device->start());
}
void start_over() {
  renew(flash);
  boot();
}

// Images that always take one action, numbered.
const Image zeros(0, 1, 1, 4);
const Image ones(1, 2, 40, 5);
const Image zeros_again(0, 3, 60, 6);

void install(const Image& image) {
  const ImageReport sent = send_image(*device, line, image);
  TEST_ASSERT_EQUAL_HEX32(image.checksum(), sent.checksum);
  TEST_ASSERT_EQUAL_UINT32(0, sent.confirmed);
  const ImageReport confirmed = test::confirm(*device, line, image.checksum());
  TEST_ASSERT_EQUAL_HEX32(image.checksum(), confirmed.checksum);
  TEST_ASSERT_EQUAL_UINT32(1, confirmed.confirmed);
}

ImageReport image_report() { return ask<ImageReport>(*device, line, AskHello{}).value(); }
DeviceStatus status() { return ask<DeviceStatus>(*device, line, AskStatus{}).value(); }
size_t tick(uint8_t observation = 0) { return index(device->tick(Observation{observation}).action); }

// --- Hello

void a_device_says_hello_when_it_has_started() {
  start_over();
  const auto hello = hear<Hello>(*device, line);
  TEST_ASSERT_TRUE(hello.has_value());
  TEST_ASSERT_EQUAL_UINT32(1, hello->protocol);
  TEST_ASSERT_EQUAL_HEX32(0x12345678, hello->device);
  TEST_ASSERT_EQUAL_UINT32(1, hello->incarnation);
  TEST_ASSERT_EQUAL_UINT32(2, hello->states);
  TEST_ASSERT_EQUAL_UINT32(2, hello->actions);
  TEST_ASSERT_EQUAL_UINT32(2, hello->observations);
  TEST_ASSERT_EQUAL_UINT32(feature_counts, hello->features);
  TEST_ASSERT_EQUAL_UINT32(3U * 256U - 16U, hello->slot_size);
  TEST_ASSERT_EQUAL_UINT32(5, hello->board.size());
  TEST_ASSERT_EQUAL_MEMORY("bench", hello->board.data(), 5);
  TEST_ASSERT_FALSE(hear<Hello>(*device, line).has_value());  // once, until it is asked
}

// Unasked, and in this order: a host that was there before the reset knows at once what became of its image.
void hello_is_followed_by_the_image() {
  for (const bool on_trial : {false, true}) {
    start_over();
    install(zeros);
    if (on_trial) TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
    boot();
    while (!device->is_quiet()) device->poll(++line.now);
    TEST_ASSERT_TRUE(decode<Hello>(line.hear()).has_value());
    const auto image = decode<ImageReport>(line.hear());
    TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), image->checksum);
    TEST_ASSERT_EQUAL_HEX32(on_trial ? ones.checksum() : 0U, image->failed);
    TEST_ASSERT_TRUE(line.hear().empty());
  }
}

void hello_is_answered_with_hello_and_the_image() {
  start_over();
  TEST_ASSERT_TRUE(ask<Hello>(*device, line, AskHello{}).has_value());
  TEST_ASSERT_TRUE(ask<ImageReport>(*device, line, AskHello{}).has_value());
}

void another_protocol_is_answered_with_hello_and_nothing_else() {
  for (const size_t more : {size_t{0}, size_t{5}}) {
    start_over();
    TEST_ASSERT_TRUE(hear<ImageReport>(*device, line).has_value());
    const uint8_t later_fields[5] = {1, 2, 3, 4, 5};
    AskHello later;
    later.protocol = 2;
    later.more = {later_fields, more};
    TEST_ASSERT_TRUE(ask<Hello>(*device, line, later).has_value());
    TEST_ASSERT_FALSE(hear<ImageReport>(*device, line).has_value());
    TEST_ASSERT_EQUAL_UINT32(0, status().frames_refused);
  }
}

void a_long_name_is_cut() {
  start_over();
  DeviceOptions options;
  options.board = "a name of more than thirty-two characters";
  device.emplace(line, flash, options);
  TEST_ASSERT_TRUE(device->start());
  TEST_ASSERT_EQUAL_UINT32(32, hear<Hello>(*device, line)->board.size());
}

void every_boot_is_another_incarnation() {
  start_over();
  for (uint32_t number = 1; number < 100U; ++number) {
    TEST_ASSERT_EQUAL_UINT32(number, device->incarnation());
    TEST_ASSERT_EQUAL_UINT32(number, hear<Hello>(*device, line)->incarnation);
    boot();
  }
}

void without_a_working_flash_nothing_starts() {
  start_over();
  flash.cut_power(0, 0);
  device.emplace(line, flash, DeviceOptions{});
  TEST_ASSERT_FALSE(device->start());
}

// A flash of any geometry, which counts what is asked of it.
struct AnyFlash {
  FlashGeometry shape;
  uint32_t calls = 0;
  [[nodiscard]] FlashGeometry geometry() const noexcept { return shape; }
  [[nodiscard]] const uint8_t* data() const noexcept { return flash.data(); }
  bool erase(uint32_t offset) noexcept { return ++calls != 0U && flash.erase(offset); }
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept { return ++calls != 0U && flash.program(offset, bytes); }
};

void a_flash_that_cannot_hold_what_is_needed_starts_nothing() {
  const auto starts = [](const FlashGeometry& geometry) {
    renew(flash);
    AnyFlash any{geometry};
    static etl::optional<Device<Dims, UncountedPairs, Line, AnyFlash>> other;
    other.emplace(line, any, DeviceOptions{});
    const bool started = other->start();
    TEST_ASSERT_EQUAL(started, any.calls != 0U);
    return started;
  };
  for (const uint32_t unit : {4U, 8U, 16U, 32U}) TEST_ASSERT_TRUE(starts({256, 8, unit}));
  TEST_ASSERT_TRUE(starts({256, 4, 4}));
  TEST_ASSERT_TRUE(starts({160, 4, 32}));
  TEST_ASSERT_FALSE(starts({256, 3, 4}));  // a page is missing
  TEST_ASSERT_FALSE(starts({256, 0, 4}));
  for (const uint32_t unit : {0U, 1U, 2U, 3U, 12U, 64U, ~0U}) TEST_ASSERT_FALSE(starts({256, 8, unit}));
  TEST_ASSERT_FALSE(starts({0, 8, 4}));
  TEST_ASSERT_FALSE(starts({250, 8, 4}));            // chunks would straddle pages
  TEST_ASSERT_FALSE(starts({128, 8, 32}));           // no room for an image beside the marks
  TEST_ASSERT_FALSE(starts({0x10000, 0x10001, 4}));  // more than an offset can name
}

// A fleet explores, it does not march: robots differ, and so do the boots of one.
void no_two_robots_and_no_two_boots_explore_alike() {
  const auto actions = [](uint32_t id, uint32_t boots, uint32_t seed = 0) {
    renew(flash);
    DeviceOptions options;
    options.id = id;
    options.seed = seed;
    for (uint32_t i = 0; i < boots; ++i) {
      renew(line);
      device.emplace(line, flash, options);
      TEST_ASSERT_TRUE(device->start());
    }
    uint32_t taken = 0;
    for (uint32_t t = 0; t < 32U; ++t) taken = taken << 1U | static_cast<uint32_t>(tick());
    return taken;
  };
  uint32_t seen[16];
  for (uint32_t i = 0; i < 16U; ++i) {
    seen[i] = actions(1U + i / 4U, 1U + i % 4U);
    TEST_ASSERT_EQUAL_HEX32(seen[i], actions(1U + i / 4U, 1U + i % 4U));
    for (uint32_t other = 0; other < i; ++other) TEST_ASSERT_NOT_EQUAL(seen[other], seen[i]);
  }
  TEST_ASSERT_EQUAL_HEX32(actions(1, 1, 5), actions(2, 3, 5));  // unless it is asked for
  TEST_ASSERT_NOT_EQUAL(actions(1, 1, 5), actions(1, 1, 6));
}

// --- The plant at the other end

template <class Message>
void answer(uint32_t incarnation, uint32_t step, uint8_t observation = 0) {
  Message message;
  message.mark = {static_cast<uint8_t>(incarnation), static_cast<uint16_t>(step)};
  if constexpr (Message::type == Type::observed) message.observation = observation;
  line.say(message);
}

void an_action_is_repeated_until_it_is_answered() {
  start_over();
  TEST_ASSERT_TRUE(hear<ImageReport>(*device, line).has_value());
  const Decision first = device->start_plant();
  uint32_t sent = 0;
  for (; line.now < 1000U; ++line.now) {
    TEST_ASSERT_FALSE(device->poll(line.now));
    for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
      const auto acted = decode<Acted>(bytes);
      TEST_ASSERT_TRUE(acted.has_value());
      TEST_ASSERT_EQUAL_UINT32(1, acted->mark.incarnation);
      TEST_ASSERT_EQUAL_UINT32(0, acted->mark.step);
      TEST_ASSERT_EQUAL_UINT32(index(first.action), acted->action);
      ++sent;
    }
  }
  TEST_ASSERT_UINT32_WITHIN(1, 1000U / repeat_after_ms, sent);
  answer<Observed>(1, 0, 1);
  TEST_ASSERT_TRUE(device->poll(line.now));
  TEST_ASSERT_TRUE(device->poll(line.now));  // until the tick has taken it
  const Decision second = device->plant_tick();
  const auto acted = hear<Acted>(*device, line);
  TEST_ASSERT_EQUAL_UINT32(1, acted->mark.step);
  TEST_ASSERT_EQUAL_UINT32(index(second.action), acted->action);
}

// A background that seldom comes round, or a slow line: each time the action would be due again.
void an_action_that_waits_holds_up_no_answer() {
  start_over();
  static_cast<void>(device->start_plant());
  line.say(AskStatus{});
  for (int i = 0; i < 20; ++i) static_cast<void>(device->poll(line.now += repeat_after_ms));
  bool hello = false;
  bool status = false;
  uint32_t acted = 0;
  for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
    hello = hello || has_type(bytes, Type::hello);
    status = status || has_type(bytes, Type::status);
    acted += static_cast<uint32_t>(has_type(bytes, Type::acted));
  }
  TEST_ASSERT_TRUE(hello && status);
  TEST_ASSERT_GREATER_THAN_UINT32(5, acted);
}

void hello_says_that_the_host_is_the_plant() {
  start_over();
  static_cast<void>(device->start_plant());
  TEST_ASSERT_EQUAL_UINT32(feature_counts | feature_plant, hear<Hello>(*device, line)->features);
}

void answers_to_another_step_or_boot_are_passed_over() {
  start_over();
  boot();
  static_cast<void>(device->start_plant());
  for (const uint32_t step : {1U, 2U, 0xFFFFU}) answer<Observed>(2, step);
  answer<Observed>(1, 0);
  answer<Lost>(3, 0);
  answer<Moved>(0, 0);
  for (int i = 0; i < 10; ++i) TEST_ASSERT_FALSE(device->poll(++line.now));
  TEST_ASSERT_EQUAL_UINT32(1, status().ticks);
  TEST_ASSERT_EQUAL_UINT32(0, status().frames_refused);
  answer<Observed>(2, 0);
  TEST_ASSERT_TRUE(device->poll(++line.now));
}

void the_first_answer_counts_and_its_repetitions_do_not() {
  start_over();
  static_cast<void>(device->start_plant());
  answer<Observed>(1, 0, 1);
  answer<Lost>(1, 0);
  answer<Observed>(1, 0, 7);
  TEST_ASSERT_TRUE(device->poll(++line.now));
  TEST_ASSERT_EQUAL(Status::no_image, device->plant_tick().status);
  for (int i = 0; i < 3; ++i) answer<Observed>(1, 0, 1);
  for (int i = 0; i < 10; ++i) TEST_ASSERT_FALSE(device->poll(++line.now));
  TEST_ASSERT_EQUAL_UINT32(2, status().ticks);
  TEST_ASSERT_EQUAL_UINT32(0, status().missed_observations);
}

void a_plant_tick_without_an_observation_is_none() {
  start_over();
  const Decision first = device->start_plant();
  const Decision again = device->plant_tick();
  TEST_ASSERT_EQUAL(first.action, again.action);
  TEST_ASSERT_EQUAL(first.episode_ended, again.episode_ended);
  TEST_ASSERT_EQUAL_UINT32(0, hear<Acted>(*device, line)->mark.step);
  TEST_ASSERT_EQUAL_UINT32(1, status().ticks);
}

void where_the_host_is_not_the_plant_its_observations_are_passed_over() {
  start_over();
  answer<Observed>(1, 0);
  TEST_ASSERT_FALSE(device->poll(++line.now));
  TEST_ASSERT_FALSE(hear<Acted>(*device, line).has_value());
  TEST_ASSERT_EQUAL_UINT32(0, status().ticks);
}

// What the world does and the host counts, and what the device counts, over a line that loses, doubles and delays.
void in_lockstep_every_step_happens_once() {
  start_over();
  Random random(8);
  PairCounts<Dims> world;
  Observed answers[3];  // the last ones: late ones are repeated
  static_cast<void>(device->start_plant());
  uint32_t next = 0;  // the step that the world has not executed yet
  for (uint32_t round = 0; round < 6000U; ++round) {
    if (device->poll(line.now += random.below(30))) static_cast<void>(device->plant_tick());
    for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
      const auto acted = decode<Acted>(bytes);
      if (!acted.has_value() || random.below(4) == 0U) continue;  // lost
      TEST_ASSERT_LESS_OR_EQUAL_UINT32(next, acted->mark.step);
      if (acted->mark.step == next) {  // the world moves once
        answers[2] = answers[1];
        answers[1] = answers[0];
        answers[0].mark = acted->mark;
        answers[0].observation = static_cast<uint8_t>(random.below(2));
        static_cast<void>(world.record(Action{acted->action}, Observation{answers[0].observation}));
        ++next;
      }
      if (random.below(4) != 0U) line.say(answers[0]);
      if (random.below(4) == 0U) line.say(answers[random.below(3)]);
    }
  }
  TEST_ASSERT_GREATER_THAN_UINT32(500, next);
  while (device->poll(++line.now)) static_cast<void>(device->plant_tick());
  const uint32_t answered = status().ticks - 1U;
  TEST_ASSERT_TRUE(answered == next || answered + 1U == next);
  if (answered + 1U == next) {  // the last answer is on its way
    line.say(answers[0]);
    TEST_ASSERT_TRUE(device->poll(++line.now));
    static_cast<void>(device->plant_tick());
  }
  for (size_t cell = 0; cell < world.cell_count(); ++cell) {
    TEST_ASSERT_EQUAL_UINT32(world.count(cell), device->agent().recorder().count(cell));
  }
}

void the_number_of_a_step_wraps_and_goes_on() {
  start_over();
  static_cast<void>(device->start_plant());
  for (uint32_t step = 0; step < 65600U; ++step) {
    answer<Observed>(1, step);
    TEST_ASSERT_TRUE(device->poll(++line.now));
    static_cast<void>(device->plant_tick());
    while (!line.hear().empty()) {
    }
  }
  TEST_ASSERT_EQUAL_UINT32(65600U % 65536U, hear<Acted>(*device, line)->mark.step);
  TEST_ASSERT_EQUAL_UINT32(65601, status().ticks);
}

void a_lost_answer_and_a_moved_world_break_the_pair() {
  start_over();
  static_cast<void>(device->start_plant());
  auto next = [step = 0U](auto send) mutable {
    send(step++);
    TEST_ASSERT_TRUE(device->poll(++line.now));
    static_cast<void>(device->plant_tick());
  };
  const auto observed = [](uint32_t step) { answer<Observed>(1, step, 1); };
  next(observed);
  next(observed);
  TEST_ASSERT_EQUAL_UINT32(1, status().pairs);
  next([](uint32_t step) { answer<Lost>(1, step); });
  next(observed);
  TEST_ASSERT_EQUAL_UINT32(1, status().pairs);
  next(observed);
  TEST_ASSERT_EQUAL_UINT32(2, status().pairs);
  next([](uint32_t step) { answer<Moved>(1, step); });
  next(observed);
  TEST_ASSERT_EQUAL_UINT32(2, status().pairs);
  next(observed);
  const DeviceStatus now = status();
  TEST_ASSERT_EQUAL_UINT32(3, now.pairs);
  TEST_ASSERT_EQUAL_UINT32(1, now.missed_observations);
  TEST_ASSERT_EQUAL_UINT32(9, now.ticks);
}

void a_line_that_takes_a_byte_at_a_time_is_enough() {
  start_over();
  line.most_a_write = 1;
  static_cast<void>(device->start_plant());
  TEST_ASSERT_TRUE(ask<Hello>(*device, line, AskHello{}).has_value());
  TEST_ASSERT_TRUE(hear<Acted>(*device, line).has_value());
  line.most_a_write = 0;  // and one that takes none holds the rest back
  for (int i = 0; i < 10; ++i) device->poll(++line.now);
  TEST_ASSERT_TRUE(line.hear().empty());
  line.most_a_write = 7;
  TEST_ASSERT_TRUE(ask<DeviceStatus>(*device, line, AskStatus{}).has_value());
  TEST_ASSERT_EQUAL_UINT32(0, line.refused);
}

// --- Counts and steps

void counts_are_uploaded_while_ticks_go_on() {
  start_over();
  Random random(9);
  uint32_t seen[16]{};
  const auto take = [&](const CountsPart& part) {
    TEST_ASSERT_EQUAL_UINT32(1, part.incarnation);
    for (size_t at = 0; at < part.cells.size(); at += cell_size) {
      uint32_t cell;
      uint32_t value;
      memcpy(&cell, part.cells.data() + at, 4);
      memcpy(&value, part.cells.data() + at + 4, 4);
      TEST_ASSERT_LESS_THAN_UINT32(16, cell);
      if (value > seen[cell]) seen[cell] = value;
    }
    return part.next;
  };
  AskCounts question;
  for (uint32_t round = 0; round < 200U; ++round) {
    for (uint32_t ticks = random.below(5); ticks > 0U; --ticks) tick(static_cast<uint8_t>(random.below(2)));
    const auto part = ask<CountsPart>(*device, line, question);
    TEST_ASSERT_TRUE(part.has_value());
    if (random.below(3) == 0U) continue;  // lost on the way
    question.from = take(*part) == 16U ? 0U : part->next;
  }
  uint32_t pairs = 0;
  for (question.from = 0; question.from < 16U;) {
    const auto part = ask<CountsPart>(*device, line, question);
    question.from = take(*part);
    pairs = part->pairs;
  }
  uint32_t sum = 0;
  for (uint32_t cell = 0; cell < 16U; ++cell) {
    TEST_ASSERT_EQUAL_UINT32(device->agent().recorder().count(cell), seen[cell]);
    sum += seen[cell];
  }
  TEST_ASSERT_GREATER_THAN_UINT32(100, sum);
  TEST_ASSERT_EQUAL_UINT32(sum, pairs);
  TEST_ASSERT_EQUAL_UINT32(sum, status().pairs);
}

void a_device_that_keeps_steps_is_asked_for_steps() {
  renew(flash);
  renew(line);
  static etl::optional<Logging> logging;
  logging.emplace(line, flash, DeviceOptions{});
  TEST_ASSERT_TRUE(logging->start());
  TEST_ASSERT_EQUAL_UINT32(feature_log, hear<Hello>(*logging, line)->features);
  TEST_ASSERT_FALSE(ask<CountsPart>(*logging, line, AskCounts{}).has_value());
  TEST_ASSERT_EQUAL_UINT32(1, ask<DeviceStatus>(*logging, line, AskStatus{})->frames_refused);

  uint8_t actions[40];
  for (uint8_t t = 0; t < 40; ++t) actions[t] = static_cast<uint8_t>(logging->tick(Observation{static_cast<uint8_t>(t / 2U % 2U)}).action);
  AskLog question;
  question.from = 3;  // step n is the action of tick n and the observation of tick n + 1
  const auto part = ask<LogPart>(*logging, line, question);
  TEST_ASSERT_EQUAL_UINT32(1, part->incarnation);
  TEST_ASSERT_EQUAL_UINT32(39, part->newest);
  TEST_ASSERT_EQUAL_UINT32(39U - 16U, part->first);
  TEST_ASSERT_EQUAL_UINT32(16U * step_size, part->steps.size());
  for (uint32_t i = 0; i < 16U; ++i) {
    const uint32_t step = part->first + i;
    TEST_ASSERT_EQUAL_UINT32(actions[step], part->steps[i * step_size]);
    TEST_ASSERT_EQUAL_UINT32((step + 1U) / 2U % 2U, part->steps[i * step_size + 1U]);
    TEST_ASSERT_EQUAL_UINT32(0, part->steps[i * step_size + 2U]);
  }
}
void a_device_that_keeps_counts_has_no_steps() {
  start_over();
  TEST_ASSERT_FALSE(ask<LogPart>(*device, line, AskLog{}).has_value());
  TEST_ASSERT_EQUAL_UINT32(1, status().frames_refused);
}

// --- Images

void an_image_is_sent_tried_and_confirmed() {
  start_over();
  TEST_ASSERT_EQUAL(Status::no_image, device->tick(Observation{0}).status);
  ImageReport report = send_image(*device, line, ones);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_UINT32(2, report.sequence);
  TEST_ASSERT_EQUAL_UINT32(0, report.confirmed);
  TEST_ASSERT_EQUAL_UINT32(1, report.incarnation);
  for (uint32_t t = 0; t < 5U; ++t) TEST_ASSERT_EQUAL_UINT32(1, tick());
  report = image_report();
  TEST_ASSERT_EQUAL_UINT32(5, report.trial_ticks);
  report = test::confirm(*device, line, ones.checksum());
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_EQUAL_UINT32(0, report.failed);
  boot();
  TEST_ASSERT_EQUAL_UINT32(1, tick());
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), image_report().checksum);
  TEST_ASSERT_EQUAL_UINT32(1, image_report().confirmed);
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void a_transfer_goes_on_where_the_link_was_lost() {
  start_over();
  const ImageReport half = send_image(*device, line, ones.view(), ones.checksum(), 2);
  TEST_ASSERT_EQUAL_UINT32(2U * max_chunk, half.next);
  renew(line);  // whatever was on the way
  const uint8_t garbage[] = {3, 1, 4, 1, 5};
  line.send(garbage);
  for (int i = 0; i < 5; ++i) device->poll(++line.now);
  const uint32_t operations = flash.operations();
  const auto chunks_left = static_cast<uint32_t>((ones.size() - half.next + max_chunk - 1U) / max_chunk);
  line.say(AskStatus{});  // lost in the garbage: its zero ends it
  const ImageReport report = send_image(*device, line, ones);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.checksum);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(operations + 2U * chunks_left + 1U, flash.operations());  // nothing was erased or written again
}

void a_chunk_out_of_order_is_answered_with_what_is_wanted() {
  start_over();
  const ImageReport half = send_image(*device, line, ones.view(), ones.checksum(), 1);
  Chunk chunk;
  chunk.offset = 2U * max_chunk;
  chunk.bytes = ones.view().subspan(chunk.offset, 32);
  TEST_ASSERT_EQUAL_UINT32(half.next, ask<ImageReport>(*device, line, chunk)->next);
  chunk.offset = 0;
  TEST_ASSERT_EQUAL_UINT32(half.next, ask<ImageReport>(*device, line, chunk)->next);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
}

// The agent reads the old image until its next tick: until then its slot is not erased.
void a_slot_is_not_erased_before_the_agent_has_let_go_of_it() {
  start_over();
  install(zeros);
  TEST_ASSERT_EQUAL_UINT32(0, tick());
  install(ones);  // adopted and confirmed, and not one tick since
  BeginImage begin;
  begin.size = zeros_again.size();
  begin.checksum = zeros_again.checksum();
  TEST_ASSERT_TRUE(ask<ImageReport>(*device, line, begin).has_value());
  const uint32_t operations = flash.operations();
  for (int i = 0; i < 20; ++i) device->poll(++line.now);
  TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
  TEST_ASSERT_EQUAL_UINT32(1, tick());
  for (int i = 0; i < 20; ++i) device->poll(++line.now);
  TEST_ASSERT_GREATER_THAN_UINT32(operations, flash.operations());
}

// Nothing was read before the boot: a robot that stands still, for whatever reason, can be sent an image.
void a_device_that_has_not_ticked_since_it_booted_takes_an_image() {
  start_over();
  install(zeros);
  boot();
  BeginImage begin;
  begin.size = ones.size();
  begin.checksum = ones.checksum();
  static_cast<void>(ask<ImageReport>(*device, line, begin));
  for (int i = 0; i < 10; ++i) device->poll(++line.now);
  while (!line.hear().empty()) {
  }
  TEST_ASSERT_EQUAL(Transfer::receiving, static_cast<Transfer>(image_report().transfer));
}

void while_an_image_is_on_trial_the_device_is_busy() {
  start_over();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), send_image(*device, line, zeros).checksum);
  ImageReport report = send_image(*device, line, ones);
  TEST_ASSERT_EQUAL(Transfer::busy, static_cast<Transfer>(report.transfer));
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
  report = test::confirm(*device, line, zeros.checksum());
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
}

void an_image_that_is_refused_leaves_everything_as_it_was() {
  start_over();
  install(ones);
  const auto refused_as = [](const Image& image, uint32_t checksum, Status reason) {
    const ImageReport report = send_image(*device, line, image.view(), checksum);
    TEST_ASSERT_EQUAL(Transfer::refused, static_cast<Transfer>(report.transfer));
    TEST_ASSERT_EQUAL(reason, static_cast<Status>(report.reason));
    TEST_ASSERT_EQUAL_HEX32(checksum, report.incoming);
    TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.checksum);
    TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
    TEST_ASSERT_EQUAL_UINT32(1, tick());
  };
  refused_as(zeros, zeros.checksum(), Status::image_field);  // an older number
  refused_as(zeros_again, zeros_again.checksum() ^ 1U, Status::image_checksum);
  Image corrupt = zeros_again;
  corrupt.bytes()[200] = static_cast<uint8_t>(corrupt.bytes()[200] ^ 0x80U);
  refused_as(corrupt, corrupt.checksum(), Status::image_checksum);
  boot();
  TEST_ASSERT_EQUAL_UINT32(1, tick());
  TEST_ASSERT_EQUAL_UINT32(0, image_report().failed);
  TEST_ASSERT_EQUAL_HEX32(zeros_again.checksum(), send_image(*device, line, zeros_again).checksum);
}

// Whichever page it is: a host that went on to hear "erasing" would have the others erased again and again.
void a_page_that_cannot_be_erased_is_told() {
  const uint32_t pages = ones.size() / 256U + 2U;
  for (uint32_t page = 0; page < pages; ++page) {
    start_over();
    BeginImage begin;
    begin.size = ones.size();
    begin.checksum = ones.checksum();
    line.say(begin);
    flash.cut_power(page, 0);
    const uint32_t operations = flash.operations();
    ImageReport last;
    for (auto report = hear<ImageReport>(*device, line); report.has_value(); report = hear<ImageReport>(*device, line)) last = *report;
    TEST_ASSERT_EQUAL(Transfer::refused, static_cast<Transfer>(last.transfer));
    TEST_ASSERT_EQUAL(Status::flash_refused, static_cast<Status>(last.reason));
    TEST_ASSERT_EQUAL_UINT32(operations + page + 1U, flash.operations());
    flash.power_on();
  }
}

void an_image_for_other_sizes_or_too_large_is_refused() {
  using Other = Device<StaticDims<2, 2, 3>, PairCounts, Line, Flash>;
  renew(flash);
  renew(line);
  static etl::optional<Other> other;
  other.emplace(line, flash, DeviceOptions{});
  TEST_ASSERT_TRUE(other->start());
  ImageReport report = send_image(*other, line, zeros);
  TEST_ASSERT_EQUAL(Transfer::refused, static_cast<Transfer>(report.transfer));
  TEST_ASSERT_EQUAL(Status::image_other_sizes, static_cast<Status>(report.reason));
  TEST_ASSERT_EQUAL_UINT32(0, report.checksum);
  BeginImage begin;
  begin.size = hear<Hello>(*other, line).value_or(Hello{}).slot_size + 10000U;
  report = ask<ImageReport>(*other, line, begin).value();
  TEST_ASSERT_EQUAL(Transfer::refused, static_cast<Transfer>(report.transfer));
  TEST_ASSERT_EQUAL(Status::image_size, static_cast<Status>(report.reason));
}

// --- Falling back

void a_missed_deadline_brings_the_confirmed_image_back() {
  start_over();
  install(zeros);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
  TEST_ASSERT_EQUAL_UINT32(1, tick());
  device->deadline_missed();
  TEST_ASSERT_EQUAL_UINT32(0, tick());                                  // at once: the background may never come to it
  const ImageReport report = hear<ImageReport>(*device, line).value();  // and unasked
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.failed);
  TEST_ASSERT_EQUAL_UINT32(0, report.trial_ticks);
  TEST_ASSERT_EQUAL_UINT32(0, status().safe);
  TEST_ASSERT_EQUAL_UINT32(1, status().missed_deadlines);
  boot();
  TEST_ASSERT_EQUAL_UINT32(0, tick());
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), image_report().failed);
  install(zeros_again);  // where the one was that failed
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void a_deadline_missed_by_a_confirmed_image_is_only_counted() {
  start_over();
  install(ones);
  for (int i = 0; i < 3; ++i) device->deadline_missed();
  TEST_ASSERT_EQUAL_UINT32(1, tick());
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), image_report().checksum);
  TEST_ASSERT_EQUAL_UINT32(3, status().missed_deadlines);
}

void with_nothing_to_fall_back_to_the_safe_action_is_taken() {
  start_over();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), send_image(*device, line, zeros).checksum);
  TEST_ASSERT_EQUAL_UINT32(0, tick());
  const uint32_t pairs = status().pairs;
  device->deadline_missed();
  for (uint8_t t = 0; t < 10; ++t) {
    const Decision decision = t % 3U == 0U   ? device->tick(Observation{static_cast<uint8_t>(t % 2U)})
                              : t % 3U == 1U ? device->missed()
                                             : device->moved();
    TEST_ASSERT_EQUAL_UINT32(safe_action, index(decision.action));
    TEST_ASSERT_EQUAL(Status::no_image, decision.status);
  }
  TEST_ASSERT_EQUAL_UINT32(1, status().safe);
  TEST_ASSERT_EQUAL_UINT32(pairs, status().pairs);  // what nobody chose is not learned from
  const ImageReport report = image_report();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.failed);
  TEST_ASSERT_EQUAL_UINT32(0, report.checksum);
  boot();  // it stays so
  TEST_ASSERT_EQUAL_UINT32(safe_action, tick());
  TEST_ASSERT_EQUAL_UINT32(1, status().safe);
}

void a_good_image_ends_the_safe_action() {
  for (const bool after_reset : {false, true}) {
    start_over();
    TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
    tick();
    if (after_reset) {
      boot();
    } else {
      device->deadline_missed();
    }
    TEST_ASSERT_EQUAL_UINT32(safe_action, tick());
    const ImageReport report = send_image(*device, line, zeros);  // its number is lower; none is in use
    TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
    TEST_ASSERT_EQUAL_UINT32(0, tick());
    TEST_ASSERT_EQUAL_UINT32(0, status().safe);
    device->deadline_missed();  // and this one on trial may fail too
    TEST_ASSERT_EQUAL_UINT32(safe_action, tick());
    install(zeros_again);
    boot();
    TEST_ASSERT_EQUAL_UINT32(0, tick());
    TEST_ASSERT_EQUAL_UINT32(0, status().safe);
  }
}

// The image that failed may be erased meanwhile: nothing of it is read any more.
void the_safe_action_reads_nothing_from_flash() {
  start_over();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), send_image(*device, line, zeros).checksum);
  tick();
  device->deadline_missed();
  const Belief<Dims> belief = device->agent().belief();
  memset(flash.raw() + 512, 0xFF, Flash::size - 512);
  static_cast<void>(device->moved());
  static_cast<void>(device->missed());
  tick();
  for (size_t s = 0; s < 2; ++s) TEST_ASSERT_EQUAL_FLOAT(belief[s], device->agent().belief()[s]);
}

void a_reset_during_the_trial_brings_the_confirmed_image_back() {
  start_over();
  install(zeros);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
  tick();
  boot();
  TEST_ASSERT_EQUAL_UINT32(0, tick());
  const ImageReport report = image_report();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.failed);
}

void a_confirmation_that_comes_too_late_confirms_nothing() {
  start_over();
  install(zeros);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
  tick();
  device->deadline_missed();
  ImageReport report = test::confirm(*device, line, ones.checksum());
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.failed);
  TEST_ASSERT_EQUAL_UINT32(0, tick());
  boot();
  report = image_report();
  TEST_ASSERT_EQUAL_HEX32(zeros.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), report.failed);
}

void a_confirmation_of_another_image_leaves_the_trial_as_it_is() {
  start_over();
  install(zeros);
  TEST_ASSERT_EQUAL_HEX32(ones.checksum(), send_image(*device, line, ones).checksum);
  TEST_ASSERT_EQUAL_UINT32(0, test::confirm(*device, line, zeros.checksum()).confirmed);
  tick();
  device->deadline_missed();
  TEST_ASSERT_EQUAL_UINT32(0, tick());
}

// --- Belief and status

void the_belief_is_told_in_255ths() {
  start_over();
  auto part = ask<BeliefPart>(*device, line, AskBelief{});
  TEST_ASSERT_EQUAL_UINT32(2, part->probability.size());
  TEST_ASSERT_EQUAL_UINT32(128, part->probability[0]);
  install(ones);
  for (uint8_t t = 0; t < 7; ++t) tick(t % 2U);
  const uint32_t ticks = status().ticks;
  AskBelief question;
  part = ask<BeliefPart>(*device, line, question);
  TEST_ASSERT_EQUAL_UINT32(ticks, part->ticks);
  for (size_t s = 0; s < 2; ++s) {
    TEST_ASSERT_FLOAT_WITHIN(0.51F / 255.0F, device->agent().belief()[s], static_cast<float>(part->probability[s]) / 255.0F);
  }
  TEST_ASSERT_NOT_EQUAL(part->probability[0], part->probability[1]);
  const uint8_t second = part->probability[1];
  question.from = 1;
  part = ask<BeliefPart>(*device, line, question);
  TEST_ASSERT_EQUAL_UINT32(1, part->from);
  TEST_ASSERT_EQUAL_UINT32(1, part->probability.size());
  TEST_ASSERT_EQUAL_UINT32(second, part->probability[0]);
  for (const uint8_t from : {uint8_t{2}, uint8_t{255}}) {
    question.from = from;
    TEST_ASSERT_EQUAL_UINT32(0, ask<BeliefPart>(*device, line, question)->probability.size());
  }
}

void a_large_belief_is_told_in_parts() {
  using Large = Device<StaticDims<200, 1, 1>, UncountedPairs, Line, Flash>;
  renew(flash);
  renew(line);
  static etl::optional<Large> large;
  large.emplace(line, flash, DeviceOptions{});
  TEST_ASSERT_TRUE(large->start());
  TEST_ASSERT_EQUAL_UINT32(0, hear<Hello>(*large, line)->features);
  AskBelief question;
  const size_t first = ask<BeliefPart>(*large, line, question)->probability.size();
  TEST_ASSERT_EQUAL_UINT32(max_message - 6U, first);
  question.from = static_cast<uint8_t>(first);
  TEST_ASSERT_EQUAL_UINT32(200U - first, ask<BeliefPart>(*large, line, question)->probability.size());
}

void status_counts_what_happened() {
  start_over();
  DeviceStatus now = status();
  TEST_ASSERT_EQUAL_UINT32(1, now.incarnation);
  for (const uint32_t count : {now.ticks, now.pairs, now.missed_deadlines, now.missed_observations, now.impossible_observations,
                               now.observations_out_of_range, now.saturations, now.frames_refused, now.episode}) {
    TEST_ASSERT_EQUAL_UINT32(0, count);
  }
  install(ones);
  const uint32_t before = status().ticks;
  const uint32_t pairs = status().pairs;
  for (int i = 0; i < 5; ++i) tick();
  static_cast<void>(device->missed());
  static_cast<void>(device->missed());
  for (int i = 0; i < 3; ++i) tick(2);
  device->deadline_missed();
  now = status();
  TEST_ASSERT_EQUAL_UINT32(before + 10U, now.ticks);
  TEST_ASSERT_EQUAL_UINT32(pairs + 4U, now.pairs);  // the first of the five begins the image's episode
  TEST_ASSERT_EQUAL_UINT32(2, now.missed_observations);
  TEST_ASSERT_EQUAL_UINT32(3, now.observations_out_of_range);
  TEST_ASSERT_EQUAL_UINT32(1, now.missed_deadlines);
  TEST_ASSERT_EQUAL_UINT32(2, now.episode);
  TEST_ASSERT_EQUAL_UINT32(0, now.safe);
  TEST_ASSERT_EQUAL(device->agent().episode().ended(), now.episode_ended != 0U);
}

#if !defined(__ARM_ARCH_6M__)  // sizes that are known late take more memory than it has
void sizes_may_be_known_late_and_full_cells_are_counted() {
  using Late = Device<RuntimeDims, PairCounts, Line, Flash>;
  renew(flash);
  renew(line);
  static uint32_t cells[1 * 1 * 2 * 2];
  static uint32_t changed[1];
  static uint32_t taken[1];
  for (uint32_t& cell : cells) cell = UINT32_MAX - 1U;
  const RuntimeDims dims(2, 1, 2);
  CountStorage<RuntimeDims> storage;
  storage.cells = cells;
  storage.changed = changed;
  storage.taken = taken;
  static etl::optional<Late> late;
  late.emplace(dims, Late::Kept<RuntimeDims>(dims, storage), line, flash, DeviceOptions{});
  TEST_ASSERT_TRUE(late->start());
  const auto hello = hear<Hello>(*late, line);
  TEST_ASSERT_EQUAL_UINT32(2, hello->states);
  TEST_ASSERT_EQUAL_UINT32(1, hello->actions);
  TEST_ASSERT_EQUAL_UINT32(2, hello->observations);
  for (int i = 0; i < 5; ++i) late->tick(Observation{0});
  const auto now = ask<DeviceStatus>(*late, line, AskStatus{});
  TEST_ASSERT_EQUAL_UINT32(1, now->pairs);
  TEST_ASSERT_EQUAL_UINT32(2, now->saturations);
  TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, cells[0]);
}
#endif

// A model in which observation 1 never comes.
void impossible_observations_are_counted() {
  start_over();
  static test::ImageBuffer<300> room;
  static test::RandomModel<Dims> model(4);
  for (size_t i = 0; i < 8; ++i) model.observation[i] = i % 2U == 0U ? 1.0F : 0.0F;
  ImageSource<float> source = model.source();
  source.sequence = 1;
  const uint32_t size = build_image(source, room.room()).value();
  uint32_t checksum;
  memcpy(&checksum, room.bytes + size - 4, 4);
  TEST_ASSERT_EQUAL_HEX32(checksum, send_image(*device, line, {room.bytes, size}, checksum).checksum);
  tick(0);
  TEST_ASSERT_EQUAL_UINT32(0, status().impossible_observations);
  tick(1);
  tick(1);
  TEST_ASSERT_EQUAL_UINT32(2, status().impossible_observations);
}

void what_is_no_message_for_a_device_is_counted_and_nothing_else() {
  start_over();
  TEST_ASSERT_TRUE(hear<ImageReport>(*device, line).has_value());
  uint32_t refused = 0;
  const auto refuses = [&](etl::span<const uint8_t> message) {
    FrameRoom frame;
    line.send({frame.data(), encode_frame(message, frame)});
    for (int i = 0; i < 10; ++i) {
      device->poll(++line.now);
      TEST_ASSERT_TRUE(line.hear().empty());
    }
    ++refused;
  };
  uint8_t message[max_message]{};
  for (uint32_t type = 0; type < 256U; ++type) {
    message[0] = static_cast<uint8_t>(type);
    if (type == 0U || type > static_cast<uint32_t>(Type::confirm)) refuses({message, 6});
  }
  for (uint32_t type = 2; type <= static_cast<uint32_t>(Type::confirm); ++type) {  // every other length than its own
    message[0] = static_cast<uint8_t>(type);
    if (type != static_cast<uint32_t>(Type::chunk)) refuses({message, max_message});
    if (type != static_cast<uint32_t>(Type::ask_status)) refuses({message, 1});
  }
  message[0] = static_cast<uint8_t>(Type::ask_hello);
  refuses({message, 2});
  TEST_ASSERT_EQUAL_UINT32(refused, status().frames_refused);
  const uint8_t garbage[] = {1, 2, 3, 0, 9, 9, 9, 9, 9, 0};
  line.send(garbage);
  TEST_ASSERT_EQUAL_UINT32(refused + 2U, status().frames_refused);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_device_says_hello_when_it_has_started);
  RUN_TEST(hello_is_followed_by_the_image);
  RUN_TEST(hello_is_answered_with_hello_and_the_image);
  RUN_TEST(another_protocol_is_answered_with_hello_and_nothing_else);
  RUN_TEST(a_long_name_is_cut);
  RUN_TEST(every_boot_is_another_incarnation);
  RUN_TEST(without_a_working_flash_nothing_starts);
  RUN_TEST(a_flash_that_cannot_hold_what_is_needed_starts_nothing);
  RUN_TEST(no_two_robots_and_no_two_boots_explore_alike);
  RUN_TEST(an_action_is_repeated_until_it_is_answered);
  RUN_TEST(an_action_that_waits_holds_up_no_answer);
  RUN_TEST(hello_says_that_the_host_is_the_plant);
  RUN_TEST(answers_to_another_step_or_boot_are_passed_over);
  RUN_TEST(the_first_answer_counts_and_its_repetitions_do_not);
  RUN_TEST(a_plant_tick_without_an_observation_is_none);
  RUN_TEST(where_the_host_is_not_the_plant_its_observations_are_passed_over);
  RUN_TEST(in_lockstep_every_step_happens_once);
  RUN_TEST(the_number_of_a_step_wraps_and_goes_on);
  RUN_TEST(a_lost_answer_and_a_moved_world_break_the_pair);
  RUN_TEST(a_line_that_takes_a_byte_at_a_time_is_enough);
  RUN_TEST(counts_are_uploaded_while_ticks_go_on);
  RUN_TEST(a_device_that_keeps_steps_is_asked_for_steps);
  RUN_TEST(a_device_that_keeps_counts_has_no_steps);
  RUN_TEST(an_image_is_sent_tried_and_confirmed);
  RUN_TEST(a_transfer_goes_on_where_the_link_was_lost);
  RUN_TEST(a_chunk_out_of_order_is_answered_with_what_is_wanted);
  RUN_TEST(a_slot_is_not_erased_before_the_agent_has_let_go_of_it);
  RUN_TEST(a_device_that_has_not_ticked_since_it_booted_takes_an_image);
  RUN_TEST(while_an_image_is_on_trial_the_device_is_busy);
  RUN_TEST(an_image_that_is_refused_leaves_everything_as_it_was);
  RUN_TEST(a_page_that_cannot_be_erased_is_told);
  RUN_TEST(an_image_for_other_sizes_or_too_large_is_refused);
  RUN_TEST(a_missed_deadline_brings_the_confirmed_image_back);
  RUN_TEST(a_deadline_missed_by_a_confirmed_image_is_only_counted);
  RUN_TEST(with_nothing_to_fall_back_to_the_safe_action_is_taken);
  RUN_TEST(a_good_image_ends_the_safe_action);
  RUN_TEST(the_safe_action_reads_nothing_from_flash);
  RUN_TEST(a_reset_during_the_trial_brings_the_confirmed_image_back);
  RUN_TEST(a_confirmation_that_comes_too_late_confirms_nothing);
  RUN_TEST(a_confirmation_of_another_image_leaves_the_trial_as_it_is);
  RUN_TEST(the_belief_is_told_in_255ths);
  RUN_TEST(a_large_belief_is_told_in_parts);
  RUN_TEST(status_counts_what_happened);
#if !defined(__ARM_ARCH_6M__)
  RUN_TEST(sizes_may_be_known_late_and_full_cells_are_counted);
#endif
  RUN_TEST(impossible_observations_are_counted);
  RUN_TEST(what_is_no_message_for_a_device_is_counted_and_nothing_else);
  return UNITY_END();
}

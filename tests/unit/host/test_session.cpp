// The host's end of the link against the real device's end: over a line that works and one that does not, with resets of either side, strangers and
// wrong images. tests/faults/link_faults.cpp does it for long.
#include "penumbra/host/session.hpp"

#include "penumbra/link/step_log.hpp"
#include "simulated_board.hpp"

#include <unity.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::PairCounts;
using penumbra::test::image_bytes;
using penumbra::test::SimulatedBoard;
namespace link = penumbra::link;

const Model& rover() {
  static const Model model = penumbra::test::random_model(3, 4, 4, 1);
  return model;
}

// The cells that a world's log has above zero are those of the counts, with their values.
void assert_same(const PairCounter& log, const LifeCounts& life) {
  const std::vector<std::uint64_t>& pairs = log.counts().pairs;
  std::uint64_t sum = 0;
  for (std::uint32_t cell = 0; cell < pairs.size(); ++cell) {
    const auto found = life.cells.find(cell);
    TEST_ASSERT_EQUAL_UINT64(pairs[cell], found == life.cells.end() ? 0 : found->second);
    sum += pairs[cell];
  }
  TEST_ASSERT_EQUAL_UINT64(sum, life.pairs);
}

// Nothing that the world did not see.
void assert_within(const PairCounter& log, const LifeCounts& life) {
  for (const auto& [cell, value] : life.cells) TEST_ASSERT_TRUE(value <= log.counts().pairs.at(cell));
}

// Holds the world, sweeps, and compares everything with the device's own cells and with the world's log.
template <class Board>
void assert_counts_are_exact(Board& board) {
  board.session->hold();
  board.events.clear();
  board.session->start_counts();
  TEST_ASSERT_TRUE(board.template run_until<CountsSwept>());
  TEST_ASSERT_TRUE(board.template last<CountsSwept>()->agree);
  TEST_ASSERT_TRUE(board.template last<CountsSwept>()->exact);
  const LifeCounts& life = board.session->counts().at(board.device->incarnation());
  assert_same(board.world.lives().back(), life);
  for (std::uint32_t cell = 0; cell < board.device->agent().recorder().cell_count(); ++cell) {
    const auto found = life.cells.find(cell);
    TEST_ASSERT_EQUAL_UINT32(board.device->agent().recorder().count(cell), found == life.cells.end() ? 0 : found->second);
  }
  board.session->release();
}

// --- The handshake

void a_device_says_what_it_is() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_FALSE(board.session->device().has_value());
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  const DeviceInfo& device = *board.session->device();
  TEST_ASSERT_EQUAL(7, device.device);
  TEST_ASSERT_EQUAL(1, device.incarnation);
  TEST_ASSERT_EQUAL(3, device.sizes.states);
  TEST_ASSERT_EQUAL(256, device.cells());
  TEST_ASSERT_EQUAL_STRING("simulated", device.board.c_str());
  TEST_ASSERT_TRUE(device.has(link::feature_counts) && device.has(link::feature_plant) && !device.has(link::feature_log));
  TEST_ASSERT_EQUAL(board.device->images().capacity(), device.slot_size);
}

std::string problem_with(SessionOptions options) {
  SimulatedBoard<> board(rover());
  board.connect(std::move(options));
  TEST_ASSERT_TRUE(board.run([&] { return board.session->problem().has_value(); }));
  board.run_steps(0);
  for (int i = 0; i < 1000; ++i) board.turn();
  TEST_ASSERT_EQUAL(0, board.world.steps());
  return to_text(*board.session->problem());
}

void another_device_or_other_sizes_are_refused_with_what_was_expected_and_what_came() {
  SessionOptions options;
  options.name = "/dev/ttyACM0";
  options.device = 8;
  TEST_ASSERT_EQUAL_STRING(
      "/dev/ttyACM0: is device 7, and device 8 was expected\n  it calls itself \"simulated\"\n  connect the other one, or name this one",
      problem_with(options).c_str());
  options.device = 7;
  options.sizes = DeviceSizes{5, 4, 4};
  TEST_ASSERT_EQUAL_STRING(
      "/dev/ttyACM0: is built for 3 states, 4 actions and 4 observations, and 5 states, 4 actions and 4 observations were "
      "expected\n  use the model that its firmware was built for, or a firmware of these sizes (-DPENUMBRA_FIRMWARE_SIZES=S,A,O)",
      problem_with(options).c_str());
}

template <class Message>
void say(Session& session, const Message& message, std::uint64_t now) {
  link::FrameRoom frame;
  const std::size_t size = link::encode_frame(message, frame);
  session.receive({frame.data(), size}, now);
}

link::Hello hello_of(std::uint32_t incarnation) {
  link::Hello hello;
  hello.device = 7;
  hello.incarnation = incarnation;
  hello.states = 3;
  hello.actions = 4;
  hello.observations = 4;
  hello.features = link::feature_counts | link::feature_plant;
  hello.slot_size = 8000;
  return hello;
}

void another_protocol_is_told_from_its_number_alone_and_nothing_more_is_said() {
  Session session({}, 0);
  session.advance(0);
  TEST_ASSERT_FALSE(session.take_output().empty());
  const std::uint8_t message[] = {0x81, 2, 0, 99};  // whatever version 2 has behind it
  link::FrameRoom frame;
  session.receive({frame.data(), link::encode_frame(etl::span<const std::uint8_t>(message, sizeof message), frame)}, 1);
  TEST_ASSERT_TRUE(session.problem().has_value());
  TEST_ASSERT_TRUE(session.problem()->fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING("speaks version 2 of the link, and this program version 1", session.problem()->what.c_str());
  session.advance(10000);
  TEST_ASSERT_TRUE(session.take_output().empty());
}

void silence_is_told_once_asked_on_and_its_end_is_told() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(100));
  board.to_host.faults.drop = 1;
  TEST_ASSERT_TRUE(board.run_until<Silent>(4000));
  TEST_ASSERT_TRUE(board.session->is_silent());
  TEST_ASSERT_TRUE(board.last<Silent>()->problem.fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING("has said nothing for 3.0 s", board.last<Silent>()->problem.what.c_str());
  board.events.clear();
  TEST_ASSERT_FALSE(board.run_until<Silent>(10000));
  board.to_host.faults.drop = 0;
  TEST_ASSERT_TRUE(board.run_until<Back>(100));
  TEST_ASSERT_TRUE(board.run_steps(100));
  assert_counts_are_exact(board);
}

// It repeats its action, which shows that it is there, and not that anything arrives.
void a_device_that_hears_nothing_is_silent_though_it_talks() {
  for (const bool held : {false, true}) {
    SimulatedBoard<> board(rover());
    board.connect();
    TEST_ASSERT_TRUE(board.run_steps(100));
    if (held) board.session->hold();
    board.to_device.faults.drop = 1;
    const std::uint64_t frames = board.session->statistics().frames_in;
    TEST_ASSERT_TRUE(board.run_until<Silent>(4000));
    TEST_ASSERT_EQUAL_STRING("has not answered for 3.0 s", board.last<Silent>()->problem.what.c_str());
    TEST_ASSERT_TRUE(board.session->statistics().frames_in > frames + 50);
    TEST_ASSERT_TRUE(board.session->unheard_for() >= 3000);
    board.to_device.faults.drop = 0;
    TEST_ASSERT_TRUE(board.run_until<Back>(100));
    board.session->release();
    TEST_ASSERT_TRUE(board.run_steps(100));
    assert_counts_are_exact(board);
  }
}

// As while the host plans, or is stopped.
void what_comes_while_nobody_looks_is_no_silence() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.02));
  board.connect();
  for (std::uint64_t steps = 10; steps <= 1000; steps += 10) {
    TEST_ASSERT_TRUE(board.run([&] {
      TEST_ASSERT_TRUE(!board.session->device() || (board.session->overdue_for() < 3000 && board.session->unheard_for() < 3000));
      return board.world.steps() >= steps;
    }));
    board.now += 20000;
  }
  TEST_ASSERT_NULL(board.last<Silent>());
}

void a_device_that_answers_and_does_not_act_is_overdue() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(100));
  board.control_stands = true;
  TEST_ASSERT_TRUE(board.run([&] { return board.session->overdue_for() >= 20000; }, 21000));
  TEST_ASSERT_NULL(board.last<Silent>());
  board.control_stands = false;
  TEST_ASSERT_TRUE(board.run_steps(100));
  TEST_ASSERT_TRUE(board.session->overdue_for() < 100);
  board.session->hold();
  TEST_ASSERT_FALSE(board.run([&] { return board.session->overdue_for() >= 1000; }, 20000));  // it is we who wait
  TEST_ASSERT_TRUE(board.session->stands_still());
  board.session->release();
  TEST_ASSERT_TRUE(board.run_steps(100));
  assert_counts_are_exact(board);
}

void a_device_that_was_never_there_is_silent_too() {
  Session session({}, 0);
  for (std::uint64_t now = 0; now <= 3000; now += 10) session.advance(now);
  const std::vector<SessionEvent> events = session.take_events();
  TEST_ASSERT_EQUAL(1, events.size());
  TEST_ASSERT_EQUAL_STRING("has not answered for 3.0 s", std::get<Silent>(events[0]).problem.what.c_str());
}

void a_late_hello_of_an_earlier_boot_changes_nothing_and_one_that_stays_is_a_problem() {
  Session session({}, 0);
  say(session, hello_of(5), 0);
  TEST_ASSERT_EQUAL(5, session.device()->incarnation);
  say(session, hello_of(4), 100);
  TEST_ASSERT_EQUAL(5, session.device()->incarnation);
  TEST_ASSERT_FALSE(session.problem().has_value());
  for (std::uint64_t now = 100; now < 4000; now += 10) session.advance(now);
  say(session, hello_of(1), 4000);
  TEST_ASSERT_TRUE(session.problem().has_value());
  TEST_ASSERT_EQUAL_STRING("has gone from boot 5 back to boot 1: its flash was erased", session.problem()->what.c_str());
}

// --- The plant

std::vector<std::string> messages_in(const std::string& bytes) {
  link::FrameDecoder decoder;
  std::vector<std::string> messages;
  for (const char byte : bytes) {
    if (decoder.push(static_cast<std::uint8_t>(byte)) == link::FrameDecoder::Result::message) {
      messages.emplace_back(decoder.message().begin(), decoder.message().end());
    }
  }
  return messages;
}

// Answers with the number of the step.
class NumberedWorld : public Plant {
 public:
  std::optional<std::uint8_t> act(std::uint8_t action) override {
    actions.push_back(action);
    return static_cast<std::uint8_t>(actions.size() % 4);
  }
  void cut() override { ++cuts; }
  std::vector<std::uint8_t> actions;
  int cuts = 0;
};

std::vector<std::string> answers_to(Session& session, const link::Acted& acted, std::uint64_t now) {
  static_cast<void>(session.take_output());
  say(session, acted, now);
  return messages_in(session.take_output());
}
std::string bytes_of(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

void an_action_is_executed_once_and_answered_as_often_as_it_comes() {
  Session session({}, 0);
  NumberedWorld world;
  session.set_plant(&world);
  say(session, hello_of(2), 0);
  TEST_ASSERT_TRUE(answers_to(session, {{2, 9}, 3, 0}, 100).empty());  // what is on the line from before runs off first
  // The device was running: this is another world for it.
  TEST_ASSERT_TRUE(answers_to(session, {{2, 9}, 3, 0}, 300) == std::vector<std::string>{bytes_of({4, 2, 9, 0})});
  TEST_ASSERT_EQUAL(1, world.cuts);
  TEST_ASSERT_TRUE(answers_to(session, {{2, 10}, 1, 0}, 301) == std::vector<std::string>{bytes_of({2, 2, 10, 0, 1})});
  TEST_ASSERT_TRUE(answers_to(session, {{2, 10}, 1, 0}, 302) == std::vector<std::string>{bytes_of({2, 2, 10, 0, 1})});
  TEST_ASSERT_TRUE(answers_to(session, {{2, 9}, 3, 0}, 303).empty());
  TEST_ASSERT_TRUE(answers_to(session, {{2, 11}, 2, 0}, 304) == std::vector<std::string>{bytes_of({2, 2, 11, 0, 2})});
  TEST_ASSERT_TRUE(world.actions == (std::vector<std::uint8_t>{1, 2}));
  TEST_ASSERT_EQUAL(1, session.statistics().answered_again);
  // Somebody else has answered it meanwhile.
  TEST_ASSERT_TRUE(answers_to(session, {{2, 13}, 2, 0}, 305) == std::vector<std::string>{bytes_of({4, 2, 13, 0})});
  TEST_ASSERT_EQUAL(2, world.cuts);
  TEST_ASSERT_EQUAL(2, session.steps());
  TEST_ASSERT_EQUAL(2, session.moved());
}

void steps_are_counted_in_16_bits_and_go_on_behind_the_last() {
  Session session({}, 0);
  NumberedWorld world;
  session.set_plant(&world);
  say(session, hello_of(2), 0);
  static_cast<void>(answers_to(session, {{2, 65534}, 0, 0}, 300));
  static_cast<void>(answers_to(session, {{2, 65535}, 0, 0}, 301));
  static_cast<void>(answers_to(session, {{2, 0}, 0, 0}, 302));
  TEST_ASSERT_TRUE(answers_to(session, {{2, 65535}, 0, 0}, 303).empty());
  TEST_ASSERT_EQUAL(2, session.steps());
}

void after_a_boot_that_it_has_seen_the_world_goes_on_and_old_frames_are_passed_over() {
  Session session({}, 0);
  NumberedWorld world;
  session.set_plant(&world);
  say(session, hello_of(2), 0);
  static_cast<void>(answers_to(session, {{2, 0}, 3, 0}, 300));
  static_cast<void>(answers_to(session, {{2, 1}, 3, 0}, 301));
  TEST_ASSERT_EQUAL(1, session.steps());
  // The hello of the new boot was lost: it is asked for, and nothing is executed before.
  session.advance(302);
  TEST_ASSERT_TRUE(answers_to(session, {{3, 0}, 2, 0}, 303).empty());
  session.advance(303);
  TEST_ASSERT_TRUE(messages_in(session.take_output()) == std::vector<std::string>{bytes_of({1, 1, 0})});
  say(session, hello_of(3), 304);
  TEST_ASSERT_TRUE(answers_to(session, {{2, 2}, 3, 0}, 305).empty());
  TEST_ASSERT_TRUE(answers_to(session, {{3, 0}, 2, 0}, 306) == std::vector<std::string>{bytes_of({2, 3, 0, 0, 2})});
  TEST_ASSERT_EQUAL(2, world.cuts);
  TEST_ASSERT_TRUE(world.actions == (std::vector<std::uint8_t>{3, 2}));
  bool told = false;
  for (const SessionEvent& event : session.take_events()) {
    const Reset* reset = std::get_if<Reset>(&event);
    told = told || (reset != nullptr && reset->before == 2 && reset->incarnation == 3);
  }
  TEST_ASSERT_TRUE(told);
}

// An answer that is lost.
class DeafWorld : public NumberedWorld {
 public:
  std::optional<std::uint8_t> act(std::uint8_t action) override {
    static_cast<void>(NumberedWorld::act(action));
    return std::nullopt;
  }
};

// A flash that forgets gives each boot the same number. Late frames look the same, and end; so does what a slow line still has in it.
void a_device_that_begins_again_under_the_same_number_is_a_problem() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(500));
  board.flash = {};
  board.reset();
  TEST_ASSERT_TRUE(board.run([&] { return board.session->problem().has_value(); }, 10000));
  TEST_ASSERT_TRUE(board.session->problem()->fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING("is at step 0 again after step 500, and still says that this is boot 1", board.session->problem()->what.c_str());

  for (const std::uint16_t last : std::initializer_list<std::uint16_t>{1, 1000, 32767, 40000, 65534}) {
    Session session({}, 0);
    NumberedWorld world;
    session.set_plant(&world);
    say(session, hello_of(2), 0);
    static_cast<void>(answers_to(session, {{2, last}, 3, 0}, 300));
    std::uint64_t now = 301;
    for (; now < 6000 && !session.problem(); now += 20) TEST_ASSERT_TRUE(answers_to(session, {{2, 0}, 3, 0}, now).empty());
    TEST_ASSERT_TRUE(session.problem().has_value() && now > 3000);
  }

  Session session({}, 0);
  NumberedWorld world;
  session.set_plant(&world);
  say(session, hello_of(2), 0);
  for (std::uint16_t step = 8; step < 10; ++step) static_cast<void>(answers_to(session, {{2, step}, 3, 0}, 300));
  for (std::uint64_t now = 301; now < 20000; now += 20) {
    TEST_ASSERT_TRUE(answers_to(session, {{2, 5}, 3, 0}, now).empty());
    if (now % 1000 < 20) static_cast<void>(answers_to(session, {{2, 9}, 3, 0}, now));
    TEST_ASSERT_FALSE(session.problem().has_value());
  }
}

void an_answer_that_the_world_lost_is_a_missed_observation() {
  Session session({}, 0);
  DeafWorld world;
  session.set_plant(&world);
  say(session, hello_of(2), 0);
  static_cast<void>(answers_to(session, {{2, 0}, 3, 0}, 300));
  TEST_ASSERT_TRUE(answers_to(session, {{2, 1}, 1, 0}, 301) == std::vector<std::string>{bytes_of({3, 2, 1, 0})});
}

void a_held_world_waits_and_goes_on_where_it_was() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(500));
  board.session->hold();
  TEST_ASSERT_FALSE(board.session->stands_still());
  TEST_ASSERT_TRUE(board.run([&] { return board.session->stands_still(); }, 100));
  const std::uint64_t steps = board.world.steps();
  for (int i = 0; i < 1000; ++i) board.turn();
  TEST_ASSERT_EQUAL(steps, board.world.steps());
  board.session->release();
  TEST_ASSERT_FALSE(board.session->stands_still());
  TEST_ASSERT_TRUE(board.run_steps(500));
  assert_counts_are_exact(board);
}

// --- Counts

void counts_are_the_devices_and_the_worlds() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(3000));
  assert_counts_are_exact(board);
  TEST_ASSERT_TRUE(board.session->counts().at(1).pairs >= 2998);
  // A sweep while it acts agrees too, within the bounds of before and after.
  board.events.clear();
  board.session->start_counts();
  TEST_ASSERT_TRUE(board.run_until<CountsSwept>());
  TEST_ASSERT_TRUE(board.last<CountsSwept>()->agree);
  TEST_ASSERT_FALSE(board.last<CountsSwept>()->exact);
  TEST_ASSERT_TRUE(board.run_steps(1000));
  assert_counts_are_exact(board);
  TEST_ASSERT_EQUAL(0, board.session->statistics().refused);
}

void a_cell_is_news_once() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(300));
  assert_counts_are_exact(board);
  const std::vector<CountNews> news = board.session->take_count_news();
  const LifeCounts& life = board.session->counts().at(1);
  TEST_ASSERT_EQUAL(life.cells.size(), news.size());
  for (const CountNews& cell : news) TEST_ASSERT_EQUAL(life.cells.at(cell.cell), cell.value);
  TEST_ASSERT_TRUE(board.session->take_count_news().empty());
}

// The host before had parts, said so, and died with them.
void a_host_that_begins_anew_gets_all_that_the_device_has() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(2000));
  board.session->start_counts();
  TEST_ASSERT_TRUE(board.run_until<CountsSwept>());
  TEST_ASSERT_TRUE(board.run_steps(100));
  board.events.clear();
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(2000));
  assert_counts_are_exact(board);
}

// A part that is late by a sweep could pass for an answer: what is compared exactly is asked for when nothing is on its way any more.
void an_exact_sweep_begins_when_the_device_stands_still_and_the_line_has_run_dry() {
  Session session({}, 0);
  NumberedWorld world;
  session.set_plant(&world);
  say(session, hello_of(1), 0);
  static_cast<void>(answers_to(session, {{1, 0}, 0, 0}, 300));
  session.hold();
  session.start_counts();
  const auto asks = [&](std::uint64_t now) {
    session.advance(now);
    int count = 0;
    for (const std::string& message : messages_in(session.take_output())) count += static_cast<int>(message[0] == 5);
    return count;
  };
  TEST_ASSERT_EQUAL(0, asks(600));  // it may not have had the last answer
  say(session, link::Acted{{1, 1}, 0, 0}, 700);
  TEST_ASSERT_EQUAL(0, asks(949));
  TEST_ASSERT_EQUAL(1, asks(950));
  say(session, link::CountsPart{1, 0, 256, 0, {}}, 951);
  TEST_ASSERT_FALSE(session.is_sweeping());
  session.start_counts();
  TEST_ASSERT_EQUAL(0, asks(1000));  // an answer to the last one may still come, doubled
  TEST_ASSERT_EQUAL(1, asks(1200));
}

// A session that was told another number: it asks for everything, and when that does not help, says so.
void a_sum_that_is_not_the_devices_is_asked_for_again_in_full_and_then_told() {
  Session session({}, 0);
  say(session, hello_of(1), 0);
  session.start_counts(true);
  const auto part = [&](std::uint32_t value, std::uint32_t pairs, std::uint64_t now) {
    session.advance(now);
    const std::vector<std::string> asked = messages_in(session.take_output());
    std::uint8_t cells[8] = {17, 0, 0, 0, static_cast<std::uint8_t>(value), 0, 0, 0};
    say(session, link::CountsPart{1, 0, 256, pairs, {cells, sizeof cells}}, now);
    const std::vector<SessionEvent> events = session.take_events();
    const CountsSwept* swept = events.empty() ? nullptr : std::get_if<CountsSwept>(&events.back());
    return std::make_pair(asked.empty() ? std::string() : asked.back(), swept == nullptr ? -1 : static_cast<int>(swept->agree));
  };
  TEST_ASSERT_TRUE(part(5, 5, 1) == std::make_pair(bytes_of({5, 0, 0, 0, 0, 1}), 1));
  session.start_counts();
  TEST_ASSERT_TRUE(part(7, 9, 2) == std::make_pair(bytes_of({5, 0, 0, 0, 0, 0}), -1));
  TEST_ASSERT_TRUE(part(9, 9, 3) == std::make_pair(bytes_of({5, 0, 0, 0, 0, 1}), 1));
  session.start_counts();
  TEST_ASSERT_TRUE(part(9, 12, 4) == std::make_pair(bytes_of({5, 0, 0, 0, 0, 0}), -1));
  TEST_ASSERT_TRUE(part(9, 12, 5) == std::make_pair(bytes_of({5, 0, 0, 0, 0, 1}), 0));
  TEST_ASSERT_FALSE(session.is_sweeping());
}

void a_part_that_cannot_be_is_refused_whole() {
  Session session({}, 0);
  say(session, hello_of(1), 0);
  std::uint8_t cells[16] = {17, 0, 0, 0, 5, 0, 0, 0, 200, 0, 0, 0, 5, 0, 0, 0};
  say(session, link::CountsPart{1, 0, 100, 10, {cells, 16}}, 1);  // a cell behind the part
  say(session, link::CountsPart{1, 0, 257, 10, {cells, 16}}, 1);  // a part behind the cells
  say(session, link::CountsPart{1, 10, 10, 10, {cells, 0}}, 1);   // an empty one
  say(session, link::CountsPart{1, 0, 256, 10, {cells, 15}}, 1);  // half a cell
  say(session, link::CountsPart{2, 0, 256, 10, {cells, 16}}, 1);  // of a boot that has not told of itself: passed over
  TEST_ASSERT_EQUAL(4, session.statistics().refused);
  TEST_ASSERT_TRUE(session.counts().at(1).cells.empty());
  TEST_ASSERT_EQUAL(1, session.counts().size());
}

void a_reset_of_the_board_loses_nothing_that_was_swept_and_counts_nothing_twice() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.01));
  board.connect();
  std::vector<LifeCounts> confirmed;
  for (std::uint32_t life = 1; life <= 20; ++life) {
    TEST_ASSERT_TRUE(board.run_steps(50 * life));
    board.events.clear();
    board.session->start_counts();
    if (life % 3 == 0) {
      TEST_ASSERT_TRUE(board.run_until<CountsSwept>());
    } else {
      for (std::uint32_t i = 0; i < 13 * life; ++i) board.turn();
    }
    confirmed.push_back(board.session->counts().at(life));
    board.reset();
    TEST_ASSERT_TRUE(board.run([&] { return board.session->device()->incarnation == life + 1; }));
  }
  TEST_ASSERT_TRUE(board.run_steps(1000));
  assert_counts_are_exact(board);
  TEST_ASSERT_EQUAL(21, board.world.lives().size());
  for (std::uint32_t life = 1; life <= 20; ++life) {
    const LifeCounts& kept = board.session->counts().at(life);
    assert_within(board.world.lives()[life - 1], kept);
    for (const auto& [cell, value] : confirmed[life - 1].cells) TEST_ASSERT_TRUE(kept.cells.at(cell) >= value);
  }
  TEST_ASSERT_EQUAL(1, board.session->moved());
}

// Answers with the same observation to everything.
class OneNoteWorld : public Plant {
 public:
  explicit OneNoteWorld(std::uint8_t note) : note_(note) {}
  std::optional<std::uint8_t> act(std::uint8_t /*action*/) override {
    ++steps;
    return note_;
  }
  std::uint64_t steps = 0;

 private:
  std::uint8_t note_;
};

// Each host has a world of its own. Frames of the one before are still on the line, and its answers; no pair of the device spans two of them.
void hosts_that_die_and_begin_anew_leave_no_pair_between_two_worlds() {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedBoard<> board(rover(), LineFaults::all_at(0.1), seed);
    for (std::uint8_t host = 0; host < 10; ++host) {
      OneNoteWorld world(host % 4);
      board.connect();
      board.session->set_plant(&world);
      TEST_ASSERT_TRUE(board.run([&] { return world.steps >= 20U + host; }));
      for (std::uint64_t i = 0; i < seed; ++i) board.turn();
    }
    const auto& counts = board.device->agent().recorder();
    TEST_ASSERT_TRUE(counts.pairs() > 150);
    for (std::uint32_t cell = 0; cell < counts.cell_count(); ++cell) {
      if (cell / 4 % 4 != cell % 4) TEST_ASSERT_EQUAL(0, counts.count(cell));
    }
  }
}

// --- The step log

template <class Dims>
using Log = link::StepLog<Dims, 256>;

void a_log_gives_the_counts_that_the_world_has() {
  for (const double faults : {0.0, 0.05}) {
    SimulatedBoard<Log> board(rover(), LineFaults::all_at(faults));
    board.connect();
    board.session->follow_log();
    TEST_ASSERT_TRUE(board.run_steps(2000));
    TEST_ASSERT_TRUE(board.session->device()->has(link::feature_log) && !board.session->device()->has(link::feature_counts));
    board.session->hold();
    board.session->read_log();
    TEST_ASSERT_TRUE(board.run([&] { return board.session->log_is_read(); }));
    const bool has_gap = board.last<LogGap>() != nullptr;
    TEST_ASSERT_TRUE(faults > 0.0 || !has_gap);
    if (has_gap) {
      assert_within(board.world.lives().back(), board.session->counts().at(1));
    } else {
      assert_same(board.world.lives().back(), board.session->counts().at(1));
    }
  }
}

// The host was away for longer than the ring remembers.
void steps_that_were_overwritten_are_a_gap_and_no_pair_spans_it() {
  SimulatedBoard<Log> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(1000));
  board.session->follow_log();
  TEST_ASSERT_TRUE(board.run([&] { return board.session->log_is_read(); }));
  const LogGap* gap = board.last<LogGap>();
  TEST_ASSERT_NOT_NULL(gap);
  TEST_ASSERT_EQUAL(0, gap->from);
  TEST_ASSERT_TRUE(gap->to >= 1000 - 256 - 2 && gap->to <= 1000);
  std::uint64_t steps = 0;
  std::uint64_t pairs = 0;
  for (const SessionEvent& event : board.events) {
    const LogSteps* part = std::get_if<LogSteps>(&event);
    if (part == nullptr) continue;
    TEST_ASSERT_EQUAL(gap->to + steps, part->first);
    for (const LogStep& step : part->steps) pairs += static_cast<std::uint64_t>(step.pair);
    steps += part->steps.size();
  }
  TEST_ASSERT_EQUAL(steps - 1, pairs);
  TEST_ASSERT_EQUAL(pairs, board.session->counts().at(1).pairs);
  assert_within(board.world.lives().back(), board.session->counts().at(1));
}

// --- Images

template <class Board>
void send(Board& board, const std::string& bytes, const char* name = "plan.pnb") {
  TEST_ASSERT_TRUE(board.run([&] { return board.session->device().has_value(); }));
  const Outcome<void> begun = board.session->send_image(bytes, name);
  if (!begun) TEST_FAIL_MESSAGE(to_text(begun.error()).c_str());
}

void an_image_is_verified_tried_and_confirmed_while_the_device_acts() {
  SimulatedBoard<> board(rover());
  board.connect();
  send(board, image_bytes(rover(), 1, 300));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_NOT_NULL(board.last<ImageOnTrial>());
  TEST_ASSERT_FALSE(board.session->is_sending());
  TEST_ASSERT_EQUAL(1, board.session->image()->sequence);
  TEST_ASSERT_EQUAL(1, board.session->image()->confirmed);
  TEST_ASSERT_TRUE(board.session->image()->trial_ticks >= 20);
  TEST_ASSERT_TRUE(board.device->images().image().header().sequence == 1);
  // The same again is there already.
  board.events.clear();
  send(board, image_bytes(rover(), 1, 300));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>(100));
  TEST_ASSERT_NULL(board.last<ImageOnTrial>());
  TEST_ASSERT_TRUE(board.run_steps(2000));
  assert_counts_are_exact(board);
}

void images_follow_one_another_over_a_bad_line() {
  for (const double faults : {0.001, 0.01, 0.1}) {
    SimulatedBoard<> board(rover(), LineFaults::all_at(faults));
    board.connect();
    for (std::uint32_t sequence = 1; sequence <= 10; ++sequence) {
      board.events.clear();
      send(board, image_bytes(rover(), sequence, 300));
      TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
      TEST_ASSERT_EQUAL(sequence, board.device->images().image().header().sequence);
    }
    assert_counts_are_exact(board);
  }
}

void a_transfer_goes_on_after_a_reset() {
  SimulatedBoard<> board(rover());
  board.connect();
  send(board, image_bytes(rover(), 1, 300));
  TEST_ASSERT_TRUE(board.run([&] { return board.session->image_progress() > 0.3; }));
  board.reset();
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_NULL(board.last<ImageFellBack>());
}

// With nothing confirmed an image that failed stays in flash until another is: a copy of it that is under way is no image that fell back.
void a_transfer_of_an_image_that_failed_before_goes_on_after_a_reset_too() {
  SimulatedBoard<> board(rover());
  board.connect();
  const std::string image = image_bytes(rover(), 1, 300);
  send(board, image);
  TEST_ASSERT_TRUE(board.run([&] {
    if (board.device->images().on_trial()) board.late_ticks = 1;
    return board.last<ImageFellBack>() != nullptr;
  }));
  board.events.clear();
  board.late_ticks = 0;
  send(board, image);
  TEST_ASSERT_TRUE(board.run([&] { return board.session->image_progress() > 0.3; }));
  board.reset();
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_NULL(board.last<ImageFellBack>());
}

// A device that is slower than its line: what is sent again must not pile up before it.
void a_device_that_takes_its_time_is_sent_no_more_than_it_takes() {
  SimulatedBoard<> board(rover());
  board.to_device.faults.bytes_a_ms = 2;
  board.connect();
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  const std::string image = image_bytes(rover(), 1, 600);
  send(board, image);
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  const auto sent = static_cast<std::size_t>(board.to_device.count().bytes);
  std::printf("%zu bytes for an image of %zu\n", sent, image.size());
  TEST_ASSERT_TRUE(sent < 3 * image.size());
}

// The line's own time is no loss: what was sent is not sent again before it can have been answered.
void a_slow_line_is_given_its_time() {
  for (const std::uint64_t baud : {115200U, 19200U, 9600U}) {
    SimulatedBoard<> board(rover());
    board.to_device.faults.bytes_a_ms = board.to_host.faults.bytes_a_ms = static_cast<double>(baud) / 10000;
    SessionOptions options;
    options.suit(baud);
    board.connect(options);
    const std::string image = image_bytes(rover(), 1, 600);
    TEST_ASSERT_TRUE(board.run_until<Ready>());
    board.session->hold();
    send(board, image);
    const std::uint64_t begin = board.now;
    TEST_ASSERT_TRUE(board.run([&] { return board.session->image_progress() >= 1; }, 600000));
    const double alone = static_cast<double>(image.size()) / board.to_device.faults.bytes_a_ms;
    std::printf("%" PRIu64 " baud: %zu bytes in %.1f s, %.1f times as long as they take alone; %" PRIu64 " asked again\n", baud,
                image.size(), static_cast<double>(board.now - begin) / 1000, static_cast<double>(board.now - begin) / alone,
                board.session->statistics().asked_again);
    TEST_ASSERT_TRUE(static_cast<double>(board.now - begin) < 2 * alone);
    board.session->release();
    TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
    TEST_ASSERT_TRUE(board.run_steps(50));
    board.to_device.faults.bytes_a_ms = board.to_host.faults.bytes_a_ms = 0;
    assert_counts_are_exact(board);
  }
}

// The host dies within a transfer; the next one sends the same image, and the device has most of it.
void a_transfer_goes_on_with_the_next_host() {
  SimulatedBoard<> board(rover());
  const std::string image = image_bytes(rover(), 1, 300);
  board.connect();
  send(board, image);
  TEST_ASSERT_TRUE(board.run([&] { return board.session->image_progress() > 0.7; }));
  board.connect();
  send(board, image);
  TEST_ASSERT_TRUE(board.run([&] { return board.session->image_progress() > 0; }));
  TEST_ASSERT_TRUE(board.session->image_progress() > 0.7);
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
}

template <class Board>
void fall_back(Board& board, bool by_reset, std::uint16_t vectors) {
  board.connect();
  send(board, image_bytes(rover(), 1, vectors));
  TEST_ASSERT_TRUE(board.template run_until<ImageConfirmed>());
  board.events.clear();
  send(board, image_bytes(rover(), 2, vectors), "bad.pnb");
  TEST_ASSERT_TRUE(board.run([&] { return board.device->images().on_trial(); }));  // whether the host knows it yet or not
  if (by_reset) {
    board.reset();
  } else {
    board.late_ticks = 1;
  }
  TEST_ASSERT_TRUE(board.template run_until<ImageFellBack>());
  const ImageFellBack& fell = *board.template last<ImageFellBack>();
  TEST_ASSERT_EQUAL_STRING("it is back at the image of sequence number 1", fell.problem.detail.c_str());
  TEST_ASSERT_EQUAL(fell.failed, board.session->image()->failed);
  TEST_ASSERT_NULL(board.template last<ImageConfirmed>());
  // Another one, and it is well.
  send(board, image_bytes(rover(), 3, vectors));
  TEST_ASSERT_TRUE(board.template run_until<ImageConfirmed>());
  TEST_ASSERT_TRUE(board.run_steps(500));
  assert_counts_are_exact(board);
}

// Whether the host saw it on trial or not: a deadline that is missed at once leaves no time to say so.
void an_image_that_failed_and_is_sent_again_fails_again_and_that_is_told() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedBoard<> board(rover(), LineFaults::all_at(0.02), seed);
    board.connect();
    send(board, image_bytes(rover(), 1, 0));
    TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
    for (int times = 0; times < 3; ++times) {
      board.events.clear();
      send(board, image_bytes(rover(), 2, 0), "bad.pnb");
      TEST_ASSERT_TRUE(board.run([&] {
        if (board.device->images().on_trial()) board.late_ticks = 1;
        return board.last<ImageFellBack>() != nullptr;
      }));
    }
  }
}

void a_reset_or_a_missed_deadline_on_trial_brings_the_old_image_back_and_that_is_told() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const bool by_reset : {true, false}) {
      SimulatedBoard<> board(rover(), LineFaults::all_at(0.02), seed);
      fall_back(board, by_reset, seed <= 10 ? 0 : 300);
    }
  }
}

void an_image_on_trial_of_a_host_that_died_is_confirmed_first() {
  SimulatedBoard<> board(rover());
  SessionOptions patient;
  patient.healthy_ticks = 1000000;
  board.connect(patient);
  send(board, image_bytes(rover(), 1));
  TEST_ASSERT_TRUE(board.run_until<ImageOnTrial>());
  board.connect();
  send(board, image_bytes(rover(), 2));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_NOT_NULL(board.last<ImageBusy>());
  TEST_ASSERT_EQUAL(2, board.session->image()->sequence);
}

void wrong_images_are_refused_before_a_byte_is_sent() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.session->send_image(image_bytes(rover(), 1), "early.pnb").error().fault == Fault::system);
  TEST_ASSERT_TRUE(board.run_until<Ready>());
  const auto refusal = [&](const std::string& bytes) {
    const Outcome<void> sent = board.session->send_image(bytes, "p.pnb");
    TEST_ASSERT_FALSE(sent.has_value());
    TEST_ASSERT_TRUE(sent.error().fault == Fault::input);
    return to_text(sent.error());
  };
  const Model other = penumbra::test::random_model(2, 4, 4, 1);
  TEST_ASSERT_EQUAL_STRING(
      "p.pnb: is for 2 states, 4 actions and 4 observations, and device is built for 3 states, 4 actions and 4 "
      "observations\n  use the image that was made for this device's model",
      refusal(image_bytes(other, 1)).c_str());
  std::string broken = image_bytes(rover(), 1);
  broken[60] = static_cast<char>(broken[60] ^ 1);
  TEST_ASSERT_EQUAL(0, refusal(broken).find("p.pnb: byte 444: image checksum does not match: it says "));
  TEST_ASSERT_EQUAL_STRING("p.pnb: byte 3: image is cut short: 3 of at least 48 bytes are there\n  make it again", refusal("PNB").c_str());
  const std::string large = image_bytes(rover(), 1, 1200);
  const std::string room = std::to_string(board.device->images().capacity());
  TEST_ASSERT_EQUAL_STRING(
      ("p.pnb: has 11264 bytes, and device takes images of up to " + room + "\n  plan with fewer vectors, or a coarser lattice").c_str(),
      refusal(large).c_str());
  TEST_ASSERT_FALSE(board.session->is_sending());
}

void an_image_that_is_not_newer_is_refused_with_both_numbers() {
  SimulatedBoard<> board(rover());
  board.connect();
  send(board, image_bytes(rover(), 5));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  send(board, image_bytes(rover(), 5, 1));
  TEST_ASSERT_TRUE(board.run_until<ImageRefused>());
  TEST_ASSERT_EQUAL_STRING(
      "plan.pnb: has sequence number 5, and the image in use on device has 5\n  give it the number after that one: a "
      "device takes newer images only",
      to_text(board.last<ImageRefused>()->problem).c_str());
}

void sequence_numbers_wrap() {
  SimulatedBoard<> board(rover());
  board.connect();
  for (const std::uint32_t sequence : {UINT32_MAX, 0U, 1U}) {
    board.events.clear();
    send(board, image_bytes(rover(), sequence));
    TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
    TEST_ASSERT_EQUAL_UINT32(sequence, board.device->images().image().header().sequence);
  }
}

void a_device_whose_flash_fails_refuses_and_the_reason_is_told() {
  for (const std::uint32_t operation : {0U, 1U, 2U, 3U}) {  // three pages are erased, and then the first chunk is written
    SimulatedBoard<> board(rover());
    board.connect();
    TEST_ASSERT_TRUE(board.run_until<Ready>());
    board.flash.cut_power(operation, 0);
    send(board, image_bytes(rover(), 1, 100));
    TEST_ASSERT_TRUE(board.run_until<ImageRefused>());
    const std::string text = to_text(board.last<ImageRefused>()->problem);
    TEST_ASSERT_EQUAL_STRING("plan.pnb: device refused it: the flash does not erase or program, at byte 0", text.c_str());
  }
}

// --- Questions

void status_and_belief_are_told_when_asked_for() {
  SimulatedBoard<> board(rover(), LineFaults::all_at(0.1));
  board.connect();
  send(board, image_bytes(rover(), 1));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_TRUE(board.run_steps(100));
  board.session->hold();
  TEST_ASSERT_TRUE(board.run([&] { return board.session->stands_still(); }));
  board.session->ask_status();
  board.session->ask_belief();
  board.session->ask_image();
  TEST_ASSERT_TRUE(board.run_until<StatusCame>());
  TEST_ASSERT_TRUE(board.run_until<BeliefCame>());
  TEST_ASSERT_TRUE(board.run_until<ImageCame>());
  const link::DeviceStatus& status = board.last<StatusCame>()->status;
  TEST_ASSERT_EQUAL(board.world.steps() + board.session->moved() + 1, status.ticks);  // and the first one, which has no observation
  TEST_ASSERT_EQUAL(0, status.missed_deadlines + status.missed_observations + status.safe);
  const BeliefCame& belief = *board.last<BeliefCame>();
  TEST_ASSERT_EQUAL(3, belief.belief.size());
  for (std::size_t s = 0; s < 3; ++s)
    TEST_ASSERT_FLOAT_WITHIN(0.002, board.device->agent().belief()[s], static_cast<float>(belief.belief[s]));
}

void the_end_of_an_episode_is_seen() {
  SimulatedBoard<> board(rover());
  board.connect();
  send(board, image_bytes(rover(), 1, 0, 200000));
  TEST_ASSERT_TRUE(board.run_until<ImageConfirmed>());
  TEST_ASSERT_FALSE(board.session->episode_ended());
  TEST_ASSERT_TRUE(board.run_steps(200001));
  TEST_ASSERT_TRUE(board.session->episode_ended());
}

void garbage_is_counted_and_the_session_goes_on() {
  SimulatedBoard<> board(rover());
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(100));
  Random random(1, Stream::runs);
  for (int i = 0; i < 2000; ++i) {
    const auto byte = static_cast<std::uint8_t>(random.below(256));
    board.session->receive({&byte, 1}, board.now);
  }
  TEST_ASSERT_TRUE(board.session->statistics().refused > 0);
  TEST_ASSERT_FALSE(board.session->problem().has_value());
  TEST_ASSERT_TRUE(board.run_steps(100));
  assert_counts_are_exact(board);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_device_says_what_it_is);
  RUN_TEST(another_device_or_other_sizes_are_refused_with_what_was_expected_and_what_came);
  RUN_TEST(another_protocol_is_told_from_its_number_alone_and_nothing_more_is_said);
  RUN_TEST(silence_is_told_once_asked_on_and_its_end_is_told);
  RUN_TEST(a_device_that_hears_nothing_is_silent_though_it_talks);
  RUN_TEST(what_comes_while_nobody_looks_is_no_silence);
  RUN_TEST(a_device_that_answers_and_does_not_act_is_overdue);
  RUN_TEST(a_device_that_was_never_there_is_silent_too);
  RUN_TEST(a_late_hello_of_an_earlier_boot_changes_nothing_and_one_that_stays_is_a_problem);
  RUN_TEST(an_action_is_executed_once_and_answered_as_often_as_it_comes);
  RUN_TEST(steps_are_counted_in_16_bits_and_go_on_behind_the_last);
  RUN_TEST(after_a_boot_that_it_has_seen_the_world_goes_on_and_old_frames_are_passed_over);
  RUN_TEST(a_device_that_begins_again_under_the_same_number_is_a_problem);
  RUN_TEST(an_answer_that_the_world_lost_is_a_missed_observation);
  RUN_TEST(a_held_world_waits_and_goes_on_where_it_was);
  RUN_TEST(counts_are_the_devices_and_the_worlds);
  RUN_TEST(a_cell_is_news_once);
  RUN_TEST(a_host_that_begins_anew_gets_all_that_the_device_has);
  RUN_TEST(an_exact_sweep_begins_when_the_device_stands_still_and_the_line_has_run_dry);
  RUN_TEST(a_sum_that_is_not_the_devices_is_asked_for_again_in_full_and_then_told);
  RUN_TEST(a_part_that_cannot_be_is_refused_whole);
  RUN_TEST(a_reset_of_the_board_loses_nothing_that_was_swept_and_counts_nothing_twice);
  RUN_TEST(hosts_that_die_and_begin_anew_leave_no_pair_between_two_worlds);
  RUN_TEST(a_log_gives_the_counts_that_the_world_has);
  RUN_TEST(steps_that_were_overwritten_are_a_gap_and_no_pair_spans_it);
  RUN_TEST(an_image_is_verified_tried_and_confirmed_while_the_device_acts);
  RUN_TEST(images_follow_one_another_over_a_bad_line);
  RUN_TEST(a_transfer_goes_on_after_a_reset);
  RUN_TEST(a_transfer_of_an_image_that_failed_before_goes_on_after_a_reset_too);
  RUN_TEST(a_device_that_takes_its_time_is_sent_no_more_than_it_takes);
  RUN_TEST(a_slow_line_is_given_its_time);
  RUN_TEST(a_transfer_goes_on_with_the_next_host);
  RUN_TEST(an_image_that_failed_and_is_sent_again_fails_again_and_that_is_told);
  RUN_TEST(a_reset_or_a_missed_deadline_on_trial_brings_the_old_image_back_and_that_is_told);
  RUN_TEST(an_image_on_trial_of_a_host_that_died_is_confirmed_first);
  RUN_TEST(wrong_images_are_refused_before_a_byte_is_sent);
  RUN_TEST(an_image_that_is_not_newer_is_refused_with_both_numbers);
  RUN_TEST(sequence_numbers_wrap);
  RUN_TEST(a_device_whose_flash_fails_refuses_and_the_reason_is_told);
  RUN_TEST(status_and_belief_are_told_when_asked_for);
  RUN_TEST(the_end_of_an_episode_is_seen);
  RUN_TEST(garbage_is_counted_and_the_session_goes_on);
  return UNITY_END();
}

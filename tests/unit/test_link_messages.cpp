#include "penumbra/link/messages.hpp"

#include <unity.h>

namespace {

using namespace penumbra::link;

// `message` is these bytes, and of all their lengths only this one is read back; what comes back is written as the same bytes.
template <class Message, size_t Size>
Message goes_both_ways(const Message& message, const uint8_t (&bytes)[Size], bool has_rest = false) {
  MessageRoom room;
  TEST_ASSERT_EQUAL_UINT32(Size, encode(message, room));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(bytes, room.data(), Size);

  const auto back = decode<Message>({room.data(), Size});
  TEST_ASSERT_TRUE(back.has_value());
  MessageRoom again;
  TEST_ASSERT_EQUAL_UINT32(Size, encode(back.value(), again));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(bytes, again.data(), Size);

  if (!has_rest) {
    for (size_t size = 0; size <= max_message; ++size) {
      if (size != Size) TEST_ASSERT_FALSE(decode<Message>({room.data(), size}).has_value());
    }
  }
  for (uint32_t type = 0; type < 256U; ++type) {
    room[0] = static_cast<uint8_t>(type);
    TEST_ASSERT_EQUAL(type == bytes[0], decode<Message>({room.data(), Size}).has_value());
  }
  return decode<Message>(bytes).value();
}

void messages_to_the_device_are_the_bytes_of_the_protocol() {
  goes_both_ways(AskHello{}, {0x01, 0x01, 0x00}, true);

  Observed observed;
  observed.mark = {0xA1, 0xB2C3};
  observed.observation = 0xD4;
  const uint8_t observed_bytes[] = {0x02, 0xA1, 0xC3, 0xB2, 0xD4};
  TEST_ASSERT_TRUE(goes_both_ways(observed, observed_bytes).mark == observed.mark);

  Lost lost;
  lost.mark = {0xA1, 0xB2C3};
  goes_both_ways(lost, {0x03, 0xA1, 0xC3, 0xB2});

  Moved moved;
  moved.mark = {0xA1, 0xB2C3};
  goes_both_ways(moved, {0x04, 0xA1, 0xC3, 0xB2});

  AskCounts ask_counts;
  ask_counts.from = 0x01020304;
  ask_counts.all = 1;
  goes_both_ways(ask_counts, {0x05, 0x04, 0x03, 0x02, 0x01, 0x01});

  AskLog ask_log;
  ask_log.from = 0xF1F2F3F4;
  goes_both_ways(ask_log, {0x06, 0xF4, 0xF3, 0xF2, 0xF1});

  goes_both_ways(AskStatus{}, {0x07});

  AskBelief ask_belief;
  ask_belief.from = 0x72;
  goes_both_ways(ask_belief, {0x08, 0x72});

  BeginImage begin;
  begin.size = 0x00012345;
  begin.checksum = 0xDEADBEEF;
  goes_both_ways(begin, {0x09, 0x45, 0x23, 0x01, 0x00, 0xEF, 0xBE, 0xAD, 0xDE});

  Confirm confirm;
  confirm.checksum = 0xDEADBEEF;
  goes_both_ways(confirm, {0x0B, 0xEF, 0xBE, 0xAD, 0xDE});
}

void messages_with_a_rest_take_what_is_left() {
  const uint8_t image_bytes[] = {9, 8, 7};
  Chunk chunk;
  chunk.offset = 0x00000160;
  chunk.bytes = image_bytes;
  const uint8_t chunk_bytes[] = {0x0A, 0x60, 0x01, 0x00, 0x00, 9, 8, 7};
  const Chunk chunk_back = goes_both_ways(chunk, chunk_bytes, true);
  TEST_ASSERT_EQUAL_UINT32(3, chunk_back.bytes.size());

  const uint8_t name[] = {'r', 'o', 'v', 'e', 'r'};
  Hello hello;
  hello.device = 0x11121314;
  hello.incarnation = 0x21222324;
  hello.states = 3;
  hello.actions = 4;
  hello.observations = 5;
  hello.features = 7;
  hello.slot_size = 0x31323334;
  hello.board = name;
  goes_both_ways(hello, {0x81, 0x01, 0x00, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 3,
                         4,    5,    7,    0x34, 0x33, 0x32, 0x31, 'r',  'o',  'v',  'e',  'r'},
                 true);

  const uint8_t cell[] = {1, 0, 0, 0, 2, 0, 0, 0};
  CountsPart counts;
  counts.incarnation = 0x11121314;
  counts.from = 0x21222324;
  counts.next = 0x31323334;
  counts.pairs = 0x41424344;
  counts.cells = cell;
  goes_both_ways(
      counts,
      {0x85, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 0x44, 0x43, 0x42, 0x41, 1, 0, 0, 0, 2, 0, 0, 0}, true);

  const uint8_t step[] = {1, 2, 0};
  LogPart log;
  log.incarnation = 0x11121314;
  log.first = 0x21222324;
  log.newest = 0x31323334;
  log.steps = step;
  goes_both_ways(log, {0x86, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 1, 2, 0}, true);

  const uint8_t probability[] = {255, 0};
  BeliefPart belief;
  belief.ticks = 0x11121314;
  belief.from = 9;
  belief.probability = probability;
  goes_both_ways(belief, {0x88, 0x14, 0x13, 0x12, 0x11, 9, 255, 0}, true);
}

void a_rest_may_be_empty() {
  const Chunk chunk = goes_both_ways(Chunk{}, {0x0A, 0, 0, 0, 0}, true);
  TEST_ASSERT_EQUAL_UINT32(0, chunk.bytes.size());
  const CountsPart counts = goes_both_ways(CountsPart{}, {0x85, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true);
  TEST_ASSERT_EQUAL_UINT32(0, counts.cells.size());
  const LogPart log = goes_both_ways(LogPart{}, {0x86, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true);
  TEST_ASSERT_EQUAL_UINT32(0, log.steps.size());
}

// What is before the rest has to be there whole.
template <class Message>
void needs(size_t least) {
  MessageRoom bytes{};
  bytes[0] = static_cast<uint8_t>(Message::type);
  for (size_t size = 0; size <= max_message; ++size) {
    TEST_ASSERT_EQUAL(size >= least, decode<Message>({bytes.data(), size}).has_value());
  }
}
void a_message_with_a_rest_needs_its_fields() {
  needs<Chunk>(5);
  needs<Hello>(19);
  needs<CountsPart>(17);
  needs<LogPart>(13);
  needs<BeliefPart>(6);
}

void messages_from_the_device_are_the_bytes_of_the_protocol() {
  Acted acted;
  acted.mark = {0xA1, 0xB2C3};
  acted.action = 0xD4;
  acted.episode_ended = 1;
  goes_both_ways(acted, {0x82, 0xA1, 0xC3, 0xB2, 0xD4, 0x01});

  DeviceStatus status;
  uint32_t* fields[] = {&status.incarnation,
                        &status.ticks,
                        &status.pairs,
                        &status.missed_deadlines,
                        &status.missed_observations,
                        &status.impossible_observations,
                        &status.observations_out_of_range,
                        &status.saturations,
                        &status.frames_refused,
                        &status.episode};
  uint8_t status_bytes[43] = {0x87};
  for (uint8_t i = 0; i < 10; ++i) {
    *fields[i] = 0x01000000U * i + 0xBB00U + i;
    const uint8_t bytes[] = {i, 0xBB, 0x00, i};
    memcpy(status_bytes + 1 + 4 * i, bytes, 4);
  }
  status.episode_ended = status_bytes[41] = 1;
  status.safe = status_bytes[42] = 2;
  goes_both_ways(status, status_bytes);

  ImageReport image;
  image.incarnation = 0x11121314;
  image.checksum = 0x21222324;
  image.sequence = 0x31323334;
  image.confirmed = 1;
  image.trial_ticks = 0x41424344;
  image.failed = 0x51525354;
  image.transfer = 2;
  image.incoming = 0x61626364;
  image.next = 0x71727374;
  image.reason = 9;
  goes_both_ways(image, {0x89, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 1,    0x44, 0x43,
                         0x42, 0x41, 0x54, 0x53, 0x52, 0x51, 2,    0x64, 0x63, 0x62, 0x61, 0x74, 0x73, 0x72, 0x71, 9});
}

// The shortest exchange, as PROTOCOL.md counts it: the emulated line costs by the byte.
void an_action_takes_12_bytes_on_the_line_and_its_answer_11() {
  FrameRoom frame;
  TEST_ASSERT_EQUAL_UINT32(12, encode_frame(Acted{}, frame));
  TEST_ASSERT_EQUAL_UINT32(11, encode_frame(Observed{}, frame));
}

void parts_fill_a_message_and_do_not_overflow_it() {
  TEST_ASSERT_EQUAL_UINT32(96, max_chunk);
  TEST_ASSERT_EQUAL_UINT32(12, cells_in_part);
  TEST_ASSERT_EQUAL_UINT32(35, steps_in_part);
  uint8_t room[max_message]{};
  MessageRoom message;
  CountsPart counts;
  counts.cells = {room, cells_in_part * cell_size};
  TEST_ASSERT_EQUAL_UINT32(113, encode(counts, message));
  LogPart log;
  log.steps = {room, steps_in_part * step_size};
  TEST_ASSERT_EQUAL_UINT32(118, encode(log, message));
  Chunk chunk;
  chunk.bytes = {room, max_chunk};
  TEST_ASSERT_EQUAL_UINT32(101, encode(chunk, message));
}

void a_rest_that_is_too_long_is_not_written() {
  uint8_t room[max_message]{};
  MessageRoom message;
  FrameRoom frame;
  for (size_t size = 0; size <= max_message; ++size) {
    Chunk chunk;
    chunk.bytes = {room, size};
    TEST_ASSERT_EQUAL_UINT32(size + 5U <= max_message ? size + 5U : 0U, encode(chunk, message));
    TEST_ASSERT_EQUAL_UINT32(size + 5U <= max_message ? size + 11U : 0U, encode_frame(chunk, frame));
  }
}

// Later versions may add to it: a device has to answer them too, for how else would they learn its version?
void a_hello_of_a_later_version_is_understood() {
  const uint8_t longer[] = {0x01, 0x02, 0x01, 0xAA, 0xBB, 0xCC};
  const auto asked = decode<AskHello>(longer);
  TEST_ASSERT_TRUE(asked.has_value());
  TEST_ASSERT_EQUAL_UINT32(0x0102, asked->protocol);
  TEST_ASSERT_FALSE(decode<AskHello>({longer, 2}).has_value());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(messages_to_the_device_are_the_bytes_of_the_protocol);
  RUN_TEST(messages_with_a_rest_take_what_is_left);
  RUN_TEST(a_rest_may_be_empty);
  RUN_TEST(a_message_with_a_rest_needs_its_fields);
  RUN_TEST(messages_from_the_device_are_the_bytes_of_the_protocol);
  RUN_TEST(an_action_takes_12_bytes_on_the_line_and_its_answer_11);
  RUN_TEST(parts_fill_a_message_and_do_not_overflow_it);
  RUN_TEST(a_rest_that_is_too_long_is_not_written);
  RUN_TEST(a_hello_of_a_later_version_is_understood);
  return UNITY_END();
}

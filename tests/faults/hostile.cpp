// Hostile bytes at the device: noise, damaged frames, and frames with good checksums and any content. Nothing of it changes what the device has
// counted, believes or acts by, and behind it the link is usable again within 252 bytes.
//
// The workstation takes 100 million bytes, 25 of each kind, or as many of each as PENUMBRA_HOSTILE_BYTES says; boards take 200,000 of each.
#include "penumbra/link/device.hpp"

#include "device_bench.hpp"
#include "print.hpp"

#if !defined(__arm__)
#include <cstdlib>
#endif
#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::Line;
using test::Random;
using test::renew;

using Flash = testing::SimulatedFlash<8, 256, 4>;
using Image = test::TestImage<500>;

uint32_t bytes_of_each_kind() {
#if defined(__arm__)
  return 200000;
#else
  const char* wanted = std::getenv("PENUMBRA_HOSTILE_BYTES");
  return wanted != nullptr ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : 25000000U;
#endif
}

const Image first(0, 1, 1, 4);
const Image second(1, 2, 40, 5);

Flash flash;
Line line;
etl::optional<Device<Image::Dims, PairCounts, Line, Flash>> device;

// A device that has an image, counts and a belief.
void start_over() {
  renew(flash);
  renew(line);
  device.emplace(line, flash, DeviceOptions{});
  TEST_ASSERT_TRUE(device->start());
  TEST_ASSERT_EQUAL_HEX32(first.checksum(), test::send_image(*device, line, first).checksum);
  TEST_ASSERT_EQUAL_UINT32(1, test::confirm(*device, line, first.checksum()).confirmed);
  Random random(3);
  for (int i = 0; i < 200; ++i) device->tick(Observation{static_cast<uint8_t>(random.below(2))});
}

// What nobody may change from outside.
struct Snapshot {
  uint32_t counts[16];
  float belief[2];
  uint32_t ticks;
  uint32_t episode;

  Snapshot() noexcept : ticks(device->agent().episode().executed()), episode(device->agent().episode().k()) {
    for (size_t cell = 0; cell < 16U; ++cell) counts[cell] = device->agent().recorder().count(cell);
    for (size_t s = 0; s < 2U; ++s) belief[s] = device->agent().belief()[s];
  }
};

void nothing_changed(const Snapshot& then) {
  const Snapshot now;
  TEST_ASSERT_EQUAL_UINT32_ARRAY(then.counts, now.counts, 16);
  TEST_ASSERT_EQUAL_MEMORY(then.belief, now.belief, sizeof now.belief);
  TEST_ASSERT_EQUAL_UINT32(then.ticks, now.ticks);
  TEST_ASSERT_EQUAL_UINT32(then.episode, now.episode);
  TEST_ASSERT_TRUE(first.is(device->images().image()));
  TEST_ASSERT_FALSE(device->images().on_trial());
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

// Until the device has taken all; no observation is among it.
void poll_all() {
  while (line.waiting_for_device() > 0U) {
    TEST_ASSERT_FALSE(device->poll(++line.now));
    while (!line.hear().empty()) {
    }
  }
}

// Asks for its status until it answers, and returns what that took.
uint32_t bytes_until_usable(DeviceStatus& status) {
  FrameRoom frame;
  const size_t size = encode_frame(AskStatus{}, frame);
  for (uint32_t sent = 0; sent < 10000U;) {
    line.send({frame.data(), size});
    sent += static_cast<uint32_t>(size);
    for (int i = 0; i < 10; ++i) {
      device->poll(++line.now);
      for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
        const auto answer = decode<DeviceStatus>(bytes);
        if (!answer.has_value()) continue;
        status = *answer;
        return sent;
      }
    }
  }
  return UINT32_MAX;
}

// --- Kinds of hostility: each fills some bytes

using Room = etl::array<uint8_t, 256>;

size_t noise(Random& random, Room& room) {
  for (uint8_t& byte : room) byte = static_cast<uint8_t>(random.bits());
  return room.size();
}

// Mostly short frames, as zeros end them.
size_t noise_with_zeros(Random& random, Room& room) {
  const uint32_t zero_one_in = 2U + random.below(40);
  for (uint8_t& byte : room) byte = random.below(zero_one_in) == 0U ? uint8_t{0} : static_cast<uint8_t>(random.bits());
  return room.size();
}

// A message of the right type and length, as far as there is one; its numbers are random, small, or at the ends of their range.
size_t random_message(Random& random, MessageRoom& message) {
  static constexpr uint8_t lengths[] = {0, 3, 5, 4, 4, 6, 5, 1, 2, 9, 0, 5};  // by type; 0: any
  const auto type = static_cast<uint8_t>(random.below(8) == 0U ? random.below(256) : random.below(12));
  size_t size = 1U + random.below(max_message);
  if (type < sizeof lengths && lengths[type] != 0U && random.below(8) != 0U) size = lengths[type];
  const uint32_t flavour = random.below(4);
  for (size_t i = 0; i < size; ++i) {
    const uint32_t bits = random.bits();
    message[i] = static_cast<uint8_t>(flavour == 0U   ? bits
                                      : flavour == 1U ? bits % 4U
                                      : flavour == 2U ? 0U - bits % 2U
                                                      : (i % 4U == 1U ? bits : 0U));
  }
  message[0] = type;
  return size;
}

size_t good_frames(Random& random, Room& room) {
  MessageRoom message;
  FrameRoom frame;
  const size_t size = encode_frame(etl::span<const uint8_t>(message.data(), random_message(random, message)), frame);
  memcpy(room.data(), frame.data(), size);
  return size;
}

// A good frame with a few bits changed, bytes lost or doubled, or cut short.
size_t damaged_frames(Random& random, Room& room) {
  size_t size = good_frames(random, room);
  const uint32_t at = random.below(static_cast<uint32_t>(size));
  switch (random.below(4)) {
    case 0: room[at] = static_cast<uint8_t>(room[at] ^ (1U << random.below(8))); break;
    case 1: memmove(room.data() + at, room.data() + at + 1, --size - at); break;
    case 2: memmove(room.data() + at + 1, room.data() + at, size++ - at); break;
    default: size = at; break;
  }
  return size;
}

// Sends that many bytes and looks after every few thousand.
void withstands(const char* what, size_t (*fill)(Random&, Room&), bool may_be_understood) {
  start_over();
  const Snapshot then;
  Random random(7);
  Room room;
  DeviceStatus status;
  uint32_t longest = 0;
  const uint32_t operations = flash.operations();
  const uint32_t all = bytes_of_each_kind();
  uint32_t next_look = 0;
  for (uint32_t sent = 0; sent < all;) {
    const size_t size = fill(random, room);
    line.send({room.data(), size});
    sent += static_cast<uint32_t>(size);
    poll_all();
    if (sent < next_look) continue;
    next_look = sent + 5000U;
    nothing_changed(then);
    const uint32_t took = bytes_until_usable(status);
    if (took > longest) longest = took;
  }
  test::print("hostile|", what, "|", all, " bytes|", status.frames_refused, " frames refused|usable again within ", longest, " bytes\n");
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(2U * max_frame, longest);
  TEST_ASSERT_GREATER_THAN_UINT32(all / 1000U, status.frames_refused);
  if (!may_be_understood) TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
  nothing_changed(then);
  TEST_ASSERT_LESS_OR_EQUAL_UINT32(2U * max_frame, bytes_until_usable(status));
  TEST_ASSERT_EQUAL_HEX32(second.checksum(), test::send_image(*device, line, second).checksum);
}

void noise_changes_nothing() { withstands("noise", noise, false); }
void noise_with_zeros_changes_nothing() { withstands("noise, a zero in 2 to 41 bytes", noise_with_zeros, false); }
// Some are whole after all: where the zero at the end was doubled.
void damaged_frames_change_nothing() { withstands("damaged frames", damaged_frames, true); }
// They may be understood: questions are answered, transfers begin and get nowhere.
void frames_of_any_content_change_nothing() { withstands("good checksums, any content", good_frames, true); }

// The one thing that a stranger on the line can do is to answer for the plant, and for that it has to know the step.
void only_the_step_under_way_is_answered() {
  start_over();
  static_cast<void>(device->start_plant());
  const Snapshot then;
  Random random(9);
  Observed observed;
  for (uint32_t i = 0; i < bytes_of_each_kind() / 11U; ++i) {
    observed.mark.incarnation = static_cast<uint8_t>(random.below(3));
    observed.mark.step = static_cast<uint16_t>(random.bits());
    observed.observation = static_cast<uint8_t>(random.bits());
    if (observed.mark.incarnation == 1U && observed.mark.step == 0U) continue;
    line.say(observed);
    poll_all();
  }
  nothing_changed(then);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(noise_changes_nothing);
  RUN_TEST(noise_with_zeros_changes_nothing);
  RUN_TEST(damaged_frames_change_nothing);
  RUN_TEST(frames_of_any_content_change_nothing);
  RUN_TEST(only_the_step_under_way_is_answered);
  return UNITY_END();
}

#include "penumbra/link/frame.hpp"

#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra::link;
using penumbra::test::Random;
using Result = FrameDecoder::Result;

FrameRoom frame;

size_t frame_of(etl::span<const uint8_t> message) { return encode_frame(message, frame); }

// What the last byte of `bytes` gives; all before it have to give nothing.
Result push(FrameDecoder& decoder, const uint8_t* bytes, size_t size) {
  for (size_t i = 0; i + 1U < size; ++i) TEST_ASSERT_EQUAL(Result::more, decoder.push(bytes[i]));
  return decoder.push(bytes[size - 1U]);
}

void fill(Random& random, uint8_t* bytes, size_t size, uint32_t zero_one_in) {
  for (size_t i = 0; i < size; ++i) bytes[i] = random.below(zero_one_in) == 0U ? uint8_t{0} : static_cast<uint8_t>(random.below(256));
}

void a_frame_is_code_message_checksum_and_zero() {
  const uint8_t message[] = {0x82, 0x02, 0x02, 0x00, 0x01, 0x00};
  // CRC-32 of these six bytes, as zlib has it: 2B68BEDA
  const uint8_t expected[] = {0x04, 0x82, 0x02, 0x02, 0x02, 0x01, 0x05, 0xDA, 0xBE, 0x68, 0x2B, 0x00};
  TEST_ASSERT_EQUAL_UINT32(sizeof expected, frame_of(message));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(expected, frame.data(), sizeof expected);
}

void the_checksum_is_the_one_of_zlib() {
  const uint8_t message[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  TEST_ASSERT_EQUAL_UINT32(15, frame_of(message));
  const uint8_t checksum[] = {0x26, 0x39, 0xF4, 0xCB};  // the check value CBF43926 of that CRC, low byte first
  TEST_ASSERT_EQUAL_HEX8_ARRAY(checksum, frame.data() + 10, 4);
}

void a_message_of_any_length_and_content_comes_back() {
  Random random(1);
  FrameDecoder decoder;
  for (size_t size = 1; size <= max_message; ++size) {
    for (const uint32_t zero_one_in : {1U, 2U, 10U, 1000U}) {
      MessageRoom message;
      fill(random, message.data(), size, zero_one_in);
      const size_t length = frame_of({message.data(), size});
      TEST_ASSERT_EQUAL_UINT32(1U + size + checksum_size + 1U, length);
      TEST_ASSERT_LESS_OR_EQUAL_UINT32(max_frame, length);
      for (size_t i = 0; i + 1U < length; ++i) TEST_ASSERT_NOT_EQUAL(0, frame[i]);
      TEST_ASSERT_EQUAL(Result::message, push(decoder, frame.data(), length));
      TEST_ASSERT_EQUAL_UINT32(size, decoder.message().size());
      TEST_ASSERT_EQUAL_HEX8_ARRAY(message.data(), decoder.message().data(), size);
    }
  }
}

void zeros_between_frames_mean_nothing() {
  const uint8_t message[] = {7, 0, 7};
  FrameDecoder decoder;
  for (int i = 0; i < 5; ++i) TEST_ASSERT_EQUAL(Result::more, decoder.push(0));
  const size_t length = frame_of(message);
  TEST_ASSERT_EQUAL(Result::message, push(decoder, frame.data(), length));
  TEST_ASSERT_EQUAL(Result::more, decoder.push(0));
  TEST_ASSERT_EQUAL_UINT32(0, decoder.message().size());
}

// Pushes a frame with something wrong in it and says whether any message came of it.
bool gives_a_message(const uint8_t* bytes, size_t size) {
  FrameDecoder decoder;
  bool any = false;
  for (size_t i = 0; i < size; ++i) any = decoder.push(bytes[i]) == Result::message || any;
  return decoder.push(0) == Result::message || any;  // a zero that was changed: the next frame's ends it
}

void every_single_bit_error_is_refused() {
  Random random(2);
  for (const size_t size : {size_t{1}, size_t{5}, size_t{6}, size_t{17}, size_t{43}, max_message}) {
    for (const uint32_t zero_one_in : {2U, 8U, 1000U}) {
      MessageRoom message;
      fill(random, message.data(), size, zero_one_in);
      const size_t length = frame_of({message.data(), size});
      for (size_t bit = 0; bit < 8U * (length - 1U); ++bit) {
        frame[bit / 8U] = static_cast<uint8_t>(frame[bit / 8U] ^ (1U << bit % 8U));
        TEST_ASSERT_FALSE(gives_a_message(frame.data(), length));
        frame[bit / 8U] = static_cast<uint8_t>(frame[bit / 8U] ^ (1U << bit % 8U));
      }
    }
  }
}

// A changed zero joins two frames into one that is neither.
void a_changed_end_takes_the_next_frame_with_it_and_no_more() {
  const uint8_t message[] = {1, 2, 3, 0, 4};
  const size_t length = frame_of(message);
  for (size_t bit = 0; bit < 8; ++bit) {
    FrameDecoder decoder;
    frame[length - 1U] = static_cast<uint8_t>(1U << bit);
    TEST_ASSERT_EQUAL(Result::more, push(decoder, frame.data(), length));
    frame[length - 1U] = 0;
    TEST_ASSERT_EQUAL(Result::refused, push(decoder, frame.data(), length));
    TEST_ASSERT_EQUAL(Result::message, push(decoder, frame.data(), length));
  }
}

void every_lost_and_every_doubled_byte_is_refused() {
  Random random(3);
  for (const size_t size : {size_t{1}, size_t{6}, size_t{50}, max_message}) {
    MessageRoom message;
    fill(random, message.data(), size, 4);
    const size_t length = frame_of({message.data(), size});
    uint8_t changed[max_frame + 1];
    for (size_t at = 0; at + 1U < length; ++at) {
      memcpy(changed, frame.data(), at);
      memcpy(changed + at, frame.data() + at + 1, length - at - 1U);
      TEST_ASSERT_FALSE(gives_a_message(changed, length - 1U));
      memcpy(changed, frame.data(), at + 1);
      memcpy(changed + at + 1, frame.data() + at, length - at);
      TEST_ASSERT_FALSE(gives_a_message(changed, length + 1U));
    }
  }
}

void what_is_cut_short_too_short_or_too_long_is_refused() {
  FrameDecoder decoder;
  const uint8_t message[] = {9, 9, 9};
  const size_t length = frame_of(message);
  for (size_t kept = 1; kept + 1U < length; ++kept) {
    for (size_t i = 0; i < kept; ++i) TEST_ASSERT_EQUAL(Result::more, decoder.push(frame[i]));
    TEST_ASSERT_EQUAL(Result::refused, decoder.push(0));
  }
  // The checksum of nothing is zero: a frame without a message is none, though its checksum is right.
  const uint8_t empty[] = {1, 1, 1, 1, 1, 0};
  TEST_ASSERT_EQUAL(Result::refused, push(decoder, empty, sizeof empty));
  for (size_t size = max_frame; size < 1000U; ++size) {
    for (size_t i = 0; i < size; ++i) TEST_ASSERT_EQUAL(Result::more, decoder.push(static_cast<uint8_t>(1U + i % 255U)));
    TEST_ASSERT_EQUAL(Result::refused, decoder.push(0));
  }
}

// The promise of PROTOCOL.md: two frames of the largest size are enough, whatever came before them.
void after_any_garbage_the_link_is_usable_within_252_bytes() {
  TEST_ASSERT_EQUAL_UINT32(252, 2U * max_frame);
  Random random(4);
  MessageRoom message;
  for (uint32_t trial = 0; trial < 2000U; ++trial) {
    FrameDecoder decoder;
    const uint32_t garbage = random.below(trial % 10U == 0U ? 1500U : 200U);
    for (uint32_t i = 0; i < garbage; ++i) {
      const bool zero = trial % 4U != 0U && random.below(1U + trial % 100U) == 0U;
      decoder.push(zero ? uint8_t{0} : static_cast<uint8_t>(random.bits() | 1U));
    }
    size_t bytes = 0;
    Result result = Result::more;
    while (result != Result::message) {
      const size_t size = trial % 2U == 0U ? max_message : 1U + random.below(max_message);
      fill(random, message.data(), size, 5);
      const size_t length = frame_of({message.data(), size});
      for (size_t i = 0; i < length; ++i) result = decoder.push(frame[i]);
      bytes += length;
      TEST_ASSERT_LESS_OR_EQUAL_UINT32(252, bytes);
    }
    TEST_ASSERT_EQUAL_HEX8_ARRAY(message.data(), decoder.message().data(), decoder.message().size());
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_frame_is_code_message_checksum_and_zero);
  RUN_TEST(the_checksum_is_the_one_of_zlib);
  RUN_TEST(a_message_of_any_length_and_content_comes_back);
  RUN_TEST(zeros_between_frames_mean_nothing);
  RUN_TEST(every_single_bit_error_is_refused);
  RUN_TEST(a_changed_end_takes_the_next_frame_with_it_and_no_more);
  RUN_TEST(every_lost_and_every_doubled_byte_is_refused);
  RUN_TEST(what_is_cut_short_too_short_or_too_long_is_refused);
  RUN_TEST(after_any_garbage_the_link_is_usable_within_252_bytes);
  return UNITY_END();
}

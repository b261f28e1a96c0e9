// Frames: messages on a serial line that loses, doubles and changes bytes. A frame is the message and its CRC-32, made free of zeros by
// COBS, and a zero behind it (PROTOCOL.md draws it). Whatever came before, the byte after a zero begins a frame: after any garbage
// the receiver is back at the latest with the second zero.
//
// COBS is written here because ETL has none; it is twenty lines each way. The CRC is ETL's, the one of the images and with their small table:
// with 16 bits one changed frame in 65,536 would pass, which a noisy line reaches within the hour; with 32 it takes years.
#pragma once

#include <etl/array.h>
#include <etl/crc32.h>
#include <etl/span.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace penumbra::link {

constexpr size_t max_message = 120;                                  // bytes, the type included
constexpr size_t checksum_size = 4;                                  // CRC-32, little-endian
constexpr size_t max_frame = 1U + max_message + checksum_size + 1U;  // COBS adds one byte below 255, and the zero
static_assert(max_message + checksum_size < 254U, "one COBS block is enough");

using MessageRoom = etl::array<uint8_t, max_message>;
using FrameRoom = etl::array<uint8_t, max_frame>;

// Writes the frame of `message` (1 to max_message bytes), and returns its length.
[[nodiscard]] inline size_t encode_frame(etl::span<const uint8_t> message, FrameRoom& room) noexcept {
  const uint32_t crc = etl::crc32_t16(message.begin(), message.end()).value();
  size_t mark = 0;  // where the distance to the next zero goes
  size_t at = 1;
  const auto put = [&](uint8_t byte) {
    room[at] = byte;
    if (byte == 0U) {
      room[mark] = static_cast<uint8_t>(at - mark);
      mark = at;
    }
    ++at;
  };
  for (const uint8_t byte : message) put(byte);
  for (size_t i = 0; i < checksum_size; ++i) put(static_cast<uint8_t>(crc >> (8U * i)));
  room[mark] = static_cast<uint8_t>(at - mark);
  room[at++] = 0;
  return at;
}

// Takes bytes as they come and finds the messages among them.
class FrameDecoder {
 public:
  enum class Result : uint8_t {
    more,     // not at the end of a frame
    message,  // message() has one, until the next push()
    refused,  // a frame ended that is none: too long, cut short, or with another checksum
  };

  Result push(uint8_t byte) noexcept {
    if (byte != 0U) {
      if (size_ < frame_.size()) frame_[size_] = byte;
      if (size_ <= frame_.size()) ++size_;  // one more than fits: too long
      return Result::more;
    }
    const size_t size = size_;
    size_ = 0;
    message_size_ = 0;
    if (size == 0U) return Result::more;  // zeros between frames are welcome: a sender may begin with one
    return size <= frame_.size() && decode(size) ? Result::message : Result::refused;
  }

  [[nodiscard]] etl::span<const uint8_t> message() const noexcept { return {frame_.data(), message_size_}; }

 private:
  // In place: a byte's new place is before its old one.
  bool decode(size_t size) noexcept {
    size_t next_zero = frame_[0];
    size_t out = 0;
    for (size_t in = 1; in < size; ++in) {
      if (in == next_zero) {
        next_zero = in + frame_[in];
        frame_[out++] = 0;
      } else {
        frame_[out++] = frame_[in];
      }
    }
    if (next_zero != size || out <= checksum_size) return false;
    const size_t length = out - checksum_size;
    const uint32_t crc = etl::crc32_t16(frame_.data(), frame_.data() + length).value();
    for (size_t i = 0; i < checksum_size; ++i) {
      if (frame_[length + i] != static_cast<uint8_t>(crc >> (8U * i))) return false;
    }
    message_size_ = length;
    return true;
  }

  etl::array<uint8_t, max_frame - 1U> frame_{};  // without its zero
  size_t size_ = 0;
  size_t message_size_ = 0;
};

}  // namespace penumbra::link

// A device on the bench: a line made of two queues with the host's end of it, images to send, and the usual conversations. For tests on
// every platform, so it is small.
#pragma once

#include "penumbra/link/device.hpp"
#include "penumbra/link/testing/simulated_flash.hpp"
#include "random_model.hpp"

#include <etl/placement_new.h>
#include <etl/queue.h>

namespace penumbra::test {

// As at its beginning, in its place: what is assigned instead would pass over the stack, and boards have small ones.
template <class Thing>
void renew(Thing& thing) noexcept {
  thing.~Thing();
  new (&thing) Thing;
}

class Line {
 public:
  // The device's end: a transport.
  size_t read(etl::span<uint8_t> room) noexcept { return take(to_device_, room); }
  size_t write(etl::span<const uint8_t> bytes) noexcept {
    const size_t size = bytes.size() < most_a_write ? bytes.size() : most_a_write;
    return put(to_host_, bytes.first(size));
  }

  // The host's end.
  void send(etl::span<const uint8_t> bytes) noexcept { static_cast<void>(put(to_device_, bytes)); }
  template <class Message>
  void say(const Message& message) noexcept {
    link::FrameRoom frame;
    send({frame.data(), link::encode_frame(message, frame)});
  }
  // The next whole message of the device, until the next call; empty: none yet.
  [[nodiscard]] etl::span<const uint8_t> hear() noexcept {
    uint8_t byte = 0;
    while (take(to_host_, {&byte, 1}) != 0U) {
      switch (decoder_.push(byte)) {
        case link::FrameDecoder::Result::message: return decoder_.message();
        case link::FrameDecoder::Result::refused: ++refused; break;
        case link::FrameDecoder::Result::more: break;
      }
    }
    return {};
  }
  [[nodiscard]] size_t waiting_for_device() const noexcept { return to_device_.size(); }

  size_t most_a_write = SIZE_MAX;  // how much the device's UART takes at once
  uint32_t refused = 0;            // frames of the device that are none
  uint32_t now = 0;                // milliseconds

 private:
  using Queue = etl::queue<uint8_t, 512>;
  static size_t take(Queue& queue, etl::span<uint8_t> room) noexcept {
    size_t taken = 0;
    for (; taken < room.size() && !queue.empty(); ++taken) queue.pop_into(room[taken]);
    return taken;
  }
  static size_t put(Queue& queue, etl::span<const uint8_t> bytes) noexcept {
    size_t fitted = 0;
    for (; fitted < bytes.size() && !queue.full(); ++fitted) queue.push(bytes[fitted]);
    return fitted;
  }

  Queue to_device_, to_host_;
  link::FrameDecoder decoder_;
};

// Polls until the device says a `Reply`; nothing: it does not. Other messages are passed over.
template <class Reply, class Device>
[[nodiscard]] etl::optional<Reply> hear(Device& device, Line& line) noexcept {
  for (int poll = 0; poll < 200; ++poll) {
    device.poll(++line.now);
    for (auto bytes = line.hear(); !bytes.empty(); bytes = line.hear()) {
      const auto reply = link::decode<Reply>(bytes);
      if (reply.has_value()) return reply;
    }
  }
  return etl::nullopt;
}
template <class Reply, class Device, class Message>
[[nodiscard]] etl::optional<Reply> ask(Device& device, Line& line, const Message& question) noexcept {
  line.say(question);
  return hear<Reply>(device, line);
}

// An image of two states, actions and observations that always takes `action`, in the episode of its sequence number. More vectors make
// it larger; another seed changes all its numbers.
template <size_t Room>
class TestImage {
 public:
  using Dims = StaticDims<2, 2, 2>;
  static constexpr uint16_t most_vectors = 64;

  TestImage(uint8_t action, uint32_t sequence, uint16_t vectors = 1, uint32_t seed = 4) noexcept {
    const RandomModel<Dims> model(seed);
    Random random(seed);
    int16_t values[most_vectors * 2];
    uint8_t actions[most_vectors];
    for (int16_t& value : values) value = static_cast<int16_t>(random.below(1000));
    for (uint8_t& each : actions) each = action;
    ImageSource<float> source = model.source();
    source.policy = PolicyKind::vectors;
    source.parameter = vectors;
    source.actions = actions;
    source.vectors = values;
    source.sequence = sequence;
    source.episode = sequence;
    const auto built = build_image(source, buffer_.room());
    size_ = built.has_value() ? built.value() : 0U;
  }

  [[nodiscard]] uint32_t size() const noexcept { return size_; }  // 0: it does not fit
  [[nodiscard]] etl::span<const uint8_t> view() const noexcept { return {buffer_.bytes, size_}; }
  [[nodiscard]] uint32_t checksum() const noexcept {
    uint32_t checksum;
    memcpy(&checksum, buffer_.bytes + size_ - sizeof checksum, sizeof checksum);
    return checksum;
  }
  [[nodiscard]] bool is(const PolicyImage& image) const noexcept {
    return image.is_open() && memcmp(&image.header(), buffer_.bytes, size_) == 0;
  }
  uint8_t* bytes() noexcept { return buffer_.bytes; }

 private:
  ImageBuffer<Room> buffer_;
  uint32_t size_ = 0;
};

// What the host does to send an image, with a tick between any two messages. Ends when the device wants no more of it: the image is in use
// or refused. `most` chunks; 0 in `incoming` of the report: no answer came.
template <class Device>
link::ImageReport send_image(Device& device, Line& line, etl::span<const uint8_t> image, uint32_t checksum, uint32_t most = 1000) noexcept {
  link::BeginImage begin;
  begin.size = static_cast<uint32_t>(image.size());
  begin.checksum = checksum;
  auto report = ask<link::ImageReport>(device, line, begin);
  for (uint32_t chunks = 0; report.has_value() && chunks < most;) {
    const auto transfer = static_cast<link::Transfer>(report->transfer);
    if (transfer != link::Transfer::erasing && transfer != link::Transfer::receiving) return *report;
    device.tick(Observation{0});
    if (transfer == link::Transfer::erasing) {
      report = ask<link::ImageReport>(device, line, begin);
    } else if (report->next < begin.size) {
      link::Chunk chunk;
      chunk.offset = report->next;
      const uint32_t left = begin.size - chunk.offset;
      chunk.bytes = image.subspan(chunk.offset, left < link::max_chunk ? left : link::max_chunk);
      report = ask<link::ImageReport>(device, line, chunk);
      ++chunks;
    } else {  // all of it is there, and being checked
      report = hear<link::ImageReport>(device, line);
    }
  }
  return report.value_or(link::ImageReport{});
}
template <class Device, size_t Room>
link::ImageReport send_image(Device& device, Line& line, const TestImage<Room>& image) noexcept {
  return send_image(device, line, image.view(), image.checksum());
}

template <class Device>
link::ImageReport confirm(Device& device, Line& line, uint32_t checksum) noexcept {
  link::Confirm message;
  message.checksum = checksum;
  return ask<link::ImageReport>(device, line, message).value_or(link::ImageReport{});
}

}  // namespace penumbra::test

// Fuzzer of both ends of the link: whatever bytes come, neither end crashes, and what is no frame changes nothing.
//
// Both ends are the real ones, and talk to each other: steps, counts, a log, an image. The input is a script of what comes in between. Its
// first byte says who hears it: the device, the host, or both. Then come pieces, each with a byte of length and kind: bytes as they are, or
// a message that gets its checksum and COBS, since a blind fuzzer never finds one. Between pieces both ends work, and time goes on.
#include "promises.hpp"

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/link/device.hpp"
#include "penumbra/link/step_log.hpp"
#include "penumbra/link/testing/simulated_flash.hpp"
#include "recipe.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using fuzz::promise;

// A line to the device whose other end is the script.
struct Line {
  std::string to_device;
  std::string to_host;
  size_t read(etl::span<uint8_t> room) noexcept {
    const size_t size = std::min(room.size(), to_device.size());
    std::memcpy(room.data(), to_device.data(), size);
    to_device.erase(0, size);
    return size;
  }
  size_t write(etl::span<const uint8_t> bytes) noexcept {
    to_host.append(bytes.begin(), bytes.end());
    return bytes.size();
  }
};

using Dims = StaticDims<3, 4, 4>;
template <class D>
using Both = link::StepLog<D, 16, PairCounts>;
using Flash = link::testing::SimulatedFlash<6, 1024, 8>;
using Device = link::Device<Dims, Both, Line, Flash>;

class World final : public host::Plant {
 public:
  std::optional<std::uint8_t> act(std::uint8_t action) override {
    promise(action < 4, "only actions that exist are executed");
    return static_cast<std::uint8_t>(++steps_ % 4);
  }

 private:
  unsigned steps_ = 0;
};

// What the script says next.
class Script {
 public:
  Script(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool ended() const { return at_ >= size_; }
  uint8_t byte() { return ended() ? uint8_t{0} : data_[at_++]; }
  std::string bytes(size_t size) {
    size = std::min(size, size_ - at_);
    std::string text(data_ + at_, data_ + at_ + size);
    at_ += size;
    return text;
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

std::string framed(const std::string& message) {
  link::FrameRoom frame;
  const auto* bytes = static_cast<const uint8_t*>(static_cast<const void*>(message.data()));
  const size_t size = link::encode_frame(etl::span<const uint8_t>(bytes, std::min(message.size(), link::max_message)), frame);
  return std::string(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
}

std::string next_piece(Script& script) {
  const uint8_t head = script.byte();
  const std::string bytes = script.bytes(head & 0x7FU);
  return (head & 0x80U) != 0 && !bytes.empty() ? framed(bytes) : bytes;
}

void check_events(host::Session& session) {
  for (const host::SessionEvent& event : session.take_events()) {
    if (const auto* log = std::get_if<host::LogSteps>(&event)) {
      for (const host::LogStep& step : log->steps) {
        promise(step.action < session.device()->sizes.actions && step.observation < session.device()->sizes.observations,
                "steps of a log exist");
      }
    }
    if (const auto* belief = std::get_if<host::BeliefCame>(&event)) {
      promise(belief->belief.size() == session.device()->sizes.states, "a belief has every state");
    }
    const host::Problem* problem = nullptr;
    if (const auto* refused = std::get_if<host::ImageRefused>(&event)) problem = &refused->problem;
    if (const auto* fell = std::get_if<host::ImageFellBack>(&event)) problem = &fell->problem;
    if (problem != nullptr) promise(!host::to_text(*problem).empty(), "problems have words");
  }
  if (session.device()) {
    for (const auto& [incarnation, life] : session.counts()) {
      for (const auto& [cell, value] : life.cells) promise(cell < session.device()->cells(), "cells exist");
    }
    for (const char c : session.device()->board) promise(c >= 0x20 && c < 0x7F, "names are printable");
  }
}

void check_device(Device& device) {
  float sum = 0;
  for (size_t s = 0; s < 3; ++s) sum += device.agent().belief()[s];
  promise(!device.images().image().is_open() || std::fabs(sum - 1.0F) < 1e-3F, "the belief is a distribution");
  uint32_t pairs = 0;
  for (size_t cell = 0; cell < device.agent().recorder().cell_count(); ++cell) pairs += device.agent().recorder().count(cell);
  promise(pairs == device.agent().recorder().pairs(), "every pair is in a cell");
}

const std::string& an_image() {
  static const std::string bytes = [] {
    host::ImageStamp stamp;
    stamp.sequence = 1;
    return std::string(host::ImageFile::build(test::random_model(3, 4, 4, 1), {}, stamp, "image").value().bytes());
  }();
  return bytes;
}

enum class Ears : uint8_t { device, host, both };

// Bytes that hold no good frame change nothing but the number of frames refused.
void check_garbage_changes_nothing(const std::string& bytes) {
  link::FrameDecoder decoder;
  for (const char byte : bytes) {
    const auto result = decoder.push(static_cast<uint8_t>(byte));
    if (result == link::FrameDecoder::Result::message) return;
  }
  Line line;
  Flash flash;
  Device device(line, flash, {1, "fuzzed", Action{0}, 1});
  promise(device.start(), "it starts");
  device.start_plant();
  for (uint32_t now = 0; now < 4; ++now) promise(!device.poll(now), "nothing has come");
  const uint32_t operations = flash.operations();
  line.to_host.clear();
  line.to_device = bytes;
  for (size_t i = 0; i < bytes.size() / link::bytes_a_poll + 2; ++i) promise(!device.poll(4), "garbage is no observation");
  promise(line.to_host.empty() && flash.operations() == operations, "garbage is answered by nothing and written nowhere");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::Answers answers;  // of the host: whether all frames were such
  if (size < 2) return 0;
  Script script(data, size);
  const auto ears = static_cast<Ears>(script.byte() % 3U);
  Line line;
  const auto flash = std::make_unique<Flash>();
  const auto device = std::make_unique<Device>(line, *flash, link::DeviceOptions{1, "fuzzed", Action{0}, 1});
  promise(device->start(), "it starts");
  device->start_plant();
  host::SessionOptions options;
  options.settle_ms = 10;
  options.silence_ms = 200;
  options.healthy_ticks = 2;
  options.device = 1;
  options.sizes = host::DeviceSizes{3, 4, 4};
  host::Session session(options, 0);
  World world;
  session.set_plant(&world);
  session.start_counts();
  session.follow_log();
  session.ask_status();
  session.ask_belief();
  std::uint64_t now = 0;
  std::string raw;
  while (!script.ended()) {
    const std::string piece = next_piece(script);
    raw += piece;
    if (ears != Ears::host) line.to_device += piece;
    if (ears != Ears::device) line.to_host += piece;
    for (int turn = 0; turn < 3; ++turn) {
      now += 3;
      if (device->poll(static_cast<uint32_t>(now))) device->plant_tick();
      const auto* bytes = static_cast<const uint8_t*>(static_cast<const void*>(line.to_host.data()));
      session.receive({bytes, line.to_host.size()}, now);
      line.to_host.clear();
      session.advance(now);
      line.to_device += session.take_output();
      check_events(session);
      if (session.device() && !session.is_sending() && now < 50) {
        const host::Outcome<void> sent = session.send_image(an_image(), "image");
        if (!sent) fuzz::check_problem(sent.error(), "image");  // a hello that says that there is no room
      }
    }
  }
  check_device(*device);
  promise(flash->rules_broken() == 0, "the flash is used by its rules");
  answers.note(session.statistics().refused == 0);
  check_garbage_changes_nothing(raw);
  return 0;
}

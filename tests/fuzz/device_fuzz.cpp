// Fuzzer of the device's end of the link. An input is a life: bytes on the line, frames with good checksums and any content, the helpful
// messages of a real host, ticks, late ticks, resets, and power that fails within a flash operation. Whatever comes, the device keeps its
// promises: the image in use is whole and one that it was sent, its counts add up, no rule of the flash is broken, no boot's number
// comes twice.
#include "penumbra/link/device.hpp"

#include "device_bench.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

using namespace penumbra;
using namespace penumbra::link;

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// What the device was met in, for the log: a fuzzer that never met one of them tests less than it says.
enum Met { refused_frame, on_trial, confirmed, fell_back, took_safe_action, lost_power, answered_plant, meetings };
struct Meetings {
  size_t count[meetings] = {};
  ~Meetings() {
    constexpr const char* names[meetings] = {"a frame refused", "an image on trial", "an image confirmed",   "a fallback",
                                             "the safe action", "power lost",        "a step of a loop test"};
    for (int i = 0; i < meetings; ++i)
      std::fprintf(stderr, "device: %10zu  %s%s\n", count[i], names[i], count[i] == 0 ? "  NEVER MET" : "");
  }
};
Meetings met;

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return size_ == 0U; }
  uint8_t byte() {
    if (size_ == 0U) return 0;
    --size_;
    return *data_++;
  }
  etl::span<const uint8_t> bytes(size_t most) {
    const size_t size = most < size_ ? most : size_;
    if (size == 0U) return {};
    const etl::span<const uint8_t> taken(data_, size);
    data_ += size;
    size_ -= size;
    return taken;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

class Life {
 public:
  void live(Input input) {
    boot();
    while (!input.empty()) {
      event(input);
      if (flash_.is_dead()) {
        ++met.count[lost_power];
        flash_.power_on();
        boot();
      }
      look();
    }
  }

 private:
  template <class D>
  using Recorder = StepLog<D, 16, PairCounts>;
  using Flash = link::testing::SimulatedFlash<8, 256, 4>;
  using Image = test::TestImage<500>;

  void event(Input& input) {
    switch (input.byte() % 10U) {
      case 0: line_.send(input.bytes(input.byte() % 64U)); break;
      case 1: {
        FrameRoom frame;
        const auto message = input.bytes(1U + input.byte() % max_message);
        if (!message.empty()) line_.send({frame.data(), encode_frame(message, frame)});
        break;
      }
      case 2: act(device_->tick(Observation{input.byte()})); break;
      case 3: device_->deadline_missed(); break;
      case 4: act(input.byte() % 2U == 0U ? device_->missed() : device_->moved()); break;
      case 5: boot(); break;
      case 6: flash_.cut_power(input.byte() % 16U, input.byte() * 3U, input.byte() % 4U == 0U); break;
      case 7: help(images_[input.byte() % 4U]); break;
      case 8: {
        Confirm message;
        message.checksum = images_[input.byte() % 4U].checksum();
        line_.say(message);
        break;
      }
      default: answer(input.byte()); break;
    }
    for (int i = 0; i < 20 && !flash_.is_dead() && (i < 2 || line_.waiting_for_device() > 0U); ++i) {
      if (device_->poll(line_.now += 5U)) {
        act(device_->plant_tick());
        ++met.count[answered_plant];
      }
      hear();
    }
  }

  // What the host would send next to get this image there, and a tick to let go of the slot.
  void help(const Image& image) {
    device_->tick(Observation{0});
    BeginImage begin;
    begin.size = image.size();
    begin.checksum = image.checksum();
    line_.say(begin);
    for (int i = 0; i < 4 && !flash_.is_dead(); ++i) {
      device_->poll(line_.now);
      hear();
    }
    if (report_.incoming != image.checksum() || report_.next >= image.size()) return;
    Chunk chunk;
    chunk.offset = report_.next;
    const uint32_t left = image.size() - chunk.offset;
    chunk.bytes = image.view().subspan(chunk.offset, left < max_chunk ? left : max_chunk);
    line_.say(chunk);
  }

  void answer(uint8_t observation) {
    if (!plant_) static_cast<void>(device_->start_plant());
    plant_ = true;
    Observed message;
    message.mark = mark_;
    message.observation = observation;
    line_.say(message);
  }

  void hear() {
    for (auto bytes = line_.hear(); !bytes.empty(); bytes = line_.hear()) {
      if (const auto acted = decode<Acted>(bytes)) {
        promise(acted->action < 2U, "an action is one of the model's");
        mark_ = acted->mark;
      } else if (const auto report = decode<ImageReport>(bytes)) {
        promise(report->incarnation == device_->incarnation() && report->transfer <= last_transfer, "a report is of this boot");
        report_ = *report;
      } else if (const auto log = decode<LogPart>(bytes)) {
        promise(log->steps.size() % step_size == 0U && log->newest - log->first >= log->steps.size() / step_size, "steps have happened");
      } else if (const auto counts = decode<CountsPart>(bytes)) {
        promise(counts->next <= 16U && counts->cells.size() % cell_size == 0U, "cells exist");
      } else if (const auto status = decode<DeviceStatus>(bytes)) {
        met.count[refused_frame] += status->frames_refused != 0U ? 1U : 0U;
        met.count[took_safe_action] += status->safe;
        promise(status->safe == 0U || !device_->images().image().is_open(), "the safe action is for want of an image");
      } else {
        promise(has_type(bytes, Type::hello) || has_type(bytes, Type::belief), "a message is one of the protocol's");
      }
    }
    promise(line_.refused == 0U, "the device sends good frames");
  }

  void boot() {
    test::renew(line_);
    DeviceOptions options;
    options.safe_action = Action{1};
    device_.emplace(line_, flash_, options);
    plant_ = false;
    while (!device_->start()) {  // the power may fail here too
      promise(flash_.is_dead(), "a device with power starts");
      ++met.count[lost_power];
      flash_.power_on();
      device_.emplace(line_, flash_, options);
    }
    promise(device_->incarnation() > last_boot_, "a boot's number is new");
    last_boot_ = device_->incarnation();
    promise(!device_->images().on_trial(), "after a boot nothing is on trial");
  }

  static void act(const Decision& decision) { promise(index(decision.action) < 2U, "an action is one of the model's"); }

  void look() {
    promise(flash_.rules_broken() == 0U, "flash is used by its rules");
    const auto& recorder = device_->agent().recorder();
    uint32_t sum = 0;
    for (size_t cell = 0; cell < recorder.cell_count(); ++cell) sum += recorder.count(cell);
    promise(sum == recorder.pairs(), "counts add up");
    const PolicyImage& image = device_->images().image();
    bool known = !image.is_open();
    for (const Image& sent : images_) known = known || sent.is(image);
    promise(known, "the image in use is one that was sent, whole");
    const float belief = device_->agent().belief()[0];
    promise(belief >= 0.0F && belief <= 1.00001F, "a belief is a probability");
    met.count[on_trial] += device_->images().on_trial() ? 1U : 0U;
    met.count[confirmed] += image.is_open() && !device_->images().on_trial() ? 1U : 0U;
    met.count[fell_back] += device_->images().has_failed_image() ? 1U : 0U;
  }

  Flash flash_;
  test::Line line_;
  std::optional<Device<Image::Dims, Recorder, test::Line, Flash>> device_;
  ImageReport report_;
  StepMark mark_;
  bool plant_ = false;
  uint32_t last_boot_ = 0;
  static inline const Image images_[4] = {Image(0, 1, 1, 4), Image(1, 2, 1, 5), Image(0, 3, 40, 6), Image(1, 4, 60, 7)};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Life().live(Input(data, size));
  return 0;
}

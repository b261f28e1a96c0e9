// A firmware in a process of the test's: the device's end of the link as a board runs it, over a simulated line and a simulated flash, in virtual
// time, with a session at the other end. The world keeps a log of its own, of which it knows more than the host: when the device took an
// image over, and the pair across that is none.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/faulty_line.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/simulate.hpp"
#include "penumbra/link/device.hpp"
#include "penumbra/link/testing/simulated_flash.hpp"
#include "recipe.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace penumbra::test {

// A world and its log: the pairs of each life of the device.
class LoggedWorld : public host::Plant {
 public:
  LoggedWorld(const host::Model& model, std::uint64_t seed) : model_(model), world_(model, seed) { lives_.emplace_back(model); }

  std::optional<std::uint8_t> act(std::uint8_t action) override {
    const std::uint8_t observation = other != nullptr ? *other->act(action) : static_cast<std::uint8_t>(world_.act(action).observation);
    ++steps_;
    lives_.back().add(action, observation);
    return observation;
  }
  void cut() override {
    if (other != nullptr) other->cut();
    for (; new_lives_ > 0; --new_lives_) lives_.emplace_back(model_);
    lives_.back().break_pair();
  }

  // The device was reset. What it sent before may still come, and belongs to its old life.
  void expect_new_life() noexcept { ++new_lives_; }
  // The device has taken an image over, between the step that was executed last and the next one.
  void image_taken_over() noexcept { lives_.back().break_pair(); }

  [[nodiscard]] const std::vector<host::PairCounter>& lives() const noexcept { return lives_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  Plant* other = nullptr;  // answers in its place, and never loses an answer

 private:
  const host::Model& model_;
  host::World world_;
  std::vector<host::PairCounter> lives_;
  std::uint64_t steps_ = 0;
  int new_lives_ = 0;
};

template <template <class> class Recorder = PairCounts>
class SimulatedBoard {
 public:
  using Dims = StaticDims<3, 4, 4>;
  using Flash = link::testing::SimulatedFlash<18, 1024, 8>;  // slots of 8 KB

  // The board's end of the line.
  struct Uart {
    host::FaultyLine& in;
    host::FaultyLine& out;
    const std::uint64_t& now;
    std::uint64_t moved = 0;  // bytes

    std::size_t read(etl::span<std::uint8_t> room) noexcept {
      const std::size_t size = in.read(room, now);
      moved += size;
      return size;
    }
    std::size_t write(etl::span<const std::uint8_t> bytes) noexcept {
      out.write(bytes, now);
      moved += bytes.size();
      return bytes.size();
    }
  };
  using TheDevice = link::Device<Dims, Recorder, Uart, Flash>;

  explicit SimulatedBoard(const host::Model& model, const host::LineFaults& faults = {}, std::uint64_t seed = 1)
      : world(model, seed),
        to_device(faults, seed, host::Stream::runs),
        to_host(faults, seed, host::Stream::comparison),
        uart_{to_device, to_host, now} {
    boot();
  }
  SimulatedBoard(const SimulatedBoard&) = delete;
  SimulatedBoard& operator=(const SimulatedBoard&) = delete;

  void reset() {
    world.expect_new_life();
    to_device.unplug();
    boot();
  }

  // It becomes another device, with the flash of this one.
  void rename(std::uint32_t id) {
    id_ = id;
    reset();
  }

  // A host begins. What the one before it had sent, and had not read yet, is still on the line.
  void connect(host::SessionOptions options = {}) {
    session.emplace(std::move(options), now);
    session->set_plant(&world);
  }

  // A turn of both ends. Time goes on when neither had anything to do, and with the ticks.
  void turn() {
    const std::uint64_t moved = uart_.moved;
    const bool ticked = device->poll(static_cast<std::uint32_t>(now)) && !control_stands;
    if (ticked) tick();
    std::uint8_t bytes[256];
    const std::size_t size = to_host.read({bytes, sizeof bytes}, now);
    bool busy = ticked || size != 0 || uart_.moved != moved;
    if (session) {
      session->receive({bytes, size}, now);
      session->advance(now);
      const std::string out = session->take_output();
      to_device.write({static_cast<const std::uint8_t*>(static_cast<const void*>(out.data())), out.size()}, now);
      busy = busy || !out.empty();
      for (host::SessionEvent& event : session->take_events()) events.push_back(std::move(event));
    }
    now += static_cast<std::uint64_t>(!busy || ticked_ >= ticks_a_ms);
    ticked_ = !busy || ticked_ >= ticks_a_ms ? 0 : ticked_ + static_cast<std::uint64_t>(ticked);
  }

  // Turns until `done` says so; false: it did not within so much time.
  template <class Done>
  bool run(const Done& done, std::uint64_t limit_ms = 60000) {
    const std::uint64_t end = now + limit_ms;
    while (!done()) {
      if (now >= end) return false;
      turn();
    }
    return true;
  }
  bool run_steps(std::uint64_t steps) {
    const std::uint64_t end = world.steps() + steps;
    return run([&] { return world.steps() >= end; }, UINT64_MAX / 2 - now);
  }
  template <class Event>
  bool run_until(std::uint64_t limit_ms = 60000) {
    return run([&] { return last<Event>() != nullptr; }, limit_ms);
  }

  // The last event of this kind since the events were cleared; null: none.
  template <class Event>
  [[nodiscard]] const Event* last() const {
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (const Event* found = std::get_if<Event>(&*event)) return found;
    }
    return nullptr;
  }

  std::uint64_t now = 1000;
  LoggedWorld world;
  host::FaultyLine to_device;
  host::FaultyLine to_host;
  Flash flash;
  std::unique_ptr<TheDevice> device;
  std::optional<host::Session> session;
  std::vector<host::SessionEvent> events;
  std::uint64_t late_ticks = 0;  // ticks to come that miss their deadline
  bool control_stands = false;   // the background goes on without its control interrupt

 private:
  void boot() {
    device = std::make_unique<TheDevice>(uart_, flash, link::DeviceOptions{id_, "simulated", Action{1}, 1});
    if (!device->start()) std::abort();
    device->start_plant();
    image_ = in_use();
  }

  void tick() {
    device->plant_tick();
    if (image_ != in_use()) world.image_taken_over();
    image_ = in_use();
    if (late_ticks == 0) return;
    --late_ticks;
    device->deadline_missed();
  }

  // Each image lies in another slot than the one before it.
  [[nodiscard]] const void* in_use() const {
    const PolicyImage& image = device->images().image();
    return image.is_open() ? &image.header() : nullptr;
  }

  static constexpr std::uint64_t ticks_a_ms = 100;

  std::uint32_t id_ = 7;
  Uart uart_;
  std::uint64_t ticked_ = 0;  // since the time went on
  const void* image_ = nullptr;
};

// An image for the model: a uniform policy, or one of so many vectors, which makes it as long as it shall be.
inline std::string image_bytes(const host::Model& model, std::uint32_t sequence, std::uint16_t vectors = 0,
                               std::uint32_t first_length = 1000000) {
  host::ImageStamp stamp;
  stamp.sequence = sequence;
  stamp.first_length = first_length;
  stamp.seed = sequence;
  host::PolicyTable table;
  table.kind = vectors == 0 ? PolicyKind::uniform : PolicyKind::vectors;
  table.parameter = vectors;
  for (std::size_t i = 0; i < vectors; ++i) table.actions.push_back(static_cast<std::uint8_t>(i % model.actions.size()));
  table.vectors.assign(vectors * model.states.size(), static_cast<std::int16_t>(sequence));
  return std::string(host::ImageFile::build(model, table, stamp, "image").value().bytes());
}

}  // namespace penumbra::test

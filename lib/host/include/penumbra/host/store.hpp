// What a project knows of its devices, in one SQLite file: their counts, the images they were sent, the episodes they learned in, and what
// happened to them. STORE.md describes the tables.
//
// Every keep_…() is a transaction: when it has returned, what it was given survives a kill at any moment; before, nothing of it is there.
// Several commands may have the same store open; they wait for each other, some seconds at most. All devices of a store have the same sizes,
// so that their counts add up. An object serves one thread at a time.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

class Database;

struct DeviceRow {
  std::uint32_t id = 0;
  std::string board;  // empty: not known
  std::size_t states = 0;
  std::size_t actions = 0;
  std::size_t observations = 0;
};

// A cell of lib/core's PairCounts and how often it was counted since the device booted.
struct CountCell {
  std::uint32_t cell = 0;
  std::uint32_t value = 0;
};

// A step of a device that does not count by itself.
struct LoggedStep {
  std::uint32_t action = 0;
  std::uint32_t observation = 0;
  bool pair = true;  // with the step before it; not after a change of policy or a missed tick
};

// Who counts the pairs of a life: the device, which sends cells, or the store, which is sent steps.
enum class CountedBy : std::uint8_t { device, store };

// How far a device has come since a boot.
struct Life {
  std::uint64_t ticks = 0;      // when last heard of
  std::uint64_t next_step = 0;  // that the store waits for; 0 where the device counts
};

struct ImageRow {
  std::uint32_t sequence = 0;
  std::uint32_t checksum = 0;
  std::uint32_t episode = 0;
  std::uint64_t size = 0;  // bytes
};

enum class ImageState : std::uint8_t { sent, on_trial, confirmed, fell_back };
[[nodiscard]] const char* to_text(ImageState state) noexcept;

// What became of an image on a device.
struct ImageUse {
  std::uint32_t device = 0;
  std::uint32_t sequence = 0;
  std::uint32_t checksum = 0;
  ImageState state = ImageState::sent;
};

struct EpisodeRow {
  std::uint32_t device = 0;
  std::uint32_t number = 0;  // k
  std::uint64_t ticks = 0;
  std::uint64_t pairs = 0;
  double reward = 0;  // the sum over its ticks
  double average_reward = 0;
  std::optional<double> gain;                   // that its policy was planned to have; none where nothing was planned
  std::optional<std::uint32_t> image_checksum;  // of its policy; none where that was no image
};

struct Event {
  std::uint64_t number = 0;  // the order they came in; the store gives it
  std::optional<std::uint32_t> device;
  std::optional<std::uint32_t> incarnation;
  std::string kind;
  std::string text;
};

class Store {
 public:
  // Made when it is missing. What is no store is left as it is: a Fault::input. A file that cannot be opened or written: a Fault::system.
  [[nodiscard]] static Outcome<Store> open(const std::string& path);

  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // For a command that failed, before it goes: takes the file away again, if open() has made it, nobody else has it open, and no count, no image
  // and no episode is in it. Nothing may be called after that.
  void discard();

  // Reads the whole file. open() has done what is quick.
  [[nodiscard]] Outcome<void> check() const;

  [[nodiscard]] const std::string& path() const noexcept;

  // A number that no device of this store has, above 1,000: low ones are for people to give. Nobody else is given it.
  [[nodiscard]] Outcome<std::uint32_t> new_device();

  // A device says what it is, before anything else of it is kept. Refused where the store knows it, or its devices, otherwise.
  [[nodiscard]] Outcome<void> seen(const DeviceRow& device);
  [[nodiscard]] Outcome<std::vector<DeviceRow>> devices() const;

  // The device is in this life, its incarnation; what is known of it. Refused where the store knows a later one: the device has forgotten
  // its boots. `is_new`: it has just begun, so it is refused as well where this life is known.
  [[nodiscard]] Outcome<Life> begin_life(std::uint32_t device, std::uint32_t incarnation, CountedBy counted_by, bool is_new);

  // Counts that a device made in its life since a boot, its incarnation: absolute values, of which each cell keeps the largest. Any order, any
  // number of times.
  [[nodiscard]] Outcome<void> keep_counts(std::uint32_t device, std::uint32_t incarnation, etl::span<const CountCell> cells,
                                          std::uint64_t ticks);

  // The steps first, first + 1, … of an incarnation, numbered from 0 at its boot: the store counts their pairs. Steps that it has counted
  // before are passed over. Steps that are missing before `first` are lost for good: an event of the kind "gap", and no pair spans them; so
  // whoever calls holds back steps that have only overtaken others. Returns the number of the step that the store waits for: none before it
  // need be sent again. An incarnation sends counts or steps, never both.
  [[nodiscard]] Outcome<std::uint64_t> keep_steps(std::uint32_t device, std::uint32_t incarnation, std::uint64_t first,
                                                  etl::span<const LoggedStep> steps);
  [[nodiscard]] Outcome<std::uint64_t> next_step(std::uint32_t device, std::uint32_t incarnation) const;  // 0: none came yet

  // The sum over incarnations, of one device or of all. `name` is what a problem calls the model, whose sizes have to be the devices'.
  [[nodiscard]] Outcome<Counts> counts(const Model& model, const std::string& name, std::optional<std::uint32_t> device = {}) const;

  // Of one incarnation: all its pairs, and its cells that are not zero, in order. None of what never came.
  [[nodiscard]] Outcome<std::uint64_t> pairs(std::uint32_t device, std::uint32_t incarnation) const;
  [[nodiscard]] Outcome<std::vector<CountCell>> cells(std::uint32_t device, std::uint32_t incarnation) const;

  // A sequence number is an image's name, throughout the project. False: another image has it, and nothing was kept.
  [[nodiscard]] Outcome<bool> keep_image(std::uint32_t sequence, std::uint32_t checksum, std::uint32_t episode, std::string_view bytes);
  [[nodiscard]] Outcome<std::vector<ImageRow>> images() const;  // by sequence number
  [[nodiscard]] Outcome<std::string> image(std::uint32_t sequence) const;

  // What is known last of an image on a device. The image may come from elsewhere.
  [[nodiscard]] Outcome<void> keep_use(const ImageUse& use);
  [[nodiscard]] Outcome<std::vector<ImageUse>> uses() const;  // by device and sequence number

  // Takes the place of what was known of this device's episode.
  [[nodiscard]] Outcome<void> keep_episode(const EpisodeRow& episode);
  [[nodiscard]] Outcome<std::vector<EpisodeRow>> episodes() const;  // by device and number

  [[nodiscard]] Outcome<void> keep_event(const Event& event);
  [[nodiscard]] Outcome<std::vector<Event>> events() const;  // in order

 private:
  explicit Store(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
};

}  // namespace penumbra::host

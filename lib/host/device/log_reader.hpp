// The step log of a device, fetched as it grows. Steps are numbered, so a part that comes twice or late adds nothing; one that begins
// behind the step that was asked for says that those between are gone, and no pair is made across them.
#pragma once

#include "count_sweep.hpp"
#include "wire.hpp"

namespace penumbra::host {

class LogReader {
 public:
  void follow(std::uint32_t from) noexcept {
    following_ = true;
    seek(from);
  }
  void new_life(const DeviceInfo& device) noexcept {
    device_ = device;
    if (lived_) seek(0);
    lived_ = true;
  }

  // The device has taken a step. Asking for each would fill the line; waiting for the time-out could be too late for the ring.
  void step_taken() noexcept {
    if (!read_ || ++steps_since_ < steps_to_wait_for) return;
    read_ = false;
    question_.open();
  }

  void advance(std::uint64_t now, std::uint64_t repeat, Wire& wire) {
    if (question_.is_due(now, repeat, wire.statistics)) wire.send(link::AskLog{next_});
  }

  // False: no part that could be. Pairs go into the book where the device does not count by itself.
  [[nodiscard]] bool take(const link::LogPart& part, CountBook& book, std::vector<SessionEvent>& events);

  [[nodiscard]] bool is_read() const noexcept { return following_ && read_; }

 private:
  void seek(std::uint32_t from) noexcept {
    next_ = from;
    paired_ = read_ = false;
    if (following_) question_.open();
  }
  static constexpr int steps_to_wait_for = 16;

  void count_pair(const LogStep& step, CountBook& book);

  DeviceInfo device_;
  bool lived_ = false;
  bool following_ = false;
  bool read_ = false;
  int steps_since_ = 0;
  std::uint32_t next_ = 0;
  bool paired_ = false;  // `before_` is the step before the next one
  LogStep before_{};
  Question question_;
};

}  // namespace penumbra::host

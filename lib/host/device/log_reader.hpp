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
  [[nodiscard]] bool is_following() const noexcept { return following_; }
  void new_life(const DeviceInfo& device) noexcept {
    device_ = device;
    if (lived_) seek(0);
    lived_ = true;
  }

  // The device has taken a step. Asking for each would fill the line; waiting for the time-out could be too late for the ring.
  void step_taken() noexcept {
    if (!read_ || catching_up_ || ++steps_since_ < steps_to_wait_for) return;
    read_ = false;
    question_.open();
  }

  // What there is by now: is_read() says when it has come. An answer that is still on its way to an earlier question would say that there is
  // no more, so it begins when the session says that there is none.
  void catch_up() noexcept {
    catching_up_ = following_;
    question_.close();
  }
  [[nodiscard]] std::uint64_t quiet_since() const noexcept { return question_.asked_at(); }

  void advance(std::uint64_t now, std::uint64_t repeat, bool may_begin, Wire& wire) {
    if (catching_up_ && may_begin) {
      catching_up_ = read_ = false;
      question_.open();
    }
    if (question_.is_due(now, repeat, wire.statistics)) wire.send(link::AskLog{next_});
  }

  // False: no part that could be. Pairs go into the book where the device does not count by itself.
  [[nodiscard]] bool take(const link::LogPart& part, CountBook& book, std::vector<SessionEvent>& events);

  [[nodiscard]] bool is_read() const noexcept { return following_ && read_ && !catching_up_; }

 private:
  void seek(std::uint32_t from) noexcept {
    next_ = from;
    paired_ = read_ = false;
    if (following_ && !catching_up_) question_.open();
  }
  static constexpr int steps_to_wait_for = 16;

  void count_pair(const LogStep& step, CountBook& book);

  DeviceInfo device_;
  bool lived_ = false;
  bool following_ = false;
  bool catching_up_ = false;  // as soon as it may begin
  bool read_ = false;
  int steps_since_ = 0;
  std::uint32_t next_ = 0;
  bool paired_ = false;  // `before_` is the step before the next one
  LogStep before_{};
  Question question_;
};

}  // namespace penumbra::host

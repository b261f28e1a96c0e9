// What the parts of a session share: the way out for frames, and a question that is asked until it is answered.
#pragma once

#include "penumbra/host/session.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace penumbra::host {

class Wire {
 public:
  template <class Message>
  void send(const Message& message) {
    link::FrameRoom frame;
    const std::size_t size = link::encode_frame(message, frame);
    bytes_.append(static_cast<const char*>(static_cast<const void*>(frame.data())), size);
    ++statistics.frames_out;
    statistics.bytes_out += size;
  }
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

  SessionStatistics statistics;

 private:
  std::string bytes_;
};

class Question {
 public:
  void open() noexcept {  // from now on, at the next opportunity
    open_ = true;
    asked_ = false;
  }
  void close() noexcept { open_ = false; }
  [[nodiscard]] bool is_open() const noexcept { return open_; }

  // True: ask it now.
  [[nodiscard]] bool is_due(std::uint64_t now, std::uint64_t repeat, SessionStatistics& statistics) noexcept {
    if (!open_ || (asked_ && now - at_ < repeat)) return false;
    statistics.asked_again += static_cast<std::uint64_t>(asked_);
    asked_ = true;
    at_ = now;
    return true;
  }
  // When it was asked last, and that only for the sake of waiting from there.
  [[nodiscard]] std::uint64_t asked_at() const noexcept { return at_; }

 private:
  bool open_ = false;
  bool asked_ = false;
  std::uint64_t at_ = 0;
};

}  // namespace penumbra::host

// Sends an image, sees it through its trial, and confirms it. Pieces travel several at a time and are acknowledged by the place that the
// device wants next; when nothing moves, the image is begun again, which goes on where it stopped.
//
// Reports carry no number, and one that comes late shows the device as it was. Good news stays true, so it is believed at once; bad news is
// believed when nothing else has been heard for as long as a frame can be late.
#pragma once

#include "wire.hpp"

namespace penumbra::host {

class ImageSender {
 public:
  explicit ImageSender(const SessionOptions& options) : options_(options) {}

  // Checked: an image of the device's sizes that fits its slot.
  void start(std::string bytes, std::uint32_t checksum, std::uint32_t sequence, std::string name, std::uint64_t now);
  void new_life(std::uint64_t now) noexcept;  // the device has booted: ask it where the image stands
  [[nodiscard]] bool is_sending() const noexcept { return state_ != State::idle; }
  [[nodiscard]] double progress() const noexcept;

  // What is due to be said. True: the session asks for a report.
  [[nodiscard]] bool advance(std::uint64_t now, Wire& wire);
  void take(const link::ImageReport& report, std::uint64_t now, Wire& wire, std::vector<SessionEvent>& events);

 private:
  enum class State { idle, beginning, sending, on_trial };
  enum class BadNews { none, fell_back, refused, old_sequence, busy };

  void begin(std::uint64_t now) noexcept;
  void in_use(const link::ImageReport& report, std::vector<SessionEvent>& events);
  void wanted(std::uint32_t next, std::uint64_t now, Wire& wire);
  void send_window(Wire& wire);
  [[nodiscard]] BadNews bad_news(const link::ImageReport& report) const noexcept;
  [[nodiscard]] bool is_believed(BadNews news, std::uint64_t now) noexcept;
  void believe(const link::ImageReport& report, std::uint64_t now, std::vector<SessionEvent>& events);
  [[nodiscard]] Problem refusal(const link::ImageReport& report) const;

  static constexpr int most_attempts = 3;            // of an image that is refused
  static constexpr std::uint64_t most_patience = 8;  // in times of repeat_ms

  const SessionOptions& options_;
  State state_ = State::idle;
  std::string bytes_;
  std::string name_;
  std::uint32_t checksum_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t acknowledged_ = 0;  // bytes
  std::uint32_t sent_ = 0;
  std::uint64_t moved_at_ = 0;  // when a piece was acknowledged last
  std::uint64_t patience_ =
      0;  // from then on: twice as much each time, or a device that is slow would be sent more than it takes in; less with each piece
  int attempts_ = 0;
  BadNews news_ = BadNews::none;
  std::uint64_t news_since_ = 0;
  bool told_busy_ = false;
  std::optional<std::uint32_t> failed_before_;  // as the first report said
  Question question_;
  Question confirm_;
  std::uint32_t to_confirm_ = 0;
};

}  // namespace penumbra::host

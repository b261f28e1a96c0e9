// From the first byte to the confirmation.
#include "image_sender.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penumbra::host {

void ImageSender::start(std::string bytes, std::uint32_t checksum, std::uint32_t sequence, std::string name, std::uint64_t now) {
  bytes_ = std::move(bytes);
  checksum_ = checksum;
  sequence_ = sequence;
  name_ = std::move(name);
  attempts_ = 1;
  patience_ = options_.repeat_ms;
  told_busy_ = false;
  failed_before_.reset();
  acknowledged_ = 0;
  begin(now);
}

void ImageSender::new_life(std::uint64_t now) noexcept {
  if (state_ == State::idle) return;
  acknowledged_ = 0;
  confirm_.close();
  // All of it was there, so that it may have been tried: if it has failed, it has failed again. A part of it never was, and an earlier copy
  // that failed may still lie in the other slot.
  if (state_ == State::sending && sent_ == bytes_.size()) failed_before_ = 0;
  if (state_ != State::on_trial) begin(now);  // an image on trial has failed with the boot: the next report says so
}

void ImageSender::begin(std::uint64_t now) noexcept {
  state_ = State::beginning;
  news_ = BadNews::none;
  moved_at_ = now;
  question_.open();
  confirm_.close();
}

double ImageSender::progress() const noexcept {
  if (state_ == State::idle || state_ == State::on_trial) return 1;
  return static_cast<double>(acknowledged_) / static_cast<double>(bytes_.size());
}

bool ImageSender::advance(std::uint64_t now, Wire& wire) {
  if (state_ == State::idle) return false;
  if (confirm_.is_due(now, options_.repeat_ms, wire.statistics)) {
    wire.send(link::Confirm{to_confirm_});
    return false;
  }
  if (state_ == State::sending && news_ == BadNews::none && now - moved_at_ >= patience_) {
    ++wire.statistics.asked_again;
    patience_ = std::min(2 * patience_, most_patience * options_.repeat_ms);
    begin(now);
  }
  if (state_ == State::sending && news_ == BadNews::none) return false;
  if (!question_.is_due(now, options_.repeat_ms, wire.statistics)) return false;
  if (state_ == State::beginning && news_ == BadNews::none) {
    wire.send(link::BeginImage{static_cast<std::uint32_t>(bytes_.size()), checksum_});
    return false;
  }
  return true;  // begin_image would begin it again; a report is all that is wanted
}

void ImageSender::take(const link::ImageReport& report, std::uint64_t now, Wire& wire, std::vector<SessionEvent>& events) {
  if (state_ == State::idle) return;
  if (!failed_before_) failed_before_ = report.failed;
  if (report.checksum == checksum_) {
    news_ = BadNews::none;
    return in_use(report, events);
  }
  const BadNews news = bad_news(report);
  if (news != BadNews::none) {
    if (is_believed(news, now)) believe(report, now, events);
    return;
  }
  if (news_ != BadNews::none) begin(now);  // it was not so, or is no more
  const bool is_ours = report.incoming == checksum_;
  if (is_ours && report.failed != checksum_) failed_before_ = report.failed;  // from here on it can fail again
  if (is_ours && report.transfer == static_cast<std::uint8_t>(link::Transfer::receiving)) wanted(report.next, now, wire);
}

void ImageSender::in_use(const link::ImageReport& report, std::vector<SessionEvent>& events) {
  if (report.confirmed != 0) {
    state_ = State::idle;
    confirm_.close();
    events.emplace_back(ImageConfirmed{checksum_});
    return;
  }
  if (state_ != State::on_trial) {
    state_ = State::on_trial;
    question_.open();
    events.emplace_back(ImageOnTrial{checksum_});
  }
  if (report.trial_ticks < options_.healthy_ticks || confirm_.is_open()) return;
  to_confirm_ = checksum_;
  confirm_.open();
}

// The device waits for the bytes from `next` on. After begin_image that is where to go on; otherwise it says what has arrived.
void ImageSender::wanted(std::uint32_t next, std::uint64_t now, Wire& wire) {
  if (next > bytes_.size()) return;
  if (state_ == State::beginning) {
    state_ = State::sending;
    question_.close();
    acknowledged_ = sent_ = next;
    moved_at_ = now;
  } else if (state_ == State::sending && next > acknowledged_) {
    acknowledged_ = next;
    sent_ = std::max(sent_, next);
    moved_at_ = now;
    patience_ = std::max(patience_ - options_.repeat_ms / 4, options_.repeat_ms);
  }
  if (state_ == State::sending) send_window(wire);
}

void ImageSender::send_window(Wire& wire) {
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  constexpr auto most = static_cast<std::uint32_t>(link::max_chunk);
  const auto* bytes = static_cast<const std::uint8_t*>(static_cast<const void*>(bytes_.data()));
  while (sent_ < size && sent_ - acknowledged_ < options_.image_window * most) {
    const std::uint32_t length = std::min(most, size - sent_);
    wire.send(link::Chunk{sent_, {bytes + sent_, length}});
    sent_ += length;
  }
}

ImageSender::BadNews ImageSender::bad_news(const link::ImageReport& report) const noexcept {
  const auto transfer = static_cast<link::Transfer>(report.transfer);
  // One that had failed before has failed again when all of it is there, nothing more is wanted, and it is not in use.
  const bool all_sent = state_ == State::sending && sent_ == bytes_.size() && transfer == link::Transfer::idle;
  const bool failed = report.failed == checksum_ && (failed_before_ != checksum_ || all_sent);
  if (state_ == State::on_trial || failed) return BadNews::fell_back;  // it was in use, and is no more
  if (report.checksum != 0 && !link::is_newer(sequence_, report.sequence)) return BadNews::old_sequence;
  if (transfer == link::Transfer::busy) return BadNews::busy;
  if (transfer == link::Transfer::refused && report.incoming == checksum_) return BadNews::refused;
  return BadNews::none;
}

bool ImageSender::is_believed(BadNews news, std::uint64_t now) noexcept {
  if (news != news_) {
    news_ = news;
    news_since_ = now;
    question_.open();
  }
  return now - news_since_ >= options_.settle_ms;
}

void ImageSender::believe(const link::ImageReport& report, std::uint64_t now, std::vector<SessionEvent>& events) {
  switch (news_) {
    case BadNews::busy:
      if (!told_busy_) events.emplace_back(ImageBusy{});
      told_busy_ = true;
      if (report.confirmed == 0 && report.trial_ticks >= options_.healthy_ticks && !confirm_.is_open()) {
        to_confirm_ = report.checksum;
        confirm_.open();
      }
      return;
    case BadNews::refused:
      // The image was good here: a piece of an earlier one came late, or the flash failed. Worth another try.
      if (attempts_ < most_attempts) {
        ++attempts_;
        return begin(now);
      }
      events.emplace_back(ImageRefused{refusal(report)});
      break;
    case BadNews::old_sequence:
      events.emplace_back(
          ImageRefused{{Fault::input, name_,
                        fmt::format("has sequence number {}, and the image in use on {} has {}", sequence_, options_.name, report.sequence),
                        "", "give it the number after that one: a device takes newer images only"}});
      break;
    default:
      events.emplace_back(ImageFellBack{
          checksum_,
          report.checksum,
          {Fault::system, options_.name,
           fmt::format("gave {} (checksum {:08x}) up before it was confirmed: it reset, or missed a deadline", name_, checksum_),
           report.checksum == 0 ? "it has no other, and takes its safe action"
                                : fmt::format("it is back at the image of sequence number {}", report.sequence),
           ""}});
      break;
  }
  state_ = State::idle;
  confirm_.close();
}

Problem ImageSender::refusal(const link::ImageReport& report) const {
  return {Fault::system, name_,  // the image was looked at before it was sent
          fmt::format("{} refused it: {}, at byte {}", options_.name, describe(static_cast<Status>(report.reason)), report.next), "", ""};
}

}  // namespace penumbra::host

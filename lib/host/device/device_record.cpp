// From the session into the store.
#include "penumbra/host/device_record.hpp"

#include "wire.hpp"

#include "penumbra/link/image_update.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace penumbra::host {

Outcome<void> DeviceRecord::take(const SessionEvent& event, Session& session) {
  if (std::holds_alternative<Ready>(event)) return meet(session, is_new_);
  if (const auto* reset = std::get_if<Reset>(&event)) {
    const Outcome<void> kept =
        keep_event("reset", fmt::format("has started again: boot {} after {}", reset->incarnation, reset->before), session);
    return kept ? meet(session, false) : kept;
  }
  if (const auto* came = std::get_if<StatusCame>(&event)) return hold_against_store(came->status, session);
  if (std::holds_alternative<CountsSwept>(event)) return keep_counts(session);
  if (const auto* log = std::get_if<LogSteps>(&event)) return keep_steps(*log, session);
  if (const auto* silent = std::get_if<Silent>(&event)) return keep_event("silent", silent->problem.what, session);
  if (std::holds_alternative<Back>(event)) return keep_event("back", "", session);
  if (const auto* refused = std::get_if<ImageRefused>(&event)) return keep_event("refused", refused->problem.what, session);
  if (std::holds_alternative<ImageOnTrial>(event)) return keep_use(ImageState::on_trial);
  if (std::holds_alternative<ImageConfirmed>(event)) return keep_use(ImageState::confirmed);
  if (const auto* fell = std::get_if<ImageFellBack>(&event)) {
    const Outcome<void> kept = keep_event("fell back", fell->problem.what, session);
    return kept ? keep_use(ImageState::fell_back) : kept;
  }
  return {};
}

// The device has said what it is, or has booted again.
Outcome<void> DeviceRecord::meet(Session& session, bool is_new) {
  const DeviceInfo& device = *session.device();
  const Outcome<void> seen =
      store_.seen({device.device, device.board, device.sizes.states, device.sizes.actions, device.sizes.observations});
  if (!seen) return seen;
  const bool counts = device.has(link::feature_counts);
  if (!counts && !device.has(link::feature_log)) return {};
  const Outcome<Life> life = store_.begin_life(device.device, device.incarnation, counts ? CountedBy::device : CountedBy::store, is_new);
  if (!life) return fail(life.error());
  life_ = life.value();
  incarnation_ = device.incarnation;
  session.ask_status();
  return {};
}

Outcome<void> DeviceRecord::hold_against_store(const link::DeviceStatus& status, Session& session) {
  if (status.incarnation != incarnation_) return {};  // the reset that is told of next asks again
  // The device's ticks have 32 bits, and more in the store: those that come are close to those that are known.
  const auto ahead = static_cast<std::int32_t>(status.ticks - static_cast<std::uint32_t>(life_.ticks));
  if (ahead > 0) life_.ticks += static_cast<std::uint32_t>(ahead);
  if (is_known_) return keep_counts(session);
  const DeviceInfo& device = *session.device();
  if (ahead < 0) {
    return fail(Fault::input, store_.path(),
                fmt::format("has counts of boot {} of device {} up to tick {}, and this one is at tick {}", device.incarnation,
                            device.device, life_.ticks, status.ticks),
                "give it another number, or use another store", "its flash was erased, or two devices have one number");
  }
  is_known_ = true;
  if (device.has(link::feature_counts)) return keep_counts(session);  // those that came before
  if (device.has(link::feature_log)) session.follow_log(static_cast<std::uint32_t>(life_.next_step));
  return {};
}

Outcome<void> DeviceRecord::keep_counts(Session& session) {
  const DeviceInfo& device = *session.device();
  if (!is_known_ || !device.has(link::feature_counts)) return {};
  std::map<std::uint32_t, std::vector<CountCell>> news{{incarnation_, {}}};  // its ticks are news too
  for (const CountNews& one : session.take_count_news()) news[one.incarnation].push_back({one.cell, one.value});
  for (const auto& [incarnation, cells] : news) {
    const std::uint64_t ticks = incarnation == incarnation_ ? life_.ticks : 0;
    const Outcome<void> kept = store_.keep_counts(device.device, incarnation, cells, ticks);
    if (!kept) return kept;
  }
  return {};
}

// Steps have numbers of 32 bits on the line, and more in the store: those that come are close to those that it waits for. Where the device counts
// them too, they are only looked at.
Outcome<void> DeviceRecord::keep_steps(const LogSteps& log, const Session& session) {
  if (session.device()->has(link::feature_counts)) return {};
  std::vector<LoggedStep> steps;
  for (const LogStep& step : log.steps) steps.push_back({step.action, step.observation, step.pair});
  const auto ahead = static_cast<std::int32_t>(log.first - static_cast<std::uint32_t>(life_.next_step));
  const auto first = static_cast<std::uint64_t>(static_cast<std::int64_t>(life_.next_step) + ahead);
  const Outcome<std::uint64_t> next = store_.keep_steps(session.device()->device, log.incarnation, first, steps);
  if (!next) return fail(next.error());
  life_.next_step = next.value();
  return {};
}

Outcome<ImageFile> DeviceRecord::keep_image(ImageFile image, const Session& session) {
  for (;;) {
    const ImageHeader& header = image.image().header();
    use_ = ImageUse{session.device()->device, header.sequence, link::checksum_of(image.image()), ImageState::sent};
    const Outcome<bool> kept = store_.keep_image(use_->sequence, use_->checksum, header.episode, image.bytes());
    if (!kept) return fail(kept.error());
    if (kept.value()) break;
    image = image.with_sequence(use_->sequence + 1);
  }
  const Outcome<void> used = keep_use(ImageState::sent);
  if (!used) return fail(used.error());
  return image;
}

Outcome<void> DeviceRecord::keep_use(ImageState state) {
  if (!use_) return {};
  use_->state = state;
  return store_.keep_use(*use_);
}

Outcome<void> DeviceRecord::keep_event(const char* kind, const std::string& text, const Session& session) {
  Event event;
  if (session.device()) {
    event.device = session.device()->device;
    event.incarnation = session.device()->incarnation;
  }
  event.kind = kind;
  event.text = text;
  return store_.keep_event(event);
}

}  // namespace penumbra::host

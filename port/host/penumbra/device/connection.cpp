// Bytes to and fro, and what is to be said and kept about it.
#include "device/connection.hpp"

#include "image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace penumbra::command {

namespace {

constexpr std::uint64_t look_every_ms = 200;    // at the board's process
constexpr std::uint64_t sweep_every_ms = 2000;  // while the device goes on
constexpr std::chrono::milliseconds nap(10);    // the session's time-outs are tens of milliseconds
constexpr std::chrono::milliseconds last_words(2000);

host::SessionOptions session_options(const DeviceOptions& options, const std::string& name, std::optional<host::DeviceSizes> sizes) {
  host::SessionOptions chosen;
  chosen.name = name;
  chosen.sizes = sizes;
  chosen.silence_ms = std::min(chosen.silence_ms, static_cast<std::uint64_t>(options.patience * 1000));
  return chosen;
}

// A board whose flash is empty is a new one. In a store it needs a number that no other has: its counts are told apart by number and boot.
Outcome<std::uint32_t> new_number(const host::Store& store) {
  const Outcome<std::vector<host::DeviceRow>> known = store.devices();
  if (!known) return fail(known.error());
  std::uint32_t highest = 0;
  for (const host::DeviceRow& device : known.value()) highest = std::max(highest, device.id);
  return highest + 1;
}

}  // namespace

Connection::Connection(const DeviceOptions& options, const Interruption& interruption) : options_(options), interruption_(interruption) {}

std::uint64_t Connection::milliseconds() const {
  const auto passed = std::chrono::steady_clock::now() - start_;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

Outcome<std::unique_ptr<Connection>> Connection::open(const DeviceOptions& options, std::optional<host::DeviceSizes> sizes,
                                                      Interruption& interruption) {
  std::unique_ptr<Connection> connection(new Connection(options, interruption));
  std::uint32_t number = options.id == 0 ? 1 : static_cast<std::uint32_t>(options.id);
  if (!options.store.empty()) {
    Outcome<host::Store> store = host::Store::open(options.store);
    if (!store) return fail(store.error());
    connection->store_.emplace(std::move(store.value()));
    if (options.id == 0 && options.flash.empty()) {
      const Outcome<std::uint32_t> unused = new_number(*connection->store_);
      if (!unused) return fail(unused.error());
      number = unused.value();
    }
  }
  Outcome<Device> device = open_device(options, number);
  if (!device) return fail(device.error());
  connection->device_ = std::move(device.value());
  connection->session_.emplace(session_options(options, connection->name(), sizes), connection->milliseconds());
  connection->session_->set_plant(&connection->no_world_);
  connection->session_->hold();
  const Outcome<bool> met = connection->work_until([&] { return connection->session_->device().has_value(); });
  if (!met) return fail(met.error());
  if (!met.value()) {
    connection.reset();
    interruption.die_if_asked();
  }
  return connection;
}

Outcome<bool> Connection::work_until(const std::function<bool()>& enough) { return work(enough, std::nullopt); }

Outcome<bool> Connection::work_until(const std::function<bool()>& enough, std::chrono::milliseconds limit) {
  return work(enough, milliseconds() + static_cast<std::uint64_t>(limit.count()));
}

Outcome<bool> Connection::work(const std::function<bool()>& enough, std::optional<std::uint64_t> deadline) {
  heard_at_ = milliseconds();  // we may have been away, planning
  for (;;) {
    Outcome<void> went = exchange();
    if (!went) went = have_wire_back(went.error());
    if (!went && interruption_.asked()) return false;
    if (!went) return fail(went.error());
    if (session_->problem()) return fail(*session_->problem());
    for (const host::SessionEvent& event : session_->take_events()) {
      const Outcome<void> taken = take(event);
      if (!taken) return fail(taken.error());
    }
    if (enough()) return true;
    const std::uint64_t now = milliseconds();
    if (deadline ? now >= *deadline : interruption_.asked().load()) return false;
    if (now - looked_at_ >= look_every_ms) {
      looked_at_ = now;
      const Outcome<void> alive = check_alive();
      if (!alive) return fail(alive.error());
    }
  }
}

// Everything that can be moved now, and a nap where that was nothing.
Outcome<void> Connection::exchange() {
  std::array<std::uint8_t, 4096> room;
  Outcome<std::size_t> got = device_.wire->read({room.data(), room.size()});
  if (!got) return fail(got.error());
  if (got.value() == 0) {
    session_->advance(milliseconds());
    output_ += session_->take_output();
    const bool idle = output_.empty();
    if (idle) {
      device_.wire->wait(false, nap);
      got = device_.wire->read({room.data(), room.size()});
      if (!got) return fail(got.error());
    }
  }
  if (got.value() > 0) session_->receive({room.data(), got.value()}, milliseconds());
  session_->advance(milliseconds());
  output_ += session_->take_output();
  if (output_.empty()) return {};
  const auto* bytes = static_cast<const std::uint8_t*>(static_cast<const void*>(output_.data()));
  const Outcome<std::size_t> sent = device_.wire->write({bytes, output_.size()});
  if (!sent) return fail(sent.error());
  output_.erase(0, sent.value());
  if (!output_.empty()) device_.wire->wait(true, nap);
  return {};
}

Outcome<void> Connection::have_wire_back(const Problem& lost) {
  if (device_.board) {
    const std::optional<Problem> ended = device_.board->ended(last_words);
    return fail(ended ? *ended : lost);
  }
  say(fmt::format("{}: {}; trying to have it back", name(), lost.what));
  const std::uint64_t begin = milliseconds();
  for (;;) {
    if (interruption_.asked()) return fail(lost);
    const Outcome<void> back = device_.wire->reopen();
    if (back) break;
    if (static_cast<double>(milliseconds() - begin) > options_.patience * 1000) {
      return fail(Fault::system, name(), fmt::format("{}, and did not come back in {} s", lost.what, options_.patience),
                  back.error().advice, back.error().what);
    }
    device_.wire->wait(false, std::chrono::milliseconds(look_every_ms));
  }
  say(name() + ": is back");
  output_.clear();  // what was half sent is said again
  heard_at_ = milliseconds();
  return {};
}

Outcome<void> Connection::check_alive() {
  if (device_.board) {
    if (const std::optional<Problem> ended = device_.board->ended()) return fail(*ended);
  }
  if (const std::uint64_t heard = session_->statistics().frames_in; heard != frames_heard_) {
    frames_heard_ = heard;
    heard_at_ = milliseconds();
  }
  if (!session_->is_silent() || static_cast<double>(milliseconds() - heard_at_) < options_.patience * 1000) return {};
  const std::string garbage = session_->statistics().bytes_in == 0
                                  ? "not a byte has come"
                                  : fmt::format("{} bytes have come, and {} good frames", session_->statistics().bytes_in, frames_heard_);
  return fail(
      Fault::system, name(), fmt::format("says nothing, and was waited for {} s", options_.patience),
      device_.board ? "does this firmware speak the link?" : "is it on, is its firmware one that speaks the link, and --baud its speed?",
      garbage);
}

Outcome<void> Connection::take(const host::SessionEvent& event) {
  Outcome<void> kept;
  if (std::holds_alternative<host::Ready>(event)) kept = meet();
  if (const auto* reset = std::get_if<host::Reset>(&event)) {
    ++resets_;
    const std::string text = fmt::format("has started again: boot {} after {}", reset->incarnation, reset->before);
    say(name() + ": " + text);
    kept = keep_event("reset", text);
  }
  if (const auto* silent = std::get_if<host::Silent>(&event)) {
    say(host::to_text(silent->problem));
    kept = keep_event("silent", silent->problem.what);
  }
  if (std::holds_alternative<host::Back>(event)) {
    say(name() + ": is heard again");
    kept = keep_event("back", "");
  }
  if (const auto* status = std::get_if<host::StatusCame>(&event)) status_came_ = status_ = status->status;
  if (const auto* swept = std::get_if<host::CountsSwept>(&event)) {
    swept_ = *swept;
    kept = keep_counts();
  }
  if (const auto* gap = std::get_if<host::LogGap>(&event)) {
    say(fmt::format("{}: {} steps were overwritten before they were read", name(), gap->to - gap->from));
  }
  if (const auto* log = std::get_if<host::LogSteps>(&event); log != nullptr && store_) {
    std::vector<host::LoggedStep> steps;
    for (const host::LogStep& step : log->steps) steps.push_back({step.action, step.observation, step.pair});
    const Outcome<std::uint64_t> next = store_->keep_steps(info().device, log->incarnation, log->first, steps);
    if (!next) return fail(next.error());
  }
  if (kept) kept = keep_use(event);
  if (!kept) return kept;
  return watcher_ ? watcher_(event) : Outcome<void>{};
}

// The device has said what it is.
Outcome<void> Connection::meet() {
  const host::DeviceInfo& met = info();
  const bool counts = met.has(link::feature_counts);
  std::uint32_t from = 0;
  if (store_) {
    const Outcome<void> seen = store_->seen({met.device, met.board, met.sizes.states, met.sizes.actions, met.sizes.observations});
    if (!seen) return seen;
    const Outcome<std::uint64_t> pairs = store_->pairs(met.device, met.incarnation);
    if (!pairs) return fail(pairs.error());
    if (device_.board && resets_ == 0 && pairs.value() > 0) {
      return fail(Fault::input, options_.store,
                  fmt::format("has counts of boot {} of device {}, and this is another one", met.incarnation, met.device),
                  "pass --flash with the file that it had then, or another --id", "a board that remembers its boots keeps its flash");
    }
    const Outcome<std::uint64_t> next = store_->next_step(met.device, met.incarnation);
    if (!next) return fail(next.error());
    from = static_cast<std::uint32_t>(next.value());
  }
  if (!counts && met.has(link::feature_log)) session_->follow_log(from);
  return {};
}

Outcome<void> Connection::keep_counts() {
  if (!store_ || !info().has(link::feature_counts)) return {};
  std::map<std::uint32_t, std::vector<host::CountCell>> news;  // by incarnation
  for (const host::CountNews& one : session_->take_count_news()) news[one.incarnation].push_back({one.cell, one.value});
  for (const auto& [incarnation, cells] : news) {
    const std::uint64_t ticks = incarnation == status_.incarnation ? status_.ticks : 0;
    const Outcome<void> kept = store_->keep_counts(info().device, incarnation, cells, ticks);
    if (!kept) return kept;
  }
  return {};
}

Outcome<void> Connection::keep_image(const host::ImageFile& image) {
  if (!store_) return {};
  const ImageHeader& header = image.image().header();
  use_ = host::ImageUse{info().device, header.sequence, checksum_of(image), host::ImageState::sent};
  const Outcome<void> kept = store_->keep_image(use_->sequence, use_->checksum, header.episode, image.bytes());
  if (!kept) return kept;
  return store_->keep_use(*use_);
}

Outcome<void> Connection::keep_use(const host::SessionEvent& event) {
  const bool on_trial = std::holds_alternative<host::ImageOnTrial>(event);
  const bool confirmed = std::holds_alternative<host::ImageConfirmed>(event);
  const auto* fell_back = std::get_if<host::ImageFellBack>(&event);
  const auto* refused = std::get_if<host::ImageRefused>(&event);
  if (fell_back != nullptr || refused != nullptr) {
    const Problem& problem = fell_back != nullptr ? fell_back->problem : refused->problem;
    const Outcome<void> kept = keep_event(fell_back != nullptr ? "fell back" : "refused", problem.what);
    if (!kept) return kept;
  }
  if (!store_ || !use_ || !(on_trial || confirmed || fell_back != nullptr)) return {};
  use_->state = confirmed ? host::ImageState::confirmed : on_trial ? host::ImageState::on_trial : host::ImageState::fell_back;
  return store_->keep_use(*use_);
}

Outcome<void> Connection::keep_event(const char* kind, const std::string& text) {
  if (!store_) return {};
  const std::optional<host::DeviceInfo>& known = session_->device();
  host::Event event;
  if (known) {
    event.device = known->device;
    event.incarnation = known->incarnation;
  }
  event.kind = kind;
  event.text = text;
  return store_->keep_event(event);
}

Outcome<bool> Connection::sync() {
  const bool hurry = interruption_.asked();
  const bool stands_still = info().has(link::feature_plant);  // while it is held
  if (stands_still) session_->hold();
  session_->ask_status();
  status_came_.reset();
  swept_.reset();
  const bool counts = info().has(link::feature_counts);
  if (counts) session_->start_counts();
  const auto all_here = [&] { return status_came_ && (counts ? swept_.has_value() : session_->log_is_read()); };
  const Outcome<bool> came = hurry ? work_until(all_here, last_words) : work_until(all_here);
  if (!came) return fail(came.error());
  return came.value() && (!counts || (swept_->agree && swept_->exact == stands_still));
}

void Connection::sync_now_and_then() {
  const std::uint64_t now = milliseconds();
  if (session_->is_sweeping() || now - swept_at_ < sweep_every_ms) return;
  swept_at_ = now;
  session_->ask_status();
  session_->start_counts();
}

host::DeviceSizes sizes_of(const Model& model) { return {model.states.size(), model.actions.size(), model.observations.size()}; }

Outcome<void> needs_world(const Connection& connection) {
  if (connection.info().has(link::feature_plant)) return {};
  return fail(Fault::input, connection.name(), "acts in a world of its own, so that no model can be its world",
              "run a firmware that has the host for its plant, as examples/rover does");
}

}  // namespace penumbra::command

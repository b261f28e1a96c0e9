// Bytes to and fro, and what is to be said and kept about it.
#include "device/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace penumbra::command {

namespace {

constexpr std::uint64_t look_every_ms = 200;           // at the board's process
constexpr std::uint64_t sweep_every_ms = 2000;         // while the device goes on
constexpr std::chrono::milliseconds nap(10);           // the session's time-outs are tens of milliseconds
constexpr std::chrono::milliseconds last_words(2000);  // of a board that has ended
constexpr std::uint64_t after_signal_ms = 10000;

host::SessionOptions session_options(const DeviceOptions& options, const std::string& name, std::optional<host::DeviceSizes> sizes) {
  host::SessionOptions chosen;
  chosen.name = name;
  chosen.sizes = sizes;
  if (!options.port.empty() && options.id != 0) chosen.device = static_cast<std::uint32_t>(options.id);
  if (!options.port.empty()) chosen.suit(options.baud);
  chosen.silence_ms = std::min(chosen.silence_ms, static_cast<std::uint64_t>(options.patience * 1000));
  return chosen;
}

}  // namespace

Connection::Connection(const DeviceOptions& options, const Interruption& interruption) : options_(options), interruption_(interruption) {
  std::error_code none;
  flash_is_new_ = !options.flash.empty() && !std::filesystem::exists(options.flash, none);
}

Connection::~Connection() {
  if (files_kept_) return;
  std::error_code none;
  // Where no board of ours was started, what is in the file is another's.
  if (flash_is_new_ && (device_.board || std::filesystem::is_empty(options_.flash, none))) std::filesystem::remove(options_.flash, none);
  if (store_) store_->discard();
}

std::uint64_t Connection::milliseconds() const {
  const auto passed = std::chrono::steady_clock::now() - start_;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

Outcome<std::unique_ptr<Connection>> Connection::open(const DeviceOptions& options, std::optional<host::DeviceSizes> sizes,
                                                      Interruption& interruption) {
  std::unique_ptr<Connection> connection(new Connection(options, interruption));
  std::uint32_t number = options.id == 0 ? 1 : static_cast<std::uint32_t>(options.id);
  if (!options.port.empty()) {  // before a store is made for one that is not there
    Outcome<Device> device = open_device(options, number);
    if (!device) return fail(device.error());
    connection->device_ = std::move(device.value());
  }
  if (!options.store.empty()) {
    Outcome<host::Store> store = host::Store::open(options.store);
    if (!store) return fail(store.error());
    connection->store_.emplace(std::move(store.value()));
    bool is_new = !options.board.empty();
    // A board whose flash is empty is a new one. It needs a number that no other has: counts are told apart by number and boot.
    if (is_new && options.id == 0 && options.flash.empty()) {
      const Outcome<std::uint32_t> unused = connection->store_->new_device();
      if (!unused) return fail(unused.error());
      number = unused.value();
      is_new = false;
    }
    connection->record_.emplace(*connection->store_, is_new);
  }
  if (options.port.empty()) {
    Outcome<Device> device = open_device(options, number);
    if (!device) return fail(device.error());
    connection->device_ = std::move(device.value());
  }
  connection->clock_ = connection->milliseconds();
  const host::SessionOptions chosen = session_options(options, connection->name(), sizes);
  // On a slow line an answer takes its time.
  connection->patience_ms_ = std::max(static_cast<std::uint64_t>(options.patience * 1000), 4 * chosen.repeat_ms + chosen.settle_ms);
  connection->session_.emplace(chosen, connection->clock_);
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

Outcome<bool> Connection::work(const std::function<bool()>& enough, std::optional<std::uint64_t> deadline) {
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

// Everything that can be moved now, and before that a nap where there is nothing to say: a device that is asked has rarely answered yet.
// However long ago the last exchange was, time passes for the session only when what has arrived meanwhile is read.
Outcome<void> Connection::exchange() {
  std::array<std::uint8_t, 65536> room;
  session_->advance(clock_);
  output_ += session_->take_output();
  if (output_.empty()) device_.wire->wait(false, nap);
  const Outcome<std::size_t> got = device_.wire->read({room.data(), room.size()});
  if (!got) return fail(got.error());
  clock_ = milliseconds();
  if (got.value() > 0) session_->receive({room.data(), got.value()}, clock_);
  session_->advance(clock_);
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
    const std::optional<Problem> ended = board_ended(last_words);
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
  return {};
}

std::optional<Problem> Connection::board_ended(std::chrono::milliseconds patience) {
  std::optional<Problem> ended = device_.board->ended(patience);
  if (ended && session_->statistics().frames_in == 0 && !options_.firmware.empty())
    ended->advice = "is --firmware a program of this board?";
  return ended;
}

Outcome<void> Connection::check_alive() {
  if (device_.board) {
    if (const std::optional<Problem> ended = board_ended({})) return fail(*ended);
  }
  const double seconds = static_cast<double>(patience_ms_) / 1000;
  if (session_->unheard_for() >= patience_ms_) {
    const host::SessionStatistics& line = session_->statistics();
    const char* advice = session_->talks() ? "does what is sent to it arrive?"
                         : device_.board   ? "does this firmware speak the link?"
                                           : "is it on, is its firmware one that speaks the link, and --baud its speed?";
    return fail(
        Fault::system, name(), fmt::format("{}, and was waited for {} s", session_->talks() ? "answers nothing" : "says nothing", seconds),
        advice,
        line.bytes_in == 0 ? "not a byte has come" : fmt::format("{} bytes have come, and {} good frames", line.bytes_in, line.frames_in));
  }
  if (session_->overdue_for() >= patience_ms_) {
    return fail(Fault::system, name(), fmt::format("does not act: it has had the answer to its last action for {} s", seconds),
                "does its control interrupt still come?", "it answers questions");
  }
  if (session_->image_stands_for() >= patience_ms_) {
    const bool on_trial = session_->image() && session_->image()->checksum != 0 && session_->image()->confirmed == 0;
    return fail(Fault::system, name(),
                on_trial ? fmt::format("has an image on trial, and has not ticked for {} s", seconds)
                         : fmt::format("has not got on with its image for {} s", seconds),
                "does it act? where its control period is long, so has --patience to be", "it answers questions");
  }
  return {};
}

Outcome<void> Connection::take(const host::SessionEvent& event) {
  if (record_) {
    const Outcome<void> kept = record_->take(event, *session_);
    if (!kept) return kept;
  } else if (std::holds_alternative<host::Ready>(event) && has_log_alone()) {
    session_->follow_log();
  }
  if (const auto* reset = std::get_if<host::Reset>(&event)) {
    ++resets_;
    say(fmt::format("{}: has started again: boot {} after {}", name(), reset->incarnation, reset->before));
  }
  if (const auto* silent = std::get_if<host::Silent>(&event)) say(host::to_text(silent->problem));
  if (std::holds_alternative<host::Back>(event)) say(name() + ": is heard again");
  if (const auto* came = std::get_if<host::StatusCame>(&event)) take(came->status);
  if (const auto* swept = std::get_if<host::CountsSwept>(&event)) swept_ = *swept;
  if (const auto* gap = std::get_if<host::LogGap>(&event)) {
    say(fmt::format("{}: {} steps were overwritten before they were read", name(), gap->to - gap->from));
  }
  return watcher_ ? watcher_(event) : Outcome<void>{};
}

// What a device missed before we came is not held against it; what it missed in a boot that is over is not forgotten.
void Connection::take(const link::DeviceStatus& status) {
  if (!status_) missed_before_ = device_.board ? 0 : status.missed_deadlines;
  if (status_ && status_->incarnation != status.incarnation) {
    missed_in_earlier_boots_ += status_->missed_deadlines - missed_before_;
    missed_before_ = 0;
  }
  status_ = status;
  status_came_ = true;
}

std::uint64_t Connection::missed_deadlines() const noexcept {
  return missed_in_earlier_boots_ + (status_ ? status_->missed_deadlines - missed_before_ : 0);
}

const link::DeviceStatus& Connection::status() const noexcept {
  static const link::DeviceStatus none{};
  return status_ ? *status_ : none;
}

bool Connection::has_log_alone() const noexcept { return !info().has(link::feature_counts) && info().has(link::feature_log); }

Outcome<host::ImageFile> Connection::keep_image(host::ImageFile image) {
  if (!record_) return image;
  return record_->keep_image(std::move(image), *session_);
}

Outcome<bool> Connection::sync() {
  const bool counts = info().has(link::feature_counts);
  const bool log = has_log_alone();
  // One that has a world of its own does not stand still for us, and nothing would come of waiting for it.
  const bool stands_still = info().has(link::feature_plant);
  if (stands_still) {
    session_->hold();
  } else {
    session_->release();
  }
  std::optional<std::uint64_t> last_moment;
  const auto wait_for = [&](const std::function<bool()>& all_here) {
    Outcome<bool> came = interruption_.asked() ? Outcome<bool>(false) : work_until(all_here);
    if (!came || came.value()) return came;
    if (!last_moment) last_moment = milliseconds() + after_signal_ms;
    return work(all_here, last_moment);
  };
  swept_.reset();
  if (counts) session_->start_counts();
  if (log) session_->read_log();
  Outcome<bool> came = wait_for([&] { return (!counts || swept_) && (!log || session_->log_is_read()); });
  if (came && came.value()) {  // the status last: it has the last tick, and how that went
    status_came_ = false;
    session_->ask_status();
    came = wait_for([&] { return status_came_; });
  }
  if (!came) return fail(came.error());
  return came.value() && (!counts || (swept_->agree && swept_->exact == stands_still));
}

Outcome<void> Connection::know_counts() {
  const Outcome<bool> synced = sync();
  if (!synced) return fail(synced.error());
  if (synced.value() || interruption_.asked()) return {};
  return fail(Fault::system, name(), "its counts do not add up to what it says", "try again, or start it again");
}

void Connection::sync_now_and_then() {
  const std::uint64_t now = milliseconds();
  if (session_->is_sweeping() || now - swept_at_ < sweep_every_ms) return;
  swept_at_ = now;
  session_->ask_status();
  if (info().has(link::feature_counts)) session_->start_counts();
}

host::DeviceSizes sizes_of(const Model& model) { return {model.states.size(), model.actions.size(), model.observations.size()}; }

Outcome<void> needs_world(const Connection& connection) {
  if (connection.info().has(link::feature_plant)) return needs_counts(connection);
  return fail(Fault::input, connection.name(), "acts in a world of its own, so that no model can be its world",
              "run a firmware that has the host for its plant, as examples/rover does");
}

void say_counts_are_missing(const Connection& connection) {
  say(connection.name() + ": its counts did not all come: nothing is known about those that are missing");
}

bool made_its_deadlines(const Connection& connection) {
  if (connection.missed_deadlines() == 0) return true;
  say(fmt::format("{}: missed {} deadlines", connection.name(), connection.missed_deadlines()));
  return false;
}

bool stayed_up(const Connection& connection, std::uint32_t with_reason) {
  if (!connection.is_here() || connection.resets() <= with_reason) return true;
  say(fmt::format("{}: started again by itself, {} times", connection.name(), connection.resets() - with_reason));
  return false;
}

Outcome<void> needs_counts(const Connection& connection) {
  if (connection.info().has(link::feature_counts) || connection.info().has(link::feature_log)) return {};
  return fail(Fault::input, connection.name(), "keeps neither counts nor a log of its steps",
              "run a firmware whose device has PairCounts or a StepLog");
}

}  // namespace penumbra::command

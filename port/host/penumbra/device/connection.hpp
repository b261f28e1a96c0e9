// A device that is talked to: the line to it, the session on that line, and the store that what it tells goes to. work_until() is where
// the time passes. What happens on the way (a device that is silent or starts again, a port that was pulled out) is said on standard error,
// and the work goes on for as long as the user's patience lasts.
#pragma once

#include "device/device.hpp"
#include "interruption.hpp"

#include "penumbra/host/device_record.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace penumbra::command {

class Connection {
 public:
  // Opens device and store, and waits until the device has said what it is: one of these sizes, where they are given. The world is held.
  // Where a signal asks us to end meanwhile, the program ends here.
  [[nodiscard]] static Outcome<std::unique_ptr<Connection>> open(const DeviceOptions& options, std::optional<host::DeviceSizes> sizes,
                                                                 Interruption& interruption);

  [[nodiscard]] const std::string& name() const noexcept { return device_.name; }   // as messages call it
  [[nodiscard]] bool is_here() const noexcept { return device_.board != nullptr; }  // a board that we have started
  [[nodiscard]] host::Session& session() noexcept { return *session_; }
  [[nodiscard]] const host::DeviceInfo& info() const noexcept { return *session_->device(); }
  // The device is the right one for what is asked of it: from now on the files of its flash and of the store stay where they are new. What
  // fails before leaves none behind.
  void keep_files() noexcept { files_kept_ = true; }
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] host::DeviceRecord* record() noexcept { return record_ ? &*record_ : nullptr; }  // null: there is no store

  // Is told of whatever happens. A problem ends the work.
  void watch(std::function<Outcome<void>(const host::SessionEvent&)> watcher) { watcher_ = std::move(watcher); }

  // Until `enough`, which is asked whenever something may have changed. False: we were asked to stop. A problem: the device was given up,
  // because it answered nothing, or did not act, for as long as the user's patience lasts.
  [[nodiscard]] Outcome<bool> work_until(const std::function<bool()>& enough);

  // Holds the world, where it is ours, brings all counts here and into the store, and lets the status come. True: the counts are the
  // device's own, as of now or, where it goes on in a world of its own, as of some moment since the call. After a signal, before it or meanwhile, it has ten seconds.
  [[nodiscard]] Outcome<bool> sync();

  // The same before anything else: a problem where they are not.
  [[nodiscard]] Outcome<void> know_counts();

  // Brings counts here while the device goes on, now and then: what it tells is safe in the store whatever becomes of us.
  void sync_now_and_then();

  // An image that is about to be sent: with a store it may get another number (DeviceRecord). A DeviceLearner does that itself.
  [[nodiscard]] Outcome<host::ImageFile> keep_image(host::ImageFile image);

  // The last that came; all zeros before. sync() brings one.
  [[nodiscard]] const link::DeviceStatus& status() const noexcept;
  [[nodiscard]] std::uint32_t resets() const noexcept { return resets_; }
  [[nodiscard]] std::uint64_t missed_deadlines() const noexcept;  // since the first status that came

  // Since it was opened.
  [[nodiscard]] std::uint64_t milliseconds() const;

 private:
  Connection(const DeviceOptions& options, const Interruption& interruption);
  // With a deadline, in milliseconds(), a signal does not end it.
  [[nodiscard]] Outcome<bool> work(const std::function<bool()>& enough, std::optional<std::uint64_t> deadline);
  [[nodiscard]] Outcome<void> exchange();
  [[nodiscard]] Outcome<void> have_wire_back(const Problem& lost);
  [[nodiscard]] std::optional<Problem> board_ended(std::chrono::milliseconds patience);
  [[nodiscard]] Outcome<void> check_alive();
  [[nodiscard]] Outcome<void> take(const host::SessionEvent& event);
  void take(const link::DeviceStatus& status);
  [[nodiscard]] bool has_log_alone() const noexcept;

  // Where nobody has set another: it is held, and so never asked.
  struct NoWorld final : host::Plant {
    std::optional<std::uint8_t> act(std::uint8_t /*action*/) override { return std::nullopt; }
  };

  const DeviceOptions& options_;
  const Interruption& interruption_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool flash_is_new_ = false;
  bool files_kept_ = false;
  std::optional<host::Store> store_;
  std::optional<host::DeviceRecord> record_;  // what goes into it
  Device device_;
  NoWorld no_world_;
  std::optional<host::Session> session_;
  std::function<Outcome<void>(const host::SessionEvent&)> watcher_;
  std::string output_;
  std::uint64_t clock_ = 0;  // milliseconds, as the session was told them
  std::uint64_t patience_ms_ = 0;
  std::uint64_t looked_at_ = 0;  // when the board's process was last looked at
  std::uint64_t swept_at_ = 0;
  std::optional<host::CountsSwept> swept_;
  std::optional<link::DeviceStatus> status_;  // the last that came
  bool status_came_ = false;                  // since it was asked for
  std::uint32_t missed_before_ = 0;           // deadlines, in this boot before we came
  std::uint64_t missed_in_earlier_boots_ = 0;
  std::uint32_t resets_ = 0;
};

[[nodiscard]] host::DeviceSizes sizes_of(const Model& model);

// A problem where the device has a world of its own, so that the host cannot be it, or does not tell what it saw in it.
[[nodiscard]] Outcome<void> needs_world(const Connection& connection);
[[nodiscard]] Outcome<void> needs_counts(const Connection& connection);

void say_counts_are_missing(const Connection& connection);
// False, and said: deadlines were missed.
[[nodiscard]] bool made_its_deadlines(const Connection& connection);
// False, and said: a board of this machine has started again, more often than there was a reason for. One on a port has a button, and power of
// its own.
[[nodiscard]] bool stayed_up(const Connection& connection, std::uint32_t with_reason = 0);

}  // namespace penumbra::command

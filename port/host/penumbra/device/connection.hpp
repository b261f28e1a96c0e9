// A device that is talked to: the line to it, the session on that line, and the store that what it tells goes to. work_until() is where
// the time passes. What happens on the way (a device that is silent or starts again, a port that was pulled out) is said on standard error,
// and the work goes on for as long as the user's patience lasts.
#pragma once

#include "device/device.hpp"
#include "interruption.hpp"

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

  [[nodiscard]] const std::string& name() const noexcept { return device_.name; }  // as messages call it
  [[nodiscard]] host::Session& session() noexcept { return *session_; }
  [[nodiscard]] const host::DeviceInfo& info() const noexcept { return *session_->device(); }
  [[nodiscard]] host::Store* store() noexcept { return store_ ? &*store_ : nullptr; }  // null: none is kept

  // Is told of whatever happens. A problem ends the work.
  void watch(std::function<Outcome<void>(const host::SessionEvent&)> watcher) { watcher_ = std::move(watcher); }

  // Until `enough`, which is asked whenever something may have changed. False: we were asked to stop, or the time is over; what
  // is done after a signal has a limit, and does not stop for it. A problem: the device was given up.
  [[nodiscard]] Outcome<bool> work_until(const std::function<bool()>& enough);
  [[nodiscard]] Outcome<bool> work_until(const std::function<bool()>& enough, std::chrono::milliseconds limit);

  // Holds the world, where it is ours, brings all counts here and into the store, and lets the status come. True: the counts are the
  // device's own. After a signal it has two seconds.
  [[nodiscard]] Outcome<bool> sync();

  // Brings counts here while the device goes on, now and then: what it tells is safe in the store whatever becomes of us.
  void sync_now_and_then();

  // An image that the session sends: its bytes, and from then on what becomes of it, go to the store. A DeviceLearner does that itself.
  [[nodiscard]] Outcome<void> keep_image(const host::ImageFile& image);

  // The last that came; all zeros before.
  [[nodiscard]] const link::DeviceStatus& status() const noexcept { return status_; }
  [[nodiscard]] std::uint32_t resets() const noexcept { return resets_; }

  // Since it was opened.
  [[nodiscard]] std::uint64_t milliseconds() const;

 private:
  Connection(const DeviceOptions& options, const Interruption& interruption);
  [[nodiscard]] Outcome<bool> work(const std::function<bool()>& enough, std::optional<std::uint64_t> deadline);
  [[nodiscard]] Outcome<void> exchange();
  [[nodiscard]] Outcome<void> have_wire_back(const Problem& lost);
  [[nodiscard]] Outcome<void> check_alive();
  [[nodiscard]] Outcome<void> take(const host::SessionEvent& event);
  [[nodiscard]] Outcome<void> meet();
  [[nodiscard]] Outcome<void> keep_counts();
  [[nodiscard]] Outcome<void> keep_use(const host::SessionEvent& event);
  [[nodiscard]] Outcome<void> keep_event(const char* kind, const std::string& text);

  // Where nobody has set another: it is held, and so never asked.
  struct NoWorld final : host::Plant {
    std::optional<std::uint8_t> act(std::uint8_t /*action*/) override { return std::nullopt; }
  };

  const DeviceOptions& options_;
  const Interruption& interruption_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<host::Store> store_;
  Device device_;
  NoWorld no_world_;
  std::optional<host::Session> session_;
  std::function<Outcome<void>(const host::SessionEvent&)> watcher_;
  std::string output_;
  std::uint64_t frames_heard_ = 0;
  std::uint64_t heard_at_ = 0;   // milliseconds
  std::uint64_t looked_at_ = 0;  // when the board's process was last looked at
  std::uint64_t swept_at_ = 0;
  std::optional<host::CountsSwept> swept_;
  std::optional<link::DeviceStatus> status_came_;
  link::DeviceStatus status_;
  std::uint32_t resets_ = 0;
  std::optional<host::ImageUse> use_;  // of the image that was sent last
};

[[nodiscard]] host::DeviceSizes sizes_of(const Model& model);

// A problem where the device has a world of its own, so that the host cannot be it.
[[nodiscard]] Outcome<void> needs_world(const Connection& connection);

}  // namespace penumbra::command

// What a session tells of its device, kept in a store: who it is, its counts or the steps of its log, the images that it was sent, and what
// happened to it.
//
//   DeviceRecord record(store);
//   …for each event of the session, before anybody acts on it: record.take(event, session)…
//
// A device that has forgotten its boots would have its counts taken for those of an earlier life. It is found out before anything of it is
// kept: by the number of its boot, and by its ticks.
#pragma once

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/session.hpp"
#include "penumbra/host/store.hpp"

#include <cstdint>
#include <optional>

namespace penumbra::host {

class DeviceRecord {
 public:
  // The store outlives it. `is_new`: the boot has just begun, so that a store which knows it knows another one.
  explicit DeviceRecord(Store& store, bool is_new = false) : store_(store), is_new_(is_new) {}

  [[nodiscard]] Outcome<void> take(const SessionEvent& event, Session& session);

  // An image that is about to be sent, and from now on what becomes of it. Where the project has another image under its sequence number, it
  // is given a newer one.
  [[nodiscard]] Outcome<ImageFile> keep_image(ImageFile image, const Session& session);

  [[nodiscard]] Store& store() const noexcept { return store_; }

 private:
  [[nodiscard]] Outcome<void> meet(Session& session, bool is_new);
  [[nodiscard]] Outcome<void> hold_against_store(const link::DeviceStatus& status, Session& session);
  [[nodiscard]] Outcome<void> keep_counts(Session& session);
  [[nodiscard]] Outcome<void> keep_steps(const LogSteps& log, const Session& session);
  [[nodiscard]] Outcome<void> keep_use(ImageState state);
  [[nodiscard]] Outcome<void> keep_event(const char* kind, const std::string& text, const Session& session);

  Store& store_;
  bool is_new_;
  bool is_known_ = false;  // it is the one that the store knows
  Life life_;              // its present one, as far as is known
  std::uint32_t incarnation_ = 0;
  std::optional<ImageUse> use_;  // of the image that was sent last
};

}  // namespace penumbra::host

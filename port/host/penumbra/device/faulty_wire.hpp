// A wire with faults, for loop tests: what passes between the host and the device is lost, changed and late, as --faults asks for, whatever
// the line itself is like.
#pragma once

#include "device/wire.hpp"

#include "penumbra/host/faulty_line.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace penumbra::command {

// "0.01": every kind of fault with this probability of a frame; "drop=0.1,delay=0.01": these. The problem is one of use.
[[nodiscard]] host::Outcome<host::LineFaults> read_faults(const std::string& text);

class FaultyWire final : public Wire {
 public:
  FaultyWire(std::unique_ptr<Wire> wire, const host::LineFaults& faults, std::uint64_t seed);

  [[nodiscard]] const std::string& name() const noexcept override { return wire_->name(); }
  void wait(bool to_write, std::chrono::milliseconds most) override;
  [[nodiscard]] host::Outcome<std::size_t> read(etl::span<std::uint8_t> room) override;
  [[nodiscard]] host::Outcome<std::size_t> write(etl::span<const std::uint8_t> bytes) override;
  [[nodiscard]] host::Outcome<void> reopen() override { return wire_->reopen(); }

 private:
  [[nodiscard]] std::uint64_t now() const;
  [[nodiscard]] host::Outcome<void> send_what_is_due();

  std::unique_ptr<Wire> wire_;
  host::FaultyLine in_;
  host::FaultyLine out_;
  std::string due_;  // has passed the faults, and waits for room
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace penumbra::command

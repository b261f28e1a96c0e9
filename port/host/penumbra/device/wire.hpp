// A line of bytes to a device, as the host sees it: a serial port, or a socket to an emulated board. Nothing here waits but wait().
#pragma once

#include "penumbra/host/problem.hpp"

#include <etl/span.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace penumbra::command {

class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  // Where it leads, as messages call it.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;

  // Until bytes have come, there is room for more where `to_write` says so, the line is lost, a signal comes, or the time is over.
  virtual void wait(bool to_write, std::chrono::milliseconds most) = 0;

  // Takes what has come, at most room.size(); 0: nothing yet. A problem: the line is lost.
  [[nodiscard]] virtual host::Outcome<std::size_t> read(etl::span<std::uint8_t> room) = 0;

  // Sends what fits, from the front; 0: no room now. A problem: the line is lost.
  [[nodiscard]] virtual host::Outcome<std::size_t> write(etl::span<const std::uint8_t> bytes) = 0;

  // Tries to have a lost line back. A problem: not yet. It may be tried again.
  [[nodiscard]] virtual host::Outcome<void> reopen() = 0;
};

}  // namespace penumbra::command

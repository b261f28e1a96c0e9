// The wire to a board that runs on this machine: a connected stream socket. What is lost stays lost: the other end has gone.
#pragma once

#include "descriptor.hpp"
#include "device/wire.hpp"

namespace penumbra::command {

class SocketWire final : public Wire {
 public:
  SocketWire(std::string name, Descriptor socket);

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void wait(bool to_write, std::chrono::milliseconds most) override;
  [[nodiscard]] host::Outcome<std::size_t> read(etl::span<std::uint8_t> room) override;
  [[nodiscard]] host::Outcome<std::size_t> write(etl::span<const std::uint8_t> bytes) override;
  [[nodiscard]] host::Outcome<void> reopen() override { return lost(); }

 private:
  [[nodiscard]] host::Failure lost() const;

  std::string name_;
  Descriptor socket_;
};

}  // namespace penumbra::command

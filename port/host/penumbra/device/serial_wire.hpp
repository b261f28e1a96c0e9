// The wire to a real board: a serial port, 8 data bits, no parity, one stop bit, through libserialport. A port that is pulled out and put in
// again can be opened again.
#pragma once

#include "device/wire.hpp"

#include <libserialport.h>

#include <memory>
#include <vector>

namespace penumbra::command {

struct SerialPort {
  std::string name;
  std::string description;
};
// Those of this machine.
[[nodiscard]] host::Outcome<std::vector<SerialPort>> serial_ports();

class SerialWire final : public Wire {
 public:
  // A problem where there is no such port, it cannot be opened, is somebody else's, or cannot go at that speed.
  [[nodiscard]] static host::Outcome<std::unique_ptr<SerialWire>> open(const std::string& port, int baud);

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void wait(bool to_write, std::chrono::milliseconds most) override;
  [[nodiscard]] host::Outcome<std::size_t> read(etl::span<std::uint8_t> room) override;
  [[nodiscard]] host::Outcome<std::size_t> write(etl::span<const std::uint8_t> bytes) override;
  [[nodiscard]] host::Outcome<void> reopen() override;

 private:
  struct Close {
    void operator()(sp_port* port) const noexcept;
  };

  SerialWire(std::string name, int baud) : name_(std::move(name)), baud_(baud) {}

  std::string name_;
  int baud_;
  std::unique_ptr<sp_port, Close> port_;
  bool hung_up_ = false;
};

}  // namespace penumbra::command

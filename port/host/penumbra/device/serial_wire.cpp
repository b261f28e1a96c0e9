// The wire to a real board.
#include "device/serial_wire.hpp"

#include <poll.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace penumbra::command {

namespace {

// What the library says about the call that has just failed.
std::string reason(sp_return result) {
  switch (result) {
    case SP_ERR_ARG: return "there is no such serial port (a pseudo-terminal is none)";
    case SP_ERR_SUPP: return "it cannot do that";
    case SP_ERR_MEM: return "there is not enough memory";
    default: break;
  }
  const int error = sp_last_error_code();
  return error == 0 ? "it is not a serial port" : std::generic_category().message(error);
}

const char* const advice = "penumbra device list shows the ports of this machine";

}  // namespace

host::Outcome<std::vector<SerialPort>> serial_ports() {
  sp_port** list = nullptr;
  if (const sp_return result = sp_list_ports(&list); result != SP_OK) {
    return host::fail(host::Fault::system, "", "the serial ports of this machine cannot be listed: " + reason(result));
  }
  std::vector<SerialPort> ports;
  for (sp_port** port = list; *port != nullptr; ++port) {
    const char* description = sp_get_port_description(*port);
    ports.push_back({sp_get_port_name(*port), description == nullptr ? "" : description});
  }
  sp_free_port_list(list);
  return ports;
}

void SerialWire::Close::operator()(sp_port* port) const noexcept {
  sp_close(port);  // complains where it is closed already, and does nothing
  sp_free_port(port);
}

host::Outcome<std::unique_ptr<SerialWire>> SerialWire::open(const std::string& port, int baud) {
  std::unique_ptr<SerialWire> wire(new SerialWire(port, baud));
  const host::Outcome<void> opened = wire->reopen();
  if (!opened) return host::fail(opened.error());
  return wire;
}

host::Outcome<void> SerialWire::reopen() {
  port_.reset();
  hung_up_ = false;
  // The library knows ports by their own names, not by links such as those in /dev/serial. What they lead to may change.
  std::error_code none;
  const std::filesystem::path itself = std::filesystem::canonical(name_, none);
  sp_port* found = nullptr;
  if (const sp_return result = sp_get_port_by_name(none ? name_.c_str() : itself.c_str(), &found); result != SP_OK) {
    return host::fail(host::Fault::system, name_, "cannot be opened: " + reason(result), advice);
  }
  std::unique_ptr<sp_port, Close> port(found);
  if (const sp_return result = sp_open(found, SP_MODE_READ_WRITE); result != SP_OK) {
    return host::fail(host::Fault::system, name_, "cannot be opened: " + reason(result), advice);
  }
  int file = -1;
  if (sp_get_port_handle(found, &file) == SP_OK && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return host::fail(host::Fault::system, name_, "is in use by another program", "end that one first");
  }
  for (const auto& [what, result] :
       {std::pair{"baud", sp_set_baudrate(found, baud_)}, std::pair{"8 bits", sp_set_bits(found, 8)},
        std::pair{"no parity", sp_set_parity(found, SP_PARITY_NONE)}, std::pair{"1 stop bit", sp_set_stopbits(found, 1)},
        std::pair{"no flow control", sp_set_flowcontrol(found, SP_FLOWCONTROL_NONE)}}) {
    if (result == SP_OK) continue;
    const std::string asked = std::string(what) == "baud" ? std::to_string(baud_) + " baud" : what;
    return host::fail(host::Fault::system, name_, "cannot be set to " + asked, "choose another speed with --baud");
  }
  sp_flush(found, SP_BUF_BOTH);
  port_ = std::move(port);
  return {};
}

void SerialWire::wait(bool to_write, std::chrono::milliseconds most) {
  pollfd polled{-1, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
  if (port_) sp_get_port_handle(port_.get(), &polled.fd);
  ::poll(&polled, 1, static_cast<int>(most.count()));
  hung_up_ = (polled.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;  // a read would only say that there is nothing
}

// libserialport returns counts as an enumeration that has no such values. In C that is fine, and here the sanitizer need not be told.
__attribute__((no_sanitize("enum"))) host::Outcome<std::size_t> SerialWire::read(etl::span<std::uint8_t> room) {
  const sp_return got = port_ ? sp_nonblocking_read(port_.get(), room.data(), room.size()) : SP_ERR_FAIL;
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0 && !hung_up_) return std::size_t{0};
  return host::fail(host::Fault::system, name_, "has gone");
}

__attribute__((no_sanitize("enum"))) host::Outcome<std::size_t> SerialWire::write(etl::span<const std::uint8_t> bytes) {
  const sp_return sent = port_ ? sp_nonblocking_write(port_.get(), bytes.data(), bytes.size()) : SP_ERR_FAIL;
  if (sent >= 0) return static_cast<std::size_t>(sent);
  return host::fail(host::Fault::system, name_, "has gone");
}

}  // namespace penumbra::command

// The wire to a board that runs on this machine.
#include "device/socket_wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace penumbra::command {

namespace {

bool for_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

SocketWire::SocketWire(std::string name, Descriptor socket) : name_(std::move(name)), socket_(std::move(socket)) {
  ::fcntl(socket_.number(), F_SETFL, O_NONBLOCK);
}

host::Failure SocketWire::lost() const { return host::fail(host::Fault::system, name_, "has closed the line"); }

void SocketWire::wait(bool to_write, std::chrono::milliseconds most) {
  pollfd polled{socket_.number(), static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
  ::poll(&polled, 1, static_cast<int>(most.count()));
}

host::Outcome<std::size_t> SocketWire::read(etl::span<std::uint8_t> room) {
  const ssize_t got = ::recv(socket_.number(), room.data(), room.size(), 0);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got < 0 && for_now(errno)) return std::size_t{0};
  return lost();
}

host::Outcome<std::size_t> SocketWire::write(etl::span<const std::uint8_t> bytes) {
  const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (for_now(errno)) return std::size_t{0};
  return lost();
}

}  // namespace penumbra::command

// Faults between the host and the device.
#include "device/faulty_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace penumbra::command {

namespace {

using host::LineFaults;

constexpr std::array<std::pair<std::string_view, double LineFaults::*>, 6> kinds{{{"drop", &LineFaults::drop},
                                                                                  {"duplicate", &LineFaults::duplicate},
                                                                                  {"reorder", &LineFaults::reorder},
                                                                                  {"corrupt", &LineFaults::corrupt},
                                                                                  {"truncate", &LineFaults::truncate},
                                                                                  {"delay", &LineFaults::delay}}};

// Half at most: on a line that loses nearly everything nothing would ever come of it.
bool read_probability(std::string_view text, double& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && value >= 0 && value <= 0.5;
}

bool read_fault(std::string_view text, LineFaults& faults) {
  const std::size_t equals = text.find('=');
  for (const auto& [name, probability] : kinds) {
    if (text.substr(0, equals) == name)
      return equals != std::string_view::npos && read_probability(text.substr(equals + 1), faults.*probability);
  }
  return false;
}

etl::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {static_cast<const std::uint8_t*>(static_cast<const void*>(text.data())), text.size()};
}

}  // namespace

host::Outcome<LineFaults> read_faults(const std::string& text) {
  double all = 0;
  if (read_probability(text, all)) return LineFaults::all_at(all);
  LineFaults faults;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    if (!read_fault(one, faults)) {
      return host::fail(
          host::Fault::usage, "", fmt::format("\"{}\" is neither a probability up to 0.5 nor a fault with one", one),
          "0.01 for all kinds, or such as drop=0.1,corrupt=0.01; the kinds are drop, duplicate, reorder, corrupt, truncate, delay");
    }
    if (comma == std::string_view::npos) return faults;
    rest.remove_prefix(comma + 1);
  }
}

FaultyWire::FaultyWire(std::unique_ptr<Wire> wire, const LineFaults& faults, std::uint64_t seed)
    : wire_(std::move(wire)), in_(faults, seed, host::Stream::line_in), out_(faults, seed, host::Stream::line_out) {}

std::uint64_t FaultyWire::now() const {
  const auto passed = std::chrono::steady_clock::now() - start_;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

void FaultyWire::wait(bool to_write, std::chrono::milliseconds most) {
  const bool busy = in_.is_busy() || out_.is_busy();
  wire_->wait(to_write || !due_.empty(), busy ? std::min(most, std::chrono::milliseconds(1)) : most);
}

host::Outcome<void> FaultyWire::send_what_is_due() {
  std::array<std::uint8_t, 4096> bytes;
  while (const std::size_t size = out_.read({bytes.data(), bytes.size()}, now())) due_.append(bytes.begin(), bytes.begin() + size);
  if (due_.empty()) return {};
  const host::Outcome<std::size_t> sent = wire_->write(bytes_of(due_));
  if (!sent) return host::fail(sent.error());
  due_.erase(0, sent.value());
  return {};
}

host::Outcome<std::size_t> FaultyWire::read(etl::span<std::uint8_t> room) {
  const host::Outcome<void> went = send_what_is_due();
  if (!went) return host::fail(went.error());
  std::array<std::uint8_t, 4096> bytes;
  for (;;) {
    const host::Outcome<std::size_t> got = wire_->read({bytes.data(), bytes.size()});
    if (!got) return got;
    if (got.value() == 0) break;
    in_.write({bytes.data(), got.value()}, now());
  }
  return in_.read(room, now());
}

host::Outcome<std::size_t> FaultyWire::write(etl::span<const std::uint8_t> bytes) {
  out_.write(bytes, now());
  const host::Outcome<void> went = send_what_is_due();
  if (!went) return host::fail(went.error());
  return bytes.size();
}

}  // namespace penumbra::command

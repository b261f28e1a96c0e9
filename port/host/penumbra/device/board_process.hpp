// A board that runs on this machine: QEMU with the board's firmware, or the host build of the firmware. It has a line to us (a socket that it
// inherits) and a flash (a file that it inherits); what it says on its console goes to standard error line by line, with its name in
// front. It dies with us, whatever we die of.
#pragma once

#include "descriptor.hpp"
#include "device/boards.hpp"

#include "penumbra/host/problem.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace penumbra::command {

struct BoardStart {
  const Board* board = nullptr;
  std::string firmware;  // empty: where the board's preset builds it
  std::string flash;     // a file that keeps it, made where there is none; empty: it is gone with the board
  std::uint32_t id = 1;
  std::optional<std::uint32_t> deadline_us;  // of a tick; none: the firmware's own
};

class BoardProcess {
 public:
  [[nodiscard]] static host::Outcome<std::unique_ptr<BoardProcess>> start(const BoardStart& start);

  ~BoardProcess();
  BoardProcess(const BoardProcess&) = delete;
  BoardProcess& operator=(const BoardProcess&) = delete;

  // Our end of the line. Once.
  [[nodiscard]] Descriptor take_line() noexcept { return std::move(line_); }

  // A board does not end by itself: how it did, if it has within `patience`.
  [[nodiscard]] std::optional<host::Problem> ended(std::chrono::milliseconds patience = {});

 private:
  explicit BoardProcess(std::string name) : name_(std::move(name)) {}
  void pass_console_on(Descriptor console);

  std::string name_;
  pid_t process_ = -1;  // negative: it has ended, and `status_` is how
  int status_ = 0;
  Descriptor line_;
  std::thread console_;
};

// Whether the emulator is installed.
[[nodiscard]] bool emulator_is_here();

}  // namespace penumbra::command

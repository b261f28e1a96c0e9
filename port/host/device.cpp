// The workstation as a board with a link. The serial line is an open socket (or pipe, or terminal) that whoever started the program left
// it: fd=NUMBER on the command line. The control interrupt is a signal when a timer asks for it, and a call when the background does. A
// reset starts the program again in its own process, with the same arguments and the same line.
#include "device_port.hpp"

#include "board.hpp"
#include "standstill.hpp"
#include "tester.hpp"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace penumbra::board {
namespace {

int line = -1;           // the serial line; none: nothing comes, and what is sent is gone
bool drained = false;    // the last read() has taken all there was: the next one need not ask, for once
bool has_timer = false;  // SIGALRM is the control timer's
::timer_t control_timer{};
std::uint32_t let_go = 0;  // periods of the timer that no control_interrupt() has been told of
std::uint32_t lost = 0;    // what the present or last one is told
const auto beginning = std::chrono::steady_clock::now();

template <class Unit>
std::uint32_t since_beginning() noexcept {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<Unit>(std::chrono::steady_clock::now() - beginning).count());
}

// Whoever had the other end is gone, and so is the reason to run. A board would wait for the next one; a process must not stay behind.
[[noreturn]] void end_of_line() noexcept { exit(0); }

// Bytes moved, 0 when there are none to move now.
std::size_t moved(::ssize_t result) noexcept {
  if (result >= 0) return static_cast<std::size_t>(result);
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) end_of_line();
  return 0;
}

::sigset_t control_signal() noexcept {
  ::sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  return set;
}

[[noreturn]] void fail(const char* what) noexcept {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  exit(status_abort);
}

// The timer's signal is blocked meanwhile. A tick that takes too long leaves the next one waiting: that is taken off, so that the background
// gets its share.
void run_control() noexcept {
  lost = let_go;
  let_go = 0;
  control_interrupt();
  const ::sigset_t timer = control_signal();
  const ::timespec at_once{};
  ::siginfo_t late{};
  if (has_timer && ::sigtimedwait(&timer, &late, &at_once) == SIGALRM) let_go += 1U + static_cast<std::uint32_t>(late.si_overrun);
}

// A signal that waits stands for all periods that ended since.
void on_timer(int /*signal*/, ::siginfo_t* info, void* /*context*/) noexcept {
  const int before = errno;
  let_go += static_cast<std::uint32_t>(info->si_overrun);
  run_control();
  errno = before;
}

}  // namespace

void start() noexcept {}

// The operating system's timer counts on.
Standstill::Standstill() noexcept = default;
Standstill::~Standstill() noexcept = default;

void idle() noexcept {
  constexpr int longest_ms = 1;
  ::pollfd wait = {line, POLLIN, 0};
  static_cast<void>(::poll(&wait, 1, longest_ms));
}

void Uart::start() noexcept {
  std::uint32_t number = 0;
  if (!argument("fd", number)) return;
  line = static_cast<int>(number);
  const int flags = ::fcntl(line, F_GETFL);
  if (flags < 0 || ::fcntl(line, F_SETFL, flags | O_NONBLOCK) < 0) fail("fd=… on the command line is no open file");
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

std::size_t Uart::read(etl::span<std::uint8_t> room) noexcept {
  if (line < 0 || room.empty() || std::exchange(drained, false)) return 0;
  const ::ssize_t result = ::read(line, room.data(), room.size());
  if (result == 0) end_of_line();
  const std::size_t size = moved(result);
  drained = size != 0 && size < room.size();
  return size;
}

std::size_t Uart::write(etl::span<const std::uint8_t> bytes) noexcept {
  return line < 0 ? bytes.size() : moved(::write(line, bytes.data(), bytes.size()));
}

std::uint32_t microseconds() noexcept { return since_beginning<std::chrono::microseconds>(); }
std::uint32_t milliseconds() noexcept { return since_beginning<std::chrono::milliseconds>(); }

void request_control() noexcept {
  const ::sigset_t timer = control_signal();
  if (has_timer) static_cast<void>(::sigprocmask(SIG_BLOCK, &timer, nullptr));
  run_control();
  if (has_timer) static_cast<void>(::sigprocmask(SIG_UNBLOCK, &timer, nullptr));
}

void start_control_timer(std::uint32_t period_us) noexcept {
  if (!has_timer) {
    struct ::sigaction action {};
    action.sa_sigaction = on_timer;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    ::sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    if (::sigaction(SIGALRM, &action, nullptr) != 0 || ::timer_create(CLOCK_MONOTONIC, &event, &control_timer) != 0)
      fail("the control timer");
    has_timer = true;
  }
  ::timespec period{};
  period.tv_sec = period_us / 1'000'000;
  period.tv_nsec = period_us % 1'000'000 * 1'000;
  const ::itimerspec every = {period, period};
  if (::timer_settime(control_timer, 0, &every, nullptr) != 0) fail("the control timer");
}

bool control_overran() noexcept {
  ::sigset_t waiting;
  sigemptyset(&waiting);
  return has_timer && ::sigpending(&waiting) == 0 && sigismember(&waiting, SIGALRM) == 1;
}

std::uint32_t control_periods_lost() noexcept { return lost; }

void reset() noexcept {
  std::array<char, longest_command_line> words{};
  std::array<char*, longest_command_line + 1> arguments{};  // a word may be empty, and a null ends them
  char* const end = words.data() + command_line(words);
  std::size_t count = 0;
  for (char* word = words.data(); word != end; word += std::strlen(word) + 1) arguments[count++] = word;
  arguments[count] = nullptr;
  // The timer's signal must not meet a program that does not expect it yet, nor be blocked in it because a tick has asked for the reset: to
  // ignore a signal that waits forgets it.
  if (has_timer) static_cast<void>(::timer_delete(control_timer));
  static_cast<void>(std::signal(SIGALRM, SIG_IGN));
  static_cast<void>(std::signal(SIGALRM, SIG_DFL));
  const ::sigset_t timer = control_signal();
  static_cast<void>(::sigprocmask(SIG_UNBLOCK, &timer, nullptr));
  static_cast<void>(::execv("/proc/self/exe", arguments.data()));
  fail("reset");
}

}  // namespace penumbra::board

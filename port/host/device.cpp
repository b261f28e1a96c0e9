// The workstation as a board with a link. The serial line is an open socket (or pipe, or terminal) that whoever started the program left
// it: fd=NUMBER on the command line. The control interrupt is a signal when a timer asks for it, and a call when the background does. A
// reset starts the program again in its own process, with the same arguments and the same line.
#include "device_port.hpp"

#include "board.hpp"
#include "tester.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace penumbra::board {
namespace {

int line = -1;           // the serial line; none: nothing comes, and what is sent is gone
bool has_timer = false;  // SIGALRM is the control timer's
::itimerval control_period{};
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

void on_timer(int) noexcept;

void handle_timer_by(void (*handler)(int)) noexcept {
  struct ::sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  static_cast<void>(::sigaction(SIGALRM, &action, nullptr));
}

void run_timer(const ::itimerval& period) noexcept {
  handle_timer_by(on_timer);
  if (::setitimer(ITIMER_REAL, &period, nullptr) != 0) fail("the control timer");
}

// A late tick leaves its signal waiting. To ignore that signal forgets it, and stops the timer, which starts anew: the background gets a
// period to itself.
void on_timer(int) noexcept {
  const int before = errno;
  control_interrupt();
  if (control_overran()) {
    handle_timer_by(SIG_IGN);
    run_timer(control_period);
  }
  errno = before;
}

}  // namespace

void start() noexcept {}

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
  if (line < 0 || room.empty()) return 0;
  const ::ssize_t result = ::read(line, room.data(), room.size());
  if (result == 0) end_of_line();
  return moved(result);
}

std::size_t Uart::write(etl::span<const std::uint8_t> bytes) noexcept {
  return line < 0 ? bytes.size() : moved(::write(line, bytes.data(), bytes.size()));
}

std::uint32_t microseconds() noexcept { return since_beginning<std::chrono::microseconds>(); }
std::uint32_t milliseconds() noexcept { return since_beginning<std::chrono::milliseconds>(); }

void request_control() noexcept {
  const ::sigset_t timer = control_signal();
  if (has_timer) static_cast<void>(::sigprocmask(SIG_BLOCK, &timer, nullptr));
  control_interrupt();
  if (has_timer) static_cast<void>(::sigprocmask(SIG_UNBLOCK, &timer, nullptr));
}

void start_control_timer(std::uint32_t period_us) noexcept {
  has_timer = true;
  ::timeval period{};
  period.tv_sec = period_us / 1'000'000;
  period.tv_usec = period_us % 1'000'000;
  control_period = {period, period};
  run_timer(control_period);
}

bool control_overran() noexcept {
  ::sigset_t waiting;
  sigemptyset(&waiting);
  return has_timer && ::sigpending(&waiting) == 0 && sigismember(&waiting, SIGALRM) == 1;
}

void reset() noexcept {
  std::array<char, longest_command_line> words{};
  std::array<char*, longest_command_line / 2> arguments{};
  char* const end = words.data() + command_line(words);
  std::size_t count = 0;
  for (char* word = words.data(); word != end; word += std::strlen(word) + 1) arguments[count++] = word;
  arguments[count] = nullptr;
  // The timer's signal must not meet a program that does not expect it yet, nor stay blocked where a tick resets.
  const ::itimerval none{};
  const ::sigset_t timer = control_signal();
  static_cast<void>(::setitimer(ITIMER_REAL, &none, nullptr));
  handle_timer_by(SIG_IGN);
  static_cast<void>(::sigprocmask(SIG_UNBLOCK, &timer, nullptr));
  static_cast<void>(::execv("/proc/self/exe", arguments.data()));
  fail("reset");
}

}  // namespace penumbra::board

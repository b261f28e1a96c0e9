// A board that runs on this machine.
#include "device/board_process.hpp"

#include "child.hpp"
#include "command.hpp"
#include "plain_text.hpp"

#include "board.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <vector>

namespace penumbra::command {

namespace {

constexpr const char* emulator = "qemu-system-arm";

host::Failure cannot_start(const std::string& name, int error) {
  return host::fail(host::Fault::system, name, "cannot be started: " + std::generic_category().message(error),
                    error == EACCES ? "is it a program of this workstation?" : "");
}

host::Outcome<std::string> firmware_of(const BoardStart& start) {
  const std::string& path = start.firmware.empty() ? start.board->firmware : start.firmware;
  if (::access(path.c_str(), R_OK) == 0) return path.find('/') == std::string::npos ? "./" + path : path;  // a file, not a command
  const std::string what = errno == ENOENT ? "there is no such firmware" : "cannot be read: " + std::generic_category().message(errno);
  if (!start.firmware.empty())
    return host::fail(host::Fault::system, path, what, "name the program of " + start.board->name + ", or leave --firmware out");
  return host::fail(host::Fault::system, path, what, "or name another firmware with --firmware",
                    start.board->name + "'s is built by: " + how_to_build(*start.board));
}

// Not a name in the file system but a file that the board inherits: it needs no cleaning up, and its path has no spaces.
host::Outcome<Descriptor> open_flash(const std::string& path, const Board& board) {
  Descriptor file(path.empty() ? ::memfd_create("flash", MFD_CLOEXEC) : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  const std::string name = path.empty() ? "the board's flash" : path;
  if (file.number() < 0) {
    return host::fail(host::Fault::system, name, "cannot be opened: " + std::generic_category().message(errno),
                      errno == ENOENT ? "make its folder first" : "");
  }
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    return host::fail(host::Fault::system, name, "is the flash of a board that runs now", "end that one first");
  }
  // The board would make a flash of whatever it is, a policy image or a model among them.
  struct stat found {};
  if (::fstat(file.number(), &found) != 0) return host::fail(host::Fault::system, name, std::generic_category().message(errno));
  if (const auto size = static_cast<std::size_t>(found.st_size); size != 0 && size != board.flash_size) {
    return host::fail(host::Fault::input, name,
                      fmt::format("is not the flash of {}: it has {} bytes, and that has {}", board.name, size, board.flash_size),
                      "name a file that is not there yet, or this board's own");
  }
  return file;
}

// As QEMU wants a text in a list of options.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char byte : text) out += byte == ',' ? ",," : std::string(1, byte);
  return out;
}

std::vector<std::string> command_line(const BoardStart& start, const std::string& firmware, int line, int flash) {
  std::vector<std::string> words = {fmt::format("flash=/proc/self/fd/{}", flash), fmt::format("id={}", start.id)};
  if (start.deadline_us) words.push_back(fmt::format("deadline={}", *start.deadline_us));
  if (start.board->machine.empty()) {
    words.insert(words.begin(), {firmware, fmt::format("fd={}", line)});
    return words;
  }
  std::string semihosting = "enable=on,target=native,chardev=console,arg=firmware";
  for (const std::string& word : words) semihosting += ",arg=" + escaped(word);
  return {emulator,
          "-M",
          start.board->machine,
          "-display",
          "none",
          "-monitor",
          "none",
          "-chardev",
          fmt::format("socket,id=line,fd={}", line),
          "-serial",
          "chardev:line",
          "-chardev",
          "stdio,id=console,signal=off",
          "-semihosting-config",
          semihosting,
          "-kernel",
          firmware};
}

// In the child, between fork() and exec(): nothing but system calls.
[[noreturn]] void become(char* const* words, pid_t parent, const std::array<int, 2>& kept, int console, int failed) {
  ::setpgid(0, 0);  // Ctrl-C is ours: the board lives until we have asked it for what it knows
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // we died before that
  for (const int file : kept) ::fcntl(file, F_SETFD, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(console, STDOUT_FILENO);
  ::dup2(console, STDERR_FILENO);
  ::execvp(words[0], words);
  const int error = errno;
  static_cast<void>(!::write(failed, &error, sizeof error));
  ::_exit(127);
}

std::string how(int status) {
  if (WIFSIGNALED(status)) return fmt::format("died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  switch (const int code = WEXITSTATUS(status)) {
    case 0: return "ended, which a board does not";
    case board::status_fault: return fmt::format("stopped with a fault (status {})", code);
    case board::status_interrupt: return fmt::format("stopped at an interrupt that nothing handles (status {})", code);
    case board::status_abort: return fmt::format("stopped at abort() or an assertion (status {})", code);
    default: return fmt::format("ended with status {}", code);
  }
}

}  // namespace

bool emulator_is_here() {
  const host::Outcome<Ran> ran = run_child({emulator, "--version"}, "", std::chrono::seconds(10));
  return ran && ran.value().status == 0;
}

host::Outcome<std::unique_ptr<BoardProcess>> BoardProcess::start(const BoardStart& start) {
  if (start.board->machine == no_machine) {
    return host::fail(host::Fault::usage, "", "--board: no emulator is " + start.board->name,
                      "connect the real one, and name its port with --port TTY");
  }
  if (!start.flash.empty() && start.board->flash_size == 0) {
    return host::fail(host::Fault::usage, "", "--flash: the flash of " + start.board->name + " is the emulator's, and gone with it",
                      "leave it out, or take another board");
  }
  const host::Outcome<std::string> firmware = firmware_of(start);
  if (!firmware) return host::fail(firmware.error());
  host::Outcome<Descriptor> flash = open_flash(start.flash, *start.board);
  if (!flash) return host::fail(flash.error());
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return cannot_start(start.board->name, errno);
  std::unique_ptr<BoardProcess> process(new BoardProcess(start.board->name));
  process->line_.take(ends[0]);
  const Descriptor line(ends[1]);
  std::array<int, 2> pipe = {-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return cannot_start(start.board->name, errno);
  Descriptor console(pipe[0]);
  Descriptor board_console(pipe[1]);
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return cannot_start(start.board->name, errno);
  const Descriptor failure(pipe[0]);
  Descriptor board_failure(pipe[1]);

  std::vector<std::string> words = command_line(start, firmware.value(), line.number(), flash.value().number());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  process->process_ = ::fork();
  if (process->process_ < 0) return cannot_start(start.board->name, errno);
  if (process->process_ == 0) {
    become(pointers.data(), parent, {line.number(), flash.value().number()}, board_console.number(), board_failure.number());
  }
  board_console.close();
  board_failure.close();
  int error = 0;
  if (::read(failure.number(), &error, sizeof error) == sizeof error) {  // else it was closed by the program's start
    if (error == ENOENT && !start.board->machine.empty()) {
      return host::fail(host::Fault::system, emulator, "is not here, and " + start.board->name + " runs under it", "run toolchains/setup");
    }
    return cannot_start(words.front(), error);
  }
  process->pass_console_on(std::move(console));
  return process;
}

// A thread of its own, so that a board with much to say is never held up by what we do meanwhile.
void BoardProcess::pass_console_on(Descriptor console) {
  console_ = std::thread([name = name_, console = std::move(console)] {
    constexpr size_t most = 4096;
    std::string line;
    const auto pass_on = [&] {
      if (!line.empty()) say(name + ": " + plain(line));
      line.clear();
    };
    std::array<char, 4096> room;
    for (;;) {
      const ssize_t got = ::read(console.number(), room.data(), room.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      for (const char byte : std::string_view(room.data(), static_cast<size_t>(got))) {
        if (byte == '\n' || line.size() == most) pass_on();
        if (byte != '\n' && byte != '\r') line += byte;
      }
    }
    pass_on();
  });
}

std::optional<host::Problem> BoardProcess::ended(std::chrono::milliseconds patience) {
  for (const auto deadline = std::chrono::steady_clock::now() + patience; process_ >= 0;) {
    const pid_t found = ::waitpid(process_, &status_, WNOHANG);
    if (found == process_ || (found < 0 && errno != EINTR)) {
      ::kill(-process_, SIGKILL);  // what it has started, which has its console open
      process_ = -1;
    } else if (std::chrono::steady_clock::now() >= deadline) {
      return std::nullopt;
    } else {
      ::poll(nullptr, 0, 5);
    }
  }
  if (console_.joinable()) console_.join();  // what it had to say comes first
  return host::Problem{host::Fault::system, name_, "the board " + how(status_), "", ""};
}

BoardProcess::~BoardProcess() {
  if (process_ >= 0) {
    ::kill(-process_, SIGKILL);  // and what it has started
    ::kill(process_, SIGKILL);   // it may not lead its group yet
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
  }
  if (console_.joinable()) console_.join();
}

}  // namespace penumbra::command

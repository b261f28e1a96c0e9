// Starting, feeding, reading and ending another program.
#include "child.hpp"

#include "descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace penumbra::command {

namespace {

using Clock = std::chrono::steady_clock;

// The ends of the three streams: ours, and those of the child.
struct Streams {
  Descriptor in, out, err;
  Descriptor child_in, child_out, child_err;

  // Sockets, because a write to one can be told not to raise SIGPIPE, which is the whole process's. None is passed on by an exec.
  [[nodiscard]] bool open() {
    const std::array<std::pair<Descriptor*, Descriptor*>, 3> pairs = {{{&in, &child_in}, {&out, &child_out}, {&err, &child_err}}};
    return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
      std::array<int, 2> ends = {-1, -1};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
      pair.first->take(ends[0]);
      pair.second->take(ends[1]);
      return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
    });
  }
};

// Ours, but for what changes the words and numbers of a program, or what gnuplot takes for settings.
std::vector<std::string> plain_environment() {
  std::vector<std::string> kept = {"LC_ALL=C"};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.rfind("LC_", 0) != 0 && text.rfind("LANG", 0) != 0 && text.rfind("GNU", 0) != 0) kept.emplace_back(text);
  }
  return kept;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0, or errno.
int start(const std::vector<std::string>& arguments, const Streams& streams, pid_t& child) {
  std::vector<std::string> words = arguments;
  std::vector<std::string> environment = plain_environment();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  if (const int error = posix_spawnattr_init(&attributes); error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  posix_spawn_file_actions_adddup2(&actions, streams.child_in.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.child_out.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.child_err.number(), STDERR_FILENO);
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);  // it should end when we do, also where we ignore that signal
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawnp(&child, words.front().c_str(), &actions, &attributes, pointers_to(words).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Sends what fits; closes when all is sent, or when nobody reads it any more.
void feed(Descriptor& stream, std::string_view& input) {
  const ssize_t sent = input.empty() ? 0 : ::send(stream.number(), input.data(), input.size(), MSG_NOSIGNAL);
  if (sent > 0) input.remove_prefix(static_cast<size_t>(sent));
  if (input.empty() || (sent < 0 && errno != EAGAIN && errno != EINTR)) stream.close();
}

void drain(Descriptor& stream, std::string& text, size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(stream.number(), buffer.data(), buffer.size(), 0);
  if (got > 0) text.append(buffer.data(), std::min(static_cast<size_t>(got), most - text.size()));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) stream.close();
}

// Until the program has closed its two streams; false when patience ran out.
bool converse(Streams& streams, std::string_view input, Clock::time_point deadline, Ran& ran) {
  constexpr size_t most_err = 4096;
  while (streams.out.number() >= 0 || streams.err.number() >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> polled = {
        {{streams.in.number(), POLLOUT, 0}, {streams.out.number(), POLLIN, 0}, {streams.err.number(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), static_cast<int>(left)) <= 0) continue;  // time is up, or a signal
    if (polled[0].revents != 0) feed(streams.in, input);
    if (polled[1].revents != 0) drain(streams.out, ran.out, ran.out.max_size());
    if (polled[2].revents != 0) drain(streams.err, ran.err, most_err);
  }
  return true;
}

// A program may close its streams and go on: it has the rest of our patience.
bool wait_for(pid_t child, Clock::time_point deadline, int& status) {
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) return true;  // whoever started us has SIGCHLD ignored: it has ended, and nobody knows how
    if (Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 5);
  }
}

}  // namespace

host::Outcome<Ran> run_child(const std::vector<std::string>& arguments, std::string_view input, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  const std::string& name = arguments.front();
  Streams streams;
  if (!streams.open()) return host::fail(host::Fault::system, name, "cannot be started: " + std::generic_category().message(errno));
  pid_t child = -1;
  if (const int error = start(arguments, streams, child); error != 0) {
    return host::fail(host::Fault::system, name,
                      error == ENOENT ? "is not here" : "cannot be started: " + std::generic_category().message(error));
  }
  streams.child_in.close();
  streams.child_out.close();
  streams.child_err.close();

  Ran ran;
  int status = 0;
  if (!converse(streams, input, deadline, ran) || !wait_for(child, deadline, status)) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return host::fail(host::Fault::system, name, "had not ended after " + std::to_string(patience.count() / 1000) + " s, and was ended");
  }
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

}  // namespace penumbra::command

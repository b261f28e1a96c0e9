// Signals as a flag.
#include "interruption.hpp"

#include <array>
#include <csignal>
#include <cstdio>

namespace penumbra::command {

namespace {

struct Watched {
  int signal;
  void (*before)(int);  // what it does without us
};
std::array<Watched, 3> watched{{{SIGINT, SIG_DFL}, {SIGTERM, SIG_DFL}, {SIGHUP, SIG_DFL}}};
std::atomic<bool> flag{false};
volatile std::sig_atomic_t which = 0;

extern "C" void ask(int signal) {
  which = signal;
  flag = true;
  for (const Watched& one : watched) std::signal(one.signal, one.before);
}

}  // namespace

Interruption::Interruption() {
  flag = false;
  for (Watched& one : watched) {
    one.before = std::signal(one.signal, SIG_IGN);
    if (one.before != SIG_IGN) std::signal(one.signal, ask);  // nohup stays nohup
  }
}

Interruption::~Interruption() {
  for (const Watched& one : watched) std::signal(one.signal, one.before);
}

const std::atomic<bool>& Interruption::asked() const noexcept { return flag; }

void Interruption::die_if_asked() {
  if (!flag) return;
  std::fflush(nullptr);
  std::raise(which);  // its handler is the one from before
}

}  // namespace penumbra::command

// Signals as a flag.
#include "interruption.hpp"

#include <csignal>
#include <cstdio>

namespace penumbra::command {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> flag{false};
volatile std::sig_atomic_t which = 0;

extern "C" void ask(int signal) {
  which = signal;
  flag = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  flag = false;
  which = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    before_[i] = std::signal(signals[i], ask);
    if (before_[i] == SIG_IGN) std::signal(signals[i], SIG_IGN);  // nohup stays nohup
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < 3; ++i) std::signal(signals[i], before_[i]);
}

const std::atomic<bool>& Interruption::asked() const noexcept { return flag; }

void Interruption::die_if_asked() {
  if (!flag) return;
  std::fflush(nullptr);
  std::signal(which, SIG_DFL);
  std::raise(which);
}

}  // namespace penumbra::command

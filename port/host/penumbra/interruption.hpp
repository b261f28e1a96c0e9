// Ctrl-C while a long job runs: it is asked to end, writes what it has, and then the program dies of the signal after all. A second
// one does not wait.
#pragma once

#include <atomic>

namespace penumbra::command {

class Interruption {
 public:
  Interruption();   // from now on signals ask
  ~Interruption();  // and now they do what they did before
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] const std::atomic<bool>& asked() const noexcept;
  // Ends the program as the signal would have, where there was one. What was printed is flushed first.
  void die_if_asked();
};

}  // namespace penumbra::command

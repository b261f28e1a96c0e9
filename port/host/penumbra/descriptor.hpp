// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace penumbra::command {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    take(std::exchange(other.number_, -1));
    return *this;
  }

  void take(int number) noexcept {
    close();
    number_ = number;
  }
  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const noexcept { return number_; }  // negative where it is closed: poll() passes over it

 private:
  int number_ = -1;
};

}  // namespace penumbra::command

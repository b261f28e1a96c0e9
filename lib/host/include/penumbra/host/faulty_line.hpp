// A serial line with a mind of its own, for loop tests: frames are lost, doubled, changed, cut short, late, or overtaken by others, each
// with a probability of its own and all from one seed. Time is told in milliseconds, so that it may be a test's own; nothing waits.
#pragma once

#include "penumbra/host/random.hpp"

#include <etl/span.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace penumbra::host {

// Probabilities of a frame.
struct LineFaults {
  double drop = 0;
  double duplicate = 0;
  double reorder = 0;   // it comes a few milliseconds later, behind what is sent meanwhile
  double corrupt = 0;   // one to three of its bytes are others
  double truncate = 0;  // its end is missing, and with it the zero: it runs into the next one
  double delay = 0;     // it comes late by up to `latest_ms`
  std::uint64_t latest_ms = 100;
  double bytes_a_ms = 0;  // how slow the line is; 0: not at all

  [[nodiscard]] static LineFaults all_at(double probability) {
    return {probability, probability, probability, probability, probability, probability};
  }
};

struct FaultCount {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t delayed = 0;

  [[nodiscard]] std::uint64_t faults() const { return dropped + duplicated + reordered + corrupted + truncated + delayed; }
};

// One direction.
class FaultyLine {
 public:
  FaultyLine(const LineFaults& first, std::uint64_t seed, Stream stream) : faults(first), random_(seed, stream) {}

  // What is sent at a time may be a part of a frame; the line looks at whole ones.
  void write(etl::span<const std::uint8_t> bytes, std::uint64_t now) {
    for (const std::uint8_t byte : bytes) {
      frame_.push_back(static_cast<char>(byte));
      if (byte == 0) send(std::exchange(frame_, {}), now);
    }
  }

  // What has come by now, at most room.size().
  std::size_t read(etl::span<std::uint8_t> room, std::uint64_t now) {
    while (!on_its_way_.empty() && on_its_way_.begin()->first.first <= now) {
      arrived_ += on_its_way_.begin()->second;
      on_its_way_.erase(on_its_way_.begin());
    }
    const std::size_t size = std::min(room.size(), arrived_.size() - taken_);
    std::memcpy(room.data(), arrived_.data() + taken_, size);
    taken_ += size;
    if (taken_ == arrived_.size()) {
      arrived_.clear();
      taken_ = 0;
    }
    return size;
  }

  // Something is on its way, or has arrived and was not read yet.
  [[nodiscard]] bool is_busy() const noexcept { return !on_its_way_.empty() || taken_ != arrived_.size(); }

  // The end of the line that was there is gone, and with it what had arrived.
  void unplug() {
    arrived_.clear();
    taken_ = 0;
  }

  [[nodiscard]] const FaultCount& count() const noexcept { return count_; }

  LineFaults faults;  // from the next frame on

 private:
  [[nodiscard]] bool happens(double probability, std::uint64_t& times) {
    const bool yes = probability > 0 && random_.uniform() < probability;
    times += static_cast<std::uint64_t>(yes);
    return yes;
  }

  void send(std::string frame, std::uint64_t now) {
    ++count_.frames;
    count_.bytes += frame.size();
    if (happens(faults.drop, count_.dropped)) return;
    if (happens(faults.corrupt, count_.corrupted)) corrupt(frame);
    if (happens(faults.truncate, count_.truncated)) frame.resize(random_.below(frame.size()));
    const int copies = happens(faults.duplicate, count_.duplicated) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      std::uint64_t at = faults.bytes_a_ms > 0 ? after_those_before(frame.size(), now) : now;
      if (happens(faults.reorder, count_.reordered)) at += 1 + random_.below(5);
      if (happens(faults.delay, count_.delayed)) at += 1 + random_.below(static_cast<std::size_t>(faults.latest_ms));
      on_its_way_.emplace(std::make_pair(at, order_++), frame);
    }
  }

  std::uint64_t after_those_before(std::size_t size, std::uint64_t now) {
    free_at_ = std::max(free_at_, static_cast<double>(now)) + static_cast<double>(size) / faults.bytes_a_ms;
    return static_cast<std::uint64_t>(free_at_);
  }

  void corrupt(std::string& frame) {
    for (std::size_t changes = 1 + random_.below(3); changes != 0; --changes) {
      char& byte = frame[random_.below(frame.size())];
      byte = static_cast<char>(byte ^ static_cast<char>(1 + random_.below(255)));
    }
  }

  Random random_;
  FaultCount count_;
  std::string frame_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> on_its_way_;  // by time, then in order
  std::uint64_t order_ = 0;
  double free_at_ = 0;  // a slow line
  std::string arrived_;
  std::size_t taken_ = 0;
};

}  // namespace penumbra::host

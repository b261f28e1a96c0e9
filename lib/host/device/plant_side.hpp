// The plant's side of a loop test: executes the action of each step once, and answers it as often as it comes.
//
// A device goes on by one step with each answer, so what comes is the step answered last, again, or the next one. Everything else is from
// another time: of an earlier step, and nobody waits for it any more; or of a device that somebody else has driven. That one stands in another
// world, and so does every device that was running before this session: it is told that it was moved, so that no pair spans two worlds.
// Only a step 0 of a boot that came while this world was answering goes on in it.
#pragma once

#include "wire.hpp"

#include <optional>
#include <variant>

namespace penumbra::host {

class PlantSide {
 public:
  Plant* plant = nullptr;

  // The device began (again) with step 0, or this session began with it.
  void new_life(std::uint64_t now) noexcept {
    begun_ = false;
    standing_ = false;
    episode_ended_ = false;
    behind_since_.reset();
    wait_from(now);
  }
  void hold() noexcept { held_ = true; }
  void release(std::uint64_t now) noexcept {
    held_ = standing_ = false;
    wait_from(now);
  }
  void wait_from(std::uint64_t now) noexcept { waits_since_ = now; }

  void acted(const link::Acted& acted, std::uint64_t now, Wire& wire);

  [[nodiscard]] bool is_held() const noexcept { return held_; }
  [[nodiscard]] bool stands_still() const noexcept { return standing_; }
  [[nodiscard]] std::uint64_t standing_since() const noexcept { return standing_since_; }
  // For how long the device has had its answer, and its next action has not come.
  [[nodiscard]] std::uint64_t waits_for(std::uint64_t now) const noexcept { return standing_ ? 0 : now - waits_since_; }
  [[nodiscard]] bool episode_ended() const noexcept { return episode_ended_; }
  // For how long nothing but steps of the past has come: a late frame is one, and so is a device that has begun again without saying so.
  [[nodiscard]] std::uint64_t behind_for(std::uint64_t now) const noexcept { return behind_since_ ? now - *behind_since_ : 0; }
  [[nodiscard]] std::uint16_t last_step() const noexcept { return last_.step; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

 private:
  using Answer = std::variant<link::Observed, link::Lost, link::Moved>;

  void execute(const link::Acted& acted);
  void send(Wire& wire) const {
    std::visit([&](const auto& message) { wire.send(message); }, answer_);
  }

  bool held_ = false;
  bool standing_ = false;  // held, and an action waits
  std::uint64_t standing_since_ = 0;
  std::uint64_t waits_since_ = 0;
  bool begun_ = false;  // `last_` is of this incarnation
  bool lived_ = false;  // this world has answered before
  link::StepMark last_;
  Answer answer_;  // to it
  bool episode_ended_ = false;
  std::optional<std::uint64_t> behind_since_;
  std::uint64_t steps_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace penumbra::host

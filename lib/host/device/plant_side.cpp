// Once for each step, whatever the line does.
#include "plant_side.hpp"

namespace penumbra::host {

void PlantSide::acted(const link::Acted& acted, std::uint64_t now, Wire& wire) {
  const auto ahead = static_cast<std::int16_t>(acted.mark.step - last_.step);  // 16 bits wrap
  const bool begins_again = acted.mark.step == 0 && ahead > 1;
  if (begun_ && (ahead < 0 || begins_again)) {
    ++wire.statistics.stale;
    if (!behind_since_) behind_since_ = now;
    return;
  }
  behind_since_.reset();
  episode_ended_ = acted.episode_ended != 0;
  if (begun_ && ahead == 0) {
    ++wire.statistics.answered_again;
    return send(wire);
  }
  if (plant == nullptr) return;
  if (held_) {
    if (!standing_) standing_since_ = now;
    standing_ = true;
    return;
  }
  const bool goes_on = begun_ ? ahead == 1 : lived_ && acted.mark.step == 0;
  if (!begun_ || !goes_on) plant->cut();
  if (goes_on) {
    execute(acted);
  } else {
    answer_ = link::Moved{acted.mark};
    ++moved_;
  }
  wait_from(now);
  begun_ = lived_ = true;
  last_ = acted.mark;
  send(wire);
}

void PlantSide::execute(const link::Acted& acted) {
  ++steps_;
  const std::optional<std::uint8_t> observation = plant->act(acted.action);
  if (observation) {
    answer_ = link::Observed{acted.mark, *observation};
  } else {
    answer_ = link::Lost{acted.mark};
  }
}

}  // namespace penumbra::host

// Steps in order, none twice.
#include "log_reader.hpp"

namespace penumbra::host {

bool LogReader::take(const link::LogPart& part, CountBook& book, std::vector<SessionEvent>& events) {
  const std::size_t count = part.steps.size() / link::step_size;
  if (part.steps.size() % link::step_size != 0) return false;
  for (std::size_t i = 0; i < part.steps.size(); i += link::step_size) {
    if (part.steps[i] >= device_.sizes.actions || part.steps[i + 1] >= device_.sizes.observations || part.steps[i + 2] > 1) return false;
  }
  const auto behind = part.first + static_cast<std::uint32_t>(count);
  if (link::is_newer(behind, part.newest)) return false;
  if (!following_ || link::is_newer(next_, part.newest)) return true;  // from another time

  const bool gap = link::is_newer(part.first, next_);
  if (gap) {
    events.emplace_back(LogGap{part.incarnation, next_, part.first});
    next_ = part.first;
    paired_ = false;
  }
  LogSteps fresh{part.incarnation, next_, {}};
  const std::size_t known = next_ - part.first;
  for (std::size_t i = known; i < count; ++i) {
    const std::uint8_t* step = part.steps.data() + i * link::step_size;
    fresh.steps.push_back({step[0], step[1], step[2] == 0 && !(gap && i == known)});
    count_pair(fresh.steps.back(), book);
  }
  next_ += static_cast<std::uint32_t>(fresh.steps.size());
  read_ = next_ == part.newest;
  steps_since_ = 0;
  if (fresh.steps.empty()) return true;
  events.emplace_back(std::move(fresh));
  if (!read_ && !catching_up_) question_.open();  // else it is asked again after its time
  return true;
}

void LogReader::count_pair(const LogStep& step, CountBook& book) {
  if (step.pair && paired_ && !device_.has(link::feature_counts)) {
    const std::uint64_t A = device_.sizes.actions;
    const std::uint64_t O = device_.sizes.observations;
    const std::uint64_t cell = ((before_.action * A + step.action) * O + before_.observation) * O + step.observation;
    book.add_one(device_.incarnation, static_cast<std::uint32_t>(cell));
  }
  before_ = step;
  paired_ = true;
}

}  // namespace penumbra::host

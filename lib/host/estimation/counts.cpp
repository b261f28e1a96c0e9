// Counting pairs, and adding counts up.
#include "penumbra/host/counts.hpp"

#include <algorithm>
#include <new>

namespace penumbra::host {

std::optional<size_t> count_cells(size_t actions, size_t observations) {
  size_t row = 0;
  size_t cells = 0;
  const bool too_large = __builtin_mul_overflow(actions, observations, &row) || __builtin_mul_overflow(row, row, &cells);
  if (too_large || cells > max_count_cells) return {};
  return cells;
}

Outcome<Counts> Counts::of(const Model& model, const std::string& name) {
  Counts counts;
  counts.actions = model.actions.size();
  counts.observations = model.observations.size();
  const std::optional<size_t> cells = count_cells(counts.actions, counts.observations);
  if (!cells) {
    return fail(Fault::input, name,
                "has " + std::to_string(counts.actions) + " actions and " + std::to_string(counts.observations) +
                    " observations, too many to count their pairs",
                "their product may be " + std::to_string(size_t{1} << 13U) + " at most");
  }
  try {
    counts.pairs.resize(*cells);
  } catch (const std::bad_alloc&) {
    return fail(Fault::system, name, "the pair counts take more memory than there is");
  }
  return counts;
}

std::vector<std::uint64_t> Counts::samples() const {
  std::vector<std::uint64_t> samples(actions, 0);
  const size_t block = pairs.size() / actions;
  for (size_t cell = 0; cell < pairs.size(); ++cell) samples[cell / block] += pairs[cell];
  return samples;
}

bool Counts::add(const Counts& other) {
  for (size_t cell = 0; cell < pairs.size(); ++cell) pairs[cell] += other.pairs[cell];
  const std::vector<std::uint64_t> sums = samples();
  return std::all_of(sums.begin(), sums.end(), [](std::uint64_t sum) { return sum <= max_samples; });
}

Outcome<std::uint64_t> Counts::add_trajectory(Input& input, const Model& model, const Progress& progress) {
  // The cell of (a, a', o, o') is a part that the first step gives, and one that the second does.
  const size_t of_second_action = observations * observations;
  const size_t of_first_action = actions * of_second_action;
  size_t first = 0;
  bool open = false;  // there is a first step
  const auto count = [&](etl::span<const Step> steps) {
    std::uint64_t* const cells = pairs.data();
    size_t previous = first;  // a local: the compiler cannot know that the cells leave `first` alone
    for (const Step& step : steps) {
      if (open) ++cells[previous + step.action * of_second_action + step.observation];
      previous = step.action * of_first_action + step.observation * observations;
      open = true;
    }
    first = previous;
  };
  return read_trajectory(input, model, count, progress);
}

}  // namespace penumbra::host

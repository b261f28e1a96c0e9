// Steps into memory, and their pairs.
#include "penumbra/host/run_log.hpp"

#include <algorithm>
#include <new>

namespace penumbra::host {

Counts RunLog::counts() const {
  Counts counts;
  counts.actions = actions_;
  counts.observations = observations_;
  const std::size_t O = observations_;
  counts.pairs.assign(actions_ * actions_ * O * O, 0);
  for (std::size_t i = 0; i < runs(); ++i) {
    const etl::span<const std::uint16_t> steps = run(i);
    for (std::size_t t = 1; t < steps.size(); ++t) {
      const std::size_t first = steps[t - 1];
      const std::size_t second = steps[t];
      ++counts.pairs[((first / O * actions_ + second / O) * O + first % O) * O + second % O];
    }
  }
  return counts;
}

Outcome<RunLog> read_runs(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                          const Progress& progress) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return fail(Fault::usage, "", "standard input (\"-\") is named twice", "it can be read once");
  }
  const Outcome<Counts> countable = Counts::of(model, model_name);
  if (!countable) return fail(countable.error());
  RunLog log(model);
  std::uint64_t before = 0;  // bytes of the files that were read
  for (const std::string& path : paths) {
    Outcome<Input> input = Input::open(path);
    if (!input) return fail(input.error());
    const Outcome<std::optional<char>> first = input.value().peek();
    if (!first) return fail(first.error());
    if (first.value() == '{' || first.value() == '[') {
      return fail(Fault::input, input.value().name(), "is a counts file, and an estimate from trajectories needs the steps in their order",
                  "give the trajectories (CSV) that were counted, or refine by counts");
    }
    log.begin_run();
    std::uint64_t bytes = 0;
    try {
      const Outcome<std::uint64_t> read = read_trajectory(
          input.value(), model,
          [&](etl::span<const Step> steps) {
            for (const Step& step : steps) log.add(step.action, step.observation);
          },
          [&](std::uint64_t position) {
            bytes = position;
            if (progress) progress(before + position);
          });
      if (!read) return fail(read.error());
    } catch (const std::bad_alloc&) {
      return fail(Fault::system, input.value().name(), "takes more memory than there is");
    }
    before += bytes;
  }
  return log;
}

}  // namespace penumbra::host

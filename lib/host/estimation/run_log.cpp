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
      const Step first = step_of(steps[t - 1]);
      const Step second = step_of(steps[t]);
      ++counts.pairs[((first.action * actions_ + second.action) * O + first.observation) * O + second.observation];
    }
  }
  return counts;
}

Outcome<std::uint64_t> RunLog::add_trajectory(Input& input, const Model& model, const Progress& progress) {
  begin_run();
  return read_trajectory(
      input, model,
      [&](etl::span<const Step> steps) {
        for (const Step& step : steps) add(step);
      },
      progress);
}

namespace {

// `on_counts` is what becomes of counts files.
template <class OnCounts>
Outcome<RunLog> read_all(const std::vector<std::string>& paths, const Model& model, const Progress& progress, const OnCounts& on_counts) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return fail(Fault::usage, "", "standard input (\"-\") is named twice", "it can be read once");
  }
  RunLog log(model);
  std::uint64_t before = 0;  // bytes of the files that were read
  for (const std::string& path : paths) {
    Outcome<Input> input = Input::open(path);
    if (!input) return fail(input.error());
    const Outcome<std::optional<char>> first = input.value().peek();
    if (!first) return fail(first.error());
    if (first.value() == '{' || first.value() == '[') {
      const Outcome<void> added = on_counts(input.value());
      if (!added) return fail(added.error());
      before += input.value().size().value_or(0);
      if (progress) progress(before);
      continue;
    }
    std::uint64_t bytes = 0;
    const Outcome<std::uint64_t> read = [&]() -> Outcome<std::uint64_t> {
      try {
        return log.add_trajectory(input.value(), model, [&](std::uint64_t position) {
          bytes = position;
          if (progress) progress(before + position);
        });
      } catch (const std::bad_alloc&) {
        return fail(Fault::system, input.value().name(), "takes more memory than there is");
      }
    }();
    if (!read) return fail(read.error());
    before += bytes;
  }
  return log;
}

}  // namespace

Outcome<RunLog> read_runs(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                          const Progress& progress) {
  const Outcome<Counts> countable = Counts::of(model, model_name);
  if (!countable) return fail(countable.error());
  return read_all(paths, model, progress, [](Input& input) -> Outcome<void> {
    return fail(Fault::input, input.name(), "is a counts file, and an estimate from trajectories needs the steps in their order",
                "give the trajectories (CSV) that were counted, or refine by counts");
  });
}

Outcome<MixedLogs> read_mixed_logs(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                                   const Progress& progress) {
  Outcome<Counts> pairs = Counts::of(model, model_name);
  if (!pairs) return fail(pairs.error());
  Outcome<RunLog> runs = read_all(paths, model, progress, [&](Input& input) -> Outcome<void> {
    const Outcome<Counts> counts = read_counts(input, model);
    if (!counts) return fail(counts.error());
    if (pairs.value().add(counts.value())) return {};
    return fail(Fault::input, input.name(), "and the files before it add up to more samples than can be counted",
                "is one of them given twice?");
  });
  if (!runs) return fail(runs.error());
  return MixedLogs{std::move(runs.value()), std::move(pairs.value())};
}

}  // namespace penumbra::host

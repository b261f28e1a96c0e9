// Averages over runs.
#include "penumbra/host/learning_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

// Of the runs that count, as far as all of them came.
Curve curve_of(const std::vector<const LearningRun*>& runs, std::vector<double> LearningRun::*values,
               const std::vector<std::uint64_t>& steps) {
  Curve curve;
  std::size_t points = steps.size();
  for (const LearningRun* run : runs) points = std::min(points, (run->*values).size());
  curve.steps.assign(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(points));
  for (const LearningRun* run : runs) {
    curve.runs.emplace_back((run->*values).begin(), (run->*values).begin() + static_cast<std::ptrdiff_t>(points));
  }
  average_runs(curve);
  return curve;
}

template <class Of>
Average average_over(const std::vector<const LearningRun*>& runs, const Of& of) {
  std::vector<double> values;
  for (const LearningRun* run : runs) values.push_back(static_cast<double>(of(*run)));
  return average_of(values);
}

}  // namespace

void average_runs(Curve& curve) {
  curve.average.clear();
  for (std::size_t point = 0; point < curve.steps.size(); ++point) {
    std::vector<double> at;
    for (const std::vector<double>& run : curve.runs) at.push_back(run[point]);
    curve.average.push_back(average_of(at));
  }
}

std::string to_csv(const Curve& curve, bool each_run) {
  fmt::memory_buffer text;
  const auto put = [&](double value) {
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(text), ",{}", value);
    } else {
      text.push_back(',');
    }
  };
  fmt::format_to(std::back_inserter(text), "step,mean,ci95");
  for (std::size_t run = 0; each_run && run < curve.runs.size(); ++run) fmt::format_to(std::back_inserter(text), ",run_{}", run);
  text.push_back('\n');
  for (std::size_t point = 0; point < curve.steps.size(); ++point) {
    fmt::format_to(std::back_inserter(text), "{}", curve.steps[point]);
    put(curve.average[point].mean);
    put(curve.average[point].ci95);
    for (std::size_t run = 0; each_run && run < curve.runs.size(); ++run) put(curve.runs[run][point]);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

std::optional<double> power_law(const Curve& curve, double offset) {
  if (curve.steps.empty()) return std::nullopt;
  double weights = 0;
  double x_mean = 0;
  double y_mean = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    if (curve.steps[i] < curve.steps.back() / 10) continue;
    const double value = curve.average[i].mean - offset;
    if (!(value > 0)) return std::nullopt;
    const auto step = static_cast<double>(curve.steps[i]);
    const double weight = 1 / step;  // points are even in steps, and so 1/step apart in their logarithm
    // Welford's way: the sums stay those of differences from the mean.
    const double x = std::log(step);
    const double y = std::log(value);
    weights += weight;
    const double dx = x - x_mean;
    x_mean += dx * weight / weights;
    y_mean += (y - y_mean) * weight / weights;
    xx += weight * dx * (x - x_mean);
    xy += weight * dx * (y - y_mean);
  }
  if (!(xx > 0)) return std::nullopt;
  return xy / xx;
}

std::optional<double> growth(const Curve& curve) {
  const auto quarter =
      std::find_if(curve.steps.begin(), curve.steps.end(), [&](std::uint64_t step) { return step * 4 >= curve.steps.back(); });
  if (quarter == curve.steps.end()) return std::nullopt;
  const double before = curve.average[static_cast<std::size_t>(quarter - curve.steps.begin())].mean;
  if (!(before > 0)) return std::nullopt;
  return curve.average.back().mean / before;
}

bool is_stuck(const LearningRun& run, const std::vector<std::uint64_t>& steps) {
  const std::size_t points = std::min(run.gap_regret.size(), steps.size());
  if (points < 2 || run.first_episode == 0) return false;
  const auto first_at = [&](std::uint64_t step) {
    return static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(points - 1), step) -
                                    steps.begin());
  };
  const auto loss_a_step = [&](std::size_t from, std::size_t to) {
    return (run.gap_regret[to] - run.gap_regret[from]) / static_cast<double>(steps[to] - steps[from]);
  };
  const std::size_t last = points - 1;
  const std::size_t half = first_at(steps[last] / 2);
  const std::size_t quarter = first_at(steps[last] / 4);
  if (half >= last || steps[half] < 25 * run.first_episode) return false;
  const double now = loss_a_step(half, last);
  const bool much = now > run.first_gap_regret / static_cast<double>(run.first_episode) / 400;
  const bool as_before = quarter == half || now > 0.8 * loss_a_step(quarter, half);  // 0.7 where it grows like a root
  return much && as_before;
}

LearningSummary summarise(const LearningRuns& runs, const LearningSize& size) {
  const std::vector<std::uint64_t> steps = curve_steps(size);
  std::vector<const LearningRun*> all;
  std::vector<const LearningRun*> counted;
  for (const auto& [number, run] : runs) {
    all.push_back(&run);
    if (run.steps == size.steps) counted.push_back(&run);
  }
  LearningSummary summary;
  summary.whole = counted.size() == size.runs;
  if (counted.empty()) counted = all;

  summary.runs = counted.size();
  summary.regret = curve_of(counted, &LearningRun::regret, steps);
  summary.gap_regret = curve_of(counted, &LearningRun::gap_regret, steps);
  summary.error = curve_of(counted, &LearningRun::error, steps);
  summary.steps = summary.regret.steps.empty() ? 0 : summary.regret.steps.back();
  for (std::size_t a = 0; a < counted.front()->action_error.size(); ++a) {
    summary.action_error.push_back(average_over(counted, [a](const LearningRun& run) { return run.action_error[a]; }));
  }
  summary.first_episode = average_over(counted, [](const LearningRun& run) { return run.first_episode; });
  summary.first_regret = average_over(counted, [](const LearningRun& run) { return run.first_regret; });
  summary.first_gap_regret = average_over(counted, [](const LearningRun& run) { return run.first_gap_regret; });
  summary.slope = power_law(summary.gap_regret);
  summary.slope_of_rest = power_law(summary.gap_regret, summary.first_gap_regret.mean);
  summary.episodes = average_over(counted, [](const LearningRun& run) { return run.episodes; });
  summary.seconds = average_over(counted, [](const LearningRun& run) { return run.seconds; }).mean;
  summary.planning_seconds = average_over(counted, [](const LearningRun& run) { return run.planning_seconds; }).mean;
  for (const LearningRun* run : counted) {
    RunEnd end;
    end.gap_regret = run->gap_regret.empty() ? 0.0 : run->gap_regret.back();
    end.stuck = is_stuck(*run, steps);
    for (const double plays : run->plays) end.plays.push_back(plays / static_cast<double>(std::max<std::uint64_t>(run->steps, 1)));
    end.action_error = run->action_error;
    summary.stuck += static_cast<std::uint64_t>(end.stuck);
    summary.ends.push_back(std::move(end));
  }
  for (const LearningRun* run : counted) {
    for (const std::string& remark : run->remarks) {
      if (std::find(summary.remarks.begin(), summary.remarks.end(), remark) == summary.remarks.end()) summary.remarks.push_back(remark);
    }
  }
  return summary;
}

}  // namespace penumbra::host

// Runs in parallel. Each draws its seed from its own number, and the averages are put together in the order of runs.
#include "penumbra/host/evaluation.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <mutex>

namespace penumbra::host {

namespace {

// The 0.975 quantile of Student's t with this many degrees of freedom: a table up to 30, then the first terms of its expansion
// about the normal quantile, good to 1e-4.
double student_975(std::uint64_t freedom) {
  constexpr std::array<double, 30> table = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                            2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                            2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= table.size()) return table[freedom - 1];
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(freedom);
  return z + (z * z * z + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

}  // namespace

Average average_of(const std::vector<double>& values) {
  Average average;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) average.mean += value / n;
  if (values.size() < 2) {
    average.ci95 = std::numeric_limits<double>::infinity();
    return average;
  }
  double squares = 0;
  for (const double value : values) squares += (value - average.mean) * (value - average.mean);
  average.ci95 = student_975(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return average;
}

std::vector<std::uint64_t> run_seeds(std::uint64_t seed, std::uint64_t runs) {
  std::vector<std::uint64_t> seeds(runs);
  Random random(seed, Stream::runs);
  for (std::uint64_t& of_run : seeds) of_run = random.bits();
  return seeds;
}

std::vector<double> evaluate(const Model& world, const ActorFactory& actor, const EvaluationSize& size, const RunsDone& done) {
  const std::vector<std::uint64_t> seeds = run_seeds(size.seed, size.runs);
  std::vector<double> averages(size.runs);
  std::mutex telling;
  std::uint64_t finished = 0;
  detail::in_parallel(size.runs, size.threads, [&](size_t run) {
    World dice(world, seeds[run]);
    const std::unique_ptr<Actor> acting = actor(seeds[run]);
    averages[run] = simulate(dice, *acting, size.steps, [](etl::span<const SimulatedStep>) { return true; });
    if (done) {
      const std::lock_guard<std::mutex> lock(telling);
      done(++finished);
    }
  });
  return averages;
}

std::vector<double> evaluate(const Model& world, const PolicyImage& image, const EvaluationSize& size, const RunsDone& done) {
  return evaluate(
      world, [&image](std::uint64_t seed) { return std::make_unique<ImageActor>(image, seed); }, size, done);
}

}  // namespace penumbra::host

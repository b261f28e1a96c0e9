// Beliefs of runs, and their bins.
#include "visits.hpp"

#include "penumbra/belief_filter.hpp"

#include <algorithm>

namespace penumbra::host {

void follow(const PolicyImage& image, const RunLog& runs, const BeliefSink& sink) {
  BeliefFilter<RuntimeDims> filter(image.model(image.dims()));
  for (size_t i = 0; i < runs.runs(); ++i) {
    filter.reset();
    for (const std::uint16_t code : runs.run(i)) {
      sink(filter.belief().data());
      const Step step = runs.step_of(code);
      // An impossible observation restarts the belief, as it would on the robot.
      static_cast<void>(filter.update(static_cast<Action>(step.action), static_cast<Observation>(step.observation)));
    }
  }
}

TriangleBins::TriangleBins(const Triple& states, size_t cells) : states_(states), cells_(cells), bins_((cells + 1) * (cells + 1)) {}

void TriangleBins::add(const float* belief) {
  Weights at{};
  for (size_t k = 0; k < 3; ++k) at[k] = static_cast<double>(belief[states_[k]]);
  const double mass = at[0] + at[1] + at[2];
  if (!(mass > least_mass)) return;
  // The nearest lattice point: round down, then up where the fractions are largest.
  const auto n = static_cast<double>(cells_);
  std::array<size_t, 3> point{};
  std::array<double, 3> fraction{};
  size_t sum = 0;
  for (size_t k = 0; k < 3; ++k) {
    at[k] /= mass;
    point[k] = std::min(static_cast<size_t>(at[k] * n), cells_ - sum);
    fraction[k] = at[k] * n - static_cast<double>(point[k]);
    sum += point[k];
  }
  for (; sum < cells_; ++sum) {
    const auto largest = static_cast<size_t>(std::max_element(fraction.begin(), fraction.end()) - fraction.begin());
    ++point[largest];
    fraction[largest] -= 1;
  }
  Bin& bin = bins_[point[2] * (cells_ + 1) + point[1]];
  for (size_t k = 0; k < 3; ++k) bin.sum[k] += at[k];
  ++bin.count;
  ++total_;
}

std::vector<Dot> TriangleBins::dots() const {
  std::vector<Dot> dots;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    Dot dot{bin.sum, bin.count};
    for (double& weight : dot.at) weight /= static_cast<double>(bin.count);
    dots.push_back(dot);
  }
  return dots;
}

}  // namespace penumbra::host

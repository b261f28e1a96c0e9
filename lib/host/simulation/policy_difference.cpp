// Two images side by side, belief by belief.
#include "penumbra/host/policy_difference.hpp"

#include "../planning/belief_lattice.hpp"
#include "penumbra/belief_filter.hpp"
#include "penumbra/host/image_model.hpp"
#include "penumbra/host/random.hpp"
#include "penumbra/host/simulate.hpp"
#include "penumbra/policy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace penumbra::host {

namespace {

using DeviceBelief = Belief<RuntimeDims>;

class Pair {
 public:
  Pair(const PolicyImage& first, const PolicyImage& second)
      : choices_(first.header().actions), first_(first.dims(), 0), second_(second.dims(), 0) {
    first_.use(first);
    second_.use(second);
  }

  struct Chosen {
    Action first;
    Action second;
  };
  Chosen compare(const DeviceBelief& belief) {
    const Chosen chosen{first_.choose(belief), second_.choose(belief)};
    ++choices_.count[index(chosen.first) * choices_.actions + index(chosen.second)];
    return chosen;
  }
  [[nodiscard]] const Choices& choices() const { return choices_; }

 private:
  Choices choices_;
  Policy<RuntimeDims> first_;
  Policy<RuntimeDims> second_;
};

// Exponentials over their sum are uniform on the simplex.
void draw_belief(Random& random, std::vector<double>& weights, DeviceBelief& belief) {
  double sum = 0;
  for (double& weight : weights) sum += weight = random.exponential();
  for (std::size_t s = 0; s < weights.size(); ++s) belief[s] = static_cast<float>(sum > 0 ? weights[s] / sum : s == 0 ? 1.0 : 0.0);
}

// `acting` says whose choice is acted upon.
void walk(Pair& pair, const PolicyImage& image, const Model& model, Action Pair::Chosen::*acting, std::uint64_t beliefs,
          std::uint64_t seed) {
  World world(model, seed);
  BeliefFilter<RuntimeDims> filter(image.model(image.dims()));
  for (std::uint64_t step = 0; step < beliefs; ++step) {
    const Action action = pair.compare(filter.belief()).*acting;
    const World::Answer answer = world.act(index(action));
    // What single precision holds for impossible restarts the belief.
    static_cast<void>(filter.update(action, Observation{static_cast<std::uint8_t>(answer.observation)}));
  }
}

double largest_difference(const float* first, const float* second, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::abs(static_cast<double>(first[i]) - static_cast<double>(second[i])));
  return largest;
}

}  // namespace

std::uint64_t Choices::compared() const { return std::accumulate(count.begin(), count.end(), std::uint64_t{0}); }

std::uint64_t Choices::different() const {
  std::uint64_t same = 0;
  for (std::size_t a = 0; a < actions; ++a) same += count[a * actions + a];
  return compared() - same;
}

void Choices::add(const Choices& others) { std::transform(count.begin(), count.end(), others.count.begin(), count.begin(), std::plus<>()); }

Choices compare_anywhere(const PolicyImage& first, const PolicyImage& second, std::uint64_t beliefs, std::uint64_t seed) {
  Pair pair(first, second);
  Random random(seed, Stream::comparison);
  std::vector<double> weights(first.header().states);
  DeviceBelief belief{};
  for (std::uint64_t i = 0; i < beliefs; ++i) {
    draw_belief(random, weights, belief);
    pair.compare(belief);
  }
  return pair.choices();
}

Choices compare_on_lattice(const PolicyImage& first, const PolicyImage& second, std::uint16_t resolution) {
  Pair pair(first, second);
  const BeliefLattice lattice(first.header().states, resolution);
  std::vector<std::uint32_t> point(lattice.states());
  lattice.unrank(0, point.data());
  DeviceBelief belief{};
  for (std::uint32_t rank = 0; rank < lattice.points(); ++rank, lattice.next(point.data())) {
    for (std::size_t s = 0; s < point.size(); ++s) belief[s] = static_cast<float>(point[s]) / static_cast<float>(resolution);
    pair.compare(belief);
  }
  return pair.choices();
}

Choices compare_where_visited(const PolicyImage& first, const PolicyImage& second, std::uint64_t beliefs, std::uint64_t seed) {
  const Model model = model_of(first);
  Pair pair(first, second);
  walk(pair, first, model, &Pair::Chosen::first, beliefs - beliefs / 2, seed);
  walk(pair, first, model, &Pair::Chosen::second, beliefs / 2, seed);
  return pair.choices();
}

ModelDifference model_difference(const PolicyImage& first, const PolicyImage& second) {
  const ImageHeader& header = first.header();
  const std::size_t S = header.states;
  const std::size_t A = header.actions;
  const std::size_t O = header.observations;
  const ModelView<RuntimeDims> one = first.model(first.dims());
  const ModelView<RuntimeDims> two = second.model(second.dims());
  ModelDifference difference;
  difference.prior = largest_difference(one.prior, two.prior, S);
  difference.transition = largest_difference(one.transition, two.transition, A * S * S);
  difference.observation = largest_difference(one.observation, two.observation, A * O * S);
  difference.same_emission = one.emission == two.emission;
  if (header.reward == second.header().reward) {
    const std::size_t rewards = header.reward == RewardKind::by_observation ? O : A * S;
    difference.reward = largest_difference(first.reward(), second.reward(), rewards);
  }
  return difference;
}

}  // namespace penumbra::host

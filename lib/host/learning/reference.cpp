// Values of the true model, and looking ahead with them at every step of a run.
#include "penumbra/host/reference.hpp"

#include "oracle.hpp"

#include "penumbra/host/belief.hpp"
#include "penumbra/host/detail/parallel.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/simulate.hpp"
#include "penumbra/host/vector_plan.hpp"
#include "planning/belief_lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace penumbra::host {

namespace {

constexpr std::size_t tight_states = 3;                                 // up to here the lattice's gain is right to about 1e-5
constexpr std::uint64_t most_points = 21000;                            // three states at n = 203
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28U;           // a few seconds
constexpr EvaluationSize simulation{32, 20000, 0x7265666572656E63, 0};  // a seed that is nobody's: the luck is not that of the runs

}  // namespace

struct Reference::Values {
  std::size_t S = 0;
  std::size_t A = 0;
  std::size_t O = 0;
  std::vector<double> initial;
  std::vector<double> transition;  // [action][state][next state]
  std::vector<double> likelihood;  // [action][observation][state]
  std::vector<double> reward;      // [action][state]
  std::optional<BeliefLattice> lattice;
  std::vector<double> bias;     // at its points
  std::vector<double> vectors;  // where there is no lattice: [vector][state]
};

struct TrueBelief::Scratch {
  explicit Scratch(std::size_t states) : tails(states), lattice(states) {}
  std::vector<double> tails;
  BeliefLattice::Scratch lattice;

  // h is homogeneous: of `next`, which sums to `probability`, it is that times the bias of the belief.
  double bias_of(const Reference::Values& values, const double* next, double probability) noexcept {
    if (!values.lattice) {
      double best = -std::numeric_limits<double>::infinity();
      for (const double* row = values.vectors.data(); row != values.vectors.data() + values.vectors.size(); row += values.S) {
        double product = 0;
        for (std::size_t s = 0; s < values.S; ++s) product += row[s] * next[s];
        best = std::max(best, product);
      }
      return best;
    }
    const double scale = values.lattice->resolution() / probability;
    double sum = 0;
    for (std::size_t k = 1; k < values.S; ++k) {
      sum += next[values.S - k];
      tails[k - 1] = sum * scale;
    }
    const std::size_t found = values.lattice->locate(tails.data(), lattice);
    double value = 0;
    for (std::size_t i = 0; i < found; ++i) value += lattice.vertices[i].weight * values.bias[lattice.vertices[i].rank];
    return probability * value;
  }
};

TrueBelief::TrueBelief(const Reference::Values& values)
    : values_(values),
      belief_(values.initial),
      worth_(values.A),
      next_(values.A * values.O * values.S),
      bias_(values.A * values.O),
      scratch_(std::make_unique<Scratch>(values.S)) {
  look();
}
TrueBelief::~TrueBelief() = default;

void TrueBelief::look() noexcept {
  const std::size_t S = values_.S;
  const double* likelihood = values_.likelihood.data();
  const double* reward = values_.reward.data();
  double* next = next_.data();
  double* bias = bias_.data();
  for (std::size_t a = 0; a < values_.A; ++a, reward += S) {
    double worth = 0;
    for (std::size_t s = 0; s < S; ++s) worth += belief_[s] * reward[s];
    for (std::size_t o = 0; o < values_.O; ++o, likelihood += S, next += S, ++bias) {
      const double* row = values_.transition.data() + a * S * S;
      double probability = 0;
      std::fill(next, next + S, 0.0);
      for (std::size_t s = 0; s < S; ++s, row += S) {
        const double weight = belief_[s] * likelihood[s];
        probability += weight;
        for (std::size_t to = 0; to < S; ++to) next[to] += weight * row[to];
      }
      *bias = probability > 0 ? scratch_->bias_of(values_, next, probability) : 0.0;
      worth += *bias;
    }
    worth_[a] = worth;
  }
  best_ = static_cast<std::size_t>(std::max_element(worth_.begin(), worth_.end()) - worth_.begin());
}

double TrueBelief::observe(std::size_t action, std::size_t observation) noexcept {
  const std::size_t S = values_.S;
  const std::size_t cell = action * values_.O + observation;
  const double* next = next_.data() + cell * S;
  double probability = 0;
  for (std::size_t s = 0; s < S; ++s) probability += next[s];
  const bool possible = probability > 0;  // the world does nothing that its own model holds for impossible; only rounding could
  const double bias = possible ? bias_[cell] / probability : 0.0;
  for (std::size_t s = 0; s < S; ++s) belief_[s] = possible ? next[s] / probability : values_.initial[s];
  look();
  return bias;
}

namespace {

// What looking ahead earns: the average of r + E[h(b')] - h(b') is that of r, with far less noise.
Average simulated_gain(const Model& world, const Reference::Values& values, std::uint64_t threads) {
  const std::vector<std::uint64_t> seeds = run_seeds(simulation.seed, simulation.runs);
  std::vector<double> averages(simulation.runs);
  detail::in_parallel(averages.size(), threads, [&](std::size_t run) {
    World dice(world, seeds[run]);
    TrueBelief belief(values);
    double sum = 0;
    for (std::uint64_t t = 0; t < simulation.steps; ++t) {
      const std::size_t action = belief.best();
      const double worth = belief.worth(action);
      sum += worth - belief.observe(action, dice.act(action).observation);
    }
    averages[run] = sum / static_cast<double>(simulation.steps);
  });
  return average_of(averages);
}

}  // namespace

Outcome<Reference> Reference::of(const Model& world, const std::string& name, std::uint64_t threads) {
  auto values = std::make_shared<Values>();
  values->S = world.states.size();
  values->A = world.actions.size();
  values->O = world.observations.size();
  values->initial = world.initial;
  values->transition = world.transition;
  values->reward = expected_reward(world);
  values->likelihood = likelihoods(world);

  Reference reference;
  if (values->S <= most_lattice_states) {
    LatticeRequest request;
    request.threads = threads;
    request.most_bytes = most_bytes;
    request.resolution = std::max<std::uint16_t>(1, affordable_resolution(world, request, most_points));
    Outcome<LatticePlan> planned = plan_lattice(world, request, name);
    if (!planned) return fail(planned.error());
    if (!planned.value().converged) {
      return fail(Fault::input, name, "what can be earned in it depends on where one starts, so there is no one gain to measure regret by",
                  "every state must be reachable from every other one");
    }
    values->lattice.emplace(values->S, request.resolution);
    values->bias = std::move(planned.value().bias);
    reference.gain_.mean = planned.value().gain;
    reference.method_ = fmt::format("lattice of resolution {}", request.resolution);
  } else {
    VectorRequest request;
    request.threads = threads;
    VectorPlan plan = plan_vectors(world, request);
    values->vectors = std::move(plan.full.values);
    for (double& value : values->vectors) value *= plan.discount;  // as they were backed up
    reference.method_ = fmt::format("{} value vectors", plan.full.actions.size());
  }
  if (values->S > tight_states) {
    reference.gain_ = simulated_gain(world, *values, threads);
    reference.method_ += fmt::format(", looking ahead in {} runs of {} steps", simulation.runs, simulation.steps);
  }
  reference.values_ = std::move(values);
  return reference;
}

}  // namespace penumbra::host

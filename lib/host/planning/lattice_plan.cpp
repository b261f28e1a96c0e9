// Damped relative value iteration on the lattice.
#include "penumbra/host/lattice_plan.hpp"

#include "belief_lattice.hpp"
#include "lattice_carry.hpp"
#include "lattice_structure.hpp"
#include "lattice_sweeps.hpp"
#include "optimistic_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace penumbra::host {

namespace {

constexpr double tie = 1e-12;        // of the rewards' range: values this near are equal, and the lowest action is taken
constexpr double rough_span = 1e-5;  // as far as the first part of planning again goes
constexpr std::uint64_t look = 64;   // sweeps between looks at whether anything changes

// The values of an earlier plan at the points of this lattice.
std::vector<double> start_from(const LatticePlan& earlier, const BeliefLattice& lattice) {
  if (earlier.bias.size() == lattice.points()) return earlier.bias;
  std::vector<double> bias(lattice.points());
  std::vector<std::uint32_t> point(lattice.states());
  std::vector<double> belief(lattice.states());
  const auto earlier_bias = bias_function(earlier, lattice.states());
  lattice.unrank(0, point.data());
  for (double& value : bias) {
    for (std::size_t s = 0; s < belief.size(); ++s) belief[s] = static_cast<double>(point[s]) / lattice.resolution();
    value = earlier_bias(belief.data());
    lattice.next(point.data());
  }
  return bias;
}

double range_of(const std::vector<double>& values) {
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return *largest > *least ? *largest - *least : 1.0;
}

// The cell of the initial belief.
std::vector<BeliefLattice::Vertex> first_cell(const Model& model, const BeliefLattice& lattice, Interpolation interpolation) {
  std::vector<double> tails(lattice.states());
  lattice.tails_of(model.initial.data(), tails.data());
  if (interpolation == Interpolation::nearest) return {{lattice.nearest(tails.data()), 1.0}};
  BeliefLattice::Scratch scratch(lattice.states());
  scratch.vertices.resize(lattice.locate(tails.data(), scratch));
  return scratch.vertices;
}

// Steps that differ from point to point and change no more: the gain depends on where one starts.
class Standstill {
 public:
  bool reached(const std::vector<double>& step, double enough) {
    double change = before_.empty() ? std::numeric_limits<double>::infinity() : 0.0;
    for (std::size_t i = 0; i < before_.size(); ++i) change = std::max(change, std::abs(before_[i] - step[i]));
    before_ = step;
    return change <= enough;
  }

 private:
  std::vector<double> before_;  // the steps of the last look
};

// Plans for one request. Optimism makes it plan for a wider model, with several transitions an action.
class Planner {
 public:
  Planner(const Model& model, const LatticeRequest& request, const SweepProgress& progress)
      : request_(request),
        progress_(progress),
        lattice_(model.states.size(), request.resolution),
        wide_(request.optimism.empty() ? as_it_is(model) : optimistic_model(model, request.optimism, request.epsilon)),
        reward_(expected_reward(wide_.model)),
        range_(range_of(reward_)),
        cell_(first_cell(model, lattice_, request.interpolation)) {}

  LatticePlan plan(const LatticePlan* earlier) {
    plan_.bias = earlier != nullptr ? start_from(*earlier, lattice_) : std::vector<double>(lattice_.points());
    if (earlier != nullptr && can_carry(*earlier)) carry(earlier->choice);
    if (!plan_.converged) all_at_once();  // also where what cannot be reached kept the other way from its end
    plan_.interpolation = request_.interpolation;
    plan_.table.kind = PolicyKind::lattice;
    plan_.table.parameter = request_.resolution;
    return std::move(plan_);
  }

 private:
  static OptimisticModel as_it_is(const Model& model) {
    OptimisticModel wide{model, std::vector<std::size_t>(model.actions.size())};
    std::iota(wide.real.begin(), wide.real.end(), std::size_t{0});
    return wide;
  }
  [[nodiscard]] std::size_t actions() const { return wide_.real.size(); }
  [[nodiscard]] LatticeStructure rows(const LatticeRows& wanted) const {
    return {wide_.model, lattice_, request_.interpolation, wanted, request_.threads};
  }
  // Actions of the wide model with this real action are neighbours, and the first of them has the nominal transition.
  [[nodiscard]] bool nominal(std::size_t a) const { return a == 0 || wide_.real[a] != wide_.real[a - 1]; }

  [[nodiscard]] bool can_carry(const LatticePlan& earlier) const {
    return !request_.optimism.empty() && request_.min_action <= 0 && wide_.model.emission == Emission::departure &&
           request_.interpolation == Interpolation::barycentric && earlier.table.parameter == request_.resolution &&
           earlier.choice.size() == lattice_.points() && *std::max_element(earlier.choice.begin(), earlier.choice.end()) < actions();
  }

  void all_at_once() {
    LatticeSweeps sweeps(std::move(plan_.bias), request_.threads);
    sweeps.add(rows({}));
    if (request_.min_action > 0) sweeps.mix(request_.min_action, wide_.real);
    std::vector<std::uint32_t> from;
    for (const BeliefLattice::Vertex& vertex : cell_) from.push_back(vertex.rank);
    sweeps.count_only(sweeps.structures().front().reachable(from));
    iterate(sweeps, request_.span);
    std::vector<double> values;
    sweeps.values(actions(), values);
    keep(sweeps, values);
  }

  // From an earlier plan: first with its choices alone, then with what may win by the bounds of lattice_carry.hpp, until nothing that was left
  // out could have won. All points count: a bound of the gain has to hold wherever any action leads.
  void carry(const std::vector<std::uint32_t>& choice) {
    const std::size_t A = actions();
    LatticeSweeps sweeps(std::move(plan_.bias), request_.threads);
    LatticeRows looked_at(std::size_t{lattice_.points()} * A);
    LatticeRows more(looked_at.size());
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = static_cast<std::uint8_t>(choice[i / A] == i % A);
    std::vector<double> values;
    const double rough = std::max(request_.span, rough_span);
    double span = rough;
    for (bool again = true; again;) {
      sweeps.add(rows(more));
      for (std::size_t i = 0; i < more.size(); ++i) looked_at[i] = static_cast<std::uint8_t>(looked_at[i] | more[i]);
      iterate(sweeps, span);
      sweeps.values(A, values);
      again = mark_contenders(values, sweeps.bias(), looked_at, more) || span > request_.span;
      if (sweeps.structures().size() == 2) span = request_.span;  // the nominal transitions are there
    }
    keep(sweeps, values);
  }

  // Rows that are not yet looked at and may be worth more than the best that is: nominal transitions first, which tell about the others.
  bool mark_contenders(const std::vector<double>& values, const std::vector<double>& bias, const LatticeRows& looked_at,
                       LatticeRows& more) const {
    const std::size_t S = lattice_.states();
    const std::size_t A = actions();
    const CarryBounds bounds = carry_bounds(wide_, lattice_, bias);
    std::vector<std::uint32_t> point(S);
    lattice_.unrank(0, point.data());
    const auto at_point = [&](const double* by_state) {
      double sum = 0;
      for (std::size_t s = 0; s < S; ++s) sum += point[s] * by_state[s];
      return sum / lattice_.resolution();
    };
    bool any = false;
    for (std::size_t first = 0; first < values.size(); first += A, lattice_.next(point.data())) {
      const double best = *std::max_element(values.data() + first, values.data() + first + A);
      std::size_t of = 0;  // the nominal transition of the same real action
      bool may_win = false;
      for (std::size_t a = 0; a < A; ++a) {
        if (nominal(a)) {
          of = a;
          may_win = at_point(reward_.data() + a * S) + bounds.leads_to[a] > best;
          more[first + a] = static_cast<std::uint8_t>(looked_at[first + a] == 0 && may_win);
        } else {
          more[first + a] = static_cast<std::uint8_t>(may_win && looked_at[first + of] != 0 && looked_at[first + a] == 0 &&
                                                      values[first + of] + at_point(bounds.adds.data() + a * S) > best);
        }
        any = any || more[first + a] != 0;
      }
    }
    return any;
  }

  void iterate(LatticeSweeps& sweeps, double span) {
    const double enough = span * range_;
    LatticeSweeps::Range range{};
    double first = 0;  // span
    Standstill standstill;
    for (;;) {
      range = sweeps.look_ahead();
      ++plan_.sweeps;
      plan_.converged = range.span() <= enough;
      if (first <= 0) first = range.span();
      if (plan_.converged || plan_.sweeps >= request_.most_sweeps) break;
      if (plan_.sweeps % look == 0) {
        if (progress_) progress_(std::clamp(std::log(first / range.span()) / std::log(first / enough), 0.0, 1.0));
        if (standstill.reached(sweeps.step(), enough / 10)) break;
      }
      sweeps.move(cell_.front().rank);
    }
    plan_.upper_bound = range.largest;
    plan_.gain = (range.smallest + range.largest) / 2;
    if (plan_.converged) return;
    plan_.gain = 0;
    for (const BeliefLattice::Vertex& vertex : cell_) plan_.gain += vertex.weight * sweeps.step()[vertex.rank];
  }

  // The bias, and the lowest of the best real actions of each point with the best of its transitions.
  void keep(const LatticeSweeps& sweeps, const std::vector<double>& values) {
    const std::size_t A = actions();
    plan_.bias = sweeps.bias();
    plan_.bias_span = sweeps.bias_span();
    plan_.choice.clear();
    plan_.table.actions.clear();
    for (std::size_t first = 0; first < values.size(); first += A) {
      const double* value = values.data() + first;
      const double enough = *std::max_element(value, value + A) - tie * range_;
      std::size_t best = static_cast<std::size_t>(std::find_if(value, value + A, [enough](double v) { return v >= enough; }) - value);
      for (std::size_t a = best + 1; a < A && wide_.real[a] == wide_.real[best]; ++a) best = value[a] > value[best] ? a : best;
      plan_.choice.push_back(static_cast<std::uint32_t>(best));
      plan_.table.actions.push_back(static_cast<std::uint8_t>(wide_.real[best]));
    }
  }

  const LatticeRequest& request_;
  const SweepProgress& progress_;
  BeliefLattice lattice_;
  OptimisticModel wide_;
  std::vector<double> reward_;  // of the wide model
  double range_;
  std::vector<BeliefLattice::Vertex> cell_;
  LatticePlan plan_;
};

}  // namespace

std::function<double(const double*)> bias_function(const LatticePlan& plan, std::size_t states) {
  struct Held {
    BeliefLattice lattice;
    Interpolation interpolation;
    std::vector<double> bias;
  };
  const auto held = std::make_shared<const Held>(Held{BeliefLattice(states, plan.table.parameter), plan.interpolation, plan.bias});
  return [held](const double* belief) {
    std::vector<double> tails(held->lattice.states());
    held->lattice.tails_of(belief, tails.data());
    if (held->interpolation == Interpolation::nearest) return held->bias[held->lattice.nearest(tails.data())];
    BeliefLattice::Scratch scratch(held->lattice.states());
    const std::size_t found = held->lattice.locate(tails.data(), scratch);
    double value = 0;
    for (std::size_t i = 0; i < found; ++i) value += scratch.vertices[i].weight * held->bias[scratch.vertices[i].rank];
    return value;
  };
}

Outcome<LatticePlan> plan_lattice(const Model& model, const LatticeRequest& request, const std::string& name, const LatticePlan* earlier,
                                  const SweepProgress& progress) {
  const Outcome<void> affordable = check_lattice_size(model, request, name);
  if (!affordable) return fail(affordable.error());
  return Planner(model, request, progress).plan(earlier);
}

}  // namespace penumbra::host

// Average-reward planning on the belief lattice of lib/core: relative value iteration on the paper's Bellman equation (eq:Bellman),
//
//   g + h(b) = max_a [ r(b,a) + sum_o p(o|b,a) h(b') ],     h between lattice points by interpolation,
//
// damped, so that periodic models converge too, and stopped by the span of what a sweep changes. The transition structure of the
// lattice is built once and every sweep reads it. With barycentric interpolation (Freudenthal's triangulation) the gain is an upper bound
// of the optimum: the exact bias is convex, and interpolation takes a convex function from above.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"
#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace penumbra::host {

enum class Interpolation { barycentric, nearest };

struct LatticeRequest {
  std::uint16_t resolution = 0;  // at least 1
  Interpolation interpolation = Interpolation::barycentric;
  std::vector<double> optimism;  // L1 radius of every row of each action's transition, [action], or of each, [action][state]; empty: none
  double epsilon = 0;            // transitions of the optimistic model are at least this
  double min_action = 0;  // plan for policies that play each action with this probability at least (at most 1/A), the rest by the table
  double span = 1e-9;     // stop when a sweep's smallest and largest step differ by less, in units of the rewards' range
  std::uint64_t most_sweeps = 100000;
  std::uint64_t most_bytes = std::uint64_t{1} << 30U;  // of the transition structure and what building it takes
  std::uint64_t threads = 0;                           // 0: as many as the machine has
};

struct LatticePlan {
  PolicyTable table;
  double gain = 0;         // of the initial belief, where it depends on that
  double upper_bound = 0;  // of the optimum, when interpolation is barycentric: the largest step of the last sweep
  double bias_span = 0;    // over the points that the initial belief can lead to
  std::uint64_t sweeps = 0;
  bool converged = false;  // else the gain depends on where one starts, or sweeps ran out; upper_bound holds nevertheless

  // What a later plan starts from.
  std::vector<double> bias;  // h at each lattice point, in the order of ranks
  Interpolation interpolation = Interpolation::barycentric;
  std::vector<std::uint32_t> choice;  // [point]: the action and, with optimism, which transition of its region
};

// How much a lattice takes. Known before anything is spent.
struct LatticeSize {
  std::uint64_t points = 0;  // saturates
  std::uint64_t bytes = 0;   // at most; saturates
};
[[nodiscard]] LatticeSize lattice_size(const Model& model, const LatticeRequest& request);

// The largest resolution (up to 32767) whose structure stays within `most_bytes` and whose points within `most_points`; 0: not even 1.
[[nodiscard]] std::uint16_t affordable_resolution(const Model& model, const LatticeRequest& request, std::uint64_t most_points);

// A problem when it is more than the request or an image allows, with a resolution that would do.
[[nodiscard]] Outcome<void> check_lattice_size(const Model& model, const LatticeRequest& request, const std::string& name);

// The bias at any belief, between lattice points too. May be called from several threads.
[[nodiscard]] std::function<double(const double* belief)> bias_function(const LatticePlan& plan, std::size_t states);

// Told now and then how much of the way to the span is done, from 0 to 1.
using SweepProgress = std::function<void(double share)>;

// The model has a transition. `earlier`, when given, is the plan of a similar model: iteration starts from its bias, also when its
// resolution is another. Refused when the lattice is larger than the request or an image allows; `name` is what the problem calls the model.
[[nodiscard]] Outcome<LatticePlan> plan_lattice(const Model& model, const LatticeRequest& request, const std::string& name,
                                                const LatticePlan* earlier = nullptr, const SweepProgress& progress = {});

}  // namespace penumbra::host

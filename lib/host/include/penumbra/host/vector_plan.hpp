// Average-reward planning with value vectors: a set of vectors, each with an action; act by the one whose product with the belief is
// largest. Point-based relative backups without a discount at sampled beliefs; candidates are chosen by long simulations and pruned by
// what a missing vector would cost, so that a policy that runs into a corner and stays there is never kept.
//
// The same model, request and seed give the same bytes, whatever the number of threads.
// Cost, with B sampled beliefs and K vectors (K <= B): a backup of all beliefs takes about B*A*O*K*S multiply-adds, and there are some
// hundreds. Memory: A*S*K numbers to look ahead with, B*S for the beliefs, and K at each of some six thousand beliefs while pruning.
// Nothing here fails or throws but for want of memory: what comes from outside is checked where it is read.
#pragma once

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace penumbra::host {

// Values in double precision, up to a common constant.
struct ValueVectors {
  std::vector<std::size_t> actions;  // one a vector
  std::vector<double> values;        // [vector][state]
};

struct VectorRequest {
  std::size_t vectors = 32;  // at most, in the table: 1 to most_vectors, and the nearest of these for any other number
  std::size_t beliefs = 0;   // sampled, 32 at least; 0: by the number of states
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;  // 0: as many as the machine has
};

struct VectorPlan {
  ValueVectors full;    // before pruning: the values to look ahead with
  double discount = 1;  // that they were backed up with; 0: rewards alone
  PolicyTable table;    // pruned and quantised
  Average average;      // of the table, simulated with the device's own code on seeds that planning never saw
  Average expected;     // the same in double precision with the luck of the observations taken out: a far narrower interval
  std::uint64_t sweeps = 0;
  double bias_span = 0;  // largest less smallest value of `full` at the beliefs that were backed up
};

// Told what is going on, and how much of it is done (at most `total`). May be called from any thread, one call at a time.
using PlanProgress = std::function<void(const char* what, std::uint64_t done, std::uint64_t total)>;

// The model has a transition and fits the device.
[[nodiscard]] VectorPlan plan_vectors(const Model& model, const VectorRequest& request, const PlanProgress& progress = {});

// The plan that vectors of another solver are, of any scale: all of them in their order, or, where they are
// more than the request allows, pruned to that and ordered by use. Either way vectors that never win may be dropped: those that another
// one dominates, and, before some thousands and more are pruned, those that win at none of some thousands of beliefs. `full` has them all.
// There is at least one vector, and every action is one of the model's.
// Cost: beyond some thousands of vectors, time and memory grow no faster than their number. Of a table of more than 512, `average` and
// `expected` are of shorter runs.
[[nodiscard]] VectorPlan adopt_vectors(const Model& model, const ValueVectors& vectors, const VectorRequest& request,
                                       const PlanProgress& progress = {});

// Vectors of any origin as a table that a board can run: centred and scaled to int16, one scale for all, in their order; those that another
// one dominates may be dropped. One to most_vectors of them.
[[nodiscard]] PolicyTable quantise(const ValueVectors& vectors, std::size_t states);

}  // namespace penumbra::host

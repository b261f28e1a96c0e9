// Transition models of greatest likelihood, by expectation maximisation from AOAS's estimate on: closer to what the data can tell at all, and
// slower. Two of them.
//
// **counts** needs the pair counts alone. The pairs of an action a are taken to come from
//
//   p(a',o,o' | a) = sum_s d(s) O_a(o|s) pi(a'|o,s) sum_s' T_a(s,s') O_a'(o'|s')
//
// with the weight d of the states in which a was played, and the choice pi of the next action, free for each a. Given s and a the next state
// depends on nothing else, so this holds for any policies that look at whatever they like, together or alone. Where pi(a'|o) explains the counts
// as well, it is taken instead of pi(a'|o,s), as fewer parameters leave less noise in T: that is decided for each action by Akaike's criterion.
// The cost of a pass does not depend on the length of the log, and their number hardly.
//
// **trajectory** needs the steps in their order (Baum-Welch with known sensors). The log is cut into pieces of 2^14 steps, which bounds memory and
// serves any number of threads; a piece that is not the beginning of a run begins with an even belief, so that a step in 16,384 says less than it could.
//
// Both add one pseudo-count to a row of T, evenly spread, which keeps entries from dying at zero, and neither ever ends below where it
// began, in the likelihood of data and pseudo-counts together; where there are few steps that of the data alone may lose a little.
// What they gain, and what was tried besides: lib/host/README.md.
#pragma once

#include "penumbra/host/counts.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/run_log.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

// Ways from what was seen to a transition model.
enum class Estimator : std::uint8_t { aoas, counts, trajectory };
[[nodiscard]] const std::vector<std::string>& estimator_names();  // "aoas", "counts", "trajectory"
[[nodiscard]] const std::string& name_of(Estimator estimator);
[[nodiscard]] std::optional<Estimator> find_estimator(const std::string& name);

// What the next action is taken to depend on, for the pairs of one action.
enum class NextAction : std::uint8_t { unknown, observation, observation_and_state };  // unknown: there are no pairs

struct Refinement {
  std::vector<double> transition;  // [action][state][next state]; uniform where an action has no pairs
  // The same, from the observed information (lib/host/README.md); NaN where an action has no pairs, or where the matrix cannot be inverted; empty where it was not
  // asked for, or is too much.
  std::vector<double> standard_error;
  double log_likelihood_before = 0;  // of where it began: AOAS's estimate, its entries at least `least_start`
  double log_likelihood_after = 0;
  std::uint64_t impossible = 0;       // pairs or steps, left out: no state gives such an observation
  std::vector<std::uint64_t> passes;  // counts: [action], of the fit that was kept; trajectory: one number
  std::vector<bool> converged;        // likewise; else the passes ran out
  std::vector<NextAction> kept;       // counts: [action]
};

constexpr double least_start = 1e-3;         // an entry that begins at zero would stay there
constexpr double least_likelihood = 1e-100;  // less than this counts as never: products of two still are numbers
// That standard errors are computed for together: of all of T, or by counts of an action, with its pi after an observation. Their information is a dense matrix.
constexpr std::size_t most_free_parameters = 2048;

struct RefinementRequest {
  bool standard_errors = true;
  std::uint64_t threads = 0;  // 0: as many as the machine has; the result does not depend on it
  // Told how much is done, and of how much at most: passes over trajectories, fits of counts. From any thread, one call at a time.
  std::function<void(std::uint64_t done, std::uint64_t most)> progress;
};

// `start` is AOAS's transition from these pairs; check_aoas_applies() has said yes.
[[nodiscard]] Refinement refine_by_counts(const Model& model, const Counts& counts, const std::vector<double>& start,
                                          const RefinementRequest& request = {});
[[nodiscard]] Refinement refine_by_trajectory(const Model& model, const RunLog& log, const std::vector<double>& start,
                                              const RefinementRequest& request = {});

}  // namespace penumbra::host

// The pairs of each action by themselves, fitted twice, and the better model kept.
#include "pair_fit.hpp"

#include "penumbra/host/detail/pair_frequencies.hpp"
#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace penumbra::host {

Refinement detail::refine_by_pairs(const Model& model, const std::vector<double>& pairs, const std::vector<double>& start,
                                   const RefinementRequest& request) {
  const size_t A = model.actions.size();
  const size_t cells = model.states.size() * model.states.size();
  const size_t block = pairs.size() / A;
  Refinement refined;
  refined.transition.assign(A * cells, 1.0 / static_cast<double>(model.states.size()));
  refined.kept.assign(A, NextAction::unknown);
  refined.passes.assign(A, 0);
  const size_t states = model.states.size();
  const bool with_errors = request.standard_errors && states * (states - 1) <= most_free_parameters;
  if (with_errors) refined.standard_error.assign(A * cells, std::numeric_limits<double>::quiet_NaN());

  std::mutex sharing;  // what the fits of several actions tell
  std::uint64_t fits = 0;
  std::vector<double> before(A, 0.0);
  std::vector<double> after(A, 0.0);
  std::vector<double> impossible(A, 0.0);
  std::vector<unsigned char> converged(A, 1);
  const auto one_more = [&] {
    if (!request.progress) return;
    const std::lock_guard<std::mutex> lock(sharing);
    request.progress(++fits, 2 * A);
  };
  in_parallel(A, request.threads, [&](size_t a) {
    const double* of_action = pairs.data() + a * block;
    if (std::all_of(of_action, of_action + block, [](double count) { return count == 0; })) return;
    const auto fitted = [&](NextAction next_action) {
      PairFit fit(model, of_action, a, start.data() + a * cells, least_start, next_action);
      fit.fit_rest();
      fit.fit();
      one_more();
      return fit;
    };
    const PairFit smaller = fitted(NextAction::observation);
    const PairFit larger = fitted(NextAction::observation_and_state);
    const bool gains = larger.ascent().log_likelihood - smaller.ascent().log_likelihood > larger.extra_parameters();
    const PairFit& kept = gains ? larger : smaller;
    refined.kept[a] = gains ? NextAction::observation_and_state : NextAction::observation;
    std::copy(kept.transition(), kept.transition() + cells, refined.transition.begin() + static_cast<std::ptrdiff_t>(a * cells));
    refined.passes[a] = kept.ascent().passes;
    converged[a] = static_cast<unsigned char>(kept.ascent().converged);
    before[a] = kept.ascent().log_likelihood_before;
    after[a] = kept.ascent().log_likelihood;
    impossible[a] = kept.impossible();
    if (!with_errors) return;
    const std::vector<double> errors = kept.standard_errors();
    std::copy(errors.begin(), errors.end(), refined.standard_error.begin() + static_cast<std::ptrdiff_t>(a * cells));
  });
  double left_out = 0;
  for (size_t a = 0; a < A; ++a) {
    refined.log_likelihood_before += before[a];
    refined.log_likelihood_after += after[a];
    left_out += impossible[a];
    refined.converged.push_back(converged[a] != 0);
  }
  refined.impossible = static_cast<std::uint64_t>(std::llround(left_out));
  return refined;
}

Refinement refine_by_counts(const Model& model, const Counts& counts, const std::vector<double>& start, const RefinementRequest& request) {
  return detail::refine_by_pairs(model, {counts.pairs.begin(), counts.pairs.end()}, start, request);
}

}  // namespace penumbra::host

// Random models as in the paper's appendix: transitions of at least epsilon, and for each state and action one observation that is
// much more likely than the rest.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host {

// The paper's least transition probability.
[[nodiscard]] inline double default_epsilon(size_t states) noexcept { return 1.0 / (20.0 * static_cast<double>(states)); }

// Rows drawn evenly from the simplex, then shrunk so that no entry is below epsilon (at most 1/S). [action][state][next state]
[[nodiscard]] std::vector<double> random_transition(size_t states, size_t actions, double epsilon, Random& random);

struct ModelRecipe {
  size_t states = 0;
  size_t actions = 0;
  size_t observations = 0;
  double epsilon = 0;          // at most 1/S
  double peak = 0.5;           // part of a state's observations that goes to its peak; the rest is drawn evenly from the simplex
  bool distinct_peaks = true;  // no two states share a peak under one action; takes O >= S
  double least_sigma = 0;      // sensor matrices with a smaller sigma_min are drawn again
  std::uint64_t seed = 0;
};

struct GeneratedModel {
  Model model;
  std::vector<double> sigma_min;  // [action]
  size_t rejected = 0;            // sensor matrices that were drawn in vain
};

// A problem where no sensor matrix reaches least_sigma in max_draws.
[[nodiscard]] Outcome<GeneratedModel> generate_model(const ModelRecipe& recipe);
constexpr size_t max_draws = 20000;

}  // namespace penumbra::host

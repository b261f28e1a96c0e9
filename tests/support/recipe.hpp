// Random models of the product's own generator, for the tests of the host half.
#pragma once

#include "penumbra/host/generate.hpp"

namespace penumbra::test {

inline host::ModelRecipe recipe_of(size_t S, size_t A, size_t O, std::uint64_t seed) {
  host::ModelRecipe recipe;
  recipe.states = S;
  recipe.actions = A;
  recipe.observations = O;
  recipe.epsilon = host::default_epsilon(S);
  recipe.distinct_peaks = O >= S;
  recipe.seed = seed;
  return recipe;
}

inline host::Model random_model(size_t S, size_t A, size_t O, std::uint64_t seed) {
  return host::generate_model(recipe_of(S, A, O, seed)).value().model;
}

}  // namespace penumbra::test

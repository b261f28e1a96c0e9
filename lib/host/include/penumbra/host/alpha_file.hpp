// Value vectors as pomdp-solve writes them (`.alpha` files): for each vector a line with its action, a line with one number a state, and an
// empty line.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/vector_plan.hpp"

#include <cstddef>
#include <string>

namespace penumbra::host {

// Every number is finite, every action one of `actions` (an index, or a name where there are names), and there are one to
// most_vectors of them. Empty lines may be more or fewer than the format says.
[[nodiscard]] Outcome<ValueVectors> read_alpha(Input& input, std::size_t states, const Labels& actions);
[[nodiscard]] inline Outcome<ValueVectors> read_alpha(Input& input, std::size_t states, std::size_t actions) {
  return read_alpha(input, states, Labels(actions));
}

// Reading it again gives the same numbers, bit by bit.
[[nodiscard]] std::string to_alpha(const ValueVectors& vectors, std::size_t states);

}  // namespace penumbra::host

// From double precision to int16. What all vectors share at a state decides nothing, so that the middle of their range is taken off
// first; one scale then serves all numbers.
#include "quantise.hpp"

#include "vector_set.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace vector_planning {

namespace {

// Whether `one` wins over `other` wherever they meet: nowhere smaller, and the first of the two if nowhere larger.
bool dominates(const ValueVectors& vectors, size_t one, size_t other, size_t states) {
  const double* high = vectors.values.data() + one * states;
  const double* low = vectors.values.data() + other * states;
  bool larger = false;
  for (size_t s = 0; s < states; ++s) {
    if (high[s] < low[s]) return false;
    larger = larger || high[s] > low[s];
  }
  return larger || one < other;
}

// Looks at all pairs, and so leaves very many vectors as they are.
ValueVectors without_dominated(const ValueVectors& vectors, size_t states) {
  const size_t count = vectors.actions.size();
  if (count > manageable_vectors) return vectors;
  ValueVectors rest;
  for (size_t k = 0; k < count; ++k) {
    bool dominated = false;
    for (size_t other = 0; other < count && !dominated; ++other) dominated = other != k && dominates(vectors, other, k, states);
    if (!dominated) append(rest, vectors, k, states);
  }
  return rest;
}

// The middle of the vectors' range at each state.
std::vector<double> centre_of(const ValueVectors& vectors, size_t states) {
  std::vector<double> centre(states);
  for (size_t s = 0; s < states; ++s) {
    double least = vectors.values[s];
    double most = least;
    for (size_t at = s; at < vectors.values.size(); at += states) {
      least = std::min(least, vectors.values[at]);
      most = std::max(most, vectors.values[at]);
    }
    centre[s] = least / 2 + most / 2;
  }
  return centre;
}

}  // namespace

Quantised quantise_and_restore(const ValueVectors& vectors, size_t states) {
  constexpr double largest = 32767;
  const ValueVectors kept = without_dominated(vectors, states);
  const std::vector<double> centre = centre_of(kept, states);
  double reach = 0;
  for (size_t i = 0; i < kept.values.size(); ++i) reach = std::max(reach, std::abs(kept.values[i] - centre[i % states]));
  const double unit = reach / largest;

  Quantised result;
  result.table.kind = PolicyKind::vectors;
  result.table.parameter = static_cast<std::uint16_t>(kept.actions.size());
  result.restored.actions = kept.actions;
  for (const size_t action : kept.actions) result.table.actions.push_back(static_cast<std::uint8_t>(action));
  for (size_t i = 0; i < kept.values.size(); ++i) {
    const double units = unit > 0 ? std::round((kept.values[i] - centre[i % states]) / unit) : 0.0;
    const double number = std::clamp(units, -largest, largest);
    result.table.vectors.push_back(static_cast<std::int16_t>(number));
    result.restored.values.push_back(centre[i % states] + unit * number);
  }
  return result;
}

}  // namespace vector_planning

PolicyTable quantise(const ValueVectors& vectors, std::size_t states) {
  return vector_planning::quantise_and_restore(vectors, states).table;
}

}  // namespace penumbra::host

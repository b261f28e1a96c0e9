// A table, and what it says in double precision: the same vectors after rounding.
#pragma once

#include "penumbra/host/vector_plan.hpp"

#include <cstddef>

namespace penumbra::host::vector_planning {

struct Quantised {
  PolicyTable table;
  ValueVectors restored;
};
[[nodiscard]] Quantised quantise_and_restore(const ValueVectors& vectors, size_t states);

}  // namespace penumbra::host::vector_planning

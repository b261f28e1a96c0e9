// What a planner gives and an image holds: the table of a policy.
#pragma once

#include "penumbra/policy_image.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host {

// As many as an image can hold.
constexpr std::size_t most_vectors = 65535;

struct PolicyTable {
  PolicyKind kind = PolicyKind::uniform;
  std::uint16_t parameter = 0;        // vectors: how many; lattice: its resolution; uniform: 0
  std::vector<std::uint8_t> actions;  // one a vector, or one a lattice point in the order of ranks
  std::vector<std::int16_t> vectors;  // [vector][state]
};

// What else an image says: where in a learner's life it belongs.
struct ImageStamp {
  std::uint32_t sequence = 0;
  std::uint32_t episode = 0;
  std::uint32_t first_length = 0;
  std::uint32_t seed = 0;
  std::vector<std::uint32_t> pairs_before;  // [action]; empty stands for zeros
};

}  // namespace penumbra::host

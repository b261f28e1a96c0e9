// The Markov decision process that a model becomes on the belief lattice: for each point and action the expected reward, and the points
// that the next belief is interpolated from, with their probabilities. Built once for a model; every sweep reads it from front to back.
#pragma once

#include "belief_lattice.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/host/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penumbra::host {

// Points next to each other in rank, and their rows: one an action that is looked at there.
struct LatticeBlock {
  std::uint32_t first_point = 0;
  std::uint32_t points = 0;
  std::vector<std::uint32_t> first_row;  // [point], and one behind the last
  std::vector<std::uint32_t> action;     // [row]
  std::vector<double> reward;            // [row]
  std::vector<std::uint32_t> start;      // [row], and one behind the last: where its entries begin
  std::vector<std::uint32_t> point;      // [entry]
  std::vector<double> probability;       // [entry]
};

// Which rows to build: [point][action], all when empty.
using LatticeRows = std::vector<std::uint8_t>;

class LatticeStructure {
 public:
  LatticeStructure(const Model& model, const BeliefLattice& lattice, Interpolation interpolation, const LatticeRows& rows,
                   std::uint64_t threads);

  [[nodiscard]] const std::vector<LatticeBlock>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  // The points that can be met on the way from these, they among them: [point], 1 or 0.
  [[nodiscard]] std::vector<std::uint8_t> reachable(const std::vector<std::uint32_t>& from) const;

 private:
  std::vector<LatticeBlock> blocks_;
};

// Bytes of an entry, and of a row and its value at the end, for those who reckon before they build. Building takes P(s',o|s,a) besides.
constexpr std::uint64_t lattice_entry_bytes = sizeof(std::uint32_t) + sizeof(double);
constexpr std::uint64_t lattice_row_bytes = 2 * sizeof(double) + 2 * sizeof(std::uint32_t);

}  // namespace penumbra::host

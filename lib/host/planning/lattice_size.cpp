// What a lattice takes, reckoned before it is built.
#include "lattice_structure.hpp"
#include "optimistic_model.hpp"
#include "penumbra/host/lattice_plan.hpp"
#include "penumbra/lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace penumbra::host {

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > most / b ? most : a * b; }

// C(n+S-1, S-1), saturating.
std::uint64_t points_of(std::size_t states, std::uint64_t resolution) {
  long double points = 1;
  for (std::size_t k = 1; k < states; ++k) points = points * static_cast<long double>(resolution + k) / static_cast<long double>(k);
  return points >= 1e18L ? most : static_cast<std::uint64_t>(points + 0.5L);
}

// Entries that the rows of one point can have: a belief whose support has m states lies in a cell of at most m vertices.
std::uint64_t entries_a_point(const Model& model, const LatticeRequest& request) {
  const std::size_t S = model.states.size();
  const std::size_t A = model.actions.size();
  const std::size_t O = model.observations.size();
  const bool nearest = request.interpolation == Interpolation::nearest;
  if (!request.optimism.empty()) return times(A * optimistic_transitions(S), nearest ? O : O * S);
  std::uint64_t entries = 0;
  for (std::size_t a = 0; a < A; ++a) {
    for (std::size_t o = 0; o < O; ++o) {
      std::uint64_t support = 0;
      for (std::size_t next = 0; next < S; ++next) {
        bool possible = false;
        for (std::size_t s = 0; s < S && !possible; ++s) {
          const std::size_t emitter = model.emission == Emission::departure ? s : next;
          possible = model.transition_row(a, s)[next] > 0 && model.observation_row(a, emitter)[o] > 0;
        }
        support += static_cast<std::uint64_t>(possible);
      }
      entries += nearest ? std::min<std::uint64_t>(support, 1) : support;
    }
  }
  return entries;
}

LatticeSize size_of(const Model& model, const LatticeRequest& request, std::uint64_t entries, std::uint64_t resolution) {
  const std::uint64_t rows = model.actions.size() * (request.optimism.empty() ? 1 : optimistic_transitions(model.states.size()));
  const std::uint64_t joint = times(rows * model.observations.size(), model.states.size() * model.states.size() * sizeof(double));
  LatticeSize size;
  size.points = points_of(model.states.size(), resolution);
  const std::uint64_t structure = times(size.points, entries * lattice_entry_bytes + rows * lattice_row_bytes);
  size.bytes = structure > most - joint ? most : structure + joint;
  return size;
}

}  // namespace

LatticeSize lattice_size(const Model& model, const LatticeRequest& request) {
  return size_of(model, request, entries_a_point(model, request), request.resolution);
}

std::uint16_t affordable_resolution(const Model& model, const LatticeRequest& request, std::uint64_t most_points) {
  const std::uint64_t entries = entries_a_point(model, request);
  const std::uint64_t points = std::min<std::uint64_t>(most_points, max_lattice_points);
  std::uint16_t fits = 0;
  for (std::uint32_t above = max_resolution + 1U; fits + 1U < above;) {
    const std::uint32_t middle = (fits + above) / 2;
    const LatticeSize size = size_of(model, request, entries, middle);
    if (size.points <= points && size.bytes <= request.most_bytes) {
      fits = static_cast<std::uint16_t>(middle);
    } else {
      above = middle;
    }
  }
  return fits;
}

Outcome<void> check_lattice_size(const Model& model, const LatticeRequest& request, const std::string& name) {
  const LatticeSize size = lattice_size(model, request);
  if (size.points <= max_lattice_points && size.bytes <= request.most_bytes) return {};
  const std::uint16_t fits = affordable_resolution(model, request, max_lattice_points);
  const std::string points = size.points == most ? "more than 10^18" : fmt::format("{}", size.points);
  return fail(
      Fault::input, name,
      fmt::format("a lattice of resolution {} has {} points for {} states, and its transitions take {} {:.3g} MB", request.resolution,
                  points, model.states.size(), size.bytes == most ? "more than" : "up to", static_cast<double>(size.bytes) / 1e6),
      fits > 0 ? fmt::format("resolution {} would fit", fits) : std::string("no lattice fits: plan with value vectors"),
      fmt::format("at most {} points and {:.4g} MB are allowed", max_lattice_points, static_cast<double>(request.most_bytes) / 1e6));
}

}  // namespace penumbra::host

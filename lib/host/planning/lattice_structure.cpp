// Where each action leads from each point.
#include "lattice_structure.hpp"

#include "penumbra/host/detail/parallel.hpp"

#include <algorithm>

namespace penumbra::host {

namespace {

// Rarer observations are left out: nothing divides by them, and what they would add is below rounding.
constexpr double rare = 1e-300;

// For each action, observation and state the tails of P(s', o | s, a) over s': number k-1 is the sum of the last k, and number S-1, the
// sum of all, is P(o | s, a). The next belief's tails are then one product with the belief, and a division by the last of them.
std::vector<double> joint_tails(const Model& model) {
  const std::size_t S = model.states.size();
  const std::size_t A = model.actions.size();
  const std::size_t O = model.observations.size();
  std::vector<double> tails(A * O * S * S);
  double* out = tails.data();
  for (std::size_t a = 0; a < A; ++a) {
    for (std::size_t o = 0; o < O; ++o) {
      for (std::size_t s = 0; s < S; ++s) {
        double sum = 0;
        for (std::size_t next = S; next-- > 0;) {
          const std::size_t emitter = model.emission == Emission::departure ? s : next;
          sum += model.transition_row(a, s)[next] * model.observation_row(a, emitter)[o];
          *out++ = sum;
        }
      }
    }
  }
  return tails;
}

// Fills one block. Entries of a row that meet in a point are put together.
class BlockBuilder {
 public:
  BlockBuilder(const Model& model, const std::vector<double>& tails, const std::vector<double>& reward, const BeliefLattice& lattice,
               Interpolation interpolation, const LatticeRows& rows)
      : model_(model),
        tails_(tails),
        reward_(reward),
        lattice_(lattice),
        interpolation_(interpolation),
        rows_(rows),
        scratch_(lattice.states()),
        point_(lattice.states()),
        next_(lattice.states()),
        row_(model.observations.size() * lattice.states()),
        where_(lattice.points()) {}

  void build(LatticeBlock& block) {
    const std::size_t A = model_.actions.size();
    reserve(block, A);
    lattice_.unrank(block.first_point, point_.data());
    block.start.push_back(0);
    block.first_row.push_back(0);
    for (std::uint32_t i = 0; i < block.points; ++i) {
      const std::size_t point = block.first_point + i;
      for (std::size_t a = 0; a < A; ++a) {
        if (rows_.empty() || rows_[point * A + a] != 0) add_row(block, a);
      }
      block.first_row.push_back(static_cast<std::uint32_t>(block.action.size()));
      lattice_.next(point_.data());
    }
  }

 private:
  // For the most that it can become, as long as that is not much.
  void reserve(LatticeBlock& block, std::size_t A) const {
    std::size_t rows = block.points * A;
    if (!rows_.empty()) {
      const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(block.first_point * A);
      rows = static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(rows), std::uint8_t{1}));
    }
    block.first_row.reserve(block.points + 1);
    block.action.reserve(rows);
    block.reward.reserve(rows);
    block.start.reserve(rows + 1);
    const std::size_t entries = std::min(rows * row_.size(), std::size_t{1} << 20U);
    block.point.reserve(entries);
    block.probability.reserve(entries);
  }

  void add_row(LatticeBlock& block, std::size_t a) {
    const std::size_t S = lattice_.states();
    const std::size_t O = model_.observations.size();
    const double n = lattice_.resolution();
    double reward = 0;
    for (std::size_t s = 0; s < S; ++s) reward += point_[s] * reward_[a * S + s];
    block.reward.push_back(reward / n);
    block.action.push_back(static_cast<std::uint32_t>(a));
    entries_ = 0;
    double* next = next_.data();
    for (std::size_t o = 0; o < O; ++o) {
      const double* joint = tails_.data() + (a * O + o) * S * S;
      std::fill(next, next + S, 0.0);
      for (std::size_t s = 0; s < S; ++s, joint += S) {
        if (point_[s] == 0) continue;
        const double weight = point_[s];
        for (std::size_t k = 0; k < S; ++k) next[k] += weight * joint[k];
      }
      const double total = next[S - 1];
      if (total <= rare) continue;
      const double scale = n / total;
      for (std::size_t k = 0; k + 1 < S; ++k) next[k] *= scale;
      add_entries(total / n);
    }
    for (std::size_t i = 0; i < entries_; ++i) {
      block.point.push_back(row_[i].rank);
      block.probability.push_back(row_[i].weight);
    }
    block.start.push_back(static_cast<std::uint32_t>(block.point.size()));
  }

  void add_entries(double probability) {
    if (interpolation_ == Interpolation::nearest) return add_entry(lattice_.nearest(next_.data()), probability);
    const std::size_t found = lattice_.locate(next_.data(), scratch_);
    for (std::size_t i = 0; i < found; ++i) add_entry(scratch_.vertices[i].rank, probability * scratch_.vertices[i].weight);
  }

  void add_entry(std::uint32_t rank, double probability) {
    const std::size_t at = where_[rank];
    if (at < entries_ && row_[at].rank == rank) {
      row_[at].weight += probability;
      return;
    }
    where_[rank] = static_cast<std::uint32_t>(entries_);
    row_[entries_++] = {rank, probability};
  }

  const Model& model_;
  const std::vector<double>& tails_;
  const std::vector<double>& reward_;
  const BeliefLattice& lattice_;
  Interpolation interpolation_;
  const LatticeRows& rows_;
  BeliefLattice::Scratch scratch_;
  std::vector<std::uint32_t> point_;
  std::vector<double> next_;
  std::vector<BeliefLattice::Vertex> row_;
  std::size_t entries_ = 0;
  std::vector<std::uint32_t> where_;  // [rank]: the entry of the row that it last had
};

}  // namespace

LatticeStructure::LatticeStructure(const Model& model, const BeliefLattice& lattice, Interpolation interpolation, const LatticeRows& rows,
                                   std::uint64_t threads) {
  const std::vector<double> tails = joint_tails(model);
  const std::vector<double> reward = expected_reward(model);
  // Blocks large enough to be worth a thread's while, and few enough that their scratch, which has the size of the lattice, does not count.
  constexpr std::uint64_t least_rows = 4096;
  constexpr std::uint64_t most_blocks = 64;
  const std::uint64_t A = model.actions.size();
  const auto points_a_block = static_cast<std::uint32_t>(std::max<std::uint64_t>({least_rows / A, lattice.points() / most_blocks, 1}));
  for (std::uint32_t first = 0; first < lattice.points(); first += points_a_block) {
    LatticeBlock block;
    block.first_point = first;
    block.points = std::min(points_a_block, lattice.points() - first);
    blocks_.push_back(std::move(block));
  }
  detail::in_parallel(blocks_.size(), threads,
                      [&](std::size_t i) { BlockBuilder(model, tails, reward, lattice, interpolation, rows).build(blocks_[i]); });
}

std::uint64_t LatticeStructure::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const LatticeBlock& block : blocks_) {
    bytes += block.reward.size() * (sizeof(double) + 2 * sizeof(std::uint32_t)) + block.point.size() * lattice_entry_bytes;
  }
  return bytes;
}

std::vector<std::uint8_t> LatticeStructure::reachable(const std::vector<std::uint32_t>& from) const {
  const std::size_t points = blocks_.back().first_point + blocks_.back().points;
  const std::uint32_t points_a_block = blocks_.front().points;
  std::vector<std::uint8_t> met(points, 0);
  std::vector<std::uint32_t> open;
  std::size_t left = points;
  const auto meet = [&](std::uint32_t point) {
    if (met[point] != 0) return;
    met[point] = 1;
    --left;
    open.push_back(point);
  };
  for (const std::uint32_t point : from) meet(point);
  while (!open.empty() && left > 0) {
    const std::uint32_t point = open.back();
    open.pop_back();
    const LatticeBlock& block = blocks_[point / points_a_block];
    const std::size_t i = point - block.first_point;
    const std::uint32_t end = block.start[block.first_row[i + 1]];
    for (std::uint32_t entry = block.start[block.first_row[i]]; entry < end; ++entry) meet(block.point[entry]);
  }
  return met;
}

}  // namespace penumbra::host

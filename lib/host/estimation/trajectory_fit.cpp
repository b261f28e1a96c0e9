// Forwards and backwards through each piece. Sizes that the compiler knows keep a step's few numbers in registers; larger ones are padded to the
// next of these, and the largest are not known to it.
#include "trajectory_fit.hpp"

#include "rows.hpp"

#include "penumbra/host/belief.hpp"
#include "penumbra/host/detail/parallel.hpp"
#include "penumbra/host/refinement.hpp"

#include <algorithm>
#include <cmath>

namespace penumbra::host {

namespace {

using Eigen::Dynamic;
using Eigen::Index;

constexpr std::size_t piece_steps = std::size_t{1} << 14U;
constexpr std::size_t most_groups = 64;  // of pieces that are added up one after the other: what is kept of each is a matrix an action,
constexpr std::size_t most_cells = std::size_t{1} << 24U;  // and of all of them no more than this, unless one takes more
constexpr double least_scale = 1e-100;                     // of a belief that is not scaled up yet

constexpr int known_widths[] = {2, 4, 6, 8, 10, 12, 16};

std::size_t padded(std::size_t states) {
  for (const int width : known_widths) {
    if (states <= static_cast<std::size_t>(width)) return static_cast<std::size_t>(width);
  }
  return states;
}

}  // namespace

TrajectoryFit::TrajectoryFit(const Model& model, const RunLog& log, std::uint64_t threads)
    : threads_(threads),
      S_(model.states.size()),
      A_(model.actions.size()),
      O_(model.observations.size()),
      width_(padded(S_)),
      likelihood_(A_ * O_ * width_, 0.0),
      even_(width_, 0.0),
      initial_(width_, 0.0),
      moved_(A_, false) {
  const std::vector<double> exact = likelihoods(model);
  std::vector<bool> impossible(A_ * O_);
  for (std::size_t code = 0; code < A_ * O_; ++code) {
    const double* of_states = exact.data() + code * S_;
    impossible[code] = *std::max_element(of_states, of_states + S_) < least_likelihood;
    for (std::size_t s = 0; s < S_; ++s)
      likelihood_[code * width_ + s] = impossible[code] ? 1.0 : of_states[s] < least_likelihood ? 0.0 : of_states[s];
  }
  std::fill_n(even_.begin(), S_, 1.0 / static_cast<double>(S_));
  std::copy(model.initial.begin(), model.initial.end(), initial_.begin());
  for (std::size_t i = 0; i < log.runs(); ++i) {
    const etl::span<const std::uint16_t> run = log.run(i);
    for (std::size_t t = 0; t < run.size(); ++t) {
      impossible_ += static_cast<std::uint64_t>(impossible[run[t]]);
      if (t + 1 < run.size()) moved_[log.step_of(run[t]).action] = true;
    }
    for (std::size_t first = 0; first < run.size(); first += piece_steps) {
      bool starts_as_said = first == 0 && log.start_of(i) == RunStart::initial;
      if (starts_as_said) {  // unless that cannot be
        double sum = 0;
        for (std::size_t s = 0; s < S_; ++s) sum += initial_[s] * likelihood_[run[0] * width_ + s];
        starts_as_said = sum >= least_likelihood;
      }
      pieces_.push_back({run.data() + first, std::min(piece_steps, run.size() - first), starts_as_said});
    }
  }
}

template <int P>
void TrajectoryFit::expect(const LogPiece& piece, const std::vector<double>& transition, std::vector<double>& memory,
                           Expectation& to) const {
  using Vector = Eigen::Matrix<double, P, 1>;
  using Row = Eigen::Map<const Vector>;
  const auto width = static_cast<Index>(width_);
  const auto S = static_cast<Index>(S_);
  const std::size_t cells = width_ * width_;
  const double* transposed = transition.data() + A_ * cells;
  const auto likelihood = [&](std::size_t t) { return Row(likelihood_.data() + piece.steps[t] * width_, width); };

  // Forwards: what each step's belief is, given its observation too, up to a factor.
  memory.resize(piece.count * width_);
  Vector belief = Row(piece.from_initial ? initial_.data() : even_.data(), width);
  Vector seen(width);
  double scale = 1;
  for (std::size_t t = 0; t < piece.count; ++t) {
    seen = belief.cwiseProduct(likelihood(t));
    Eigen::Map<Vector>(memory.data() + t * width_, width) = seen;
    scale = seen.sum();
    const double* T = transition.data() + piece.steps[t] / O_ * cells;
    belief = seen(0) * Row(T, width);
    for (Index s = 1; s < S; ++s) belief += seen(s) * Row(T + s * width, width);
    if (scale >= least_scale) continue;
    to.log_likelihood += std::log(scale);
    belief /= scale;
    scale = 1;
  }
  to.log_likelihood += std::log(scale);

  // Backwards: `ahead` is the probability of what is observed from here on, by state, up to a factor.
  Vector ahead = likelihood(piece.count - 1);
  Vector moved(width);
  Vector weight(width);
  for (std::size_t t = piece.count - 1; t-- > 0;) {
    const std::size_t action = piece.steps[t] / O_;
    const double* T = transposed + action * cells;
    moved = ahead(0) * Row(T, width);
    for (Index s = 1; s < S; ++s) moved += ahead(s) * Row(T + s * width, width);
    const Row seen_here(memory.data() + t * width_, width);
    const double scaling = 1 / seen_here.dot(moved);
    weight = seen_here * scaling;
    double* moves = to.moves.data() + action * cells;
    for (Index s = 0; s < S; ++s) Eigen::Map<Vector>(moves + s * width, width) += weight(s) * ahead;
    ahead = likelihood(t).cwiseProduct(moved) * scaling;
  }
}

// One result a group of pieces: sums in an order that the number of threads does not change.
template <int P>
std::vector<TrajectoryFit::Expectation> TrajectoryFit::expect_all(const std::vector<double>& transition) const {
  const std::size_t affordable = std::max<std::size_t>(most_cells / (A_ * width_ * width_), 1);
  const std::size_t groups = std::min({pieces_.size(), most_groups, affordable});
  std::vector<Expectation> results(groups);
  detail::in_parallel(groups, threads_, [&](std::size_t group) {
    results[group].moves.assign(A_ * width_ * width_, 0.0);
    std::vector<double> memory;
    for (std::size_t i = pieces_.size() * group / groups; i < pieces_.size() * (group + 1) / groups; ++i) {
      expect<P>(pieces_[i], transition, memory, results[group]);
    }
  });
  return results;
}

PassResult TrajectoryFit::pass(std::vector<double>& transition) const {
  const std::size_t cells = width_ * width_;
  std::vector<double> both(2 * A_ * cells, 0.0);  // padded, and the same transposed
  PassResult result;
  for (std::size_t i = 0; i < transition.size(); ++i) {
    const std::size_t a = i / (S_ * S_);
    const std::size_t s = i / S_ % S_;
    const std::size_t next = i % S_;
    both[a * cells + s * width_ + next] = transition[i];
    both[(A_ + a) * cells + next * width_ + s] = transition[i];
    result.objective += pseudo_count(S_) * std::log(transition[i]);
  }
  const auto results = [&] {
    switch (width_) {
      case 2: return expect_all<2>(both);
      case 4: return expect_all<4>(both);
      case 6: return expect_all<6>(both);
      case 8: return expect_all<8>(both);
      case 10: return expect_all<10>(both);
      case 12: return expect_all<12>(both);
      case 16: return expect_all<16>(both);
      default: return expect_all<Dynamic>(both);
    }
  }();
  std::vector<double> moves(A_ * cells, 0.0);
  for (const Expectation& expectation : results) {
    for (std::size_t i = 0; i < moves.size(); ++i) moves[i] += expectation.moves[i];
    result.log_likelihood += expectation.log_likelihood;
  }
  result.objective += result.log_likelihood;
  for (std::size_t row = 0; row < A_ * S_; ++row) {
    double* T = transition.data() + row * S_;
    const double* of_row = moves.data() + row / S_ * cells + row % S_ * width_;
    double sum = 0;
    for (std::size_t next = 0; next < S_; ++next) sum += T[next] = T[next] * of_row[next] + pseudo_count(S_);
    for (std::size_t next = 0; next < S_; ++next) T[next] /= sum;
  }
  return result;
}

}  // namespace penumbra::host

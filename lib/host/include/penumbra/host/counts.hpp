// Pair counts of any number of runs, policies and robots: exact integers, so that merging is adding, in any order and grouping (the
// paper's sample reuse). The cells are those of lib/core's PairCounts, in its order.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/trajectory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

struct Counts {
  size_t actions = 0;
  size_t observations = 0;
  std::vector<std::uint64_t> pairs;  // [a][a'][o][o']

  // All zero. Models whose counts would not fit into memory are refused; `name` is what the problem calls the model.
  [[nodiscard]] static Outcome<Counts> of(const Model& model, const std::string& name);

  // Number of pairs whose first action is a: N(a).
  [[nodiscard]] std::vector<std::uint64_t> samples() const;

  // Cells add up. False when an action's samples pass max_samples: the sum is then of no use.
  [[nodiscard]] bool add(const Counts& other);

  // Adds a run: consecutive steps make pairs, and no pair spans two calls.
  [[nodiscard]] Outcome<std::uint64_t> add_trajectory(Input& input, const Model& model, const Progress& progress = {});
};

// Counts the pairs of a run as it happens.
class PairCounter {
 public:
  // Of the model's sizes, which check_learnable() or Counts::of() have found to fit.
  explicit PairCounter(const Model& model) {
    counts_.actions = model.actions.size();
    counts_.observations = model.observations.size();
    counts_.pairs.resize(counts_.actions * counts_.actions * counts_.observations * counts_.observations);
  }

  // `action` was executed and answered with `observation`.
  void add(size_t action, size_t observation) noexcept {
    const size_t O = counts_.observations;
    if (open_) ++counts_.pairs[((action_ * counts_.actions + action) * O + observation_) * O + observation];
    open_ = true;
    action_ = action;
    observation_ = observation;
  }

  // The next step is no pair with the last one.
  void break_pair() noexcept { open_ = false; }
  // Back to no pairs.
  void clear() noexcept {
    counts_.pairs.assign(counts_.pairs.size(), 0);
    break_pair();
  }

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  Counts counts_;
  bool open_ = false;
  size_t action_ = 0;
  size_t observation_ = 0;
};

// No action has more pairs than this, wherever counts come from: two such sums still fit into a cell, and no log is long enough to
// overflow what is left above.
constexpr std::uint64_t max_samples = std::uint64_t{1} << 62U;

// No more cells than this, which take half a gigabyte.
constexpr size_t max_count_cells = size_t{1} << 26U;

// How many cells the pair counts have; nothing when that is more than max_count_cells.
[[nodiscard]] std::optional<size_t> count_cells(size_t actions, size_t observations);

// A counts file, with the sizes of the model; `samples` in it has to agree with `pairs`.
[[nodiscard]] Outcome<Counts> read_counts(Input& input, const Model& model);
[[nodiscard]] std::string to_json(const Counts& counts);

// Any mix of trajectories and counts files, told apart by their first character; "-" is standard input. Files are read on up to `threads`
// threads, with a table of counts for each; the sum does not depend on that, nor on their order. The first file with a problem, in the order given, is the one reported.
[[nodiscard]] Outcome<Counts> count_files(const std::vector<std::string>& paths, const Model& model, const std::string& model_name,
                                          unsigned threads, const Progress& progress = {});

}  // namespace penumbra::host

// The model as the host holds it: what a model file says, checked, in double precision and in the order of the file, which is also the
// order that build_image() takes. Everything after the readers can rely on it: sizes agree, rows are distributions, numbers are finite.
#pragma once

#include "penumbra/model_view.hpp"
#include "penumbra/policy_image.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace penumbra::host {

// The states, actions or observations of a model: a number of them, and perhaps their names.
class Labels {
 public:
  Labels() = default;
  explicit Labels(size_t count) : count_(count) {}
  explicit Labels(std::vector<std::string> names);  // distinct, none empty

  [[nodiscard]] size_t size() const noexcept { return count_; }
  [[nodiscard]] bool named() const noexcept { return !names_.empty(); }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }  // empty where there are none

  // The name, or the index where there are no names.
  [[nodiscard]] std::string of(size_t index) const { return named() ? names_[index] : std::to_string(index); }

  // What `text` stands for: a name, or else an index.
  [[nodiscard]] std::optional<size_t> find(std::string_view text) const;

 private:
  size_t count_ = 0;
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> index_;
};

struct Model {
  Labels states;
  Labels actions;
  Labels observations;
  std::vector<double> transition;   // [action][state][next state]; empty: not known
  std::vector<double> observation;  // [action][state][observation]
  RewardKind reward_kind = RewardKind::by_observation;
  std::vector<double> reward;  // [observation] or [action][state]
  Emission emission = Emission::departure;
  std::vector<double> initial;     // [state]
  std::optional<double> discount;  // carried along for the .pomdp files that have one; the average reward knows none

  [[nodiscard]] bool has_transition() const noexcept { return !transition.empty(); }
  [[nodiscard]] const double* transition_row(size_t a, size_t s) const noexcept {
    return transition.data() + (a * states.size() + s) * states.size();
  }
  [[nodiscard]] const double* observation_row(size_t a, size_t s) const noexcept {
    return observation.data() + (a * states.size() + s) * observations.size();
  }
};

// r(a, s) = E[reward | action a in state s], in the order [action][state]. With arrival emission and reward by observation it takes the
// transition.
[[nodiscard]] std::vector<double> expected_reward(const Model& model);

// Rows may miss a sum of 1 by this much: what rounding to six decimals leaves, and the rounding of that number itself.
constexpr double row_sum_slack = 1e-6 + 1e-9;

// Numbers that a model of these sizes holds; nothing when even the product of the sizes does not fit.
[[nodiscard]] std::optional<size_t> model_numbers(size_t states, size_t actions, size_t observations);

// No more than this many, which take half a gigabyte.
constexpr size_t max_model_numbers = size_t{1} << 26U;

}  // namespace penumbra::host

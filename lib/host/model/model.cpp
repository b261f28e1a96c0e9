// Names and derived quantities of a model.
#include "penumbra/host/model.hpp"

#include <charconv>
#include <limits>

namespace penumbra::host {

Labels::Labels(std::vector<std::string> names) : count_(names.size()), names_(std::move(names)) {
  index_.reserve(count_);
  for (size_t i = 0; i < count_; ++i) index_.emplace(names_[i], i);
}

std::optional<size_t> Labels::find(std::string_view text) const {
  if (named()) {
    const auto found = index_.find(std::string(text));
    if (found != index_.end()) return found->second;
  }
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size() || index >= count_) return std::nullopt;
  return index;
}

std::vector<double> expected_reward(const Model& model) {
  if (model.reward_kind == RewardKind::by_action_and_state) return model.reward;
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  // Of what the state emits, for the state that the action leaves or reaches.
  std::vector<double> emitted(A * S, 0.0);
  for (size_t a = 0; a < A; ++a) {
    for (size_t s = 0; s < S; ++s) {
      const double* row = model.observation_row(a, s);
      for (size_t o = 0; o < O; ++o) emitted[a * S + s] += row[o] * model.reward[o];
    }
  }
  if (model.emission == Emission::departure) return emitted;
  std::vector<double> reached(A * S, 0.0);
  for (size_t a = 0; a < A; ++a) {
    for (size_t s = 0; s < S; ++s) {
      const double* row = model.transition_row(a, s);
      for (size_t next = 0; next < S; ++next) reached[a * S + s] += row[next] * emitted[a * S + next];
    }
  }
  return reached;
}

std::optional<size_t> model_numbers(size_t states, size_t actions, size_t observations) {
  size_t row = 0;
  size_t rows = 0;
  size_t numbers = 0;
  if (__builtin_add_overflow(states, observations, &row) || __builtin_mul_overflow(actions, states, &rows) ||
      __builtin_mul_overflow(rows, row, &numbers)) {
    return std::nullopt;
  }
  return numbers;
}

}  // namespace penumbra::host

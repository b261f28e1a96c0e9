// Rules of reward, and their expectation.
#include "pomdp_rewards.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace penumbra::host {

namespace {

constexpr size_t any = PomdpRule::any;
using Form = PomdpRule::Form;

}  // namespace

size_t PomdpRewards::key(size_t action, size_t state) const noexcept {
  const size_t S = model_.states.size();
  return (action == any ? model_.actions.size() : action) * (S + 1) + (state == any ? S : state);
}

void PomdpRewards::add(const PomdpRule& rule) {
  rules_of_[key(rule.action, rule.state)].push_back(rules_.size());
  rules_.push_back(rule);
}

std::vector<double> PomdpRewards::by_observation() const {
  std::vector<double> reward(model_.observations.size(), 0.0);
  for (const PomdpRule& rule : rules_) {
    if (rule.seen == any) {
      std::fill(reward.begin(), reward.end(), *rule.numbers);
    } else {
      reward[rule.seen] = *rule.numbers;
    }
  }
  return reward;
}

double PomdpRewards::expected(size_t action, size_t state) {
  gather(action, state);
  if (matching_.empty()) return 0.0;
  if (rules_[matching_[0]].covers_all()) return *rules_[matching_[0]].numbers;
  const size_t S = model_.states.size();
  const size_t O = model_.observations.size();
  // Where no rule asks what is seen, one number a state does.
  const auto asks_what_is_seen = [&](size_t rule) { return rules_[rule].form != Form::one || rules_[rule].seen != any; };
  const size_t width = std::any_of(matching_.begin(), matching_.end(), asks_what_is_seen) ? O : 1;
  const double* moves = model_.transition_row(action, state);
  rewards_.resize(S * O);
  for (size_t next = 0; next < S; ++next) {
    if (moves[next] != 0.0) std::fill_n(rewards_.data() + next * width, width, 0.0);
  }
  for (auto rule = matching_.rbegin(); rule != matching_.rend(); ++rule) apply(rules_[*rule], moves, width);
  double expected = 0.0;
  for (size_t next = 0; next < S; ++next) {
    if (moves[next] == 0.0) continue;
    const double* reward = rewards_.data() + next * width;
    const double* emits = model_.observation_row(action, next);
    expected += moves[next] * (width == 1 ? *reward : std::inner_product(reward, reward + width, emits, 0.0));
  }
  return expected;
}

// Merges the four lists that speak of (action, state), from their ends, until a rule leaves nothing open.
void PomdpRewards::gather(size_t action, size_t state) {
  matching_.clear();
  std::array<const std::vector<size_t>*, 4> lists{};
  std::array<size_t, 4> left{};
  size_t count = 0;
  for (const size_t where : {key(action, state), key(action, any), key(any, state), key(any, any)}) {
    const auto found = rules_of_.find(where);
    if (found == rules_of_.end()) continue;
    lists[count] = &found->second;
    left[count++] = found->second.size();
  }
  while (true) {
    size_t latest = count;
    for (size_t i = 0; i < count; ++i) {
      if (left[i] > 0 && (latest == count || (*lists[i])[left[i] - 1] > (*lists[latest])[left[latest] - 1])) latest = i;
    }
    if (latest == count) return;
    matching_.push_back((*lists[latest])[--left[latest]]);
    if (rules_[matching_.back()].covers_all()) return;
  }
}

// Only where `moves` reaches: nobody reads the rest.
void PomdpRewards::apply(const PomdpRule& rule, const double* moves, size_t width) {
  const size_t first = rule.next == any ? 0 : rule.next;
  const size_t end = rule.next == any ? model_.states.size() : rule.next + 1;
  for (size_t next = first; next < end; ++next) {
    if (moves[next] == 0.0) continue;
    double* row = rewards_.data() + next * width;
    if (rule.form != Form::one) {
      std::copy_n(rule.numbers + (rule.form == Form::matrix ? next * width : 0), width, row);
    } else if (rule.seen == any) {
      std::fill_n(row, width, *rule.numbers);
    } else {
      row[rule.seen] = *rule.numbers;
    }
  }
}

}  // namespace penumbra::host

// The rewards of a .pomdp file, R(a, s, s', o), as the rules that state them, and what we want of them:
//
//   r(a, s) = sum_s' T_a(s'|s) sum_o O_a(o|s') R(a, s, s', o).
//
// The whole R has A*S*S*O numbers, and no file of reasonable size spells them out: each (a, s) gathers its rules, from the last to the
// first that leaves nothing open, and fills at most one matrix of S*O numbers, where states are reached.
#pragma once

#include "penumbra/host/model.hpp"

#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

namespace penumbra::host {

// One R statement. `any` stands for a "*" and for what the statement's form leaves open.
struct PomdpRule {
  static constexpr size_t any = std::numeric_limits<size_t>::max();
  enum class Form { one, row, matrix };  // how many numbers: 1, [observation], [next state][observation]

  size_t action = any;
  size_t state = any;
  size_t next = any;
  size_t seen = any;
  Form form = Form::one;
  const double* numbers = nullptr;
  size_t place = 0;  // in the text

  [[nodiscard]] bool covers_all() const noexcept { return form == Form::one && next == any && seen == any; }
  [[nodiscard]] bool by_observation() const noexcept { return form == Form::one && action == any && state == any && next == any; }
};

class PomdpRewards {
 public:
  // Sizes are known from now on, T and O when expected() is called. The model stays where it is.
  explicit PomdpRewards(const Model& model) : model_(model) {}

  void add(const PomdpRule& rule);  // a later one overrides

  // R(o), where every rule is by_observation().
  [[nodiscard]] std::vector<double> by_observation() const;

  [[nodiscard]] double expected(size_t action, size_t state);

  // Of the last rule that expected() used: where to point when the result is not a number.
  [[nodiscard]] size_t last_place() const { return rules_[matching_.front()].place; }

 private:
  [[nodiscard]] size_t key(size_t action, size_t state) const noexcept;
  void gather(size_t action, size_t state);
  void apply(const PomdpRule& rule, const double* moves, size_t width);

  const Model& model_;
  std::vector<PomdpRule> rules_;
  std::unordered_map<size_t, std::vector<size_t>> rules_of_;  // by key(), in the order of the file
  std::vector<size_t> matching_;                              // the last rule first
  std::vector<double> rewards_;                               // [next state][observation]
};

}  // namespace penumbra::host

// A .pomdp file as a list of statements: what it says, before anything is known of its sizes. Time and memory are linear in the text.
#pragma once

#include "penumbra/host/problem.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace penumbra::host {

// A problem, and where in the text it lies.
struct PlacedProblem {
  size_t place = 0;
  Problem problem;  // without `where`
};

// "states:", "actions:" or "observations:" with a count or names; "start:" with what follows it.
struct PomdpList {
  size_t place = 0;
  std::vector<std::string_view> words;
};

enum class PomdpStart { distribution, include, exclude };

// T, O or R: which cells, and what they hold.
struct PomdpStatement {
  enum class Value { numbers, uniform, identity, reset };

  size_t place = 0;
  char table = 'T';
  size_t elements = 0;                        // given, of:
  std::array<std::string_view, 4> element{};  // action, state, next state or observation, observation
  Value value = Value::numbers;
  size_t first = 0;  // in PomdpStatements::numbers
  size_t count = 0;
};

struct PomdpStatements {
  std::optional<double> discount;
  bool cost = false;
  std::optional<PomdpList> states;
  std::optional<PomdpList> actions;
  std::optional<PomdpList> observations;
  std::optional<PomdpList> start;
  PomdpStart start_kind = PomdpStart::distribution;
  std::vector<PomdpStatement> tables;
  std::vector<double> numbers;
  std::vector<std::string_view> structured_comments;
  std::optional<PlacedProblem> problem;  // the first mistake of syntax; nothing after it has been read
};

// `text` outlives the statements, which point into it.
[[nodiscard]] PomdpStatements parse_pomdp(std::string_view text);

}  // namespace penumbra::host

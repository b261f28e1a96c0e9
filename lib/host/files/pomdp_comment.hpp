// What the grammar of .pomdp files has no words for, as a comment that other programs skip:
//
//   # penumbra: {"states":["dry bed","wet: bed"],"actions":[…],"observations":[…],"reward":"observation","discount":null}
//
// Every key is optional. Names are for people: statements go by what the grammar says, so that a state may be called 1. The reward is by
// observation, which every R has to bear out. A discount that the grammar wanted to see does not count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

struct PomdpComment {
  std::optional<std::vector<std::string>> states;
  std::optional<std::vector<std::string>> actions;
  std::optional<std::vector<std::string>> observations;
  bool reward_by_observation = false;
  bool no_discount = false;

  std::vector<std::string> problems;  // what is wrong, a sentence each
  std::vector<std::string> unknown_keys;
};

// `text` is from the brace on.
[[nodiscard]] PomdpComment read_pomdp_comment(std::string_view text);

}  // namespace penumbra::host

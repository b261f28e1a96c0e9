// Another program, run without a shell: text goes in, what it writes comes out. Nothing of it outlives the call.
#pragma once

#include "penumbra/host/problem.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::command {

struct Ran {
  int status = 0;  // as the program left it; 128 and the signal where one ended it
  std::string out;
  std::string err;  // its beginning, where it is long
};

// The program is looked up in PATH and gets `input` on standard input; its numbers and words are those of the C locale. A problem where it
// cannot be started, or has not ended after `patience`: it is then killed. A status other than 0 is for the caller to judge.
[[nodiscard]] host::Outcome<Ran> run_child(const std::vector<std::string>& arguments, std::string_view input,
                                           std::chrono::milliseconds patience);

}  // namespace penumbra::command

// Fuzzer of the .alpha reader: every input is refused with place and reason, or gives vectors that are whole and finite, whose actions
// exist, and which come out the same when they are written and read again.
#include "penumbra/host/alpha_file.hpp"

#include "promises.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;

using fuzz::promise;

struct Sizes {
  size_t states;
  Labels actions;
};

bool same_bits(const std::vector<double>& one, const std::vector<double>& two) {
  return one.size() == two.size() && std::memcmp(one.data(), two.data(), one.size() * sizeof(double)) == 0;
}

void check_vectors(const ValueVectors& vectors, const Sizes& sizes) {
  promise(!vectors.actions.empty() && vectors.actions.size() <= most_vectors, "there are vectors, and not too many");
  promise(vectors.values.size() == vectors.actions.size() * sizes.states, "vectors are whole");
  for (const size_t action : vectors.actions) promise(action < sizes.actions.size(), "actions exist");
  for (const double value : vectors.values) promise(std::isfinite(value), "numbers are finite");
  const std::string text = to_alpha(vectors, sizes.states);
  Input input = Input::of_text("again", text);
  const Outcome<ValueVectors> again = read_alpha(input, sizes.states, sizes.actions.size());
  promise(again.has_value(), "what is written can be read");
  promise(again.value().actions == vectors.actions && same_bits(again.value().values, vectors.values), "numbers survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::Answers answers;
  static const std::vector<Sizes> all = {{2, Labels(3)}, {1, Labels({"go", "turn left", "1"})}};
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Sizes& sizes : all) {
    Input input = Input::of_text("v.alpha", text);
    const Outcome<ValueVectors> vectors = read_alpha(input, sizes.states, sizes.actions);
    answers.note(vectors.has_value());
    if (vectors) {
      check_vectors(vectors.value(), sizes);
    } else {
      fuzz::check_problem(vectors.error(), "v.alpha");
    }
  }
  return 0;
}

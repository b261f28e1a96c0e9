// Fuzzer of the counts reader, and with it of the JSON door: every input is read, and then written and read again as the same counts, or
// refused with file and reason.
#include "penumbra/host/counts.hpp"

#include "promises.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace penumbra;
using namespace penumbra::host;

using fuzz::promise;

Model model_of(size_t actions, size_t observations) {
  Model model;
  model.actions = Labels(actions);
  model.observations = Labels(observations);
  return model;
}

Outcome<Counts> read(const std::string& text, const Model& model) {
  Input input = Input::of_text("c.json", text);
  return read_counts(input, model);
}

void check(const std::string& text, const Model& model) {
  static fuzz::Answers answers;
  const Outcome<Counts> counts = read(text, model);
  answers.note(counts.has_value());
  if (!counts) {
    fuzz::check_problem(counts.error(), "c.json");
    return;
  }
  promise(
      counts.value().pairs.size() == model.actions.size() * model.actions.size() * model.observations.size() * model.observations.size(),
      "there are as many cells as the model has");
  for (const std::uint64_t sum : counts.value().samples()) promise(sum <= max_samples, "sums fit");
  const Outcome<Counts> again = read(to_json(counts.value()), model);
  promise(again.has_value() && again.value().pairs == counts.value().pairs, "what is written is what was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Model small = model_of(1, 2);
  static const Model larger = model_of(2, 1);
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text, small);
  check(text, larger);
  return 0;
}

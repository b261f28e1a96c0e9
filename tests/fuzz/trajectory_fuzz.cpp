// Fuzzer of the trajectory reader: every input is read or refused with place and reason, never more than three lines of it; plain fields
// mean what the labels say; and however the bytes arrive, the outcome is the same.
#include "penumbra/host/trajectory.hpp"

#include "promises.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;

using fuzz::promise;

// One with names that are hard to get right, and one with none.
std::vector<Model> make_models() {
  std::vector<Model> models(2);
  models[0].actions = Labels({"go", "1", "a,b", "\"q\"", " x", "größer"});
  models[0].observations = Labels({"bump", "0", "a long name of more than fifteen bytes"});
  models[1].actions = Labels(4);
  models[1].observations = Labels(120);
  return models;
}

// All steps, or the problem without the input's name.
std::string outcome(Input& input, const Model& model) {
  std::string text;
  std::uint64_t count = 0;
  const auto sink = [&](etl::span<const Step> steps) {
    for (const Step& step : steps) {
      promise(step.action < model.actions.size() && step.observation < model.observations.size(), "every step exists in the model");
      text += std::to_string(step.action) + "," + std::to_string(step.observation) + "\n";
    }
    count += steps.size();
  };
  const Outcome<std::uint64_t> read = read_trajectory(input, model, sink);
  if (read) {
    promise(read.value() == count, "the steps are as many as it says");
    return text;
  }
  const Problem& problem = read.error();
  fuzz::check_problem(problem, input.name() + ":");
  return "refused" + to_text(problem).substr(input.name().size());
}

// Through a pipe that hands out what one write() gave; it holds sixteen of them.
std::string outcome_in_pieces(std::string_view text, const Model& model) {
  int ends[2];
  promise(::pipe2(ends, O_DIRECT) == 0, "the system has pipes");
  const size_t piece = 1 + text.size() / 12 + text.size() % 7;
  for (size_t at = 0; at < text.size(); at += piece) {
    const std::string_view part = text.substr(at, piece);
    promise(::write(ends[1], part.data(), part.size()) == static_cast<ssize_t>(part.size()), "the pipe takes it all");
  }
  ::close(ends[1]);
  Outcome<Input> input = Input::open("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  promise(input.has_value(), "the system lets pipes be opened by number");
  return outcome(input.value(), model);
}

// What it read comes out again when it is written down.
void check_again(const std::string& steps, const Model& model) {
  std::string text = "observation,action\n";
  size_t at = 0;
  while (at < steps.size()) {
    const size_t comma = steps.find(',', at);
    const size_t end = steps.find('\n', at);
    const size_t action = std::stoul(steps.substr(at, comma - at));
    const size_t observation = std::stoul(steps.substr(comma + 1, end - comma - 1));
    text += csv_field(model.observations.of(observation)) + "," + csv_field(model.actions.of(action)) + "\n";
    at = end + 1;
  }
  Input input = Input::of_text("again", text);
  promise(outcome(input, model) == steps, "what is written is what was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::Answers answers;
  static const std::vector<Model> models = make_models();
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Model& model : models) {
    Input input = Input::of_text("t.csv", text);
    const std::string whole = outcome(input, model);
    answers.note(whole.compare(0, 7, "refused") != 0);
    if (size < 32768) promise(outcome_in_pieces(text, model) == whole, "pieces make no difference");
    if (whole.compare(0, 7, "refused") != 0) check_again(whole, model);
  }
  return 0;
}

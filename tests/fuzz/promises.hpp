// What the fuzzers of the host's doors hold their readers to: an input is refused with reasons, or gives something that keeps its promises.
#pragma once

#include "penumbra/host/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace penumbra::fuzz {

inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// Both answers of a door, for the log: a fuzzer that never met one of them tests less than it says.
class Answers {
 public:
  void note(bool accepted) { ++(accepted ? accepted_ : refused_); }
  ~Answers() {
    std::fprintf(stderr, "door: %10zu  accepted%s\n", accepted_, accepted_ == 0 ? "  NEVER MET" : "");
    std::fprintf(stderr, "door: %10zu  refused%s\n", refused_, refused_ == 0 ? "  NEVER MET" : "");
  }

 private:
  size_t accepted_ = 0;
  size_t refused_ = 0;
};

// `name` is what the reader was told to call its input.
inline void check_problem(const host::Problem& problem, const std::string& name) {
  const std::string text = host::to_text(problem);
  promise(problem.fault == host::Fault::input, "bad input is blamed on the input");
  promise(!problem.what.empty() && problem.where.compare(0, name.size(), name) == 0, "reasons have places");
  promise(text.size() < 2000 && std::count(text.begin(), text.end(), '\n') <= 2, "a problem takes three lines at most");
  for (const char c : text) promise(c == '\n' || static_cast<unsigned char>(c) >= 0x20U, "a problem is printable");
}

inline void check_rows(const std::vector<double>& rows, size_t width) {
  for (size_t row = 0; row < rows.size(); row += width) {
    double sum = 0.0;
    for (size_t i = row; i < row + width; ++i) {
      promise(rows[i] >= 0.0 && rows[i] <= 1.0, "entries are probabilities");
      sum += rows[i];
    }
    promise(std::fabs(sum - 1.0) < 1e-9, "rows sum to 1");
  }
}

inline void check_model(const host::Model& model) {
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  promise(S > 0 && A > 0 && O > 0, "there is something of everything");
  promise(!model.has_transition() || model.transition.size() == A * S * S, "the transition's size agrees");
  promise(model.observation.size() == A * S * O && model.initial.size() == S, "sizes agree");
  promise(model.reward.size() == (model.reward_kind == RewardKind::by_observation ? O : A * S), "the reward's size agrees");
  check_rows(model.transition, S);
  check_rows(model.observation, O);
  check_rows(model.initial, S);
  for (const double reward : model.reward) promise(std::isfinite(reward), "rewards are finite");
}

inline void check_same(const host::Model& model, const host::ModelReading& again) {
  promise(again.model.has_value(), "what was written can be read");
  const host::Model& other = *again.model;
  promise(other.states.names() == model.states.names() && other.actions.names() == model.actions.names() &&
              other.observations.names() == model.observations.names(),
          "names survive");
  promise(other.transition == model.transition && other.observation == model.observation && other.initial == model.initial &&
              other.reward == model.reward,
          "numbers survive");
  promise(other.reward_kind == model.reward_kind && other.emission == model.emission && other.discount == model.discount,
          "the rest survives");
}

// A model reader, strict and not: `read(text, name, row_sums)`. What it accepts is written in both formats and read again.
template <class Read>
void check_model_door(const std::string& text, const Read& read, Answers& answers) {
  using namespace host;
  for (const RowSums row_sums : {RowSums::strict, RowSums::normalize}) {
    const ModelReading reading = read(text, "file", row_sums);
    answers.note(reading.model.has_value());
    promise(reading.model.has_value() == reading.problems.empty(), "there is a model or a problem");
    for (const Problem& problem : reading.problems) check_problem(problem, "file");
    if (!reading.model) continue;
    const Model& model = *reading.model;
    check_model(model);
    if (model.transition.size() + model.observation.size() > 10000) continue;  // it would take long, and show nothing new
    check_same(model, read_json_model(to_json(model), "again"));
    const Outcome<std::string> pomdp = to_pomdp(model, "model");
    promise(pomdp.has_value() == (model.emission == Emission::arrival && model.has_transition()), "what a .pomdp file can hold is written");
    if (pomdp) check_same(model, read_pomdp(pomdp.value(), "again"));
  }
}

}  // namespace penumbra::fuzz

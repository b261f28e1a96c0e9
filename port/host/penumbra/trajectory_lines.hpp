// The lines of a trajectory file, each made up of pieces that are put together once.
#pragma once

#include "command.hpp"

#include "penumbra/host/simulate.hpp"
#include "penumbra/host/trajectory.hpp"

#include <string>
#include <vector>

namespace penumbra::command {

class TrajectoryLines {
 public:
  TrajectoryLines(const Model& model, bool with_states) : observations_(model.observations.size()) {
    header_ = with_states ? "state,action,observation\n" : "action,observation\n";
    for (size_t s = 0; with_states && s < model.states.size(); ++s) states_.push_back(host::csv_field(model.states.of(s)) + ",");
    for (size_t a = 0; a < model.actions.size(); ++a) {
      for (size_t o = 0; o < observations_; ++o) {
        steps_.push_back(host::csv_field(model.actions.of(a)) + "," + host::csv_field(model.observations.of(o)) + "\n");
      }
    }
  }
  [[nodiscard]] const std::string& header() const { return header_; }
  void write(Artefact& artefact, const host::SimulatedStep& step) const {
    if (!states_.empty()) artefact.write(states_[step.state]);
    artefact.write(steps_[step.action * observations_ + step.observation]);
  }

 private:
  size_t observations_;
  std::string header_;
  std::vector<std::string> states_;
  std::vector<std::string> steps_;
};

}  // namespace penumbra::command

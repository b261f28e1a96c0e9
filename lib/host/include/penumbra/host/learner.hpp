// Learners: they know the sensors and the reward, and find out how the world moves while they act in it. All of them stand behind one
// interface, so that the loop that runs them, their regret, their seeds and their threads are written once (learning.hpp).
//
// A learner of your own is one file in lib/host/learning, with a class and a LearnerKind that names it and makes it, and its lines in kinds.hpp
// and learners.cpp; the command and its help then know it. Options of its own go to LearnerOptions and to the command's table of them
// (port/host/penumbra/learner_options.cpp).
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/host/refinement.hpp"
#include "penumbra/host/simulate.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace penumbra::host {

class Reference;  // reference.hpp

class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  // Before the first step: whatever may fail, or takes long.
  virtual Outcome<void> begin() { return {}; }

  // The action to execute now. Asked once a step.
  virtual std::size_t choose() = 0;

  // What the world answered to it. True: that ended an episode, and next_episode() comes before the next choose().
  // The hidden state in the answer is for those whose source lets them see more than a robot does; they say so where they look at it.
  virtual bool observe(const World::Answer& answer) = 0;

  // Estimates and plans anew. The loop measures the time that it takes. A problem ends the run.
  virtual Outcome<void> next_episode() { return {}; }

  // The transition that it believes in now, [action][state][next state]; empty: it has none to show.
  [[nodiscard]] virtual const std::vector<double>& transition() const;

  // What the user should know about how it went, a sentence each: a planner of another kind, estimates that failed.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

// What can be chosen about learners; each reads what is its own. T_0, iota, tau_1, tau_2, the particles and their least effective size are
// the paper's; delta, c, resolution and jitter, which it does not give, are ours.
struct LearnerOptions {
  std::uint64_t first_episode = 2500;     // T_0: aoas-ucrl, oas-ucrl, sm-ucrl
  double delta = 0.05;                    // confidence level of the regions
  double radius = 0.1;                    // c in beta_a = min(2, c sqrt(log(2 A O² k / delta_a,k) / N_k(a)))
  double epsilon = 0;                     // regions hold no transition below it; 0: not known
  std::uint64_t resolution = 0;           // of the planner's lattice; 0: by the number of states, 40 for three
  bool reuse = true;                      // aoas-ucrl: all samples, not the last episode's alone
  Estimator estimator = Estimator::aoas;  // aoas-ucrl; trajectory keeps all steps, two bytes each
  double least_samples = 0;       // aoas-ucrl: an action with fewer than this times sqrt(t) pairs is starved (confidence.hpp); 0: none is
  double min_action = 0.025;      // iota: oas-ucrl, sm-ucrl
  std::uint64_t particles = 100;  // psrl-pomdp
  double least_effective = 30;    // psrl-pomdp: resample below this effective sample size
  double jitter = 0.03;           // psrl-pomdp: share of a fresh random row that a resampled particle's rows get
  std::uint64_t exploration = 8000;    // tau_1: seeu
  std::uint64_t exploitation = 20000;  // tau_2: seeu
};

// What a learner is made of. It outlives the learner, and the world outlives it.
struct LearnerSetting {
  explicit LearnerSetting(const Model& true_world, const LearnerOptions& chosen = {}, const Reference* best_known = nullptr)
      : sensors(true_world), world(&true_world), reference(best_known), options(chosen) {
    sensors.transition.clear();
  }

  Model sensors;               // sizes, observation model, reward and initial belief of the world; no transition
  const Model* world;          // for yardsticks, which may know everything
  const Reference* reference;  // the same
  LearnerOptions options;
};

struct LearnerKind {
  const char* name;                  // as --algorithm calls it
  const char* description;           // a line
  bool learns;                       // else it is a yardstick
  std::vector<std::string> options;  // of LearnerOptions that it reads, as the command calls them: "first-episode"
  std::unique_ptr<Learner> (*make)(const LearnerSetting& setting, std::uint64_t seed);
  bool explores_first = false;  // its first episode acts uniformly, and no later one explores for exploring's sake
};

// Those of this library, in the order of the paper's comparison, the yardsticks last.
[[nodiscard]] const std::vector<LearnerKind>& learner_kinds();
[[nodiscard]] const LearnerKind* find_learner(const std::string& name);  // null: there is none

// A problem where the model is not one that can be learned: departure emission, rewards of observations in [0,1], sensors that tell states
// apart, a true transition to simulate, sizes that fit a device. `name` is what the problem calls it.
[[nodiscard]] Outcome<void> check_learnable(const Model& model, const std::string& name);

}  // namespace penumbra::host

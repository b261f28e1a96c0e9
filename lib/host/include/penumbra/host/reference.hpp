// The best that is known about the true model, which regret is measured against: its gain rho*, its bias h, and how much an action gives
// away at a belief, the Bellman gap
//
//   gap(b,a) = max_a' Q(b,a') - Q(b,a),     Q(b,a) = r(b,a) + sum_o p(o|b,a) h(b')
//
// h is the lattice's, as fine as is affordable, for up to six states, and the upper surface of value vectors beyond. rho* is the lattice's gain
// for up to three states, where it is tight; beyond, it is what looking ahead with h earns in a simulation, with the luck of the observations
// taken out: the lattice's gain would be an upper bound and no more. Its own interval, times the steps, is uncertainty that the regret's
// interval does not show.
#pragma once

#include "penumbra/host/evaluation.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace penumbra::host {

class Reference {
 public:
  // The model has a transition and departure emission, and fits the device. A problem where its gain depends on the start; `name` is what it
  // calls the model.
  [[nodiscard]] static Outcome<Reference> of(const Model& world, const std::string& name, std::uint64_t threads);

  [[nodiscard]] const Average& gain() const noexcept { return gain_; }          // ci95 is 0 where nothing was simulated
  [[nodiscard]] const std::string& method() const noexcept { return method_; }  // how it was found, for people

  struct Values;  // of the model and its bias, as they are read; shared by all who look
  [[nodiscard]] const Values& values() const noexcept { return *values_; }

 private:
  Average gain_;
  std::string method_;
  std::shared_ptr<const Values> values_;
};

// The belief of one who knows the true model, along a run, and what each action is worth there. One a run.
class TrueBelief {
 public:
  // The reference outlives it.
  explicit TrueBelief(const Reference::Values& values);
  ~TrueBelief();
  TrueBelief(const TrueBelief&) = delete;
  TrueBelief& operator=(const TrueBelief&) = delete;

  [[nodiscard]] std::size_t best() const noexcept { return best_; }  // the lowest of the best actions
  [[nodiscard]] double gap(std::size_t action) const noexcept { return worth_[best_] - worth_[action]; }
  [[nodiscard]] double worth(std::size_t action) const noexcept { return worth_[action]; }  // Q

  // `observation` answered `action`. Returns h at the belief that this leads to.
  double observe(std::size_t action, std::size_t observation) noexcept;

 private:
  void look() noexcept;

  const Reference::Values& values_;
  std::size_t best_ = 0;
  std::vector<double> belief_;
  std::vector<double> worth_;  // [action]
  std::vector<double> next_;   // [action][observation][state]: p(o|b,a) b'
  std::vector<double> bias_;   // [action][observation]: p(o|b,a) h(b')
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace penumbra::host

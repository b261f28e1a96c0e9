// A policy table in use: lib/core's own filter and policy, as a board would run them. A new table takes over with the belief as it is.
#pragma once

#include "penumbra/belief_filter.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"
#include "penumbra/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace penumbra::host {

class BeliefPolicy {
 public:
  // Acts uniformly, and believes in a world that moves uniformly, until use() says better.
  BeliefPolicy(const Model& sensors, std::uint64_t seed);

  // The belief moves by this transition from now on, and actions come from this table. A problem when a device could not hold it.
  [[nodiscard]] Outcome<void> use(const std::vector<double>& transition, const PolicyTable& table);

  [[nodiscard]] std::size_t choose() noexcept { return index(policy_->choose(filter_->belief())); }
  void observe(std::size_t action, std::size_t observation) noexcept {
    // What its model holds for impossible restarts its belief, as it would on the robot.
    static_cast<void>(filter_->update(Action{static_cast<std::uint8_t>(action)}, Observation{static_cast<std::uint8_t>(observation)}));
  }

  [[nodiscard]] const std::vector<double>& transition() const noexcept { return model_.transition; }

 private:
  Model model_;
  std::optional<ImageFile> image_;
  std::optional<BeliefFilter<RuntimeDims>> filter_;
  std::optional<Policy<RuntimeDims>> policy_;
};

// The transition of which nothing is known: all rows uniform.
[[nodiscard]] std::vector<double> uniform_transition(const Model& sensors);

}  // namespace penumbra::host

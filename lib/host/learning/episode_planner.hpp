// The host half of AOAS-UCRL (paper, Algorithm 2): between two episodes it estimates from the agent's counts, builds the confidence regions,
// plans, and makes the next image. Whether the agent is one in this process or a board at the end of a line, it is the same.
#pragma once

#include "oracle.hpp"

#include "penumbra/host/aoas.hpp"
#include "penumbra/host/image_file.hpp"
#include "penumbra/host/learner.hpp"
#include "penumbra/host/run_log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penumbra::host {

class EpisodePlanner {
 public:
  // check_learnable() has said yes to these sensors.
  EpisodePlanner(const Model& sensors, const LearnerOptions& options, std::uint64_t seed);

  // The image of episode 0: actions are drawn, and the world is believed to move uniformly.
  [[nodiscard]] ImageFile first(std::uint32_t sequence) const;

  // That of episode k >= 1. `used` is what is estimated from; `all` are the pairs of all episodes so far, by which its length goes. `log` are the
  // steps behind `used`, in their order: the estimator `trajectory` wants them, and the others do not look.
  [[nodiscard]] Outcome<ImageFile> next(std::uint64_t k, std::uint32_t sequence, const Counts& used, const Counts& all,
                                        const RunLog* log = nullptr);

  [[nodiscard]] const std::vector<double>& transition() const noexcept { return believed_.transition; }  // of the image made last
  [[nodiscard]] std::optional<double> gain() const noexcept { return gain_; }                            // that it was planned to have
  [[nodiscard]] std::vector<std::string> remarks() const { return oracle_.remarks(); }

 private:
  std::vector<double> estimate(const Counts& used, const RunLog* log, bool with_errors);

  LearnerOptions options_;
  std::vector<SensorInverse> inverses_;
  Model believed_;  // the sensors, and the transition that is believed in
  Oracle oracle_;
  std::optional<double> gain_;
  std::uint64_t seed_;
};

}  // namespace penumbra::host

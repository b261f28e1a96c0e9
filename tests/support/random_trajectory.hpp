// Logs as files, for tests of what reads them.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/host/output.hpp"
#include "penumbra/host/random.hpp"

#include <unity.h>

#include <filesystem>
#include <string>

namespace penumbra::test {

// Numbered; nothing but its sizes is set.
inline host::Model model_of(size_t actions, size_t observations) {
  host::Model model;
  model.states = host::Labels(2);
  model.actions = host::Labels(actions);
  model.observations = host::Labels(observations);
  return model;
}

inline std::string file_in(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  const std::string path = (folder / name).string();
  TEST_ASSERT_TRUE(host::write_file(path, text).has_value());
  return path;
}

inline std::string random_trajectory(const host::Model& model, size_t steps, std::uint64_t seed) {
  host::Random random(seed, host::Stream::world);
  std::string text = "action,observation\n";
  for (size_t i = 0; i < steps; ++i) {
    const size_t action = random.below(model.actions.size());
    const size_t observation = random.below(model.observations.size());
    text += std::to_string(action) + "," + std::to_string(observation) + "\n";
  }
  return text;
}

}  // namespace penumbra::test

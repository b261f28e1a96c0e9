// Writes the seeds of the fuzzers: small policy images that are good, one of every kind. They are kept in the tree (seeds/image), and
// the test fuzz.seeds writes them anew and compares: a change of a single byte is a change of the format, and has to be meant.
// Every probability is a sum of powers of two, so that each compiler writes the same bytes.
//
//   make_seeds FOLDER
#include "penumbra/image_builder.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace penumbra;

// 1/2, 1/4 … and the rest, beginning at outcome `first`.
void halves(float* row, size_t count, size_t first) {
  float left = 1.0F;
  for (size_t i = 0; i < count; ++i) {
    const float share = i + 1 < count ? left / 2.0F : left;
    row[(first + i) % count] = share;
    left -= share;
  }
}

// One outcome for certain, so that the others are impossible.
void certain(float* row, size_t count, size_t which) {
  for (size_t i = 0; i < count; ++i) row[i] = i == which % count ? 1.0F : 0.0F;
}

struct Seed {
  const char* name;
  uint8_t states, actions, observations;
  Emission emission;
  RewardKind reward;
  PolicyKind policy;
  uint16_t parameter;
  bool deterministic;
};

constexpr Seed seeds[] = {
    {"s1_uniform", 1, 1, 1, Emission::departure, RewardKind::by_observation, PolicyKind::uniform, 0, false},
    {"s1_vectors", 1, 2, 1, Emission::arrival, RewardKind::by_action_and_state, PolicyKind::vectors, 1, false},
    {"s1_lattice", 1, 2, 2, Emission::departure, RewardKind::by_observation, PolicyKind::lattice, 1, false},
    {"s2_uniform", 2, 2, 2, Emission::arrival, RewardKind::by_action_and_state, PolicyKind::uniform, 0, true},
    {"s2_vectors", 2, 3, 2, Emission::arrival, RewardKind::by_observation, PolicyKind::vectors, 3, true},
    {"s2_lattice", 2, 3, 2, Emission::departure, RewardKind::by_action_and_state, PolicyKind::lattice, 7, true},
    {"s3_uniform", 3, 4, 4, Emission::departure, RewardKind::by_observation, PolicyKind::uniform, 0, false},
    {"s3_vectors", 3, 4, 4, Emission::departure, RewardKind::by_observation, PolicyKind::vectors, 8, false},
    {"s3_lattice", 3, 4, 4, Emission::departure, RewardKind::by_observation, PolicyKind::lattice, 10, false},
    {"s3_arrival", 3, 5, 2, Emission::arrival, RewardKind::by_action_and_state, PolicyKind::lattice, 4, false},
    {"s9_vectors", 9, 2, 3, Emission::departure, RewardKind::by_action_and_state, PolicyKind::vectors, 5, true},
};

std::vector<uint8_t> image_of(const Seed& seed) {
  const size_t S = seed.states;
  const size_t A = seed.actions;
  const size_t O = seed.observations;
  std::vector<float> transition(A * S * S);
  std::vector<float> observation(A * S * O);
  std::vector<float> prior(S);
  for (size_t row = 0; row < A * S; ++row) {
    seed.deterministic ? certain(&transition[row * S], S, row + row / S) : halves(&transition[row * S], S, row + row / S);
    seed.deterministic ? certain(&observation[row * O], O, row) : halves(&observation[row * O], O, row);
  }
  halves(prior.data(), S, 1);
  std::vector<float> reward(A * S > O ? A * S : O);
  for (size_t i = 0; i < reward.size(); ++i) reward[i] = static_cast<float>(i) * 0.125F - 0.5F;
  const size_t entries = seed.policy == PolicyKind::lattice ? lattice_points(S, seed.parameter) : seed.parameter;
  std::vector<uint8_t> actions(entries);
  for (size_t i = 0; i < entries; ++i) actions[i] = static_cast<uint8_t>(i % A);
  std::vector<int16_t> vectors(S * seed.parameter);
  for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = static_cast<int16_t>(static_cast<int>(i * 20011 % 65536) - 32768);
  std::vector<uint32_t> pairs_before(A);
  for (size_t a = 0; a < A; ++a) pairs_before[a] = static_cast<uint32_t>(10 * a);

  ImageSource<float> source{{seed.states, seed.actions, seed.observations}};
  source.emission = seed.emission;
  source.transition = transition.data();
  source.observation = observation.data();
  source.reward_kind = seed.reward;
  source.reward = reward.data();
  source.prior = prior.data();
  source.policy = seed.policy;
  source.parameter = seed.parameter;
  source.actions = actions.data();
  source.vectors = vectors.data();
  source.sequence = 7;
  source.episode = 1;
  source.first_length = 100;
  source.seed = 42;
  source.pairs_before = pairs_before.data();

  std::vector<uint8_t> image(16384);
  const auto built = build_image(source, etl::span<uint8_t>(image.data(), image.size()));
  if (!built.has_value()) {
    std::fprintf(stderr, "%s: %s at byte %u\n", seed.name, describe(built.error().status), built.error().offset);
    return {};
  }
  image.resize(built.value());
  return image;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return 2;
  }
  for (const Seed& seed : seeds) {
    const std::vector<uint8_t> image = image_of(seed);
    if (image.empty()) return 1;
    const std::string path = std::string(arguments[1]) + "/" + seed.name + ".pnb";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    const bool written = file != nullptr && std::fwrite(image.data(), 1, image.size(), file) == image.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) {
      std::perror(path.c_str());
      return 1;
    }
  }
  return 0;
}

// The same bits everywhere: agents run on seeded observations, and all that they do is folded into one number a scenario, which has
// to be the kept one. Each runs with both storages, StaticDims and RuntimeDims, which have to agree as well.
#include "penumbra/agent.hpp"

#include "expected.hpp"
#include "print.hpp"
#include "random_model.hpp"

#include <etl/crc32.h>
#include <unity.h>

#include <new>

namespace {

using namespace penumbra;
namespace expected = test::expected;
using test::Random;

constexpr int ticks = 3000;
constexpr size_t most_points = 128;

struct Scenario {
  Emission emission;
  PolicyKind policy;
  uint16_t parameter;  // vectors: how many; lattice: its resolution
  bool sharp;          // observations that are impossible, or all but: the belief restarts from the prior
};

// Everything that may differ between platforms goes through here.
class Digest {
 public:
  template <class Value>
  void add(const Value& value) noexcept {
    add(&value, sizeof value);
  }
  void add(const void* from, size_t size) noexcept {
    const auto* bytes = static_cast<const uint8_t*>(from);
    crc_.add(bytes, bytes + size);
  }
  [[nodiscard]] uint32_t value() const noexcept { return crc_.value(); }

 private:
  etl::crc32 crc_;
};

// One fixture at a time in the memory of all: the smallest board has 16 KB.
alignas(8) uint8_t room[6600];

template <class Dims>
struct Flashed {
  static constexpr size_t S = Dims::states();
  static constexpr size_t A = Dims::actions();
  static constexpr size_t O = Dims::observations();

  test::RandomModel<Dims> model{1};
  test::ImageBuffer<1600> flash;
  PolicyImage image;

  Flashed(const Scenario& scenario, Digest& digest) {
    if (scenario.sharp) make_sharp();
    Random random(2);
    uint8_t actions[most_points];
    int16_t vectors[8 * S];
    uint32_t pairs_before[A];
    for (uint8_t& action : actions) action = static_cast<uint8_t>(random.below(A));
    for (int16_t& entry : vectors) entry = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
    for (uint32_t& pairs : pairs_before) pairs = 100U + random.below(100);

    ImageSource<float> source = model.source();
    source.emission = scenario.emission;
    source.policy = scenario.policy;
    source.parameter = scenario.parameter;
    source.actions = actions;
    source.vectors = vectors;
    source.first_length = 300;
    source.seed = 3;
    source.pairs_before = pairs_before;
    const auto size = build_image(source, flash.room());
    TEST_ASSERT_TRUE_MESSAGE(size.has_value(), size.has_value() ? "" : describe(size.error().status));
    digest.add(flash.bytes, size.value());
    image = PolicyImage::open(flash.view()).value();
  }

  // Every state leads to one other and shows itself by one observation; the others are impossible if odd, and all but impossible if
  // even. Their probability is chosen so that no belief becomes a subnormal number: Helium vectors flush those to zero.
  void make_sharp() noexcept {
    for (size_t row = 0; row < A * S; ++row) {
      const size_t state = row % S;
      const size_t goal = (state + 1U + row / S) % S;
      for (size_t next = 0; next < S; ++next) model.transition[row * S + next] = next == goal ? 1.0F : 0.0F;
      for (size_t o = 0; o < O; ++o) model.observation[row * O + o] = o == state % O ? 1.0F : o % 2U == 0U ? 0x1p-60F : 0.0F;
    }
  }
};

template <class Dims>
struct StaticStorage : Flashed<Dims> {
  using Flashed<Dims>::Flashed;
  Agent<Dims> agent{7};
};

template <class Dims>
struct RuntimeStorage : Flashed<Dims> {
  using Flashed<Dims>::Flashed;
  static constexpr RuntimeDims dims{Dims::states(), Dims::actions(), Dims::observations()};
  CountStorage<Dims> storage;
  Agent<RuntimeDims> agent{dims, {dims, {storage.cells, storage.changed, storage.taken}}, 7};
};

// Ticks of all sorts: most bring an observation, a few a wrong one or none. The image comes after a while, and once more half way.
template <class Fixture>
uint32_t digest_of(const Scenario& scenario) {
  static_assert(sizeof(Fixture) <= sizeof room, "room is too small");
  Digest digest;
  auto& fixture = *new (room) Fixture(scenario, digest);
  auto& agent = fixture.agent;
  Random random(4);
  for (int tick = 0; tick < ticks; ++tick) {
    if (tick == 100 || tick == ticks / 2) digest.add(agent.adopt(fixture.image));
    const uint32_t event = random.below(200);
    const auto seen = static_cast<uint8_t>(random.below(Fixture::O));
    if (event == 0) agent.reset();
    const Decision decision = event == 1   ? agent.missed()
                              : event == 2 ? agent.step(Observation{Fixture::O})
                                           : agent.step(Observation{seen});
    digest.add(decision.action);
    digest.add(decision.status);
    digest.add(static_cast<uint8_t>(decision.episode_ended));
    digest.add(agent.belief().data(), Fixture::S * sizeof(float));
  }
  for (size_t cell = 0; cell < agent.recorder().cell_count(); ++cell) digest.add(agent.recorder().count(cell));
  return digest.value();
}

template <class Dims>
void gives(uint32_t kept, const Scenario& scenario) {
  const uint32_t digest = digest_of<StaticStorage<Dims>>(scenario);
  test::print(Unity.CurrentTestName, ": 0x", etl::hex, digest, "\n");
  TEST_ASSERT_EQUAL_HEX32_MESSAGE(kept, digest, "if this change is meant, put the new number into tests/vectors/expected.hpp");
  TEST_ASSERT_EQUAL_HEX32_MESSAGE(digest, digest_of<RuntimeStorage<Dims>>(scenario), "RuntimeDims differs from StaticDims");
}

using Three = StaticDims<3, 4, 4>;
using Five = StaticDims<5, 3, 6>;
using Ten = StaticDims<10, 2, 4>;

void three_states_uniform() { gives<Three>(expected::three_states_uniform, {Emission::departure, PolicyKind::uniform, 0, false}); }
void three_states_vectors() { gives<Three>(expected::three_states_vectors, {Emission::departure, PolicyKind::vectors, 8, false}); }
void three_states_lattice() { gives<Three>(expected::three_states_lattice, {Emission::departure, PolicyKind::lattice, 10, false}); }
void three_states_sharp() { gives<Three>(expected::three_states_sharp, {Emission::departure, PolicyKind::uniform, 0, true}); }
void five_states_arrival() { gives<Five>(expected::five_states_arrival, {Emission::arrival, PolicyKind::lattice, 5, false}); }
void five_states_arrival_sharp() { gives<Five>(expected::five_states_arrival_sharp, {Emission::arrival, PolicyKind::uniform, 0, true}); }
void ten_states() { gives<Ten>(expected::ten_states, {Emission::departure, PolicyKind::vectors, 8, false}); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(three_states_uniform);
  RUN_TEST(three_states_vectors);
  RUN_TEST(three_states_lattice);
  RUN_TEST(three_states_sharp);
  RUN_TEST(five_states_arrival);
  RUN_TEST(five_states_arrival_sharp);
  RUN_TEST(ten_states);
  return UNITY_END();
}

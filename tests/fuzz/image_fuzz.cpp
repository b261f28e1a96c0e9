// Fuzzer of the door: whatever PolicyImage::open() is given, it either refuses with a reason and a place, or the image is safe to use.
//
// Safe means: an agent of the image's sizes adopts it and takes many steps, under good, bad and missing observations; every action
// exists, the belief stays a distribution, and no byte outside the image is read. The address sanitizer watches the latter, since
// the input lies in a heap block of exactly its size. An agent with sizes known to the compiler has to decide the same.
//
// A checksum stops a blind fuzzer at once. The mutator below knows the format well enough to get past it: it repairs what it broke,
// most of the time. What the door answered, and how often, is printed at the end: tests/fuzz/run_fuzz wants to see it all.
#include "penumbra/agent.hpp"
#include "penumbra/image_builder.hpp"

#include "random_model.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t limit);

namespace {

using namespace penumbra;
using test::Random;

[[noreturn]] void broken(const char* promise) {
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}
void promise(bool kept, const char* what) {
  if (!kept) broken(what);
}

// --- what the door answered ---

constexpr Status door_statuses[] = {
    Status::ok,
    Status::image_truncated,
    Status::image_misaligned,
    Status::image_not_penumbra,
    Status::image_version,
    Status::image_size,
    Status::image_checksum,
    Status::image_field,
    Status::image_reserved,
    Status::image_probability,
    Status::image_row_sum,
    Status::image_reward,
    Status::image_action,
    Status::image_lattice,
};
size_t answers[256];
size_t accepted_kinds[3];

void print_answers() {
  for (const Status status : door_statuses) {
    const size_t times = answers[static_cast<size_t>(status)];
    std::fprintf(stderr, "door: %10zu  %s%s\n", times, describe(status), times == 0 ? "  NEVER MET" : "");
  }
  for (size_t kind = 0; kind < 3; ++kind) {
    const char* const names[] = {"uniform", "vectors", "lattice"};
    std::fprintf(stderr, "good: %10zu  %s%s\n", accepted_kinds[kind], names[kind], accepted_kinds[kind] == 0 ? "  NEVER MET" : "");
  }
}

// --- the oracle ---

// Bytes in a heap block of exactly their size, `shift` bytes off its alignment.
class Block {
 public:
  Block(const uint8_t* data, size_t size, size_t shift = 0) : bytes_(new uint8_t[size + shift]), shift_(shift), size_(size) {
    if (size != 0) std::memcpy(bytes_.get() + shift, data, size);
  }
  uint8_t& operator[](size_t i) { return bytes_[shift_ + i]; }
  [[nodiscard]] etl::span<const uint8_t> view() const { return {bytes_.get() + shift_, size_}; }

 private:
  std::unique_ptr<uint8_t[]> bytes_;
  size_t shift_;
  size_t size_;
};

etl::expected<PolicyImage, ImageFault> open(const Block& block) {
  const auto opened = PolicyImage::open(block.view());
  if (opened.has_value()) {
    ++answers[static_cast<size_t>(Status::ok)];
    return opened;
  }
  const ImageFault fault = opened.error();
  ++answers[static_cast<size_t>(fault.status)];
  promise(fault.status != Status::ok, "a refused image has a reason");
  promise(std::strcmp(describe(fault.status), "unknown status") != 0, "the reason has words");
  promise(fault.offset <= block.view().size(), "the fault lies inside the bytes");
  return opened;
}

template <class Beliefs>
void check_belief(const Beliefs& belief, size_t states) {
  double sum = 0.0;
  for (size_t s = 0; s < states; ++s) {
    promise(belief[s] >= 0.0F, "no probability is negative or not a number");
    sum += static_cast<double>(belief[s]);
  }
  promise(std::fabs(sum - 1.0) <= 1e-4, "the belief sums to 1");
}

enum class Event { step, out_of_range, missed, reset, adopt };
Event next_event(Random& random) {
  switch (random.below(16)) {
    case 0: return Event::out_of_range;
    case 1: return Event::missed;
    case 2: return random.below(8) == 0 ? Event::reset : Event::step;
    case 3: return random.below(8) == 0 ? Event::adopt : Event::step;
    default: return Event::step;
  }
}

template <class TheAgent>
Decision happen(TheAgent& agent, Event event, Observation seen, const PolicyImage& image) {
  if (event == Event::missed) return agent.missed();
  if (event == Event::reset) agent.reset();
  if (event == Event::adopt) promise(agent.adopt(image) == Status::ok, "an image is adopted twice");
  return agent.step(seen);
}

void use(const PolicyImage& image, uint32_t seed) {
  using Twin = StaticDims<3, 4, 4>;
  const RuntimeDims dims = image.dims();
  const bool has_twin = same_sizes(dims, Twin{});
  Agent<RuntimeDims, UncountedPairs> agent(dims, {}, seed);
  Agent<Twin> twin(seed);
  promise(agent.adopt(image) == Status::ok, "an agent of the image's sizes adopts it");
  promise(twin.adopt(image) == (has_twin ? Status::ok : Status::image_other_sizes), "an agent of other sizes says so");
  Random random(seed);
  for (int tick = 0; tick < 100; ++tick) {
    const Event event = next_event(random);
    const auto seen = event == Event::out_of_range ? random.below(256) : random.below(static_cast<uint32_t>(dims.observations()));
    const Decision decision = happen(agent, event, Observation{static_cast<uint8_t>(seen)}, image);
    promise(index(decision.action) < dims.actions(), "every action exists");
    promise(decision.status != Status::no_image, "there is an image from the first decision on");
    check_belief(agent.belief(), dims.states());
    if (has_twin) {
      const Decision other = happen(twin, event, Observation{static_cast<uint8_t>(seen)}, image);
      promise(other.action == decision.action && other.status == decision.status && other.episode_ended == decision.episode_ended,
              "both storages decide the same");
    }
  }
}

void refused(const Block& block, const char* what) { promise(!open(block).has_value(), what); }

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::atexit(print_answers);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Block block(data, size);
  const auto opened = open(block);
  if (!opened.has_value()) return 0;
  const PolicyImage image = opened.value();
  const ImageHeader header = image.header();
  ++accepted_kinds[static_cast<size_t>(header.policy)];
  uint32_t checksum = 0;
  std::memcpy(&checksum, data + header.size - sizeof checksum, sizeof checksum);
  use(image, checksum);

  Random random(checksum);
  refused(Block(data, header.size - 1U), "an image without its last byte is refused");
  refused(Block(data, random.below(header.size)), "an image cut anywhere is refused");
  refused(Block(data, header.size, 1U + random.below(3)), "an image off its alignment is refused");
  Block flipped(data, header.size);
  const uint32_t where = random.below(header.size);
  if (where < offsetof(ImageHeader, size) || where >= offsetof(ImageHeader, states)) {  // another size is another checksum
    flipped[where] = static_cast<uint8_t>(flipped[where] ^ (1U << random.below(8)));
    refused(flipped, "an image with a wrong bit is refused");
  }
  return 0;
}

// --- the mutator ---

namespace {

ImageHeader read_header(const uint8_t* data) {
  ImageHeader header;
  std::memcpy(&header, data, sizeof header);
  return header;
}
void write_header(uint8_t* data, const ImageHeader& header) { std::memcpy(data, &header, sizeof header); }

// Another good image, of sizes that fit.
size_t rebuild(uint8_t* data, size_t limit, Random& random) {
  const auto small = [&](uint32_t end) { return static_cast<uint8_t>(1U + random.below(random.below(4) == 0 ? end : 4)); };
  const RuntimeDims dims(small(12), small(10), small(10));
  const size_t S = dims.states();
  const size_t A = dims.actions();
  const size_t O = dims.observations();
  std::vector<float> transition(A * S * S);
  std::vector<float> observation(A * S * O);
  for (size_t row = 0; row < A * S; ++row) test::random_row(random, &transition[row * S], S, 1U + random.below(1000));
  for (size_t row = 0; row < A * S; ++row) test::random_row(random, &observation[row * O], O, 1U + random.below(1000));
  const std::vector<float> reward(A * S + O, random.unit());

  ImageSource<float> source{dims};
  source.emission = static_cast<Emission>(random.below(2));
  source.reward_kind = static_cast<RewardKind>(random.below(2));
  source.policy = static_cast<PolicyKind>(random.below(3));
  source.parameter = source.policy == PolicyKind::uniform ? 0 : static_cast<uint16_t>(1U + random.below(random.below(4) == 0 ? 300 : 6));
  source.seed = random.bits();
  source.episode = random.below(3);
  source.transition = transition.data();
  source.observation = observation.data();
  source.reward = reward.data();
  const size_t entries = source.policy == PolicyKind::lattice ? lattice_points(S, source.parameter) : source.parameter;
  std::vector<uint8_t> actions(entries);
  for (uint8_t& action : actions) action = static_cast<uint8_t>(random.below(static_cast<uint32_t>(A)));
  std::vector<int16_t> vectors(S * source.parameter);
  for (int16_t& entry : vectors) entry = static_cast<int16_t>(static_cast<int32_t>(random.bits() % 65536U) - 32768);
  source.actions = actions.data();
  source.vectors = vectors.data();
  std::vector<uint32_t> room(limit / 4U);
  const auto built = build_image(source, etl::span<uint8_t>(reinterpret_cast<uint8_t*>(room.data()), room.size() * 4U));
  if (!built.has_value()) return 0;
  std::memcpy(data, room.data(), built.value());
  return built.value();
}

void change_header(uint8_t* data, Random& random) {
  ImageHeader header = read_header(data);
  switch (random.below(9)) {
    case 0: header.states = static_cast<uint8_t>(random.below(random.below(2) == 0 ? 5 : 256)); break;
    case 1: header.actions = static_cast<uint8_t>(random.below(random.below(2) == 0 ? 5 : 256)); break;
    case 2: header.observations = static_cast<uint8_t>(random.below(random.below(2) == 0 ? 5 : 256)); break;
    case 3: header.emission = static_cast<Emission>(random.below(3)); break;
    case 4: header.policy = static_cast<PolicyKind>(random.below(4)); break;
    case 5: header.reward = static_cast<RewardKind>(random.below(3)); break;
    case 6: header.parameter = static_cast<uint16_t>(random.below(random.below(2) == 0 ? 12 : 65536)); break;
    case 7: header.reserved[random.below(3)] = random.below(4); break;
    default: header.episode = random.below(3); break;
  }
  write_header(data, header);
}

// A word becomes a number that is hard to get right: limits, specials, a neighbour of what it was.
void change_word(uint8_t* data, size_t size, Random& random) {
  constexpr uint32_t words[] = {
      0x00000000U, 0x80000000U, 0x00000001U, 0x007FFFFFU, 0x00800000U, 0x3F7FFFFFU, 0x3F800000U, 0x3F800001U,
      0x7F7FFFFFU, 0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFFFFFFFU, 0x7FFF8000U, 0x80008000U, 0x3F000000U,
  };
  uint8_t* at = data + random.below(static_cast<uint32_t>(size / 4U)) * 4U;
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  word = random.below(2) == 0 ? words[random.below(16)] : word + random.below(33) - 16U;
  std::memcpy(at, &word, sizeof word);
}

// Moves probability between two entries of the same row, so that the row stays a distribution and the belief gets to its corners.
void move_probability(uint8_t* data, size_t size, Random& random) {
  const ImageHeader header = read_header(data);
  if (header.states == 0 || header.actions == 0 || header.observations == 0) return;
  const ImageLayout layout = layout_of(header);
  const bool of_transition = random.below(2) == 0;
  const uint32_t rows = of_transition ? header.states : header.observations;
  const uint32_t action = random.below(header.actions);
  const uint32_t base = (of_transition ? layout.transition : layout.observation) + action * rows * header.states * 4U;
  const uint32_t state = random.below(header.states);
  const uint32_t from = base + (random.below(rows) * header.states + state) * 4U;
  const uint32_t to = base + (random.below(rows) * header.states + state) * 4U;
  if (from == to || from + 4U > size || to + 4U > size) return;
  float given;
  float taken;
  std::memcpy(&given, data + from, sizeof given);
  std::memcpy(&taken, data + to, sizeof taken);
  const float amount = random.below(2) == 0 ? given : given * 0.999999F;
  given -= amount;
  taken += amount;
  std::memcpy(data + from, &given, sizeof given);
  std::memcpy(data + to, &taken, sizeof taken);
}

// Makes the outer facts true, so that the checks behind them are reached.
size_t repair(uint8_t* data, size_t size, Random& random) {
  size &= ~size_t{3};
  ImageHeader header = read_header(data);
  header.magic = image_magic;
  header.version = image_version;
  header.header_size = sizeof(ImageHeader);
  header.size = static_cast<uint32_t>(size);
  if (random.below(4) != 0) std::memset(header.reserved, 0, sizeof header.reserved);
  write_header(data, header);
  const uint32_t checksum = etl::crc32_t16(data, data + size - sizeof checksum).value();
  std::memcpy(data + size - sizeof checksum, &checksum, sizeof checksum);
  return size;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t limit, unsigned int seed) {
  constexpr size_t smallest = sizeof(ImageHeader) + sizeof(uint32_t);
  Random random(seed);
  if (random.below(16) == 0) return LLVMFuzzerMutate(data, size, limit);
  if (size < smallest || random.below(8) == 0) {
    const size_t rebuilt = rebuild(data, limit, random);
    if (rebuilt != 0) size = rebuilt;
  }
  const uint32_t changes = random.below(4);
  for (uint32_t i = 0; i < changes && size >= smallest; ++i) {
    switch (random.below(8)) {
      case 0: change_header(data, random); break;
      case 1:
      case 2: change_word(data, size, random); break;
      case 3:
      case 4:
      case 5: move_probability(data, size, random); break;
      case 6: data[random.below(static_cast<uint32_t>(size))] = static_cast<uint8_t>(random.below(256)); break;
      default: size = LLVMFuzzerMutate(data, size, limit); break;
    }
  }
  if (size >= smallest && random.below(16) != 0) size = repair(data, size, random);
  return size;
}

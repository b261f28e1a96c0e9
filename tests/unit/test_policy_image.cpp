// The policy image: what build_image() writes is what open() gives back, and whatever differs from that by a bit, a length or a
// meaning is refused with its reason and its place.
#include "penumbra/image_builder.hpp"

#include "random_model.hpp"

#include <float.h>
#include <math.h>
#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

// Sizes that differ from each other. Three bits an action, so that entries cross bytes and name actions that do not exist; an odd
// number of states, so that vectors are padded; 15 lattice points and 5 vectors, so that both tables are.
using Dims = StaticDims<3, 5, 2>;
constexpr uint32_t S = Dims::states();
constexpr uint32_t A = Dims::actions();
constexpr uint32_t O = Dims::observations();
constexpr uint16_t resolution = 4;
constexpr uint16_t vector_count = 5;
constexpr uint32_t word = 4;

constexpr PolicyKind every_kind[] = {PolicyKind::uniform, PolicyKind::vectors, PolicyKind::lattice};

// Everything that an image of some sizes can hold.
template <class ItsDims>
struct Example {
  static constexpr size_t its_states = ItsDims::states();
  static constexpr size_t its_actions = ItsDims::actions();

  test::RandomModel<ItsDims> model;
  float reward_of_states[its_actions * its_states];
  uint8_t vector_actions[vector_count];
  int16_t vectors[vector_count * its_states];
  uint8_t point_actions[lattice_points(its_states, resolution)];
  uint32_t pairs_before[its_actions];

  explicit Example(uint32_t seed) : model(seed) {
    Random random(seed + 1U);
    for (float& r : reward_of_states) r = random.unit();
    for (uint8_t& a : vector_actions) a = static_cast<uint8_t>(random.below(its_actions));
    for (int16_t& v : vectors) v = static_cast<int16_t>(static_cast<int32_t>(random.below(65536)) - 32768);
    for (uint8_t& a : point_actions) a = static_cast<uint8_t>(random.below(its_actions));
    for (uint32_t& pairs : pairs_before) pairs = random.bits();
  }

  [[nodiscard]] ImageSource<float> source(PolicyKind kind, RewardKind reward_kind = RewardKind::by_observation) const {
    ImageSource<float> source = model.source();
    source.policy = kind;
    if (kind == PolicyKind::vectors) {
      source.parameter = vector_count;
      source.actions = vector_actions;
      source.vectors = vectors;
    }
    if (kind == PolicyKind::lattice) {
      source.parameter = resolution;
      source.actions = point_actions;
    }
    source.reward_kind = reward_kind;
    source.reward = reward_kind == RewardKind::by_observation ? model.reward : reward_of_states;
    source.sequence = 0x01020304U;
    source.episode = 0x05060708U;
    source.first_length = 0x090A0B0CU;
    source.seed = 0x0D0E0F10U;
    source.pairs_before = pairs_before;
    return source;
  }
};
const Example<Dims> example(7);

// A slot of flash: larger than any image here, and erased behind it.
test::ImageBuffer<1408> slot;

void erase() { memset(slot.bytes, 0xFF, sizeof slot.bytes); }

void assert_refused(const ImageFault& found, Status status, uint32_t offset) {
  TEST_ASSERT_EQUAL_STRING(describe(status), describe(found.status));
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(offset, found.offset, describe(status));
}

// The fault of a result that has to be one.
template <class Result>
ImageFault fault_of(const Result& result) {
  return result.has_value() ? ImageFault{Status::ok, 0} : result.error();
}

// Builds into the erased slot; returns the image's size.
template <class Real>
uint32_t flash(const ImageSource<Real>& source) {
  erase();
  const auto built = build_image(source, slot.room());
  TEST_ASSERT_EQUAL_STRING("ok", describe(fault_of(built).status));
  return built.value();
}

uint32_t flash(PolicyKind kind) { return flash(example.source(kind)); }

ImageFault open_slot() { return fault_of(PolicyImage::open(slot.view())); }

template <class Value>
Value read(uint32_t offset) {
  Value value;
  memcpy(&value, slot.bytes + offset, sizeof value);
  return value;
}

template <class Value>
void write(uint32_t offset, Value value) {
  memcpy(slot.bytes + offset, &value, sizeof value);
}

ImageHeader header() { return read<ImageHeader>(0); }
ImageLayout layout() { return layout_of(header()); }
uint32_t image_end() { return header().size - word; }  // where the checksum is

// CRC-32 as in Ethernet and zip, a bit at a time: nothing in common with the library's.
uint32_t crc32(const uint8_t* bytes, uint32_t size) {
  uint32_t crc = 0xFFFFFFFFU;
  for (uint32_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0U ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

// The checksum of what is in the slot now, so that a fault has to be found by its meaning.
void mend() { write(image_end(), crc32(slot.bytes, image_end())); }

ImageFault open_mended() {
  mend();
  return open_slot();
}

// What open() says when `value` is at `offset`, under a good checksum.
template <class Value>
ImageFault fault_with(uint32_t offset, Value value) {
  const auto before = read<Value>(offset);
  write(offset, value);
  const ImageFault found = open_mended();
  write(offset, before);
  return found;
}

template <class Value>
void assert_refused_with(uint32_t offset, Value value, Status status) {
  assert_refused(fault_with(offset, value), status, offset);
}

template <class Value>
void assert_accepted_with(uint32_t offset, Value value) {
  TEST_ASSERT_EQUAL_STRING("ok", describe(fault_with(offset, value).status));
}

// --- Round trip

uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class Real>
void assert_number(Real expected, float actual) {
  TEST_ASSERT_EQUAL_HEX32(bits_of(static_cast<float>(expected)), bits_of(actual));
}

template <class Real>
void assert_header_reads_back(const ImageSource<Real>& source, const PolicyImage& image) {
  TEST_ASSERT_EQUAL_HEX32(image_magic, image.header().magic);
  TEST_ASSERT_EQUAL_UINT16(image_version, image.header().version);
  TEST_ASSERT_EQUAL_UINT16(48, image.header().header_size);
  TEST_ASSERT_EQUAL(source.dims.states(), image.header().states);
  TEST_ASSERT_EQUAL(source.dims.actions(), image.header().actions);
  TEST_ASSERT_EQUAL(source.dims.observations(), image.header().observations);
  TEST_ASSERT_TRUE(same_sizes(source.dims, image.dims()));
  TEST_ASSERT_EQUAL(source.emission, image.header().emission);
  TEST_ASSERT_EQUAL(source.policy, image.header().policy);
  TEST_ASSERT_EQUAL(source.reward_kind, image.header().reward);
  TEST_ASSERT_EQUAL_UINT16(source.parameter, image.header().parameter);
  TEST_ASSERT_EQUAL_HEX32(source.sequence, image.header().sequence);
  TEST_ASSERT_EQUAL_HEX32(source.episode, image.header().episode);
  TEST_ASSERT_EQUAL_HEX32(source.first_length, image.header().first_length);
  TEST_ASSERT_EQUAL_HEX32(source.seed, image.header().seed);
  for (const uint32_t reserved : image.header().reserved) TEST_ASSERT_EQUAL_HEX32(0, reserved);
}

template <class Real>
void assert_model_reads_back(const ImageSource<Real>& source, const PolicyImage& image) {
  const size_t states = source.dims.states();
  const size_t actions = source.dims.actions();
  const size_t observations = source.dims.observations();
  const ModelView<RuntimeDims> model = image.model(source.dims);
  TEST_ASSERT_EQUAL(source.emission, model.emission);
  for (size_t s = 0; s < states; ++s) {
    const auto uniform = static_cast<Real>(1.0F / static_cast<float>(states));
    assert_number(source.prior != nullptr ? source.prior[s] : uniform, model.prior[s]);
  }
  for (size_t a = 0; a < actions; ++a) {
    TEST_ASSERT_EQUAL_UINT32(source.pairs_before != nullptr ? source.pairs_before[a] : 0U, image.pairs_before()[a]);
    const Action action{static_cast<uint8_t>(a)};
    for (size_t s = 0; s < states; ++s) {
      for (size_t next = 0; next < states; ++next) {
        assert_number(source.transition[(a * states + s) * states + next], model.transition_of(action)[next * states + s]);
      }
      for (size_t o = 0; o < observations; ++o) {
        const Observation seen{static_cast<uint8_t>(o)};
        assert_number(source.observation[(a * states + s) * observations + o], model.likelihood_of(action, seen)[s]);
      }
    }
  }
  for (size_t i = 0; i < transition_padding; ++i) assert_number(0.0F, model.transition[actions * states * states + i]);
  const size_t rewards = source.reward_kind == RewardKind::by_observation ? observations : actions * states;
  for (size_t i = 0; i < rewards; ++i) assert_number(source.reward[i], image.reward()[i]);
}

template <class Real>
void assert_vectors_read_back(const ImageSource<Real>& source, const PolicyImage& image) {
  const size_t states = source.dims.states();
  const size_t stride = states + states % 2U;
  const VectorPolicy<RuntimeDims> policy = image.vectors<RuntimeDims>();
  TEST_ASSERT_EQUAL_UINT16(source.parameter, policy.count);
  for (size_t k = 0; k < source.parameter; ++k) {
    TEST_ASSERT_EQUAL_UINT8(source.actions[k], policy.actions[k]);
    for (size_t s = 0; s < stride; ++s) {
      TEST_ASSERT_EQUAL_INT16(s < states ? source.vectors[k * states + s] : 0, policy.vectors[k * stride + s]);
    }
  }
  for (size_t i = 0; i < vector_padding; ++i) TEST_ASSERT_EQUAL_INT16(0, policy.vectors[source.parameter * stride + i]);
}

// Packed actions bit by bit; the rank table C(m+k-1, k) from the products that define a binomial.
template <class Real>
void assert_lattice_reads_back(const ImageSource<Real>& source, const PolicyImage& image) {
  const size_t states = source.dims.states();
  const LatticePolicy<RuntimeDims> policy = image.lattice<RuntimeDims>();
  TEST_ASSERT_EQUAL_UINT16(source.parameter, policy.resolution);
  TEST_ASSERT_EQUAL_UINT8(bits_for(source.dims.actions()), policy.bits);
  const uint32_t points = lattice_points(states, source.parameter);
  for (uint32_t rank = 0; rank < points; ++rank) {
    for (uint32_t i = 0; i < policy.bits; ++i) {
      const uint32_t bit = rank * policy.bits + i;
      TEST_ASSERT_EQUAL_UINT32((source.actions[rank] >> i) & 1U, (policy.packed[bit / 8U] >> (bit % 8U)) & 1U);
    }
  }
  for (uint32_t k = 1; k < states; ++k) {
    for (uint32_t m = 0; m <= source.parameter; ++m) {
      uint32_t binomial = m == 0U ? 0U : 1U;
      for (uint32_t i = 1; m > 0U && i <= k; ++i) binomial = binomial * (m - 1U + i) / i;
      TEST_ASSERT_EQUAL_UINT32(binomial, policy.binomials[(k - 1U) * (source.parameter + 1U) + m]);
    }
  }
}

template <class Real>
void assert_reads_back(const ImageSource<Real>& source) {
  const uint32_t size = flash(source);
  const auto opened = PolicyImage::open(slot.view());
  TEST_ASSERT_TRUE(opened.has_value());
  const PolicyImage& image = opened.value();
  TEST_ASSERT_EQUAL_UINT32(size, image.header().size);
  assert_header_reads_back(source, image);
  assert_model_reads_back(source, image);
  if (source.policy == PolicyKind::vectors) assert_vectors_read_back(source, image);
  if (source.policy == PolicyKind::lattice) assert_lattice_reads_back(source, image);
}

template <class ItsDims>
void every_kind_reads_back(const Example<ItsDims>& its) {
  for (const PolicyKind kind : every_kind) {
    for (const Emission emission : {Emission::departure, Emission::arrival}) {
      for (const RewardKind reward : {RewardKind::by_observation, RewardKind::by_action_and_state}) {
        ImageSource<float> source = its.source(kind, reward);
        source.emission = emission;
        assert_reads_back(source);
      }
    }
  }
}

void what_was_written_is_read_back() { every_kind_reads_back(example); }

void other_sizes_are_read_back_too() {
  static const Example<StaticDims<4, 2, 3>> even_states(8);
  static const Example<StaticDims<1, 1, 1>> smallest(9);
  every_kind_reads_back(even_states);
  every_kind_reads_back(smallest);
}

void an_absent_prior_is_uniform_and_absent_pairs_are_zero() {
  ImageSource<float> source = example.source(PolicyKind::vectors);
  source.prior = nullptr;
  source.pairs_before = nullptr;
  assert_reads_back(source);
}

// Model files are read in double precision; thirds are none in single.
void models_in_double_precision_are_rounded_to_single() {
  static double transition[A * S * S];
  static double observation[A * S * O];
  static double reward[O] = {0.1, -1e9};
  static double prior[S] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  for (double& p : transition) p = 1.0 / 3;
  for (uint32_t row = 0; row < A * S; ++row) {
    observation[row * O] = 1.0 / (row + 3U);
    observation[row * O + 1U] = 1.0 - observation[row * O];
  }
  ImageSource<double> source{{S, A, O}};
  source.transition = transition;
  source.observation = observation;
  source.reward = reward;
  source.prior = prior;
  source.policy = PolicyKind::vectors;
  source.parameter = vector_count;
  source.actions = example.vector_actions;
  source.vectors = example.vectors;
  assert_reads_back(source);
  observation[0] += 1e-5;
  assert_refused(fault_of(build_image(source, slot.room())), Status::image_row_sum, layout().observation);
}

// --- The format itself

void the_header_lies_in_flash_byte_by_byte() {
  ImageSource<float> source = example.source(PolicyKind::lattice, RewardKind::by_action_and_state);
  source.emission = Emission::arrival;
  const uint32_t size = flash(source);
  const auto low = static_cast<uint8_t>(size & 0xFFU);
  const auto high = static_cast<uint8_t>(size >> 8U);
  const uint8_t expected[48] = {
      'P', 'N', 'B', 0x1A, 1, 0, 48, 0, low, high, 0,    0,    3,    5, 2,    1,    2,    1,
      4,   0,   4,   3,    2, 1, 8,  7, 6,   5,    0x0C, 0x0B, 0x0A, 9, 0x10, 0x0F, 0x0E, 0x0D};  // and the reserved words
  TEST_ASSERT_EQUAL_HEX8_ARRAY(expected, slot.bytes, sizeof expected);
}

void the_checksum_is_the_common_crc32() {
  const uint8_t check[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  TEST_ASSERT_EQUAL_HEX32(0xCBF43926U, crc32(check, sizeof check));
  for (const PolicyKind kind : every_kind) {
    const uint32_t size = flash(kind);
    TEST_ASSERT_EQUAL_HEX32(crc32(slot.bytes, size - word), read<uint32_t>(size - word));
  }
}

// The parts one behind the other, as the format lays them down, up to its largest sizes.
void parts_follow_one_another_at_multiples_of_four() {
  const uint8_t sizes[] = {1, 2, 3, 8, 9, 254, 255};
  const uint16_t parameters[] = {1, 2, 3, 4, 5, 255, 32767};
  for (const PolicyKind kind : every_kind) {
    for (const RewardKind reward : {RewardKind::by_observation, RewardKind::by_action_and_state}) {
      for (const uint8_t states : sizes) {
        for (const uint8_t actions : sizes) {
          for (const uint16_t parameter : parameters) {
            ImageHeader of{};
            of.states = states;
            of.actions = actions;
            of.observations = 7;
            of.policy = kind;
            of.reward = reward;
            of.parameter = kind == PolicyKind::uniform ? uint16_t{0} : parameter;
            const ImageLayout at = layout_of(of);
            const uint32_t table[] = {0, (parameter + 3U) / 4U * 4U, (states - 1U) * (parameter + 1U) * 4U};
            TEST_ASSERT_EQUAL_UINT32(48, at.pairs_before);
            TEST_ASSERT_EQUAL_UINT32(at.pairs_before + 4U * actions, at.prior);
            TEST_ASSERT_EQUAL_UINT32(at.prior + 4U * states, at.transition);
            TEST_ASSERT_EQUAL_UINT32(at.transition + 4U * (uint32_t{actions} * states * states + 4U), at.observation);
            TEST_ASSERT_EQUAL_UINT32(at.observation + 4U * (actions * 7U * states), at.reward);
            const uint32_t rewards = reward == RewardKind::by_observation ? 7U : uint32_t{actions} * states;
            TEST_ASSERT_EQUAL_UINT32(at.reward + 4U * rewards, at.table);
            TEST_ASSERT_EQUAL_UINT32(at.table + table[static_cast<size_t>(kind)], at.table_rows);
            const uint32_t any_points = 1000003;
            const uint32_t rows[] = {0, 2U * (parameter * (states + states % 2U) + 8U),
                                     ((any_points * bits_for(actions) + 7U) / 8U + 1U + 3U) / 4U * 4U};
            TEST_ASSERT_EQUAL_UINT32(rows[static_cast<size_t>(kind)], table_rows_size(of, any_points));
            TEST_ASSERT_EQUAL_UINT32(0, (at.table_rows | table_rows_size(of, any_points)) % 4U);
          }
        }
      }
    }
  }
}

// --- Damage

void a_flipped_bit_is_refused_wherever_it_is() {
  for (const PolicyKind kind : every_kind) {
    const uint32_t size = flash(kind);
    for (uint32_t bit = 0; bit < size * 8U; ++bit) {
      uint8_t& byte = slot.bytes[bit / 8U];
      const auto mask = static_cast<uint8_t>(1U << (bit % 8U));
      byte = static_cast<uint8_t>(byte ^ mask);
      const ImageFault found = open_slot();
      byte = static_cast<uint8_t>(byte ^ mask);
      if (bit < 32U) {
        assert_refused(found, Status::image_not_penumbra, 0);
      } else if (bit < 48U) {
        assert_refused(found, Status::image_version, 4);
      } else if (bit < 64U) {
        assert_refused(found, Status::image_field, 6);
      } else if (bit < 96U) {  // the size: which of three faults depends on where it points
        TEST_ASSERT_TRUE(found.status == Status::image_size || found.status == Status::image_truncated ||
                         found.status == Status::image_checksum);
      } else {
        assert_refused(found, Status::image_checksum, size - word);
      }
    }
    TEST_ASSERT_EQUAL(Status::ok, open_slot().status);
  }
}

// What is behind the cut is erased, so that an answer that depends on it would be another one.
void an_image_cut_short_is_refused_at_every_length() {
  for (const PolicyKind kind : every_kind) {
    const uint32_t size = flash(kind);
    TEST_ASSERT_TRUE(PolicyImage::open({slot.bytes, size}).has_value());
    for (uint32_t length = size; length-- > 0U;) {
      slot.bytes[length] = 0xFF;
      assert_refused(fault_of(PolicyImage::open({slot.bytes, length})), Status::image_truncated, length);
    }
  }
}

// Power was lost while the slot was written from its beginning: what is missing is still erased.
void an_image_whose_writing_stopped_is_refused_wherever_it_did() {
  for (const PolicyKind kind : every_kind) {
    uint32_t written = flash(kind);
    while (written > 0U) {
      --written;
      if (slot.bytes[written] == 0xFFU) continue;
      slot.bytes[written] = 0xFF;
      TEST_ASSERT_NOT_EQUAL(Status::ok, open_slot().status);
    }
  }
}

void an_image_between_word_boundaries_is_refused() {
  const uint32_t size = flash(PolicyKind::vectors);
  for (uint32_t shift = 1; shift < word; ++shift) {
    memmove(slot.bytes + shift, slot.bytes + shift - 1U, size);
    assert_refused(fault_of(PolicyImage::open({slot.bytes + shift, size})), Status::image_misaligned, 0);
  }
  memmove(slot.bytes + word, slot.bytes + word - 1U, size);
  TEST_ASSERT_TRUE(PolicyImage::open({slot.bytes + word, size}).has_value());
}

// --- Content that is wrong under a good checksum

void another_file_another_version_and_another_header_are_refused() {
  flash(PolicyKind::vectors);
  assert_refused_with(offsetof(ImageHeader, magic), uint32_t{0x464C457FU}, Status::image_not_penumbra);
  assert_refused_with(offsetof(ImageHeader, version), uint16_t{0}, Status::image_version);
  assert_refused_with(offsetof(ImageHeader, version), uint16_t{2}, Status::image_version);
  assert_refused_with(offsetof(ImageHeader, header_size), uint16_t{44}, Status::image_field);
  assert_refused_with(offsetof(ImageHeader, header_size), uint16_t{52}, Status::image_field);
}

void a_size_that_is_not_that_of_the_parts_is_refused() {
  for (const PolicyKind kind : every_kind) {
    const uint32_t size = flash(kind);
    constexpr uint32_t room = sizeof slot.bytes;
    const uint32_t parts_differ[] = {52, layout().table_rows, size - word, size + word, room};
    const uint32_t no_place_for_a_checksum[] = {0, 3, 48, 51, size - 1U, size + 1U, size + 2U, UINT32_MAX};
    const uint32_t beyond_the_slot[] = {room + word, UINT32_MAX - 3U};
    for (const uint32_t other : parts_differ) {
      flash(kind);
      write(offsetof(ImageHeader, size), other);
      assert_refused(open_mended(), Status::image_size, offsetof(ImageHeader, size));
    }
    flash(kind);
    for (const uint32_t other : no_place_for_a_checksum) {
      write(offsetof(ImageHeader, size), other);
      assert_refused(open_slot(), Status::image_size, offsetof(ImageHeader, size));
    }
    for (const uint32_t other : beyond_the_slot) {
      write(offsetof(ImageHeader, size), other);
      assert_refused(open_slot(), Status::image_truncated, room);
    }
  }
}

void sizes_of_zero_are_refused() {
  flash(PolicyKind::lattice);
  assert_refused_with(offsetof(ImageHeader, states), uint8_t{0}, Status::image_field);
  assert_refused_with(offsetof(ImageHeader, actions), uint8_t{0}, Status::image_field);
  assert_refused_with(offsetof(ImageHeader, observations), uint8_t{0}, Status::image_field);
}

void larger_models_than_the_image_holds_are_refused() {
  for (const PolicyKind kind : every_kind) {
    flash(kind);
    for (uint32_t field = offsetof(ImageHeader, states); field <= offsetof(ImageHeader, observations); ++field) {
      assert_refused(fault_with(field, uint8_t{255}), Status::image_size, offsetof(ImageHeader, size));
    }
  }
}

void unknown_kinds_are_refused() {
  flash(PolicyKind::uniform);
  for (const int unknown : {2, 3, 255}) {
    assert_refused_with(offsetof(ImageHeader, emission), static_cast<uint8_t>(unknown), Status::image_field);
    assert_refused_with(offsetof(ImageHeader, reward), static_cast<uint8_t>(unknown), Status::image_field);
  }
  assert_refused_with(offsetof(ImageHeader, policy), uint8_t{3}, Status::image_field);
  assert_refused_with(offsetof(ImageHeader, policy), uint8_t{255}, Status::image_field);
}

void a_parameter_that_the_policy_cannot_have_is_refused() {
  constexpr uint32_t parameter = offsetof(ImageHeader, parameter);
  flash(PolicyKind::uniform);
  assert_refused_with(parameter, uint16_t{1}, Status::image_field);
  flash(PolicyKind::vectors);
  assert_refused_with(parameter, uint16_t{0}, Status::image_field);
  flash(PolicyKind::lattice);
  assert_refused_with(parameter, uint16_t{0}, Status::image_field);
  assert_refused_with(parameter, uint16_t{max_resolution + 1U}, Status::image_field);
  assert_refused_with(parameter, uint16_t{UINT16_MAX}, Status::image_field);
  // The largest resolution is none of these; there is only no table for it here.
  assert_refused(fault_with(parameter, uint16_t{max_resolution}), Status::image_size, offsetof(ImageHeader, size));
}

// Each bit of [from, to) alone.
void assert_every_bit_is_reserved(uint32_t from, uint32_t to) {
  for (uint32_t at = from; at < to; ++at) {
    TEST_ASSERT_EQUAL_HEX8(0, slot.bytes[at]);
    for (uint32_t bit = 0; bit < 8U; ++bit) assert_refused_with(at, static_cast<uint8_t>(1U << bit), Status::image_reserved);
  }
}

void reserved_words_of_the_header_have_to_be_zero() {
  flash(PolicyKind::uniform);
  for (uint32_t i = 0; i < 3U; ++i) {
    const auto at = static_cast<uint32_t>(offsetof(ImageHeader, reserved)) + i * word;
    for (uint32_t bit = 0; bit < 32U; ++bit) assert_refused_with(at, uint32_t{1} << bit, Status::image_reserved);
  }
}

void padding_behind_the_transitions_has_to_be_zero() {
  flash(PolicyKind::uniform);
  assert_every_bit_is_reserved(layout().observation - 16U, layout().observation);
}

void padding_of_and_behind_the_vectors_has_to_be_zero() {
  flash(PolicyKind::vectors);
  assert_every_bit_is_reserved(layout().table + vector_count, layout().table_rows);
  for (uint32_t k = 0; k < vector_count; ++k) {
    const uint32_t padding = layout().table_rows + (k * (S + 1U) + S) * 2U;
    assert_every_bit_is_reserved(padding, padding + 2U);
  }
  assert_every_bit_is_reserved(image_end() - 16U, image_end());
}

void what_packed_actions_leave_over_has_to_be_zero() {
  flash(PolicyKind::lattice);
  constexpr uint32_t used = sizeof example.point_actions * 3U;
  static_assert(used % 8U == 5U, "the last byte is used in part");
  const uint32_t last = layout().table_rows + used / 8U;
  for (uint32_t bit = used % 8U; bit < 8U; ++bit) {
    assert_refused_with(last, static_cast<uint8_t>(slot.bytes[last] | 1U << bit), Status::image_reserved);
  }
  assert_every_bit_is_reserved(last + 1U, image_end());
}

void what_is_no_probability_is_refused_wherever_it_is() {
  flash(PolicyKind::uniform);
  const uint32_t padding = layout().observation - 16U;
  for (uint32_t at = layout().prior; at < layout().reward; at = at + word == padding ? layout().observation : at + word) {
    for (const float wrong : {-0.25F, -FLT_MIN, -0.0F, 1.0F + FLT_EPSILON, 2.0F, FLT_MAX, INFINITY, -INFINITY, NAN, -NAN}) {
      assert_refused_with(at, wrong, Status::image_probability);
    }
  }
}

// A distribution of the image: its first entry, how many there are and how far apart.
struct Row {
  uint32_t offset;
  uint32_t count;
  uint32_t stride;

  [[nodiscard]] ImageFault fault_with_entries(float first, float second) const {
    for (uint32_t i = 0; i < count; ++i) write(offset + i * stride * word, i == 0U ? first : i == 1U ? second : 0.0F);
    return open_mended();
  }
};

template <class Visit>
void for_every_row(Visit visit) {
  const ImageLayout at = layout();
  visit(Row{at.prior, S, 1});
  for (uint32_t a = 0; a < A; ++a) {
    for (uint32_t s = 0; s < S; ++s) {
      visit(Row{at.transition + (a * S * S + s) * word, S, S});
      visit(Row{at.observation + (a * O * S + s) * word, O, S});
    }
  }
}

// Sums are exact in units of 2^-30, of which the tolerance has 2147: two entries make any sum near 1.
constexpr float most = 1.0F - 0x1p-18F;
constexpr float rest_for(int units_above_one) { return static_cast<float>((1 << 12) + units_above_one) * 0x1p-30F; }

void a_row_may_miss_one_by_the_tolerance_and_no_more() {
  static_assert(static_cast<int>(row_sum_tolerance * 0x1p30F) == 2147, "the bounds of this test");
  flash(PolicyKind::uniform);
  for_every_row([](const Row& row) {
    for (const int within : {0, 1, -1, 2147, -2147}) {
      TEST_ASSERT_EQUAL_STRING("ok", describe(row.fault_with_entries(most, rest_for(within)).status));
    }
    for (const int beyond : {2148, -2148, 100000}) {
      assert_refused(row.fault_with_entries(most, rest_for(beyond)), Status::image_row_sum, row.offset);
    }
    assert_refused(row.fault_with_entries(0.0F, 0.0F), Status::image_row_sum, row.offset);
    assert_refused(row.fault_with_entries(1.0F, 1.0F), Status::image_row_sum, row.offset);
    TEST_ASSERT_EQUAL(Status::ok, row.fault_with_entries(1.0F, 0.0F).status);
  });
}

void a_reward_is_any_finite_number() {
  for (const RewardKind kind : {RewardKind::by_observation, RewardKind::by_action_and_state}) {
    flash(example.source(PolicyKind::uniform, kind));
    for (uint32_t at = layout().reward; at < layout().table; at += word) {
      for (const float wrong : {INFINITY, -INFINITY, NAN, -NAN}) assert_refused_with(at, wrong, Status::image_reward);
      for (const float fine : {0.0F, -1.0F, 1e30F, FLT_MAX, -FLT_MAX, FLT_MIN}) assert_accepted_with(at, fine);
    }
  }
}

void a_vector_names_an_action_that_exists() {
  flash(PolicyKind::vectors);
  for (uint32_t at = layout().table; at < layout().table + vector_count; ++at) {
    assert_accepted_with(at, uint8_t{A - 1U});
    assert_refused_with(at, uint8_t{A}, Status::image_action);
    assert_refused_with(at, uint8_t{255}, Status::image_action);
  }
}

void a_lattice_point_names_an_action_that_exists() {
  flash(PolicyKind::lattice);
  const uint32_t rows = layout().table_rows;
  for (uint32_t rank = 0; rank < sizeof example.point_actions; ++rank) {
    const uint32_t begin = rows + rank * 3U / 8U;
    const uint32_t shift = rank * 3U % 8U;
    const auto both_bytes = read<uint16_t>(begin);
    for (uint32_t action = 0; action < 8U; ++action) {
      const ImageFault found = fault_with(begin, static_cast<uint16_t>((both_bytes & ~(7U << shift)) | action << shift));
      if (action < A) {
        TEST_ASSERT_EQUAL_STRING("ok", describe(found.status));
      } else {
        assert_refused(found, Status::image_action, begin);
      }
    }
  }
}

void a_rank_table_is_pascals_triangle() {
  flash(PolicyKind::lattice);
  for (uint32_t at = layout().table; at < layout().table_rows; at += word) {
    const auto right = read<uint32_t>(at);
    assert_refused_with(at, right + 1U, Status::image_lattice);
    assert_refused_with(at, right - 1U, Status::image_lattice);
    assert_refused_with(at, right ^ 0x80000000U, Status::image_lattice);
  }
}

// Eight states at a resolution of 33 have 18,643,560 points, and the table's largest entry is 15,380,937; at 34 that entry is
// 18,643,560 itself. Nothing else of these images has to be good: the table decides how long they are.
void a_lattice_of_more_points_than_the_format_has_is_refused() {
  for (const uint16_t n : {uint16_t{33}, uint16_t{34}}) {
    erase();
    ImageHeader large{};
    large.magic = image_magic;
    large.version = image_version;
    large.header_size = sizeof large;
    large.states = 8;
    large.actions = 1;
    large.observations = 1;
    large.policy = PolicyKind::lattice;
    large.parameter = n;
    large.size = layout_of(large).table_rows + word;
    TEST_ASSERT_LESS_OR_EQUAL_UINT32(sizeof slot.bytes, large.size);
    write(0, large);
    detail::write_binomials(slot.bytes, layout().table, 8, n);
    assert_refused(open_mended(), Status::image_lattice, n == 33U ? layout().table : layout().table_rows - word);
  }
}

// --- The builder

void a_buffer_too_small_is_left_alone_and_the_size_it_needs_is_told() {
  for (const PolicyKind kind : every_kind) {
    const ImageSource<float> source = example.source(kind);
    const uint32_t size = flash(source);
    TEST_ASSERT_EACH_EQUAL_HEX8(0xFF, slot.bytes + size, sizeof slot.bytes - size);
    erase();
    for (uint32_t room = 0; room < size; ++room) {
      assert_refused(fault_of(build_image(source, {slot.bytes, room})), Status::image_no_room, size);
    }
    TEST_ASSERT_EACH_EQUAL_HEX8(0xFF, slot.bytes, sizeof slot.bytes);
    TEST_ASSERT_EQUAL_UINT32(size, build_image(source, {slot.bytes, size}).value());
    TEST_ASSERT_EACH_EQUAL_HEX8(0xFF, slot.bytes + size, sizeof slot.bytes - size);
  }
}

void the_same_source_gives_the_same_bytes() {
  static test::ImageBuffer<640> again;
  for (const PolicyKind kind : every_kind) {
    const ImageSource<float> source = example.source(kind);
    const uint32_t size = flash(source);
    memset(again.bytes, 0x5A, sizeof again.bytes);
    TEST_ASSERT_EQUAL_UINT32(size, build_image(source, again.room()).value());
    TEST_ASSERT_EQUAL_HEX8_ARRAY(slot.bytes, again.bytes, size);
  }
}

using Spoiled = Example<Dims>;
using Source = ImageSource<float>;

// What the source says wrongly, and what the reader would say to it.
template <class Spoil>
void assert_not_built(PolicyKind kind, Status status, uint32_t ImageLayout::*part, uint32_t offset, Spoil spoil) {
  static Spoiled spoiled = example;
  spoiled = example;
  Source source = spoiled.source(kind);
  spoil(spoiled, source);
  const ImageFault found = fault_of(build_image(source, slot.room()));
  assert_refused(found, status, (part != nullptr ? layout().*part : 0U) + offset);
}

void a_model_that_the_reader_would_refuse_is_not_built() {
  const PolicyKind any = PolicyKind::vectors;
  // Action 1, state 2, next state 0: element [0][2] of the second transposed matrix.
  assert_not_built(any, Status::image_probability, &ImageLayout::transition, (S * S + 2U) * word,
                   [](Spoiled& it, Source&) { it.model.transition[(S + 2U) * S] = -0.5F; });
  assert_not_built(any, Status::image_row_sum, &ImageLayout::transition, (S * S + 2U) * word,
                   [](Spoiled& it, Source&) { it.model.transition[(S + 2U) * S] *= 0.5F; });
  assert_not_built(any, Status::image_probability, &ImageLayout::observation, (S * O + 2U) * word,
                   [](Spoiled& it, Source&) { it.model.observation[(S + 2U) * O] = NAN; });
  assert_not_built(any, Status::image_row_sum, &ImageLayout::observation, (S * O + 2U) * word,
                   [](Spoiled& it, Source&) { it.model.observation[(S + 2U) * O] *= 0.5F; });
  assert_not_built(any, Status::image_probability, &ImageLayout::prior, word, [](Spoiled& it, Source&) { it.model.prior[1] = 1.5F; });
  assert_not_built(any, Status::image_row_sum, &ImageLayout::prior, 0, [](Spoiled& it, Source&) { it.model.prior[1] = 0.0F; });
  assert_not_built(any, Status::image_reward, &ImageLayout::reward, word, [](Spoiled& it, Source&) { it.model.reward[1] = INFINITY; });
  assert_not_built(PolicyKind::vectors, Status::image_action, &ImageLayout::table, 3,
                   [](Spoiled& it, Source&) { it.vector_actions[3] = A; });
  assert_not_built(PolicyKind::lattice, Status::image_action, &ImageLayout::table_rows, 1,
                   [](Spoiled& it, Source&) { it.point_actions[4] = A; });  // bits 12 to 14
  constexpr uint32_t parameter = offsetof(ImageHeader, parameter);
  assert_not_built(PolicyKind::uniform, Status::image_field, nullptr, parameter, [](Spoiled&, Source& source) { source.parameter = 1; });
  assert_not_built(PolicyKind::vectors, Status::image_field, nullptr, parameter, [](Spoiled&, Source& source) { source.parameter = 0; });
  assert_not_built(PolicyKind::lattice, Status::image_field, nullptr, parameter, [](Spoiled&, Source& source) { source.parameter = 0; });
}

void an_image_is_not_built_between_word_boundaries() {
  const auto room = slot.room().subspan(1);
  assert_refused(fault_of(build_image(example.source(PolicyKind::uniform), room)), Status::image_misaligned, 0);
}

void a_lattice_of_more_points_than_the_format_has_is_not_built() {
  TEST_ASSERT_EQUAL_UINT32(15380937, lattice_points(8, 32));
  TEST_ASSERT_EQUAL_UINT32(0, lattice_points(8, 33));
  TEST_ASSERT_EQUAL_UINT32(max_lattice_points, lattice_points(2, UINT16_MAX) * 256U);
  TEST_ASSERT_EQUAL_UINT32(0, lattice_points(255, UINT16_MAX));
  ImageSource<float> large{{8, 5, 1}};
  large.policy = PolicyKind::lattice;
  large.parameter = 33;
  assert_refused(fault_of(build_image(large, slot.room())), Status::image_lattice, offsetof(ImageHeader, parameter));
  // One less is only too much for this buffer: 7 rows of 33, and 15,380,937 times three bits with their padding.
  large.parameter = 32;
  const uint32_t model = 48U + word * (5U + 8U + 5U * 64U + 4U + 5U * 8U + 1U);
  const uint32_t table = 7U * 33U * word + 5767856U;
  assert_refused(fault_of(build_image(large, slot.room())), Status::image_no_room, model + table + word);
}

// A single state needs no table at all, so that only the limit of the resolution itself is left.
void a_resolution_that_a_belief_cannot_be_scaled_by_is_not_built() {
  static const Example<StaticDims<1, 1, 1>> smallest(9);
  ImageSource<float> source = smallest.source(PolicyKind::lattice);
  source.parameter = max_resolution;
  assert_reads_back(source);
  source.parameter = max_resolution + 1U;
  assert_refused(fault_of(build_image(source, slot.room())), Status::image_field, offsetof(ImageHeader, parameter));
}

// Its bits would fall into the next entry, and both would name actions that exist.
void a_lattice_action_wider_than_its_entry_is_not_built() {
  for (const int wide : {8, 16, 64, 128, 255}) {
    assert_not_built(PolicyKind::lattice, Status::image_action, &ImageLayout::table_rows, 1,
                     [wide](Spoiled& it, Source&) { it.point_actions[4] = static_cast<uint8_t>(wide); });
  }
}

// Clipping an estimate may leave them; the reader takes the sign for what it is.
void negative_zeros_are_written_as_zeros() {
  static Example<Dims> clipped = example;
  for (float* row : {clipped.model.transition, clipped.model.observation, clipped.model.prior}) {
    row[0] = 1.0F;
    row[1] = -0.0F;
  }
  clipped.model.transition[2] = clipped.model.prior[2] = -0.0F;
  flash(clipped.source(PolicyKind::uniform));
  TEST_ASSERT_EQUAL_HEX32(0, read<uint32_t>(layout().prior + word));
  TEST_ASSERT_EQUAL_HEX32(0, read<uint32_t>(layout().transition + S * word));
  TEST_ASSERT_EQUAL_HEX32(0, read<uint32_t>(layout().observation + S * word));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(what_was_written_is_read_back);
  RUN_TEST(other_sizes_are_read_back_too);
  RUN_TEST(an_absent_prior_is_uniform_and_absent_pairs_are_zero);
  RUN_TEST(models_in_double_precision_are_rounded_to_single);
  RUN_TEST(the_header_lies_in_flash_byte_by_byte);
  RUN_TEST(the_checksum_is_the_common_crc32);
  RUN_TEST(parts_follow_one_another_at_multiples_of_four);
  RUN_TEST(a_flipped_bit_is_refused_wherever_it_is);
  RUN_TEST(an_image_cut_short_is_refused_at_every_length);
  RUN_TEST(an_image_whose_writing_stopped_is_refused_wherever_it_did);
  RUN_TEST(an_image_between_word_boundaries_is_refused);
  RUN_TEST(another_file_another_version_and_another_header_are_refused);
  RUN_TEST(a_size_that_is_not_that_of_the_parts_is_refused);
  RUN_TEST(sizes_of_zero_are_refused);
  RUN_TEST(larger_models_than_the_image_holds_are_refused);
  RUN_TEST(unknown_kinds_are_refused);
  RUN_TEST(a_parameter_that_the_policy_cannot_have_is_refused);
  RUN_TEST(reserved_words_of_the_header_have_to_be_zero);
  RUN_TEST(padding_behind_the_transitions_has_to_be_zero);
  RUN_TEST(padding_of_and_behind_the_vectors_has_to_be_zero);
  RUN_TEST(what_packed_actions_leave_over_has_to_be_zero);
  RUN_TEST(what_is_no_probability_is_refused_wherever_it_is);
  RUN_TEST(a_row_may_miss_one_by_the_tolerance_and_no_more);
  RUN_TEST(a_reward_is_any_finite_number);
  RUN_TEST(a_vector_names_an_action_that_exists);
  RUN_TEST(a_lattice_point_names_an_action_that_exists);
  RUN_TEST(a_rank_table_is_pascals_triangle);
  RUN_TEST(a_lattice_of_more_points_than_the_format_has_is_refused);
  RUN_TEST(a_buffer_too_small_is_left_alone_and_the_size_it_needs_is_told);
  RUN_TEST(the_same_source_gives_the_same_bytes);
  RUN_TEST(a_model_that_the_reader_would_refuse_is_not_built);
  RUN_TEST(an_image_is_not_built_between_word_boundaries);
  RUN_TEST(a_lattice_of_more_points_than_the_format_has_is_not_built);
  RUN_TEST(a_resolution_that_a_belief_cannot_be_scaled_by_is_not_built);
  RUN_TEST(a_lattice_action_wider_than_its_entry_is_not_built);
  RUN_TEST(negative_zeros_are_written_as_zeros);
  return UNITY_END();
}

// The digest of an image's choices sees a single entry of its table. Whatever images lie in the folder: nothing here knows them.
#include "choices.hpp"

#include <unity.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using Small = StaticDims<3, 4, 4>;

class Copy {
 public:
  explicit Copy(const std::string& name) : words_(32 * 1024) {
    std::FILE* file = std::fopen((std::string(PENUMBRA_VECTOR_IMAGES) + "/" + name + ".pnb").c_str(), "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, name.c_str());
    size_ = std::fread(bytes(), 1, words_.size() * 4, file);
    std::fclose(file);
  }
  uint8_t* bytes() { return static_cast<uint8_t*>(static_cast<void*>(words_.data())); }
  PolicyImage open() {
    const auto opened = PolicyImage::open({bytes(), size_});
    TEST_ASSERT_TRUE_MESSAGE(opened.has_value(), opened.has_value() ? "" : describe(opened.error().status));
    return opened.value();
  }
  // After a change, as whoever made the image would have.
  PolicyImage seal() {
    etl::crc32 crc;
    crc.add(bytes(), bytes() + size_ - 4);
    const uint32_t value = crc.value();
    std::memcpy(bytes() + size_ - 4, &value, 4);
    return open();
  }

 private:
  std::vector<uint32_t> words_;
  size_t size_ = 0;
};

uint32_t digest_of(const PolicyImage& image) { return test::ChoicesOf<Small>(image).result().digest; }

// Entries of the vector that wins somewhere: its action is changed for the next one.
void a_vector_s_action_is_seen() {
  for (const char* name : {"s3_vectors", "s10_vectors"}) {
    Copy copy(name);
    const PolicyImage image = copy.open();
    const uint32_t before = digest_of(image);
    TEST_ASSERT_EQUAL_HEX32(before, digest_of(image));
    const ImageHeader header = image.header();
    size_t seen = 0;
    for (uint32_t k = 0; k < header.parameter; ++k) {
      uint8_t& action = copy.bytes()[layout_of(header).table + k];
      const uint8_t old = action;
      action = static_cast<uint8_t>((old + 1U) % header.actions);
      seen += digest_of(copy.seal()) != before ? 1U : 0U;
      action = old;
    }
    TEST_ASSERT_GREATER_THAN(0, seen);  // vectors that never win are allowed, and nobody can see them
    TEST_ASSERT_EQUAL_HEX32(before, digest_of(copy.seal()));
  }
}

// Ten points. Of a lattice that is not larger than the beliefs are many, each is nearest to some of them.
void a_lattice_point_s_action_is_seen() {
  Copy copy("s3_lattice");
  const PolicyImage image = copy.open();
  const uint32_t before = digest_of(image);
  const ImageHeader header = image.header();
  const uint32_t bits = bits_for(header.actions);
  const uint32_t points = lattice_points(header.states, header.parameter);
  TEST_ASSERT_EQUAL(4, size_t{1} << bits);  // so that every pattern of bits is an action
  uint32_t seen = 0;
  for (uint32_t i = 0; i < 10; ++i) {
    const uint32_t bit = (points - 1) * i / 9 * bits;
    uint8_t& byte = copy.bytes()[layout_of(header).table_rows + bit / 8];
    byte = static_cast<uint8_t>(byte ^ 1U << bit % 8);
    seen += digest_of(copy.seal()) != before ? 1U : 0U;
    byte = static_cast<uint8_t>(byte ^ 1U << bit % 8);
  }
  TEST_ASSERT_GREATER_OR_EQUAL(points <= 1000 ? 10 : 1, seen);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_vector_s_action_is_seen);
  RUN_TEST(a_lattice_point_s_action_is_seen);
  return UNITY_END();
}

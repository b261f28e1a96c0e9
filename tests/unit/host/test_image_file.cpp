// Images made of plans: what goes in comes out of the door again, and what a board could not hold is refused with reasons.
#include "penumbra/host/image_file.hpp"

#include "penumbra/host/simulate.hpp"

#include "recipe.hpp"

#include <fmt/format.h>

#include <unity.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::random_model;

PolicyTable three_vectors() {
  PolicyTable table;
  table.kind = PolicyKind::vectors;
  table.parameter = 3;
  table.actions = {1, 0, 1};
  table.vectors = {100, -5, 7, 32767, -32768, 0, 1, 2, 3};
  return table;
}

PolicyTable lattice(size_t states, std::uint16_t resolution, std::uint8_t actions) {
  PolicyTable table;
  table.kind = PolicyKind::lattice;
  table.parameter = resolution;
  for (std::uint32_t rank = 0; rank < lattice_points(states, resolution); ++rank)
    table.actions.push_back(static_cast<std::uint8_t>(rank % actions));
  return table;
}

void an_image_of_a_plan_holds_model_table_and_stamp() {
  const Model model = random_model(3, 2, 4, 51);
  ImageStamp stamp;
  stamp.sequence = 9;
  stamp.episode = 2;
  stamp.first_length = 2500;
  stamp.seed = 7;
  stamp.pairs_before = {11, 22};
  const Outcome<ImageFile> file = ImageFile::build(model, three_vectors(), stamp, "m.json");
  TEST_ASSERT_TRUE(file.has_value());
  const PolicyImage& image = file.value().image();
  const ImageHeader& header = image.header();
  TEST_ASSERT_TRUE(header.states == 3 && header.actions == 2 && header.observations == 4 && header.parameter == 3);
  TEST_ASSERT_TRUE(header.sequence == 9 && header.episode == 2 && header.first_length == 2500 && header.seed == 7);
  TEST_ASSERT_TRUE(image.pairs_before()[0] == 11 && image.pairs_before()[1] == 22);
  const VectorPolicy<RuntimeDims> policy = image.vectors<RuntimeDims>();
  TEST_ASSERT_TRUE(policy.count == 3 && policy.actions[0] == 1 && policy.vectors[4] == 32767 && policy.vectors[5] == -32768);
  TEST_ASSERT_EQUAL_FLOAT(static_cast<float>(model.transition_row(1, 2)[0]), image.model(image.dims()).transition[(3 + 0) * 3 + 2]);
  TEST_ASSERT_TRUE(file.value().matches(model, "m.json").has_value());
}

void its_bytes_make_the_same_image_again() {
  const Model model = random_model(3, 2, 4, 52);
  const PolicyTable tables[] = {PolicyTable{}, three_vectors(), lattice(3, 12, 2)};
  for (const PolicyTable& table : tables) {
    const Outcome<ImageFile> file = ImageFile::build(model, table, {}, "m.json");
    TEST_ASSERT_TRUE(file.has_value());
    const std::string bytes(file.value().bytes());
    TEST_ASSERT_EQUAL(file.value().image().header().size, bytes.size());
    Input input = Input::of_text("p.pnb", bytes);
    const Outcome<ImageFile> again = ImageFile::read(input);
    TEST_ASSERT_TRUE(again.has_value() && again.value().bytes() == bytes && again.value().bytes_behind() == 0);
    TEST_ASSERT_TRUE(again.value().image().header().policy == table.kind);
  }
}

void moving_the_file_does_not_move_the_image() {
  const Model model = random_model(2, 2, 2, 53);
  Outcome<ImageFile> file = ImageFile::build(model, lattice(2, 5, 2), {}, "m.json");
  TEST_ASSERT_TRUE(file.has_value());
  const std::string bytes(file.value().bytes());
  const ImageFile moved = std::move(file.value());
  TEST_ASSERT_TRUE(moved.bytes() == bytes && moved.image().header().parameter == 5);
}

void bytes_behind_are_counted_and_left_out() {
  const Model model = random_model(2, 2, 2, 54);
  const Outcome<ImageFile> file = ImageFile::build(model, PolicyTable{}, {}, "m.json");
  const std::string bytes(file.value().bytes());
  const auto longer = ImageFile::open("p.pnb", bytes + "flash");
  TEST_ASSERT_TRUE(longer.has_value() && longer.value().bytes_behind() == 5 && longer.value().bytes() == bytes);
}

void another_sequence_number_is_all_that_changes() {
  const Outcome<ImageFile> file = ImageFile::build(random_model(3, 2, 4, 51), three_vectors(), {}, "m.json");
  const ImageFile changed = file.value().with_sequence(7);
  TEST_ASSERT_EQUAL_UINT32(7, changed.image().header().sequence);
  TEST_ASSERT_TRUE(changed.with_sequence(0).bytes() == file.value().bytes());
}

void faults_are_told_as_the_door_tells_them() {
  const Model model = random_model(2, 2, 2, 55);
  const Outcome<ImageFile> file = ImageFile::build(model, PolicyTable{}, {}, "m.json");
  std::string bytes(file.value().bytes());
  bytes[50] = static_cast<char>(bytes[50] + 1);
  const auto refused = ImageFile::open("p.pnb", bytes);
  TEST_ASSERT_TRUE(!refused.has_value() && refused.error().status == Status::image_checksum);
  TEST_ASSERT_EQUAL(bytes.size() - 4, refused.error().offset);
  std::uint32_t said = 0;
  std::memcpy(&said, bytes.data() + bytes.size() - 4, sizeof said);
  const std::uint32_t counted = etl::crc32(bytes.begin(), bytes.end() - 4).value();
  const std::string both = fmt::format("image checksum does not match: it says {:08x}, and its bytes give {:08x}", said, counted);
  TEST_ASSERT_EQUAL_STRING(both.c_str(), describe(refused.error(), bytes).c_str());
  TEST_ASSERT_NOT_EQUAL(said, counted);
  const auto empty = ImageFile::open("p.pnb", "");
  TEST_ASSERT_TRUE(!empty.has_value() && empty.error().status == Status::image_truncated && empty.error().offset == 0);
  Input input = Input::of_text("p.pnb", bytes);
  const Outcome<ImageFile> read = ImageFile::read(input);
  TEST_ASSERT_TRUE(!read.has_value() && read.error().fault == Fault::input && read.error().where == "p.pnb");
  bytes[4] = 7;
  const auto later = ImageFile::open("p.pnb", bytes);
  TEST_ASSERT_EQUAL_STRING("unknown version of the image format: it is 7, and this program reads 1",
                           describe(later.error(), bytes).c_str());
}

void what_a_board_cannot_hold_is_refused() {
  const Outcome<ImageFile> large = ImageFile::build(random_model(2, 2, 256, 56), PolicyTable{}, {}, "m.json");
  TEST_ASSERT_TRUE(!large.has_value() && large.error().where == "m.json" && large.error().what.find("256") != std::string::npos);
  PolicyTable wrong = three_vectors();
  wrong.actions[2] = 2;  // of 2
  const Outcome<ImageFile> other = ImageFile::build(random_model(3, 2, 4, 57), wrong, {}, "m.json");
  TEST_ASSERT_TRUE(!other.has_value() && other.error().fault == Fault::input);
}

void other_sizes_and_timings_do_not_match() {
  const Model model = random_model(3, 2, 4, 58);
  const Outcome<ImageFile> file = ImageFile::build(model, three_vectors(), {}, "m.json");
  Model arrival = model;
  arrival.emission = Emission::arrival;
  TEST_ASSERT_FALSE(file.value().matches(arrival, "a.json").has_value());
  TEST_ASSERT_FALSE(file.value().matches(random_model(3, 2, 5, 58), "b.json").has_value());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(an_image_of_a_plan_holds_model_table_and_stamp);
  RUN_TEST(its_bytes_make_the_same_image_again);
  RUN_TEST(moving_the_file_does_not_move_the_image);
  RUN_TEST(bytes_behind_are_counted_and_left_out);
  RUN_TEST(another_sequence_number_is_all_that_changes);
  RUN_TEST(faults_are_told_as_the_door_tells_them);
  RUN_TEST(what_a_board_cannot_hold_is_refused);
  RUN_TEST(other_sizes_and_timings_do_not_match);
  return UNITY_END();
}

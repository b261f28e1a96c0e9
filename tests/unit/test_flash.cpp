// The flash of every platform keeps flash's rules: erase sets bits, program clears them, and what breaks the rules is refused and changes
// nothing. After a reset the bytes are still there: with the argument `reset` the program leaves a mark, resets, and looks for it. With the
// argument `full` the file behind the flash takes nothing.
#include "device_port.hpp"
#include "flash_rules.hpp"

#include <unity.h>

#include <cstring>

extern "C" void control_interrupt() {}

namespace {

using namespace penumbra;

board::BoardFlash flash;
const link::FlashGeometry geometry = flash.geometry();
constexpr std::size_t largest_unit = 32;

using Unit = std::uint8_t[largest_unit];

// A write unit at `offset`, all of its bytes the same.
bool program(std::uint32_t offset, std::uint8_t byte, std::size_t size = geometry.write_size) {
  Unit bytes;
  std::memset(bytes, byte, sizeof bytes);
  return flash.program(offset, {bytes, size});
}

void assert_bytes(std::uint8_t byte, std::uint32_t offset, std::size_t size) {
  TEST_ASSERT_EACH_EQUAL_HEX8(byte, flash.data() + offset, size);
}

void the_geometry_is_one_that_the_link_can_use() {
  const std::uint32_t unit = geometry.write_size;
  TEST_ASSERT_TRUE(unit == 4 || unit == 8 || unit == 16 || unit == 32);
  TEST_ASSERT_EQUAL_UINT32(0, geometry.page_size % unit);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(4, geometry.page_count);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(32 * 1024, board::flash_size(geometry));
  TEST_ASSERT_EQUAL_UINT32(0, reinterpret_cast<std::uintptr_t>(flash.data()) % 4);
}

void an_erased_page_is_all_ones_and_its_neighbours_stay() {
  const std::uint32_t page = geometry.page_size, first[3] = {0, page, 2 * page};
  for (const std::uint32_t offset : first) {
    TEST_ASSERT_TRUE(flash.erase(offset));
    assert_bytes(0xFF, offset, page);
    TEST_ASSERT_TRUE(program(offset, 0x5A));
    TEST_ASSERT_TRUE(program(offset + page - geometry.write_size, 0xA5));
  }
  TEST_ASSERT_TRUE(flash.erase(page));
  assert_bytes(0xFF, page, page);
  for (const std::uint32_t offset : {first[0], first[2]}) {
    assert_bytes(0x5A, offset, geometry.write_size);
    assert_bytes(0xA5, offset + page - geometry.write_size, geometry.write_size);
  }
}

void a_program_writes_its_bytes_and_no_others() {
  std::uint8_t bytes[4 * largest_unit];
  const std::size_t size = 4 * geometry.write_size;
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(17 * i + 3);
  const std::uint32_t unit = geometry.write_size;
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(flash.program(unit, {bytes, size}));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(bytes, flash.data() + unit, size);
  assert_bytes(0xFF, 0, unit);
  assert_bytes(0xFF, unit + static_cast<std::uint32_t>(size), geometry.page_size - unit - size);
}

void bytes_from_an_odd_address_are_programmed_too() {
  std::uint8_t bytes[largest_unit + 1];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(flash.program(0, {bytes + 1, geometry.write_size}));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(bytes + 1, flash.data(), geometry.write_size);
}

void a_program_that_would_set_a_bit_is_refused_and_changes_nothing() {
  const std::uint32_t unit = geometry.write_size;
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(program(unit, 0x0F));
  TEST_ASSERT_FALSE(program(unit, 0x1F));
  assert_bytes(0x0F, unit, unit);
  // … also when only the last of two units would, behind one that is erased
  Unit bytes;
  std::memset(bytes, 0x1F, sizeof bytes);
  if (2 * unit <= sizeof bytes) {
    TEST_ASSERT_FALSE(flash.program(0, {bytes, 2 * unit}));
    assert_bytes(0xFF, 0, unit);
    assert_bytes(0x0F, unit, unit);
  }
}

void what_is_not_whole_units_within_a_page_is_refused() {
  const std::uint32_t page = geometry.page_size, unit = geometry.write_size;
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(flash.erase(page));
  TEST_ASSERT_FALSE(program(0, 0, unit - 1));
  TEST_ASSERT_FALSE(program(1, 0));
  TEST_ASSERT_FALSE(program(unit / 2, 0));
  TEST_ASSERT_FALSE(program(page - unit, 0, unit <= largest_unit / 2 ? 2 * unit : unit + 1));
  TEST_ASSERT_FALSE(program(board::flash_size(geometry), 0));
  TEST_ASSERT_FALSE(program(0U - unit, 0));
  assert_bytes(0xFF, 0, 2 * page);
}

void only_whole_pages_of_the_flash_can_be_erased() {
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(program(0, 0x33));
  TEST_ASSERT_FALSE(flash.erase(geometry.write_size));
  TEST_ASSERT_FALSE(flash.erase(board::flash_size(geometry)));
  TEST_ASSERT_FALSE(flash.erase(0U - geometry.page_size));
  assert_bytes(0x33, 0, geometry.write_size);
}

void the_last_unit_is_there() {
  const std::uint32_t last = board::flash_size(geometry);
  TEST_ASSERT_TRUE(flash.erase(last - geometry.page_size));
  TEST_ASSERT_TRUE(program(last - geometry.write_size, 0x77));
  assert_bytes(0x77, last - geometry.write_size, geometry.write_size);
}

// The first time there is no mark: it is made, and the board resets. The second time it is found and taken away, for the next run.
void a_reset_starts_the_program_again_and_leaves_the_flash() {
  const std::uint32_t place = 3 * geometry.page_size, second = place + geometry.write_size;
  Unit mark;
  std::memset(mark, 0xC3, sizeof mark);
  if (std::memcmp(flash.data() + place, mark, geometry.write_size) != 0) {
    TEST_ASSERT_TRUE(flash.erase(place));
    TEST_ASSERT_TRUE(program(place, 0xC3));
    board::reset();
  }
  assert_bytes(0xFF, second, geometry.page_size - geometry.write_size);
  TEST_ASSERT_TRUE(flash.erase(place));
}

// Of /dev/full, which reads as zeros: what did not get into the file must not be there until the next reset.
void what_the_file_does_not_take_is_not_in_the_flash() {
  TEST_ASSERT_FALSE(flash.erase(0));
  assert_bytes(0, 0, geometry.page_size);
  TEST_ASSERT_FALSE(program(0, 0));
}

}  // namespace

int main() {
  if (!flash.start()) return 1;
  std::uint32_t with_reset = 0, full = 0;
  UNITY_BEGIN();
  if (board::argument("reset", with_reset) && with_reset != 0) {
    RUN_TEST(a_reset_starts_the_program_again_and_leaves_the_flash);
    return UNITY_END();
  }
  if (board::argument("full", full) && full != 0) {
    RUN_TEST(what_the_file_does_not_take_is_not_in_the_flash);
    return UNITY_END();
  }
  RUN_TEST(the_geometry_is_one_that_the_link_can_use);
  RUN_TEST(an_erased_page_is_all_ones_and_its_neighbours_stay);
  RUN_TEST(a_program_writes_its_bytes_and_no_others);
  RUN_TEST(bytes_from_an_odd_address_are_programmed_too);
  RUN_TEST(a_program_that_would_set_a_bit_is_refused_and_changes_nothing);
  RUN_TEST(what_is_not_whole_units_within_a_page_is_refused);
  RUN_TEST(only_whole_pages_of_the_flash_can_be_erased);
  RUN_TEST(the_last_unit_is_there);
  return UNITY_END();
}

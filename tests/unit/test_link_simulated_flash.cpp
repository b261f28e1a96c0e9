#include "penumbra/link/testing/simulated_flash.hpp"

#include <unity.h>

namespace {

using namespace penumbra::link;
using Flash = testing::SimulatedFlash<4, 256, 8>;

const uint8_t some[] = {0x00, 0x11, 0x22, 0x33, 0xF0, 0x0F, 0xAA, 0x55};

bool all_ones(const Flash& flash, uint32_t offset, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) {
    if (flash.data()[offset + i] != 0xFFU) return false;
  }
  return true;
}

void it_starts_erased_and_keeps_what_is_programmed() {
  static Flash flash;
  TEST_ASSERT_EQUAL_UINT32(256, flash.geometry().page_size);
  TEST_ASSERT_EQUAL_UINT32(4, flash.geometry().page_count);
  TEST_ASSERT_EQUAL_UINT32(8, flash.geometry().write_size);
  TEST_ASSERT_EQUAL_UINT32(0, reinterpret_cast<uintptr_t>(flash.data()) % 4U);
  TEST_ASSERT_TRUE(all_ones(flash, 0, Flash::size));
  TEST_ASSERT_TRUE(flash.program(264, some));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(some, flash.data() + 264, 8);
  TEST_ASSERT_TRUE(all_ones(flash, 256, 8));
  TEST_ASSERT_TRUE(flash.erase(0));  // another page
  TEST_ASSERT_EQUAL_HEX8_ARRAY(some, flash.data() + 264, 8);
  TEST_ASSERT_TRUE(flash.erase(256));
  TEST_ASSERT_TRUE(all_ones(flash, 0, Flash::size));
  TEST_ASSERT_EQUAL_UINT32(3, flash.operations());
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void a_broken_rule_is_refused_and_counted() {
  static Flash flash;
  const uint8_t page[264]{};
  TEST_ASSERT_TRUE(flash.program(0, some));
  TEST_ASSERT_FALSE(flash.program(0, some));                // not erased since, though the bytes are the same
  TEST_ASSERT_FALSE(flash.program(12, some));               // not at a write unit
  TEST_ASSERT_FALSE(flash.program(16, {some, 7}));          // not whole units
  TEST_ASSERT_FALSE(flash.program(16, {some, size_t{0}}));  // nothing
  TEST_ASSERT_FALSE(flash.program(512 - 8, {page, 16}));    // over the end of a page
  TEST_ASSERT_FALSE(flash.program(256, page));              // more than a page
  TEST_ASSERT_FALSE(flash.program(Flash::size, some));      // behind the end
  TEST_ASSERT_FALSE(flash.erase(Flash::size));
  TEST_ASSERT_FALSE(flash.erase(128));  // not a page
  TEST_ASSERT_EQUAL_UINT32(9, flash.rules_broken());
  TEST_ASSERT_EQUAL_UINT32(1, flash.operations());
  TEST_ASSERT_TRUE(all_ones(flash, 8, Flash::size - 8));
}

// After a cut nothing is done, and nothing is held against a caller that does not know it yet.
void power_stays_off() {
  static Flash flash;
  flash.cut_power(1, 0);
  TEST_ASSERT_TRUE(flash.program(0, some));
  TEST_ASSERT_FALSE(flash.is_dead());
  TEST_ASSERT_FALSE(flash.program(8, some));
  TEST_ASSERT_TRUE(flash.is_dead());
  TEST_ASSERT_FALSE(flash.program(16, some));
  TEST_ASSERT_FALSE(flash.program(0, some));
  TEST_ASSERT_FALSE(flash.erase(0));
  TEST_ASSERT_TRUE(all_ones(flash, 8, Flash::size - 8));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(some, flash.data(), 8);
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  flash.power_on();
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_TRUE(flash.program(16, some));
}

void a_torn_program_has_cleared_a_prefix_of_its_bits() {
  for (uint32_t torn = 0; torn <= 64U; ++torn) {
    static Flash flash;
    flash = Flash();
    flash.cut_power(0, torn);
    TEST_ASSERT_FALSE(flash.program(8, some));
    for (uint32_t bit = 0; bit < 64U; ++bit) {
      const bool wanted = (some[bit / 8U] >> bit % 8U & 1U) != 0U;
      TEST_ASSERT_EQUAL(bit >= torn || wanted, (flash.data()[8U + bit / 8U] >> bit % 8U & 1U) != 0U);
    }
    TEST_ASSERT_TRUE(all_ones(flash, 16, 240));
  }
}

void a_torn_erase_has_set_a_prefix_of_the_pages_bits() {
  for (const uint32_t torn : {0U, 1U, 7U, 8U, 1000U, 2047U, 2048U, 9999U}) {
    static Flash flash;
    flash = Flash();
    memset(flash.raw() + 256, 0, 256);
    flash.cut_power(0, torn);
    TEST_ASSERT_FALSE(flash.erase(256));
    for (uint32_t bit = 0; bit < 2048U; ++bit) TEST_ASSERT_EQUAL(bit < torn, (flash.data()[256U + bit / 8U] >> bit % 8U & 1U) != 0U);
  }
}

void swapped_writes_leave_the_second_without_the_first() {
  static Flash flash;
  flash.cut_power(1, 0, true);
  TEST_ASSERT_TRUE(flash.program(0, some));
  TEST_ASSERT_FALSE(flash.program(8, some));
  TEST_ASSERT_TRUE(flash.is_dead());
  TEST_ASSERT_TRUE(all_ones(flash, 0, 8));
  TEST_ASSERT_EQUAL_HEX8_ARRAY(some, flash.data() + 8, 8);
}

// It met the page as it was before: programming only clears bits, whenever it happens.
void a_program_that_overtakes_an_erase_clears_bits_of_what_was_there() {
  static Flash flash;
  const uint8_t old[] = {0x0F, 0xFF, 0x00, 0x33, 0xF0, 0x0F, 0x55, 0x55};
  memcpy(flash.raw(), old, sizeof old);
  flash.cut_power(1, 0, true);
  TEST_ASSERT_TRUE(flash.erase(0));
  TEST_ASSERT_FALSE(flash.program(0, some));
  for (size_t i = 0; i < sizeof old; ++i) TEST_ASSERT_EQUAL_HEX8(old[i] & some[i], flash.data()[i]);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(it_starts_erased_and_keeps_what_is_programmed);
  RUN_TEST(a_broken_rule_is_refused_and_counted);
  RUN_TEST(power_stays_off);
  RUN_TEST(a_torn_program_has_cleared_a_prefix_of_its_bits);
  RUN_TEST(a_torn_erase_has_set_a_prefix_of_the_pages_bits);
  RUN_TEST(swapped_writes_leave_the_second_without_the_first);
  RUN_TEST(a_program_that_overtakes_an_erase_clears_bits_of_what_was_there);
  return UNITY_END();
}

#include "penumbra/link/boot_counter.hpp"

#include "penumbra/link/testing/simulated_flash.hpp"

#include <unity.h>

namespace {

using namespace penumbra::link;
using testing::SimulatedFlash;

template <class Flash>
Flash& fresh() {
  static Flash flash;
  flash = Flash();
  return flash;
}

// One boot: the counter itself keeps nothing between them.
template <class Flash>
uint32_t boot(Flash& flash) {
  return BootCounter(flash).count().value_or(0);
}

template <class Flash>
void counts_up_over_several_pages(uint32_t boots) {
  auto& flash = fresh<Flash>();
  for (uint32_t number = 1; number <= boots; ++number) TEST_ASSERT_EQUAL_UINT32(number, boot(flash));
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  const FlashGeometry geometry = flash.geometry();
  for (uint32_t i = BootCounter<Flash>::pages * geometry.page_size; i < Flash::size; ++i) {  // it keeps to its pages
    TEST_ASSERT_EQUAL_HEX8(0xFF, flash.data()[i]);
  }
}
void every_boot_has_the_next_number() {
  counts_up_over_several_pages<SimulatedFlash<4, 256, 4>>(500);
  counts_up_over_several_pages<SimulatedFlash<4, 256, 8>>(300);
  counts_up_over_several_pages<SimulatedFlash<4, 512, 16>>(300);
  counts_up_over_several_pages<SimulatedFlash<4, 256, 32>>(100);
}

void flash_that_starts_as_zeros_or_garbage_is_taken_over() {
  using Flash = SimulatedFlash<4, 256, 4>;
  for (const uint8_t start : {uint8_t{0}, uint8_t{0x55}, uint8_t{0xA0}}) {
    auto& flash = fresh<Flash>();
    memset(flash.raw(), start, Flash::size);
    for (uint32_t number = 1; number <= 200U; ++number) TEST_ASSERT_EQUAL_UINT32(number, boot(flash));
    TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  }
}

void a_flash_that_refuses_gives_no_number() {
  using Flash = SimulatedFlash<4, 256, 4>;
  for (uint32_t operation = 0; operation < 4U; ++operation) {
    auto& flash = fresh<Flash>();
    flash.cut_power(operation, 0);
    TEST_ASSERT_FALSE(BootCounter(flash).count().has_value());
  }
}

// Boots often, and loses power within one operation of each boot: a different place each time, over several turns of the page. The numbers
// that were given out rise, and every boot after a cut works.
template <class Flash>
void never_repeats_a_number(uint32_t boots, uint32_t stride) {
  auto& flash = fresh<Flash>();
  uint32_t last = 0;
  uint32_t torn = 0;
  for (uint32_t i = 0; i < boots; ++i) {
    const uint32_t operation = i % 4U;  // a boot has at most four: erase, beginning, and its mark twice
    flash.cut_power(operation, torn, i % 5U == 0U);
    const uint32_t interrupted = boot(flash);
    if (interrupted != 0U) {
      TEST_ASSERT_GREATER_THAN_UINT32(last, interrupted);
      last = interrupted;
    }
    flash.power_on();
    torn = (torn + stride) % (flash.geometry().page_size * 8U);
    if (i % 3U != 0U) continue;
    const uint32_t whole = boot(flash);
    TEST_ASSERT_GREATER_THAN_UINT32(last, whole);
    last = whole;
  }
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  TEST_ASSERT_GREATER_THAN_UINT32(boots / 3U, last);
}
void no_number_is_given_out_twice_though_power_fails_anywhere() {
  for (const uint32_t stride : {1U, 7U, 61U}) {
    never_repeats_a_number<SimulatedFlash<4, 256, 4>>(600, stride);
    never_repeats_a_number<SimulatedFlash<4, 256, 8>>(600, stride);
    never_repeats_a_number<SimulatedFlash<4, 512, 16>>(600, stride);
    never_repeats_a_number<SimulatedFlash<4, 256, 32>>(600, stride);
  }
}

// Somebody else's write comes next, overtakes the boot's, and the power fails: the boot had begun all the same, and said its number.
void a_number_stays_taken_when_the_next_write_overtakes_its_mark() {
  using Flash = SimulatedFlash<4, 256, 4>;
  auto& flash = fresh<Flash>();
  const uint8_t mark[4]{};
  uint32_t last = 0;
  for (uint32_t i = 0; i < 200U; ++i) {
    const uint32_t number = boot(flash);
    TEST_ASSERT_GREATER_THAN_UINT32(last, number);
    last = number;
    flash.cut_power(0, 0, true);
    TEST_ASSERT_FALSE(i % 2U == 0U ? flash.erase(512) : flash.program(768 + i / 2U % 64U * 4U, mark));
    flash.power_on();
    TEST_ASSERT_TRUE(flash.erase(768));
  }
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_boot_has_the_next_number);
  RUN_TEST(flash_that_starts_as_zeros_or_garbage_is_taken_over);
  RUN_TEST(a_flash_that_refuses_gives_no_number);
  RUN_TEST(no_number_is_given_out_twice_though_power_fails_anywhere);
  RUN_TEST(a_number_stays_taken_when_the_next_write_overtakes_its_mark);
  return UNITY_END();
}

#include "penumbra/link/image_slots.hpp"

#include "device_bench.hpp"

#include <etl/placement_new.h>
#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::renew;
using testing::SimulatedFlash;

// Neither a multiple of 8 nor of a page.
const test::TestImage<500> image(1, 7, 59);

template <class Flash>
struct Slots {
  Flash flash;
  ImageSlots<Flash> slots{flash};
};

alignas(8) uint8_t memory[sizeof(Slots<SimulatedFlash<4, 1024, 32>>)];

// A new one, in the same memory for all: a board is small.
template <class Flash>
Slots<Flash>& fresh() {
  static_assert(sizeof(Slots<Flash>) <= sizeof memory);
  return *new (memory) Slots<Flash>;
}

// Erases and writes an image as the link does, by chunks.
template <class Flash>
void put(Slots<Flash>& s, Slot slot) {
  for (uint32_t page = 0; page < s.slots.pages_for(image.size()); ++page) TEST_ASSERT_TRUE(s.slots.erase(slot, page));
  for (uint32_t at = 0; at < image.size(); at += max_chunk) {
    const uint32_t left = image.size() - at;
    TEST_ASSERT_TRUE(s.slots.write(slot, at, image.view().subspan(at, left < max_chunk ? left : max_chunk)));
  }
}

template <class Flash>
void holds_an_image_in_each_slot() {
  auto& s = fresh<Flash>();
  memset(s.flash.raw(), 0, Flash::size);  // whatever was there before
  TEST_ASSERT_EQUAL_UINT32(468, image.size());
  for (const Slot slot : {Slot::first, Slot::second}) {
    TEST_ASSERT_FALSE(s.slots.open(slot).has_value());
    put(s, slot);
    TEST_ASSERT_TRUE(s.slots.open(slot).has_value());
    TEST_ASSERT_TRUE(image.is(s.slots.open(slot).value()));
    TEST_ASSERT_FALSE(s.slots.is_tried(slot));
    TEST_ASSERT_FALSE(s.slots.is_confirmed(slot));
    TEST_ASSERT_TRUE(s.slots.mark_tried(slot));
    TEST_ASSERT_TRUE(s.slots.is_tried(slot));
    TEST_ASSERT_FALSE(s.slots.is_confirmed(slot));
    TEST_ASSERT_TRUE(s.slots.mark_confirmed(slot));
    TEST_ASSERT_TRUE(s.slots.is_confirmed(slot));
    TEST_ASSERT_TRUE(image.is(s.slots.open(slot).value()));
  }
  TEST_ASSERT_TRUE(image.is(s.slots.open(Slot::first).value()));
  TEST_ASSERT_TRUE(s.slots.is_confirmed(Slot::first));
  TEST_ASSERT_EQUAL_UINT32(0, s.flash.rules_broken());
  for (uint32_t i = 0; i < BootCounter<Flash>::pages * s.flash.geometry().page_size; ++i) TEST_ASSERT_EQUAL_HEX8(0, s.flash.data()[i]);
}
void a_slot_holds_an_image_and_its_marks_whatever_the_geometry() {
  holds_an_image_in_each_slot<SimulatedFlash<6, 256, 4>>();
  holds_an_image_in_each_slot<SimulatedFlash<6, 256, 8>>();
  holds_an_image_in_each_slot<SimulatedFlash<6, 512, 16>>();
  holds_an_image_in_each_slot<SimulatedFlash<4, 1024, 32>>();
  holds_an_image_in_each_slot<SimulatedFlash<7, 256, 4>>();  // a page is over
}

void an_image_may_fill_its_slot_up_to_the_marks() {
  auto& s = fresh<SimulatedFlash<6, 256, 4>>();
  const uint32_t capacity = s.slots.capacity();
  TEST_ASSERT_EQUAL_UINT32(2U * 256U - 4U * 4U, capacity);
  TEST_ASSERT_EQUAL_UINT32(2, s.slots.pages_for(capacity));
  static const uint8_t bytes[512]{};
  TEST_ASSERT_TRUE(s.slots.write(Slot::first, 0, {bytes, capacity}));
  TEST_ASSERT_FALSE(s.slots.is_tried(Slot::first));
  TEST_ASSERT_FALSE(s.slots.is_confirmed(Slot::first));
  TEST_ASSERT_TRUE(s.slots.mark_tried(Slot::first));
  TEST_ASSERT_TRUE(s.slots.mark_confirmed(Slot::first));
  TEST_ASSERT_EQUAL_UINT32(0, s.flash.rules_broken());
  for (uint32_t i = 4U * 256U; i < 6U * 256U; ++i) TEST_ASSERT_EQUAL_HEX8(0xFF, s.flash.data()[i]);
}

// Only the pages that an image needs, and the one with the marks; that one first, so that no mark tells of another image than its own.
void erasing_takes_the_marks_first_and_no_page_too_many() {
  auto& s = fresh<SimulatedFlash<10, 256, 4>>();  // slots of four pages
  for (uint32_t pages = 1; pages <= 4U; ++pages) {
    const uint32_t size = pages == 4U ? s.slots.capacity() : 256U * pages;
    memset(s.flash.raw(), 0, 10U * 256U);
    const uint32_t count = s.slots.pages_for(size);
    TEST_ASSERT_EQUAL_UINT32(pages < 4U ? pages + 1U : 4U, count);
    for (uint32_t page = 0; page < count; ++page) {
      TEST_ASSERT_TRUE(s.slots.erase(Slot::second, page));
      TEST_ASSERT_EQUAL_HEX8(0xFF, s.flash.data()[10U * 256U - 1U]);
    }
    for (uint32_t page = 0; page < 10U; ++page) {
      const bool erased = page == 9U || (page >= 6U && page < 6U + pages);
      TEST_ASSERT_EQUAL_HEX8(erased ? 0xFF : 0, s.flash.data()[page * 256U]);
    }
  }
}

// The order of the marks matters where an erase is torn: what it undoes first is `tried`.
void a_half_erased_slot_never_looks_as_if_its_image_had_failed() {
  using Flash = SimulatedFlash<6, 256, 8>;
  auto& s = fresh<Flash>();
  for (uint32_t torn = 0; torn <= 2048U; ++torn) {
    memset(s.flash.raw(), 0, Flash::size);
    s.flash.cut_power(0, torn);
    TEST_ASSERT_FALSE(s.slots.erase(Slot::first, 0));
    s.flash.power_on();
    TEST_ASSERT_FALSE(s.slots.is_tried(Slot::first) && !s.slots.is_confirmed(Slot::first));
  }
}

void a_torn_tried_counts_and_a_torn_confirmed_does_not() {
  using Flash = SimulatedFlash<6, 256, 8>;
  auto& s = fresh<Flash>();
  for (uint32_t torn = 0; torn <= 64U; ++torn) {
    renew(s.flash);
    s.flash.cut_power(0, torn);
    TEST_ASSERT_FALSE(s.slots.mark_tried(Slot::first));
    TEST_ASSERT_EQUAL(torn > 0U, s.slots.is_tried(Slot::first));
    renew(s.flash);
    s.flash.cut_power(0, torn);
    TEST_ASSERT_EQUAL(torn == 64U, s.slots.mark_confirmed(Slot::first));
    TEST_ASSERT_EQUAL(torn == 64U, s.slots.is_confirmed(Slot::first));
  }
}

void marks_stay_when_the_next_write_overtakes_them() {
  using Flash = SimulatedFlash<6, 256, 8>;
  auto& s = fresh<Flash>();
  TEST_ASSERT_TRUE(s.slots.mark_confirmed(Slot::first));
  s.flash.cut_power(0, 0, true);
  TEST_ASSERT_FALSE(s.slots.erase(Slot::second, 0));
  TEST_ASSERT_TRUE(s.slots.is_confirmed(Slot::first));
  s.flash.power_on();
  TEST_ASSERT_TRUE(s.slots.mark_tried(Slot::second));
  s.flash.cut_power(0, 0, true);
  TEST_ASSERT_FALSE(s.slots.erase(Slot::first, 0));
  TEST_ASSERT_TRUE(s.slots.is_tried(Slot::second));
}

// The flash refuses in the middle, and the power stays: what was said of the confirmation is what the next boot will find, and asking
// again programs what is missing and nothing twice.
void a_confirmation_half_done_counts_and_can_be_finished() {
  using Flash = SimulatedFlash<6, 256, 8>;
  auto& s = fresh<Flash>();
  for (uint32_t operation = 0; operation < 2U; ++operation) {
    for (uint32_t torn = 0; torn <= 64U; ++torn) {
      renew(s.flash);
      s.flash.cut_power(operation, torn);
      TEST_ASSERT_EQUAL(operation == 1U || torn == 64U, s.slots.mark_confirmed(Slot::first));
      TEST_ASSERT_EQUAL(operation == 1U || torn == 64U, s.slots.is_confirmed(Slot::first));
      s.flash.power_on();
      TEST_ASSERT_TRUE(s.slots.mark_confirmed(Slot::first));
      TEST_ASSERT_TRUE(s.slots.is_confirmed(Slot::first));
      const uint32_t operations = s.flash.operations();
      TEST_ASSERT_TRUE(s.slots.mark_confirmed(Slot::first));
      TEST_ASSERT_EQUAL_UINT32(operations, s.flash.operations());
      TEST_ASSERT_EQUAL_UINT32(0, s.flash.rules_broken());
      if (torn != 0U && torn != 64U) continue;  // else both are there now
      memset(s.flash.raw() + 4U * 256U - 16U, 0xFF, 8);
      TEST_ASSERT_TRUE(s.slots.is_confirmed(Slot::first));
    }
  }
}

void a_flash_that_refuses_is_told() {
  using Flash = SimulatedFlash<6, 256, 8>;
  auto& s = fresh<Flash>();
  s.flash.cut_power(0, 0);
  TEST_ASSERT_FALSE(s.slots.erase(Slot::first, 0));
  TEST_ASSERT_FALSE(s.slots.write(Slot::first, 0, image.view().first(96)));
  TEST_ASSERT_FALSE(s.slots.write(Slot::first, 0, image.view().first(5)));
  TEST_ASSERT_FALSE(s.slots.mark_tried(Slot::first));
  TEST_ASSERT_FALSE(s.slots.mark_confirmed(Slot::first));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_slot_holds_an_image_and_its_marks_whatever_the_geometry);
  RUN_TEST(an_image_may_fill_its_slot_up_to_the_marks);
  RUN_TEST(erasing_takes_the_marks_first_and_no_page_too_many);
  RUN_TEST(a_half_erased_slot_never_looks_as_if_its_image_had_failed);
  RUN_TEST(a_torn_tried_counts_and_a_torn_confirmed_does_not);
  RUN_TEST(marks_stay_when_the_next_write_overtakes_them);
  RUN_TEST(a_confirmation_half_done_counts_and_can_be_finished);
  RUN_TEST(a_flash_that_refuses_is_told);
  return UNITY_END();
}

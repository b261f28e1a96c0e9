#include "penumbra/link/image_update.hpp"

#include "device_bench.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::renew;

using Flash = testing::SimulatedFlash<8, 256, 4>;
using Image = test::TestImage<500>;
const RuntimeDims dims(2, 2, 2);

// Images of growing sequence numbers and different lengths.
const Image first(0, 1, 1, 4);
const Image second(1, 2, 40, 5);
const Image third(0, 3, 60, 6);

Flash flash;

void start_over() { renew(flash); }

ImageReport report_of(const ImageUpdate<Flash>& update) {
  ImageReport report;
  update.report(report);
  return report;
}
Transfer transfer_of(const ImageUpdate<Flash>& update) { return static_cast<Transfer>(report_of(update).transfer); }

// Writes all of an image; true: it is good, and ready to be put to use.
bool write(ImageUpdate<Flash>& update, const Image& image) {
  update.begin(image.size(), image.checksum());
  while (transfer_of(update) == Transfer::erasing) TEST_ASSERT_FALSE(update.work(true));
  while (transfer_of(update) == Transfer::receiving) {
    const uint32_t next = report_of(update).next;
    if (next == image.size()) return update.work(true);
    const uint32_t left = image.size() - next;
    TEST_ASSERT_FALSE(update.work(true));
    update.chunk(next, image.view().subspan(next, left < 32U ? left : 32U));
    if (transfer_of(update) == Transfer::receiving) TEST_ASSERT_GREATER_THAN_UINT32(next, report_of(update).next);
  }
  return false;
}

// A boot: what is in flash decides.
ImageUpdate<Flash> booted() {
  ImageUpdate<Flash> update(flash, dims);
  update.choose();
  TEST_ASSERT_FALSE(update.on_trial());
  return update;
}

void install(const Image& image) {
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, image));
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(update.confirm(image.checksum()));
}

void at_first_there_is_nothing() {
  start_over();
  const ImageUpdate<Flash> update = booted();
  TEST_ASSERT_FALSE(update.image().is_open());
  TEST_ASSERT_FALSE(update.has_failed_image());
  TEST_ASSERT_FALSE(update.fallback().is_open());
  const ImageReport report = report_of(update);
  TEST_ASSERT_EQUAL_UINT32(0, report.checksum);
  TEST_ASSERT_EQUAL_UINT32(0, report.sequence);
  TEST_ASSERT_EQUAL(Transfer::idle, transfer_of(update));
}

void an_image_is_on_trial_until_it_is_confirmed() {
  start_over();
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, first));
  TEST_ASSERT_FALSE(update.image().is_open());
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(first.is(update.image()));
  TEST_ASSERT_TRUE(update.on_trial());
  ImageReport report = report_of(update);
  TEST_ASSERT_EQUAL_HEX32(first.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_UINT32(1, report.sequence);
  TEST_ASSERT_EQUAL_UINT32(0, report.confirmed);
  TEST_ASSERT_FALSE(update.confirm(second.checksum()));
  TEST_ASSERT_TRUE(update.on_trial());
  TEST_ASSERT_TRUE(update.confirm(first.checksum()));
  TEST_ASSERT_FALSE(update.on_trial());
  TEST_ASSERT_FALSE(update.confirm(first.checksum()));  // once is enough: the mark is there
  report = report_of(update);
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_TRUE(first.is(booted().image()));
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void the_newest_confirmed_image_is_chosen_at_boot() {
  start_over();
  install(first);
  install(second);
  TEST_ASSERT_TRUE(second.is(booted().image()));
  install(third);  // where the first was
  TEST_ASSERT_TRUE(third.is(booted().image()));
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void a_reset_before_the_confirmation_brings_the_last_confirmed_image_back() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(first.is(update.fallback()));

  ImageUpdate<Flash> again = booted();
  TEST_ASSERT_TRUE(first.is(again.image()));
  TEST_ASSERT_TRUE(again.has_failed_image());
  TEST_ASSERT_EQUAL_HEX32(second.checksum(), report_of(again).failed);
  TEST_ASSERT_TRUE(write(again, second));  // it may be tried once more
  TEST_ASSERT_TRUE(again.put_to_use());
  TEST_ASSERT_TRUE(again.confirm(second.checksum()));
  TEST_ASSERT_TRUE(second.is(booted().image()));
}

void the_first_image_of_all_that_fails_leaves_none() {
  start_over();
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, first));
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_FALSE(update.fallback().is_open());
  const ImageUpdate<Flash> again = booted();
  TEST_ASSERT_FALSE(again.image().is_open());
  TEST_ASSERT_TRUE(again.has_failed_image());
}

// Written whole, and the power went before it was put to use: the update is lost, and nobody is blamed.
void an_image_that_was_never_tried_is_no_choice_and_no_failure() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  const ImageUpdate<Flash> again = booted();
  TEST_ASSERT_TRUE(first.is(again.image()));
  TEST_ASSERT_FALSE(again.has_failed_image());
}

// Its marks are erased before its bytes are: without them it must not look like a new one.
void an_image_that_failed_does_not_come_back_while_its_slot_is_erased() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  ImageUpdate<Flash> again = booted();
  again.begin(third.size(), third.checksum());
  for (uint32_t page = 0; page < 3U; ++page) {
    TEST_ASSERT_TRUE(first.is(booted().image()));
    static_cast<void>(again.work(true));
  }
}

void giving_up_falls_back_and_says_which_failed() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  update.gave_up();
  TEST_ASSERT_TRUE(first.is(update.image()));
  TEST_ASSERT_FALSE(update.on_trial());
  const ImageReport report = report_of(update);
  TEST_ASSERT_EQUAL_HEX32(second.checksum(), report.failed);
  TEST_ASSERT_EQUAL_HEX32(first.checksum(), report.checksum);
  TEST_ASSERT_EQUAL_UINT32(1, report.confirmed);
  TEST_ASSERT_FALSE(update.confirm(second.checksum()));
  TEST_ASSERT_FALSE(update.confirm(first.checksum()));
  TEST_ASSERT_TRUE(write(update, third));  // into the slot of the one that failed
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(first.is(update.fallback()));
}

void giving_up_the_first_image_leaves_none_and_a_good_one_helps() {
  start_over();
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  update.gave_up();
  TEST_ASSERT_FALSE(update.image().is_open());
  TEST_ASSERT_EQUAL_UINT32(0, report_of(update).checksum);
  TEST_ASSERT_TRUE(write(update, first));  // nothing is in use, so any sequence number is new
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(update.confirm(first.checksum()));
  TEST_ASSERT_TRUE(first.is(booted().image()));
}

// Whoever sends it again asks how it goes this time. With none to fall back to, a copy that failed stays in the other slot.
void an_image_that_does_well_at_last_has_not_failed() {
  for (const bool has_fallback : {true, false}) {
    start_over();
    if (has_fallback) install(first);
    ImageUpdate<Flash> update = booted();
    TEST_ASSERT_TRUE(write(update, second));
    TEST_ASSERT_TRUE(update.put_to_use());
    update.gave_up();
    TEST_ASSERT_TRUE(write(update, second));
    TEST_ASSERT_EQUAL_HEX32(second.checksum(), report_of(update).failed);
    TEST_ASSERT_TRUE(update.put_to_use());
    TEST_ASSERT_EQUAL_HEX32(second.checksum(), report_of(update).failed);
    TEST_ASSERT_TRUE(update.confirm(second.checksum()));
    for (const ImageUpdate<Flash>& now : {update, booted()}) {
      TEST_ASSERT_TRUE(second.is(now.image()));
      TEST_ASSERT_EQUAL_HEX32(0, report_of(now).failed);
      TEST_ASSERT_FALSE(now.has_failed_image());
    }
  }
}

// Its slot is the last that is written to: whatever interrupts the next update, the device still knows that an image has failed it.
void the_first_image_that_failed_is_remembered_until_another_is_confirmed() {
  for (const bool by_reset : {false, true}) {
    start_over();
    ImageUpdate<Flash> update = booted();
    const auto fails = [&](const Image& image) {
      update.begin(image.size(), image.checksum());
      while (transfer_of(update) == Transfer::erasing) {
        TEST_ASSERT_EQUAL(&image != &first, booted().has_failed_image());
        TEST_ASSERT_FALSE(update.work(true));
      }
      TEST_ASSERT_TRUE(write(update, image));
      TEST_ASSERT_EQUAL(&image != &first, booted().has_failed_image());
      TEST_ASSERT_TRUE(update.put_to_use());
      TEST_ASSERT_TRUE(booted().has_failed_image());
      if (by_reset) {
        update.~ImageUpdate<Flash>();
        new (&update) ImageUpdate<Flash>(booted());
      } else {
        update.gave_up();
      }
      TEST_ASSERT_FALSE(update.image().is_open());
      TEST_ASSERT_TRUE(update.has_failed_image());
    };
    fails(first);
    fails(second);
    fails(third);
    fails(second);
    TEST_ASSERT_TRUE(write(update, third));
    TEST_ASSERT_TRUE(update.put_to_use());
    TEST_ASSERT_TRUE(update.confirm(third.checksum()));
    TEST_ASSERT_TRUE(third.is(booted().image()));
    TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  }
}

void a_confirmation_that_the_flash_refused_half_way_is_what_the_next_boot_finds() {
  for (uint32_t operation = 0; operation < 2U; ++operation) {
    start_over();
    install(first);
    ImageUpdate<Flash> update = booted();
    TEST_ASSERT_TRUE(write(update, second));
    TEST_ASSERT_TRUE(update.put_to_use());
    flash.cut_power(operation, 0);
    TEST_ASSERT_EQUAL(operation == 1U, update.confirm(second.checksum()));
    TEST_ASSERT_EQUAL(operation == 0U, update.on_trial());
    flash.power_on();
    TEST_ASSERT_EQUAL(operation == 1U, second.is(booted().image()));
    if (operation == 0U) TEST_ASSERT_TRUE(update.confirm(second.checksum()));  // and the host asks again
    TEST_ASSERT_FALSE(update.on_trial());
    TEST_ASSERT_TRUE(second.is(booted().image()));
    TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
  }
}

// --- The transfer

void a_transfer_goes_on_where_it_was() {
  start_over();
  ImageUpdate<Flash> update = booted();
  update.begin(second.size(), second.checksum());
  TEST_ASSERT_EQUAL(Transfer::erasing, transfer_of(update));
  for (int i = 0; i < 5; ++i) TEST_ASSERT_FALSE(update.work(false));  // the agent has not let go of the slot
  TEST_ASSERT_EQUAL(Transfer::erasing, transfer_of(update));
  TEST_ASSERT_FALSE(update.work(true));
  update.begin(second.size(), second.checksum());  // asked again meanwhile
  for (int i = 0; i < 2; ++i) TEST_ASSERT_FALSE(update.work(true));
  TEST_ASSERT_EQUAL(Transfer::receiving, transfer_of(update));
  const uint32_t operations = flash.operations();
  update.chunk(0, second.view().first(64));
  update.begin(second.size(), second.checksum());  // the link was down
  TEST_ASSERT_EQUAL_UINT32(64, report_of(update).next);
  TEST_ASSERT_EQUAL_HEX32(second.checksum(), report_of(update).incoming);
  TEST_ASSERT_EQUAL_UINT32(operations + 1U, flash.operations());
  TEST_ASSERT_TRUE(write(update, second));
}

void another_image_begins_anew() {
  start_over();
  ImageUpdate<Flash> update = booted();
  update.begin(second.size(), second.checksum());
  while (transfer_of(update) == Transfer::erasing) static_cast<void>(update.work(true));
  update.chunk(0, second.view().first(96));
  TEST_ASSERT_TRUE(write(update, third));
  TEST_ASSERT_TRUE(update.put_to_use());
  TEST_ASSERT_TRUE(third.is(update.image()));
  TEST_ASSERT_EQUAL_UINT32(0, flash.rules_broken());
}

void a_chunk_that_does_not_fit_changes_nothing() {
  start_over();
  ImageUpdate<Flash> update = booted();
  uint8_t bytes[max_message]{};
  update.chunk(0, {bytes, 32});  // nothing was begun
  update.begin(second.size(), second.checksum());
  update.chunk(0, second.view().first(32));  // not erased yet
  while (transfer_of(update) == Transfer::erasing) static_cast<void>(update.work(true));
  update.chunk(0, second.view().first(64));
  const uint32_t operations = flash.operations();
  const auto passes_over = [&](uint32_t offset, size_t size) {
    update.chunk(offset, {bytes, size});
    TEST_ASSERT_EQUAL_UINT32(64, report_of(update).next);
    TEST_ASSERT_EQUAL(Transfer::receiving, transfer_of(update));
  };
  passes_over(0, 32);   // a repetition
  passes_over(32, 32);  // an overlap
  passes_over(96, 32);  // out of order
  passes_over(64, 0);   // empty
  passes_over(64, 31);  // not the end, and no whole units
  passes_over(64, 33);
  passes_over(64U + (1U << 31U), 32);
  TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
  update.chunk(64, second.view().subspan(64, 96));
  update.chunk(160, second.view().subspan(160, 96));
  const uint32_t left = second.size() - 256U;
  update.chunk(256, {bytes, left + 1U});  // more than is left
  TEST_ASSERT_EQUAL_UINT32(256, report_of(update).next);
  update.chunk(256, second.view().subspan(256, left));
  TEST_ASSERT_TRUE(update.work(true));
}

void an_image_that_is_in_use_need_not_be_sent() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  const uint32_t operations = flash.operations();
  update.begin(first.size(), first.checksum());
  TEST_ASSERT_EQUAL(Transfer::idle, transfer_of(update));
  TEST_ASSERT_FALSE(update.work(true));
  TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
}

void while_an_image_is_on_trial_no_other_can_begin() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  const uint32_t operations = flash.operations();
  update.begin(third.size(), third.checksum());
  TEST_ASSERT_EQUAL(Transfer::busy, transfer_of(update));
  TEST_ASSERT_FALSE(update.work(true));
  TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
  TEST_ASSERT_TRUE(update.confirm(second.checksum()));
  TEST_ASSERT_TRUE(write(update, third));
}

// --- What is refused

// Begins with these sizes and sends these bytes; the report then.
ImageReport refused(const Image& sent, uint32_t checksum) {
  ImageUpdate<Flash> update = booted();
  update.begin(sent.size(), checksum);
  while (transfer_of(update) == Transfer::erasing) TEST_ASSERT_FALSE(update.work(true));
  for (uint32_t at = 0; at < sent.size(); at += 32U) {
    update.chunk(at, sent.view().subspan(at, sent.size() - at < 32U ? sent.size() - at : 32U));
  }
  TEST_ASSERT_FALSE(update.work(true));
  TEST_ASSERT_EQUAL(Transfer::refused, transfer_of(update));
  const ImageReport report = report_of(update);
  for (int i = 0; i < 3; ++i) TEST_ASSERT_FALSE(update.work(true));  // and stays so
  update.chunk(report.next, sent.view().first(32));
  TEST_ASSERT_EQUAL(Transfer::refused, transfer_of(update));
  TEST_ASSERT_TRUE(first.is(update.image()));
  TEST_ASSERT_TRUE(first.is(booted().image()));
  TEST_ASSERT_TRUE(write(update, second));  // a good one is welcome
  return report;
}

void a_corrupt_image_is_refused_with_place_and_reason() {
  start_over();
  install(first);
  Image corrupt = second;
  corrupt.bytes()[100] = static_cast<uint8_t>(corrupt.bytes()[100] ^ 1U);
  const ImageReport report = refused(corrupt, second.checksum());
  TEST_ASSERT_EQUAL(Status::image_checksum, static_cast<Status>(report.reason));
  TEST_ASSERT_EQUAL_HEX32(second.checksum(), report.incoming);
  corrupt.bytes()[0] = 0;
  TEST_ASSERT_EQUAL(Status::image_not_penumbra, static_cast<Status>(refused(corrupt, second.checksum()).reason));
}

void an_image_other_than_the_one_announced_is_refused() {
  start_over();
  install(first);
  TEST_ASSERT_EQUAL(Status::image_checksum, static_cast<Status>(refused(second, second.checksum() + 1U).reason));
}

void an_image_of_the_same_or_an_older_number_is_refused() {
  start_over();
  install(first);
  for (const uint32_t sequence : {0U, 1U}) {
    const Image old(1, sequence, 1, 9);
    const ImageReport report = refused(old, old.checksum());
    TEST_ASSERT_EQUAL(Status::image_field, static_cast<Status>(report.reason));
    TEST_ASSERT_EQUAL_UINT32(20, report.next);
  }
}

// A number is newer than those of the 2^31 - 1 steps behind it.
void sequence_numbers_wrap_and_go_on() {
  start_over();
  uint32_t sequence = UINT32_MAX - 2U;
  for (uint32_t i = 0; i < 5U; ++i, ++sequence) {
    const Image image(0, sequence, 1, 9);
    install(image);
    TEST_ASSERT_TRUE(image.is(booted().image()));
  }
  const Image old(1, UINT32_MAX, 1, 9);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_FALSE(write(update, old));
  TEST_ASSERT_EQUAL(Status::image_field, static_cast<Status>(report_of(update).reason));
}

// The control loop goes on meanwhile, and a host waits for the answer: each byte of an image is looked at once.
void an_image_is_checked_once_on_its_way_into_use() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  const uint32_t in_first_slot = 2U * 256U;
  const uint32_t in_second_slot = 5U * 256U;
  uint8_t kept[2];
  const auto exchange = [&] {
    for (const uint32_t place : {0U, 1U}) {
      uint8_t& byte = flash.raw()[(place == 0U ? in_first_slot : in_second_slot) + 100U];
      const uint8_t before = byte;
      byte = kept[place];
      kept[place] = before;
    }
  };
  kept[0] = static_cast<uint8_t>(~flash.raw()[in_first_slot + 100U]);
  kept[1] = static_cast<uint8_t>(~flash.raw()[in_second_slot + 100U]);
  exchange();  // whoever looked now would not find an image
  TEST_ASSERT_TRUE(update.put_to_use());
  const PolicyImage fallback = update.fallback();
  exchange();
  TEST_ASSERT_TRUE(second.is(update.image()));
  TEST_ASSERT_TRUE(first.is(fallback));
}

void an_image_for_other_sizes_is_refused() {
  start_over();
  ImageUpdate<Flash> update(flash, RuntimeDims(2, 3, 2));
  update.choose();
  TEST_ASSERT_FALSE(write(update, first));
  const ImageReport report = report_of(update);
  TEST_ASSERT_EQUAL(Transfer::refused, transfer_of(update));
  TEST_ASSERT_EQUAL(Status::image_other_sizes, static_cast<Status>(report.reason));
  TEST_ASSERT_EQUAL_UINT32(12, report.next);
}

void an_image_of_a_foreign_device_in_flash_is_no_choice() {
  start_over();
  install(first);
  ImageUpdate<Flash> foreign(flash, RuntimeDims(2, 3, 2));
  foreign.choose();
  TEST_ASSERT_FALSE(foreign.image().is_open());
  TEST_ASSERT_FALSE(foreign.has_failed_image());
}

void a_size_that_cannot_be_is_refused_before_anything_is_erased() {
  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  const uint32_t operations = flash.operations();
  for (const uint32_t size : {uint32_t{0}, uint32_t{47}, update.capacity() + 1U, uint32_t{UINT32_MAX}}) {
    update.begin(size, 1);
    TEST_ASSERT_EQUAL(Transfer::refused, transfer_of(update));
    TEST_ASSERT_EQUAL(Status::image_size, static_cast<Status>(report_of(update).reason));
    for (int i = 0; i < 5; ++i) TEST_ASSERT_FALSE(update.work(true));
  }
  TEST_ASSERT_EQUAL_UINT32(operations, flash.operations());
  update.begin(update.capacity(), 1);
  TEST_ASSERT_EQUAL(Transfer::erasing, transfer_of(update));
}

void a_flash_that_refuses_is_told_and_the_image_in_use_stays() {
  const auto refuses_at = [](uint32_t operation) {
    start_over();
    install(first);
    ImageUpdate<Flash> update = booted();
    flash.cut_power(operation, 0);
    if (write(update, second)) TEST_ASSERT_FALSE(update.put_to_use());
    TEST_ASSERT_EQUAL(Transfer::refused, transfer_of(update));
    TEST_ASSERT_EQUAL(Status::flash_refused, static_cast<Status>(report_of(update).reason));
    TEST_ASSERT_TRUE(first.is(update.image()));
    TEST_ASSERT_FALSE(update.on_trial());
  };
  const uint32_t chunks = (second.size() + 31U) / 32U;
  for (uint32_t operation = 0; operation < 3U + chunks + 2U; ++operation) refuses_at(operation);  // erases, chunks, marks

  start_over();
  install(first);
  ImageUpdate<Flash> update = booted();
  TEST_ASSERT_TRUE(write(update, second));
  TEST_ASSERT_TRUE(update.put_to_use());
  flash.cut_power(0, 0);
  TEST_ASSERT_FALSE(update.confirm(second.checksum()));
  TEST_ASSERT_TRUE(update.on_trial());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(at_first_there_is_nothing);
  RUN_TEST(an_image_is_on_trial_until_it_is_confirmed);
  RUN_TEST(the_newest_confirmed_image_is_chosen_at_boot);
  RUN_TEST(a_reset_before_the_confirmation_brings_the_last_confirmed_image_back);
  RUN_TEST(the_first_image_of_all_that_fails_leaves_none);
  RUN_TEST(an_image_that_was_never_tried_is_no_choice_and_no_failure);
  RUN_TEST(an_image_that_failed_does_not_come_back_while_its_slot_is_erased);
  RUN_TEST(giving_up_falls_back_and_says_which_failed);
  RUN_TEST(giving_up_the_first_image_leaves_none_and_a_good_one_helps);
  RUN_TEST(an_image_that_does_well_at_last_has_not_failed);
  RUN_TEST(the_first_image_that_failed_is_remembered_until_another_is_confirmed);
  RUN_TEST(a_confirmation_that_the_flash_refused_half_way_is_what_the_next_boot_finds);
  RUN_TEST(a_transfer_goes_on_where_it_was);
  RUN_TEST(another_image_begins_anew);
  RUN_TEST(a_chunk_that_does_not_fit_changes_nothing);
  RUN_TEST(an_image_that_is_in_use_need_not_be_sent);
  RUN_TEST(while_an_image_is_on_trial_no_other_can_begin);
  RUN_TEST(a_corrupt_image_is_refused_with_place_and_reason);
  RUN_TEST(an_image_other_than_the_one_announced_is_refused);
  RUN_TEST(an_image_of_the_same_or_an_older_number_is_refused);
  RUN_TEST(sequence_numbers_wrap_and_go_on);
  RUN_TEST(an_image_is_checked_once_on_its_way_into_use);
  RUN_TEST(an_image_for_other_sizes_is_refused);
  RUN_TEST(an_image_of_a_foreign_device_in_flash_is_no_choice);
  RUN_TEST(a_size_that_cannot_be_is_refused_before_anything_is_erased);
  RUN_TEST(a_flash_that_refuses_is_told_and_the_image_in_use_stays);
  return UNITY_END();
}

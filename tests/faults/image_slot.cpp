// Bytes that the emulator puts into the image slot (emulate --flash) are there when the firmware looks.
#include "image_slot.hpp"

#include <unity.h>

namespace {

void the_slot_begins_with_the_flashed_bytes() {
  TEST_ASSERT_EQUAL_UINT8_ARRAY("flashed before the start", penumbra::board::image_slot(), 24);
}

void the_slot_holds_at_least_two_small_images() { TEST_ASSERT_GREATER_OR_EQUAL_UINT32(32 * 1024, penumbra::board::image_slot_size()); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_slot_begins_with_the_flashed_bytes);
  RUN_TEST(the_slot_holds_at_least_two_small_images);
  return UNITY_END();
}

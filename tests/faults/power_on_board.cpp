// Power that fails on the board's own flash, sampled: what fault.power proves on a simulated one holds on the flash that the port drives (on
// the nRF51 its real controller). A torn program leaves whole units and one with some of its bits, a torn erase half a page as it was; and of
// two operations that overtook each other the later one is done and the earlier is not. Then the device starts again: under a new number,
// with the image that was confirmed last or the one that was under way, and never a mix.
#include "device_constants.hpp"
#include "device_port.hpp"

#include "penumbra/link/device.hpp"

#include "device_bench.hpp"
#include "print.hpp"

#include <unity.h>

extern "C" void control_interrupt() {}

namespace {

using namespace penumbra;
using test::Line;
using Image = test::TestImage<500>;

constexpr uint32_t points = 600;

// Stops within an operation, and does nothing from then on.
class CutFlash {
 public:
  bool start() noexcept { return flash_.start(); }
  [[nodiscard]] link::FlashGeometry geometry() const noexcept { return flash_.geometry(); }
  [[nodiscard]] const uint8_t* data() const noexcept { return flash_.data(); }

  bool erase(uint32_t offset) noexcept {
    if (!is_cut(offset)) return !dead_ && flash_.erase(offset);
    if (swaps_) {
      undo();
      static_cast<void>(flash_.erase(offset));
      return false;
    }
    remember(offset);
    const uint32_t half = geometry().page_size / 2U;
    static_cast<void>(flash_.erase(offset) && flash_.program(offset + half, {before_ + half, half}));
    return false;
  }

  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    if (!is_cut(offset)) return !dead_ && flash_.program(offset, bytes);
    if (swaps_) {
      undo();
      static_cast<void>(flash_.program(offset, bytes));
      return false;
    }
    const uint32_t unit = geometry().write_size;
    const uint32_t whole = random_.below(static_cast<uint32_t>(bytes.size()) / unit) * unit;
    uint8_t torn[link::max_write_size];
    for (uint32_t i = 0; i < unit; ++i) torn[i] = static_cast<uint8_t>(bytes[whole + i] | random_.below(256));
    if (whole != 0U) static_cast<void>(flash_.program(offset, bytes.first(whole)));
    static_cast<void>(flash_.program(offset + whole, {torn, unit}));
    return false;
  }

  void cut_after(uint32_t operations, bool swaps) noexcept {
    left_ = operations;
    swaps_ = swaps;
    armed_ = true;
  }
  void power_on() noexcept { armed_ = dead_ = false; }
  [[nodiscard]] bool is_dead() const noexcept { return dead_; }

 private:
  bool is_cut(uint32_t offset) noexcept {
    if (dead_) return false;
    dead_ = armed_ && left_ == 0U;
    if (dead_) return true;
    if (armed_) --left_;
    remember(offset);
    return false;
  }
  // The page of the operation that is to come, as it is before.
  void remember(uint32_t offset) noexcept {
    page_ = offset - offset % geometry().page_size;
    memcpy(before_, data() + page_, sizeof before_);
  }
  void undo() noexcept { static_cast<void>(flash_.erase(page_) && flash_.program(page_, before_)); }

  board::BoardFlash flash_;
  uint8_t before_[board::flash_geometry.page_size]{};
  uint32_t page_ = 0;
  test::Random random_{9};
  uint32_t left_ = 0;
  bool swaps_ = false;
  bool armed_ = false;
  bool dead_ = false;
};

using Device = link::Device<Image::Dims, UncountedPairs, Line, CutFlash>;

CutFlash flash;
Line line;
Device device(line, flash, {1, "bench"});

bool boot() {
  line.~Line();
  new (&line) Line;
  device.~Device();
  new (&device) Device(line, flash, {1, "bench"});
  if (!device.start()) return false;
  device.tick(Observation{});
  return true;
}

// All that an update is; false: the power failed on the way.
bool update(const Image& image) {
  if (!boot()) return false;
  if (test::send_image(device, line, image).checksum != image.checksum()) return false;
  device.tick(Observation{});
  return test::confirm(device, line, image.checksum()).confirmed == 1U;
}

void a_whole_image_is_in_use_whenever_the_power_fails() {
  TEST_ASSERT_TRUE(flash.start());
  const link::FlashGeometry area = flash.geometry();
  for (uint32_t page = 0; page < area.page_count; ++page) TEST_ASSERT_TRUE(flash.erase(page * area.page_size));
  test::Random random(3);
  uint32_t sequence = 1;
  Image in_use(0, sequence, 20, sequence);
  TEST_ASSERT_TRUE(update(in_use));
  uint32_t cuts = 0;
  uint32_t swapped = 0;
  uint32_t went_through = 0;
  uint32_t boots = device.incarnation();
  for (uint32_t point = 0; point < points; ++point) {
    ++sequence;
    const Image next(static_cast<uint8_t>(sequence % 2U), sequence, static_cast<uint16_t>(20U + sequence % 20U), sequence);
    const bool swaps = random.below(3) == 0U;
    flash.cut_after(random.below(16), swaps);
    const bool confirmed = update(next);
    cuts += static_cast<uint32_t>(flash.is_dead());
    swapped += static_cast<uint32_t>(flash.is_dead() && swaps);
    if (!flash.is_dead()) TEST_ASSERT_TRUE(confirmed);
    flash.power_on();
    TEST_ASSERT_TRUE(boot());
    TEST_ASSERT_GREATER_THAN_UINT32(boots, device.incarnation());
    boots = device.incarnation();
    if (next.is(device.images().image())) {
      in_use = next;
      ++went_through;
    } else {
      TEST_ASSERT_FALSE(confirmed);
      TEST_ASSERT_TRUE(in_use.is(device.images().image()));
    }
  }
  test::print("power on the board's own flash: ", cuts, " cuts in ", points, " updates, ", swapped,
              " of them with two operations swapped; ", went_through, " updates went through\n");
  TEST_ASSERT_GREATER_THAN_UINT32(points / 2U, cuts);
  TEST_ASSERT_GREATER_THAN_UINT32(points / 8U, swapped);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT32(points - cuts, went_through);
  TEST_ASSERT_GREATER_THAN_UINT32(points / 8U, went_through);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_whole_image_is_in_use_whenever_the_power_fails);
  return UNITY_END();
}

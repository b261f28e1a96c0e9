// The power fails before, within and after every flash operation of an update, and with the last two operations swapped. Then it comes back,
// and: the device starts, under a number that no boot had before; the image in use is whole, and one of those that may be; no rule of the
// flash was broken; and the next update succeeds. On the workstation every operation and, of the small ones, every bit, over several
// geometries; on boards a sample.
//
// Prints how many points were tried, and the table of lib/link/README.md: what was interrupted, and what is in use afterwards.
#include "penumbra/link/device.hpp"

#include "device_bench.hpp"
#include "print.hpp"
#include "sanitized.hpp"

#include <etl/vector.h>
#include <unity.h>

namespace {

using namespace penumbra;
using namespace penumbra::link;
using test::Line;
using test::print;
using test::Random;
using test::renew;

using Image = test::TestImage<500>;

// Different in every byte that can differ, and in what they do.
const Image old_image(0, 10, 1, 4);
const Image bad_image(1, 11, 50, 7);  // newer, and found wanting
const Image new_image(1, 12, 40, 5);
const Image next_image(0, 13, 60, 6);

// --- What happened

enum Kind : uint8_t {
  boot_erase,
  boot_beginning,
  boot_mark,
  slot_erase,
  image_write,
  tried,
  confirmed,
  confirmed_again,
  next_boot_erase,  // of the boot behind the update
  next_boot_beginning,
  next_boot_mark,
  kinds
};
constexpr const char* kind_names[kinds] = {"boot: page of the counter erased",
                                           "boot: page of the counter begun",
                                           "boot: mark of the counter",
                                           "page of the slot erased",
                                           "chunk of the image written",
                                           "tried mark",
                                           "confirmed mark, the first",
                                           "confirmed mark, the second",
                                           "next boot: page of the counter erased",
                                           "next boot: page of the counter begun",
                                           "next boot: mark of the counter"};
enum When : uint8_t { before, within, after, swapped, whens };
enum After : uint8_t { nothing = 1, safe = 2, old_one = 4, new_one = 8 };

struct Operation {
  Kind kind;
  uint32_t bits;
};

uint8_t seen[2][kinds][whens];  // a set of After, with an old image and without
uint32_t points;

// A flash that takes down what is done to it.
template <class Flash>
class Watched : public Flash {
 public:
  bool erase(uint32_t offset) noexcept {
    note(offset < 2U * this->geometry().page_size ? boot_erase : slot_erase, this->geometry().page_size);
    return Flash::erase(offset);
  }
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    note(kind_of(offset), static_cast<uint32_t>(bytes.size()));
    return Flash::program(offset, bytes);
  }
  etl::vector<Operation, 100>* notes = nullptr;

 private:
  void note(Kind kind, uint32_t bytes) noexcept {
    if (notes == nullptr) return;
    if (!notes->empty() && notes->back().kind >= confirmed_again) kind = static_cast<Kind>(kind + next_boot_erase);
    notes->push_back({kind, bytes * 8U});
  }
  [[nodiscard]] Kind kind_of(uint32_t offset) const noexcept {
    const FlashGeometry geometry = this->geometry();
    const uint32_t boot_area = 2U * geometry.page_size;
    if (offset < boot_area) return offset % geometry.page_size == 0U ? boot_beginning : boot_mark;
    const uint32_t slot_size = (geometry.page_count - 2U) / 2U * geometry.page_size;
    const uint32_t units_left = (slot_size - (offset - boot_area) % slot_size) / geometry.write_size;
    return units_left > 3U ? image_write : units_left == 3U ? tried : units_left == 2U ? confirmed : confirmed_again;
  }
};

// --- A device whose power fails

template <class Simulated>
class Story {
 public:
  using Flash = Watched<Simulated>;

  [[nodiscard]] FlashGeometry geometry() const noexcept { return flash_.geometry(); }

  // What is in flash at the beginning: boots (so that the page turns over in this boot, or the next), an image that is in use, and one
  // that failed in the other slot.
  void prepare(uint32_t boots, bool with_old, bool with_bad) {
    renew(start_);
    with_old_ = with_old;
    for (uint32_t i = 0; i < boots; ++i) TEST_ASSERT_TRUE(BootCounter(start_).count().has_value());
    last_boot_ = boots;
    renew(flash_);
    flash_ = start_;
    if (with_old) {
      TEST_ASSERT_TRUE(boot());
      TEST_ASSERT_TRUE(update(old_image));
    }
    if (with_bad) {
      TEST_ASSERT_EQUAL_HEX32(bad_image.checksum(), test::send_image(*device_, line_, bad_image).checksum);
      device_->tick(Observation{0});
    }
    device_.reset();
    start_ = flash_;
    start_boot_ = last_boot_;
  }

  // All operations of a boot, an update and another boot.
  void list(etl::vector<Operation, 100>& operations) {
    again();
    flash_.notes = &operations;
    run();
    TEST_ASSERT_TRUE(new_image.is(device_->images().image()));
    TEST_ASSERT_FALSE(device_->images().on_trial());
    flash_.notes = nullptr;
  }

  // The power fails in that operation. What is in use afterwards?
  After cut(uint32_t operation, uint32_t torn, bool swap) {
    again();
    flash_.cut_power(operation, torn, swap);
    run();
    TEST_ASSERT_TRUE(flash_.is_dead());
    return recover();
  }

  // The power fails again and again, at random moments of all that is done.
  void cut_at_random(Random& random) {
    again();
    for (int cuts = 0; cuts < 8; ++cuts) {
      flash_.cut_power(random.below(40), random.below(3) == 0U ? random.bits() : random.below(800), random.below(4) == 0U);
      run();
      flash_.power_on();
      ++points;
    }
    static_cast<void>(recover());
  }

 private:
  void again() {
    renew(flash_);
    flash_ = start_;
    last_boot_ = start_boot_;
  }

  // False: the power went.
  bool boot() {
    renew(line_);
    DeviceOptions options;
    options.safe_action = Action{1};
    device_.emplace(line_, flash_, options);
    if (!device_->start()) return false;
    TEST_ASSERT_GREATER_THAN_UINT32(last_boot_, device_->incarnation());
    last_boot_ = device_->incarnation();
    device_->tick(Observation{0});
    return true;
  }

  // Sends, tries and confirms; true: it is in use.
  bool update(const Image& image) {
    if (test::send_image(*device_, line_, image).checksum != image.checksum()) return false;
    device_->tick(Observation{0});
    return test::confirm(*device_, line_, image.checksum()).confirmed == 1U && !flash_.is_dead();
  }

  void run() { static_cast<void>(boot() && update(new_image) && boot()); }

  After recover() {
    flash_.power_on();
    TEST_ASSERT_TRUE(boot());
    const After found = in_use();
    TEST_ASSERT_TRUE(update(found == new_one ? next_image : new_image));
    TEST_ASSERT_TRUE(boot());
    TEST_ASSERT_TRUE((found == new_one ? next_image : new_image).is(device_->images().image()));
    TEST_ASSERT_EQUAL_UINT32(0, flash_.rules_broken());
    ++points;
    return found;
  }

  // One of the images that may be in use, byte for byte, or none, and the device does as it says.
  After in_use() {
    const PolicyImage& image = device_->images().image();
    const DeviceStatus status = test::ask<DeviceStatus>(*device_, line_, AskStatus{}).value();
    const size_t action = index(device_->tick(Observation{0}).action);
    TEST_ASSERT_FALSE(device_->images().on_trial());
    if (!image.is_open()) {
      TEST_ASSERT_FALSE(with_old_);
      if (status.safe != 0U) TEST_ASSERT_EQUAL_UINT32(1, action);
      return status.safe != 0U ? safe : nothing;
    }
    TEST_ASSERT_EQUAL_UINT32(0, status.safe);
    const bool is_new = new_image.is(image);
    TEST_ASSERT_TRUE(is_new || (with_old_ && old_image.is(image)));
    TEST_ASSERT_EQUAL_UINT32(is_new ? 1 : 0, action);
    return is_new ? new_one : old_one;
  }

  Flash start_, flash_;
  Line line_;
  etl::optional<Device<Image::Dims, PairCounts, Line, Flash>> device_;
  bool with_old_ = false;
  uint32_t start_boot_ = 0;
  uint32_t last_boot_ = 0;  // the highest number that a boot was given
};

// --- Every point

#if defined(__arm__)
constexpr uint32_t small_stride = 13, large_points = 3, random_runs = 20;
#else
constexpr uint32_t small_stride = test::sanitized ? 7 : 1, large_points = test::sanitized ? 16 : 64,
                   random_runs = test::sanitized ? 200 : 2000;
#endif

template <class Simulated>
Story<Simulated>& story() {
  static Story<Simulated> the_story;
  return the_story;
}

template <class Simulated>
void every_point_of(uint32_t boots, bool with_old, bool with_bad) {
  auto& device = story<Simulated>();
  device.prepare(boots, with_old, with_bad);
  etl::vector<Operation, 100> operations;
  device.list(operations);
  for (uint32_t i = 0; i < operations.size(); ++i) {
    const Operation operation = operations[i];
    uint8_t(&row)[whens] = seen[with_old ? 1 : 0][operation.kind];
    const auto note = [&row](When when, After found) { row[when] = static_cast<uint8_t>(row[when] | found); };
    note(before, device.cut(i, 0, false));
    note(after, device.cut(i, operation.bits, false));
    note(swapped, device.cut(i, 0, true));
    const uint32_t stride = operation.bits <= 256U ? small_stride : operation.bits / large_points;
    for (uint32_t torn = 1; torn < operation.bits; torn += stride) note(within, device.cut(i, torn, false));
    // The end of a page has the marks: an erase that stops there is looked at closely.
    const uint32_t marks = operation.kind == slot_erase ? 3U * 8U * device.geometry().write_size : 0U;
    for (uint32_t bit = 1; bit < marks; bit += small_stride) note(within, device.cut(i, operation.bits - bit, false));
  }
}

template <class Simulated>
void whatever_the_power_does() {
  const uint32_t tried_before = points;
  const FlashGeometry geometry = story<Simulated>().geometry();
  const uint32_t beginning = geometry.write_size < 8U ? 8U : geometry.write_size;
  const uint32_t boots_a_page = (geometry.page_size - beginning) / (2U * geometry.write_size);
  // The boot before the story, with the old image, is one more.
  every_point_of<Simulated>(0, false, false);
  every_point_of<Simulated>(boots_a_page, false, false);       // the page turns over in the first boot
  every_point_of<Simulated>(boots_a_page - 1U, false, false);  // in the second
  every_point_of<Simulated>(0, true, false);
  every_point_of<Simulated>(boots_a_page - 1U, true, false);
  every_point_of<Simulated>(2U * boots_a_page - 2U, true, false);  // and back again, in the second
  every_point_of<Simulated>(0, true, true);
  Random random(geometry.page_size + geometry.write_size);
  for (uint32_t run = 0; run < random_runs; ++run) story<Simulated>().cut_at_random(random);
  print("power|", geometry.page_count, " pages of ", geometry.page_size, " bytes, write units of ", geometry.write_size, "|",
        points - tried_before, " points\n");
}

// What is in use afterwards, in words.
void print_set(uint8_t set) {
  constexpr const char* names[] = {"none: explores", "none: safe action", "old", "new"};
  const char* comma = " ";
  for (uint32_t i = 0; i < 4U; ++i) {
    if ((set >> i & 1U) == 0U) continue;
    print(comma, names[i]);
    comma = ", or ";
  }
  print(" |");
}

void the_table_is_complete() {
  print("power|", points, " points in all\n");
  for (const bool with_old : {true, false}) {
    print(with_old ? "| an update, interrupted |" : "| the first image ever, interrupted |",
          " before | within | after | done, the operation before it undone |\n|---|---|---|---|---|\n");
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      print("| ", kind_names[kind], " |");
      for (const uint8_t set : seen[with_old ? 1 : 0][kind]) {
        print_set(set);
        TEST_ASSERT_NOT_EQUAL(0, set);
      }
      print("\n");
    }
  }
}

}  // namespace

int main() {
  using testing::SimulatedFlash;
  UNITY_BEGIN();
  RUN_TEST((whatever_the_power_does<SimulatedFlash<8, 256, 4>>));
#if !defined(__arm__)
  RUN_TEST((whatever_the_power_does<SimulatedFlash<6, 512, 8>>));
  RUN_TEST((whatever_the_power_does<SimulatedFlash<4, 1024, 4>>));
  RUN_TEST((whatever_the_power_does<SimulatedFlash<10, 256, 32>>));
  RUN_TEST((whatever_the_power_does<SimulatedFlash<4, 2048, 16>>));
  RUN_TEST((whatever_the_power_does<SimulatedFlash<5, 4096, 32>>));
#endif
  RUN_TEST(the_table_is_complete);
  return UNITY_END();
}

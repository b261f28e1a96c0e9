// The power fails before, within and after every flash operation of an update, and with the last two operations swapped. Then it comes back,
// and: the device starts, under a number that no boot had before; the image in use is whole, and one of those that may be; no rule of the
// flash was broken; and the next update succeeds. On the workstation after every bit of every write, after every
// byte of an erase and every bit of the marks in it, over several geometries; on boards and under sanitizers a sample. A bit that has its
// value already makes no point of its own: the flash would be the same.
//
// Prints how many points were tried, and the table of lib/link/README.md: what was interrupted, and what is in use afterwards.
#include "penumbra/link/device.hpp"

#include "device_bench.hpp"
#include "print.hpp"
#include "sanitized.hpp"

#include <etl/algorithm.h>
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
  tried_again,
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
                                           "tried mark, the first",
                                           "tried mark, the second",
                                           "confirmed mark, the first",
                                           "confirmed mark, the second",
                                           "next boot: page of the counter erased",
                                           "next boot: page of the counter begun",
                                           "next boot: mark of the counter"};
enum When : uint8_t { before, within, after, swapped, whens };
enum After : uint8_t { nothing = 1, safe = 2, old_one = 4, new_one = 8 };

// What was before the update: an image that is in use, and one that failed.
struct History {
  bool with_old;
  bool with_bad;
};
enum Table : uint8_t { with_old, first_ever, after_failure, tables };
constexpr const char* table_names[tables] = {"an update, interrupted", "the first image ever, interrupted",
                                             "an update after a first image that failed, interrupted"};

struct Operation {
  Kind kind;
  uint32_t bits;
};

uint8_t seen[tables][kinds][whens];  // a set of After
uint32_t points;

// A flash that takes down what is done to it, and which bits the operation had yet to change when the power went.
template <class Flash>
class Watched : public Flash {
 public:
  bool erase(uint32_t offset) noexcept {
    note(offset < 2U * this->geometry().page_size ? boot_erase : slot_erase, this->geometry().page_size);
    look(offset, nullptr, this->geometry().page_size);
    return Flash::erase(offset);
  }
  bool program(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    note(kind_of(offset), static_cast<uint32_t>(bytes.size()));
    look(offset, bytes.data(), static_cast<uint32_t>(bytes.size()));
    return Flash::program(offset, bytes);
  }
  void cut_power(uint32_t after, uint32_t torn, bool swap, uint32_t further) noexcept {
    Flash::cut_power(after, torn, swap);
    last_ = this->operations() + after;
    further_ = torn + further;
  }
  etl::vector<Operation, 100>* notes = nullptr;
  uint32_t next_change = 0;  // the first bit that was still to change, `further` bits behind those that were done or later; or the last bit

 private:
  void look(uint32_t offset, const uint8_t* bytes, uint32_t length) noexcept {
    if (this->operations() != last_) return;
    for (next_change = further_; next_change < length * 8U; ++next_change) {
      const uint32_t is = this->data()[offset + next_change / 8U];
      const uint32_t becomes = bytes == nullptr ? 0xFFU : bytes[next_change / 8U];
      if (((is ^ becomes) >> next_change % 8U & 1U) != 0U) return;
    }
  }
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
    return units_left > 4U ? image_write : static_cast<Kind>(confirmed_again + 1U - units_left);
  }
  uint32_t last_ = UINT32_MAX;  // operation
  uint32_t further_ = 0;
};

// --- A device whose power fails

template <class Simulated>
class Story {
 public:
  using Flash = Watched<Simulated>;

  [[nodiscard]] FlashGeometry geometry() const noexcept { return flash_.geometry(); }

  // What is in flash at the beginning: boots (so that the page turns over in this boot, or the next), an image that is in use, and one
  // that failed.
  void prepare(uint32_t boots, const History& history) {
    renew(start_);
    history_ = history;
    for (uint32_t i = 0; i < boots; ++i) TEST_ASSERT_TRUE(BootCounter(start_).count().has_value());
    last_boot_ = boots;
    renew(flash_);
    flash_ = start_;
    if (history.with_old || history.with_bad) TEST_ASSERT_TRUE(boot());
    if (history.with_old) TEST_ASSERT_TRUE(update(old_image));
    if (history.with_bad) {
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
  After cut(uint32_t operation, uint32_t torn, bool swap = false, uint32_t further = 0) {
    again();
    flash_.cut_power(operation, torn, swap, further);
    run();
    TEST_ASSERT_TRUE(flash_.is_dead());
    next_torn_ = flash_.next_change + 1U;
    return recover();
  }
  // Where the same operation is to be cut next, so that the flash is another: `further` bits on, or behind the first that changes then.
  [[nodiscard]] uint32_t next_torn() const noexcept { return next_torn_; }

  // The power fails again and again, at random moments of all that is done.
  void cut_at_random(Random& random) {
    again();
    for (int cuts = 0; cuts < 8; ++cuts) {
      flash_.cut_power(random.below(40), random.below(3) == 0U ? random.bits() : random.below(800), random.below(4) == 0U, 0);
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
      TEST_ASSERT_FALSE(history_.with_old);
      if (history_.with_bad) TEST_ASSERT_EQUAL_UINT32(1, status.safe);  // it stays on its guard
      if (status.safe != 0U) TEST_ASSERT_EQUAL_UINT32(1, action);
      return status.safe != 0U ? safe : nothing;
    }
    TEST_ASSERT_EQUAL_UINT32(0, status.safe);
    const bool is_new = new_image.is(image);
    TEST_ASSERT_TRUE(is_new || (history_.with_old && old_image.is(image)));
    TEST_ASSERT_EQUAL_UINT32(is_new ? 1 : 0, action);
    return is_new ? new_one : old_one;
  }

  Flash start_, flash_;
  Line line_;
  etl::optional<Device<Image::Dims, PairCounts, Line, Flash>> device_;
  History history_{};
  uint32_t next_torn_ = 0;
  uint32_t start_boot_ = 0;
  uint32_t last_boot_ = 0;  // the highest number that a boot was given
};

// --- Every point

#if defined(__arm__)
constexpr uint32_t small_stride = 13, large_points = 3, random_runs = 20;
#else
constexpr uint32_t small_stride = test::sanitized ? 7 : 1, large_points = test::sanitized ? 16 : UINT32_MAX,
                   random_runs = test::sanitized ? 200 : 2000;
#endif

template <class Simulated>
Story<Simulated>& story() {
  static Story<Simulated> the_story;
  return the_story;
}

template <class Simulated>
void every_point_of(uint32_t boots, const History& history) {
  auto& device = story<Simulated>();
  device.prepare(boots, history);
  auto& table = seen[history.with_old ? with_old : history.with_bad ? after_failure : first_ever];
  etl::vector<Operation, 100> operations;
  device.list(operations);
  for (uint32_t i = 0; i < operations.size(); ++i) {
    const Operation operation = operations[i];
    uint8_t(&row)[whens] = table[operation.kind];
    const auto note = [&row](When when, After found) { row[when] = static_cast<uint8_t>(row[when] | found); };
    note(after, device.cut(i, operation.bits));
    note(swapped, device.cut(i, 0, true));
    const bool is_erase = operation.kind == boot_erase || operation.kind == slot_erase || operation.kind == next_boot_erase;
    const uint32_t sparse = etl::max<uint32_t>(is_erase ? 8U : 1U, operation.bits / large_points);
    // The end of a slot has the marks: an erase that stops there is looked at closely.
    const uint32_t marks = operation.bits - (operation.kind == slot_erase ? 4U * 8U * device.geometry().write_size : 0U);
    note(before, device.cut(i, 0));
    if (device.next_torn() > operation.bits) note(within, device.cut(i, 1));  // nothing changes
    for (uint32_t torn = device.next_torn(); torn < operation.bits; torn = device.next_torn()) {
      const uint32_t stride = operation.bits <= 256U || torn >= marks ? small_stride : etl::min<uint32_t>(sparse, marks - torn);
      note(within, device.cut(i, torn, false, stride - 1U));
    }
  }
}

template <class Simulated>
void whatever_the_power_does() {
  const uint32_t tried_before = points;
  const FlashGeometry geometry = story<Simulated>().geometry();
  const uint32_t beginning = geometry.write_size < 8U ? 8U : geometry.write_size;
  const uint32_t boots_a_page = (geometry.page_size - beginning) / (2U * geometry.write_size);
  // The boot before the story, with an image, is one more.
  for (const History& history : {History{false, false}, History{true, false}, History{false, true}}) {
    const uint32_t boots = history.with_old || history.with_bad ? 1U : 0U;
    every_point_of<Simulated>(0, history);
    every_point_of<Simulated>(boots_a_page - boots, history);            // the page turns over in the first boot
    every_point_of<Simulated>(2U * boots_a_page - boots, history);       // and back again
    every_point_of<Simulated>(2U * boots_a_page - boots - 1U, history);  // in the second
  }
  every_point_of<Simulated>(0, {true, true});
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
  for (uint32_t table = 0; table < tables; ++table) {
    print("| ", table_names[table], " | before | within | after | done, the operation before it undone |\n|---|---|---|---|---|\n");
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      print("| ", kind_names[kind], " |");
      for (const uint8_t set : seen[table][kind]) {
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

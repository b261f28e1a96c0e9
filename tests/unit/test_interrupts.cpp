// A control tick may interrupt the background at any instruction: the calls that pair_counts.hpp and agent.hpp allow there are
// interrupted after one instruction, after two, and so on until they are over.
#include "penumbra/agent.hpp"

#include "interrupt_after.hpp"
#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using test::interrupt;
using test::interrupt_after;

using Dims = StaticDims<2, 2, 2>;

constexpr uint32_t longest = 250;  // instructions from the timer's start to the end of every call below

// --- counts: what the background knows is what was counted, or it will be handed out

PairCounts<Dims> counts;
uint32_t copy[16];

void record() { static_cast<void>(counts.record(Action{0}, Observation{1})); }

void take_all() {
  for (size_t cell = counts.take_changed(0); cell < counts.cell_count(); cell = counts.take_changed(cell + 1))
    copy[cell] = counts.count(cell);
}

void nothing_counted_in_the_middle_is_lost() {
  interrupt.hits = 0;
  for (uint32_t k = 1; k < longest; ++k) {
    record();
    interrupt_after(k, record, take_all);
    take_all();
    for (size_t cell = 0; cell < counts.cell_count(); ++cell) TEST_ASSERT_EQUAL_UINT32(counts.count(cell), copy[cell]);
  }
  TEST_ASSERT_GREATER_THAN_UINT32(100, interrupt.hits);
}

void a_touched_cell_is_handed_out_whatever_comes_in_the_middle() {
  const size_t cell = counts.cell_of(Action{0}, Action{0}, Observation{1}, Observation{1});
  interrupt.hits = 0;
  for (uint32_t k = 1; k < longest; ++k) {
    take_all();
    interrupt_after(k, record, [cell] { counts.touch(cell); });
    TEST_ASSERT_EQUAL_UINT32(cell, counts.take_changed(0));
    copy[cell] = counts.count(cell);
    TEST_ASSERT_EQUAL_UINT32(counts.cell_count(), counts.take_changed(0));
  }
  TEST_ASSERT_GREATER_THAN_UINT32(5, interrupt.hits);
}

// --- agent: an image is taken over whole, now or at the next tick

Agent<Dims> agent;
Decision decision;

void step() { decision = agent.step(Observation{0}); }

// Always the same action, in the episode of the same number.
PolicyImage image_of(uint8_t action) {
  static test::ImageBuffer<300> flash[2];
  static const test::RandomModel<Dims> model(4);
  const int16_t vector[2] = {1, 1};
  ImageSource<float> source = model.source();
  source.policy = PolicyKind::vectors;
  source.parameter = 1;
  source.actions = &action;
  source.vectors = vector;
  source.episode = action;
  TEST_ASSERT_TRUE(build_image(source, flash[action].room()).has_value());
  return PolicyImage::open(flash[action].view()).value();
}

void an_image_is_adopted_whole_whatever_comes_in_the_middle() {
  const PolicyImage images[2] = {image_of(0), image_of(1)};
  TEST_ASSERT_EQUAL(Status::ok, agent.adopt(images[1]));
  step();
  interrupt.hits = 0;
  for (uint32_t k = 1; k < longest; ++k) {
    Status adopted = Status::no_image;
    interrupt_after(k, step, [&] { adopted = agent.adopt(images[k % 2U]); });
    TEST_ASSERT_EQUAL(Status::ok, adopted);
    TEST_ASSERT_EQUAL(Status::ok, decision.status);
    TEST_ASSERT_EQUAL_UINT32(agent.episode().k(), index(decision.action));
    step();
    TEST_ASSERT_EQUAL_UINT32(k % 2U, index(decision.action));
    TEST_ASSERT_EQUAL_UINT32(k % 2U, agent.episode().k());
  }
  TEST_ASSERT_GREATER_THAN_UINT32(5, interrupt.hits);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(nothing_counted_in_the_middle_is_lost);
  RUN_TEST(a_touched_cell_is_handed_out_whatever_comes_in_the_middle);
  RUN_TEST(an_image_is_adopted_whole_whatever_comes_in_the_middle);
  return UNITY_END();
}

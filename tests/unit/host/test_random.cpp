// Sequences stay what they are: files made by a seed yesterday are made again today.
#include "penumbra/host/random.hpp"

#include <unity.h>

namespace {

using namespace penumbra::host;

void each_stream_keeps_its_sequence() {
  const struct {
    Stream stream;
    double first, second;
  } kept[] = {
      {Stream::world, 0.7190213579507988, 0.34890597964855408},          {Stream::policy, 0.67984963829934342, 0.76742092351510471},
      {Stream::internal_model, 0.0313706533450967, 0.66668843123997212}, {Stream::generate, 0.6926203022778169, 0.78953529941330391},
      {Stream::runs, 0.25472285921284321, 0.46385929831171147},          {Stream::planning, 0.21441935574182147, 0.949396277391093},
      {Stream::comparison, 0.29786038542123083, 0.58708524395749329}};
  for (const auto& pin : kept) {
    Random random(42, pin.stream);
    TEST_ASSERT_EQUAL_DOUBLE(pin.first, random.uniform());
    TEST_ASSERT_EQUAL_DOUBLE(pin.second, random.uniform());
  }
}

void draws_below_a_number_are_even() {
  Random random(1, Stream::policy);
  int times[7] = {};
  for (int i = 0; i < 70000; ++i) ++times[random.below(7)];
  for (const int count : times) TEST_ASSERT_INT_WITHIN(460, 10000, count);  // five standard errors
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(each_stream_keeps_its_sequence);
  RUN_TEST(draws_below_a_number_are_even);
  return UNITY_END();
}

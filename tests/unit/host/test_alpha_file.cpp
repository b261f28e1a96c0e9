// .alpha files: what is written is read again, and what is not one is refused with its place.
#include "penumbra/host/alpha_file.hpp"

#include "penumbra/host/random.hpp"

#include <unity.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace penumbra;
using namespace penumbra::host;

Outcome<ValueVectors> read(const std::string& text, size_t states = 2, size_t actions = 3) {
  Input input = Input::of_text("v.alpha", text);
  return read_alpha(input, states, actions);
}

void assert_refused(const std::string& text, const std::string& place_and_words) {
  const Outcome<ValueVectors> vectors = read(text);
  TEST_ASSERT_FALSE_MESSAGE(vectors.has_value(), text.c_str());
  TEST_ASSERT_TRUE(vectors.error().fault == Fault::input);
  const std::string told = to_text(vectors.error());
  TEST_ASSERT_TRUE_MESSAGE(told.find(place_and_words) == 0, told.c_str());
}

void assert_two_vectors(const std::string& text) {
  const Outcome<ValueVectors> vectors = read(text);
  TEST_ASSERT_TRUE_MESSAGE(vectors.has_value(), vectors ? "" : to_text(vectors.error()).c_str());
  TEST_ASSERT_TRUE(vectors.value().actions == (std::vector<size_t>{2, 0}));
  TEST_ASSERT_TRUE(vectors.value().values == (std::vector<double>{1.5, -2, 0.25, 1e-3}));
}

void the_form_is_taken_as_pomdp_solve_writes_it() { assert_two_vectors("2\n1.5 -2 \n\n0\n0.25 1e-3 \n\n"); }

void lines_may_end_as_they_like_and_empty_ones_be_more_or_fewer() {
  assert_two_vectors("2\r\n1.5 -2\r\n\r\n0\r\n0.25 1E-03\r\n\r\n");
  assert_two_vectors("2\n1.5 -2\n0\n0.25 .001");
  assert_two_vectors("\n\n 2 \n\n\t1.5\t-2.0\n\n\n\n0\n+0.25 1e-3\n\n\n");
  assert_two_vectors(
      "\xEF\xBB\xBF"
      "2\n1.5 -2\n\n0\n0.25 0.001\n");
}

void what_is_wrong_is_told_with_its_place() {
  assert_refused("", "v.alpha: has no vectors");
  assert_refused(" \n\r\n", "v.alpha: has no vectors");
  assert_refused("3\n1 2\n\n", "v.alpha:1:1: \"3\" is not an action: there are 3, from 0 on");
  assert_refused("-1\n1 2\n\n", "v.alpha:1:1: \"-1\" is not an action");
  assert_refused("0 1\n1 2\n\n", "v.alpha:1:1: \"0 1\" is not an action");
  assert_refused("0\n1\n\n", "v.alpha:2:1: a vector of 1 number, but there are 2 states");
  assert_refused("0\n1 2\n\n1\n 1 2 3\n", "v.alpha:5:2: a vector of 3 numbers, but there are 2 states");
  assert_refused("0\n1 two\n", "v.alpha:2:3: \"two\" is not a number");
  assert_refused("0\n1 2x\n", "v.alpha:2:3: \"2x\" is not a number");
  assert_refused("0\n1 +-2\n", "v.alpha:2:3: \"+-2\" is not a number");
  assert_refused("0\nnan 1\n", "v.alpha:2:1: \"nan\" is not a number that double precision holds");
  assert_refused("0\n1 -inf\n", "v.alpha:2:3: \"-inf\" is not a number that double precision holds");
  assert_refused("0\n1 1e999\n", "v.alpha:2:3: \"1e999\" is not a number that double precision holds");
  assert_refused("0\n1 2\n\n1\n", "v.alpha:5:1: the file ends where the vector of an action was due");
}

void actions_may_go_by_their_names() {
  Input input = Input::of_text("v.alpha", "turn left\n1 2\n\n0\n3 4\n");
  const Outcome<ValueVectors> vectors = read_alpha(input, 2, Labels({"go", "turn left"}));
  TEST_ASSERT_TRUE(vectors.has_value() && vectors.value().actions == (std::vector<size_t>{1, 0}));
}

void an_image_holds_no_more_vectors_than_are_taken() {
  std::string text;
  for (size_t k = 0; k < most_vectors; ++k) text += "0\n1\n";
  const Outcome<ValueVectors> most = read(text, 1, 1);
  TEST_ASSERT_TRUE(most.has_value() && most.value().actions.size() == most_vectors);
  const Outcome<ValueVectors> more = read(text + "0\n1\n", 1, 1);
  TEST_ASSERT_TRUE(!more.has_value() && more.error().where == "v.alpha:131071:1");
}

void numbers_survive_bit_by_bit() {
  ValueVectors vectors;
  Random random(1, Stream::world);
  for (size_t k = 0; k < 200; ++k) {
    vectors.actions.push_back(k % 3);
    for (int s = 0; s < 2; ++s) vectors.values.push_back((random.uniform() - 0.5) * std::pow(10.0, 40 * random.uniform() - 20));
  }
  vectors.values[0] = std::numeric_limits<double>::denorm_min();
  vectors.values[1] = std::numeric_limits<double>::max();
  vectors.values[2] = -0.0;
  const Outcome<ValueVectors> again = read(to_alpha(vectors, 2));
  TEST_ASSERT_TRUE(again.has_value());
  TEST_ASSERT_TRUE(again.value().actions == vectors.actions && again.value().values == vectors.values);
  TEST_ASSERT_TRUE(std::signbit(again.value().values[2]));
}

void the_form_that_is_written_is_fixed() {
  ValueVectors vectors;
  vectors.actions = {1, 0};
  vectors.values = {1, -2.5, 0.1, 32767};
  TEST_ASSERT_EQUAL_STRING("1\n1 -2.5\n\n0\n0.1 32767\n\n", to_alpha(vectors, 2).c_str());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_form_is_taken_as_pomdp_solve_writes_it);
  RUN_TEST(lines_may_end_as_they_like_and_empty_ones_be_more_or_fewer);
  RUN_TEST(what_is_wrong_is_told_with_its_place);
  RUN_TEST(actions_may_go_by_their_names);
  RUN_TEST(an_image_holds_no_more_vectors_than_are_taken);
  RUN_TEST(numbers_survive_bit_by_bit);
  RUN_TEST(the_form_that_is_written_is_fixed);
  return UNITY_END();
}

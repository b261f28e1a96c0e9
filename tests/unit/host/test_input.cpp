// Bytes from files and memory, and a look at the first of them.
#include "penumbra/host/input.hpp"

#include "penumbra/host/output.hpp"

#include <unity.h>

#include <string>

namespace {

using namespace penumbra::host;

void what_was_looked_at_is_still_there_to_be_read() {
  const std::string text = "\xEF\xBB\xBF \r\n\t{\"a\": 1}";
  Input input = Input::of_text("t", text);
  TEST_ASSERT_EQUAL('{', *input.peek().value());
  TEST_ASSERT_EQUAL('{', *input.peek().value());
  TEST_ASSERT_TRUE(input.read_all().value() == text);
}

void where_there_is_nothing_to_see_nothing_is_lost() {
  const std::string blank(200000, ' ');
  Input input = Input::of_text("t", blank);
  TEST_ASSERT_FALSE(input.peek().value().has_value());
  TEST_ASSERT_EQUAL(200000, input.read_all().value().size());
  Input empty = Input::of_text("t", "");
  TEST_ASSERT_FALSE(empty.peek().value().has_value());
}

void a_file_and_memory_say_the_same() {
  const std::string path = std::string(PENUMBRA_SCRATCH) + "/input.txt";
  const std::string text = std::string(100000, 'x') + "end";
  TEST_ASSERT_TRUE(write_file(path, text).has_value());
  Outcome<Input> file = Input::open(path);
  TEST_ASSERT_TRUE(file.has_value());
  TEST_ASSERT_EQUAL(text.size(), *file.value().size());
  TEST_ASSERT_EQUAL('x', *file.value().peek().value());
  TEST_ASSERT_TRUE(file.value().read_all().value() == text);
  TEST_ASSERT_EQUAL_STRING(path.c_str(), file.value().name().c_str());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(what_was_looked_at_is_still_there_to_be_read);
  RUN_TEST(where_there_is_nothing_to_see_nothing_is_lost);
  RUN_TEST(a_file_and_memory_say_the_same);
  return UNITY_END();
}

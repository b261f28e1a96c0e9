// One Unity test that passes and one that fails: the program's exit status must be the number of failures.
#include <unity.h>

namespace {

void one_is_one() { TEST_ASSERT_EQUAL_INT(1, 1); }
void one_is_two() { TEST_ASSERT_EQUAL_INT(2, 1); }

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(one_is_one);
  RUN_TEST(one_is_two);
  return UNITY_END();
}

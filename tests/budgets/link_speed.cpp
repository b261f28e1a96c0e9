// Ticks a second of the loop on the workstation: the device's end and the host's, both whole, with a line in between that works.
#include "simulated_board.hpp"

#include <unity.h>

#include <chrono>
#include <cstdio>

namespace {

void the_loop_runs_at_a_hundred_thousand_ticks_a_second() {
  const penumbra::host::Model model = penumbra::test::random_model(3, 4, 4, 1);
  penumbra::test::SimulatedBoard<> board(model);
  board.connect();
  TEST_ASSERT_TRUE(board.run_steps(1000));
  TEST_ASSERT_TRUE(board.session->send_image(penumbra::test::image_bytes(model, 1, 32), "image").has_value());
  TEST_ASSERT_TRUE(board.run_until<penumbra::host::ImageConfirmed>());
  constexpr std::uint64_t steps = 500000;
  const auto start = std::chrono::steady_clock::now();
  TEST_ASSERT_TRUE(board.run_steps(steps));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("S3 A4 O4, 32 vectors: %.0f ticks a second in the loop, the world included\n", static_cast<double>(steps) / seconds);
  TEST_ASSERT_TRUE(static_cast<double>(steps) / seconds > 100000);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_loop_runs_at_a_hundred_thousand_ticks_a_second);
  return UNITY_END();
}

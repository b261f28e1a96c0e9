// The episode rule against Algorithm 2 of the paper, transcribed line by line.
#include "penumbra/episode.hpp"

#include "random_model.hpp"

#include <unity.h>

namespace {

using namespace penumbra;
using test::Random;

constexpr size_t A = 4;
using Dims = StaticDims<2, A, 2>;

// Actions that a policy would choose: some rare, so that doubling takes different times.
Action chosen(Random& random) {
  const uint32_t draw = random.below(100);
  return Action{static_cast<uint8_t>(draw < 60 ? 0 : draw < 90 ? 1 : draw < 99 ? 2 : 3)};
}

// Lines 3 to 27 of Algorithm 2, with the belief and the policy replaced by a sequence of chosen actions. Notes when each episode ended
// and N_k at that time.
struct Literal {
  static constexpr size_t max_episodes = 40;
  uint32_t ended_at[max_episodes];
  uint32_t N[max_episodes + 1][A];
  size_t episodes = 0;

  Literal(uint32_t T, uint32_t T_0, uint32_t seed) : N{} {
    Random random(seed);
    uint32_t t = 0;
    size_t k = 0;
    Action pi = chosen(random);  // pi_k(b_t), drawn when b_t is known
    while (t < T && k < max_episodes) {
      uint32_t n[A] = {};
      Action before = pi;  // execute a_t = pi_k(b_t), observe, update the belief
      t = t + 1;
      pi = chosen(random);
      while (t < T_0 || n[index(pi)] < N[k][index(pi)]) {
        const Action now = pi;  // execute, observe, update the belief
        n[index(before)] = n[index(before)] + 1;
        before = now;
        t = t + 1;
        pi = chosen(random);
      }
      for (size_t a = 0; a < A; ++a) N[k + 1][a] = N[k][a] + n[a];
      ended_at[k] = t;
      k = k + 1;
      pi = chosen(random);  // the next episode's policy chooses anew at the same belief
    }
    episodes = k;
  }
};

void follow_the_literal_algorithm(uint32_t T_0, uint32_t seed) {
  static Literal literal(1, 1, 1);
  literal = Literal(20000, T_0, seed);
  TEST_ASSERT_GREATER_THAN_UINT32(3, literal.episodes);

  Random random(seed);
  Episode<Dims> episode{Dims{}};
  Action next = chosen(random);
  for (uint32_t k = 0; k < literal.episodes; ++k) {
    episode.start(k, T_0, literal.N[k]);
    bool paired = false;  // the first step of an episode ends no pair
    Action before{};
    while (!episode.ended()) {
      episode.executed(paired, before);
      before = next;
      paired = true;
      next = chosen(random);
      episode.chose(next);
    }
    TEST_ASSERT_EQUAL_UINT32(literal.ended_at[k], episode.executed());
    for (uint8_t a = 0; a < A; ++a) {
      TEST_ASSERT_EQUAL_UINT32(literal.N[k + 1][a] - literal.N[k][a], episode.pairs(Action{a}));
    }
    next = chosen(random);
  }
}

void episodes_end_when_algorithm_2_says() {
  follow_the_literal_algorithm(500, 1);
  follow_the_literal_algorithm(37, 2);
  follow_the_literal_algorithm(2500, 3);
}

void a_first_episode_of_one_tick_or_none_ends_at_once() {
  follow_the_literal_algorithm(1, 4);
  follow_the_literal_algorithm(0, 5);
}

void the_end_stays_up_while_the_agent_goes_on() {
  constexpr uint32_t N[A] = {1, 5, 5, 5};
  Episode<Dims> episode{Dims{}};
  episode.start(3, 0, N);
  episode.executed(true, Action{0});
  episode.chose(Action{1});
  TEST_ASSERT_FALSE(episode.ended());
  episode.chose(Action{0});
  TEST_ASSERT_TRUE(episode.ended());
  episode.chose(Action{1});
  TEST_ASSERT_TRUE(episode.ended());
  TEST_ASSERT_EQUAL_UINT32(3, episode.k());
}

void a_board_that_restarts_in_a_later_episode_does_not_wait_for_T_0_again() {
  constexpr uint32_t N[A] = {1, 1, 1, 1};
  Episode<Dims> episode{Dims{}};
  episode.start(2, 1000, N);
  episode.executed(true, Action{2});
  episode.chose(Action{2});
  TEST_ASSERT_TRUE(episode.ended());
}

void nothing_ends_before_the_first_episode_is_known() {
  Episode<Dims> episode{Dims{}};
  for (int t = 0; t < 10000; ++t) {
    episode.executed(t > 0, Action{1});
    episode.chose(Action{1});
  }
  TEST_ASSERT_FALSE(episode.ended());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(episodes_end_when_algorithm_2_says);
  RUN_TEST(a_first_episode_of_one_tick_or_none_ends_at_once);
  RUN_TEST(the_end_stays_up_while_the_agent_goes_on);
  RUN_TEST(a_board_that_restarts_in_a_later_episode_does_not_wait_for_T_0_again);
  RUN_TEST(nothing_ends_before_the_first_episode_is_known);
  return UNITY_END();
}

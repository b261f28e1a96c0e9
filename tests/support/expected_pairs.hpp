// What pairs are expected to be, exactly: estimates from them show whether anything is biased, with no noise in the way.
#pragma once

#include "penumbra/host/model.hpp"

#include <unity.h>

#include <cstddef>
#include <vector>

namespace penumbra::test {

// The expected frequencies of pairs over the first steps of a run, exactly: the distribution over (state, action, the observation and the
// action before) is carried along, for policies that are functions of the last two observations and actions.
struct History {
  size_t observation, action, observation_before, action_before;
};

template <class Policy>
std::vector<double> expected_frequencies(const host::Model& model, Emission emission, const Policy& policy) {
  const size_t S = model.states.size();
  const size_t A = model.actions.size();
  const size_t O = model.observations.size();
  const auto at = [=](size_t s, size_t a, size_t o_before, size_t a_before) { return ((s * A + a) * O + o_before) * A + a_before; };
  std::vector<double> now(S * A * O * A, 0.0);
  for (size_t s = 0; s < S; ++s) now[at(s, 0, 0, 0)] = model.initial[s];
  std::vector<double> expected(A * A * O * O, 0.0);
  for (int step = 0; step < 60; ++step) {
    std::vector<double> next(now.size(), 0.0);
    for (size_t s = 0; s < S; ++s) {
      for (size_t a = 0; a < A; ++a) {
        for (size_t before = 0; before < O * A; ++before) {
          const double weight = now[at(s, a, before / A, before % A)];
          if (weight == 0) continue;
          for (size_t to = 0; to < S; ++to) {
            const double* emitted = model.observation_row(a, emission == Emission::departure ? s : to);
            for (size_t o = 0; o < O; ++o) {
              const double joint = weight * model.transition_row(a, s)[to] * emitted[o];
              const size_t a_next = policy(History{o, a, before / A, before % A});
              next[at(to, a_next, o, a)] += joint;
              double* cells = &expected[((a * A + a_next) * O + o) * O];
              for (size_t o_next = 0; o_next < O; ++o_next) {
                if (emission == Emission::departure) {
                  cells[o_next] += joint * model.observation_row(a_next, to)[o_next];
                } else {
                  for (size_t s_next = 0; s_next < S; ++s_next) {
                    cells[o_next] += joint * model.transition_row(a_next, to)[s_next] * model.observation_row(a_next, s_next)[o_next];
                  }
                }
              }
            }
          }
        }
      }
    }
    now.swap(next);
  }
  for (size_t a = 0; a < A; ++a) {
    double total = 0;
    for (size_t i = 0; i < A * O * O; ++i) total += expected[a * A * O * O + i];
    TEST_ASSERT_TRUE(total > 1);  // every action was played
    for (size_t i = 0; i < A * O * O; ++i) expected[a * A * O * O + i] /= total;
  }
  return expected;
}

// The worst that a policy can do to the pairs: the next action gives the observation away.
inline size_t follow_the_observation(const History& history) { return history.observation % 3; }

inline size_t follow_the_history(const History& history) {
  return (history.observation + 2 * history.action + history.observation_before * history.action_before) % 3;
}

}  // namespace penumbra::test

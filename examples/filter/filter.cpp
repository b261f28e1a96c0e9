// The belief filter alone, with a model of your own: no table, no counts, no link. A door that the robot cannot see is open or shut; each knock tells
// a little, and the wind may move the door. Ends with 0 if it believes in the end what it should.
#include "penumbra/belief_filter.hpp"

#include "board.hpp"

namespace {

using namespace penumbra;

using Door = StaticDims<2, 1, 2>;  // open or shut, knock, a dull or a clear sound
constexpr State shut{1};
constexpr Action knock{0};
constexpr Observation dull{0}, clear{1};

// As the filter reads them: T[action][next state][state], padded as the kernels need, and O[action][observation][state].
constexpr float transition[4 + transition_padding] = {0.95F, 0.10F,   // to open, from open and from shut
                                                      0.05F, 0.90F};  // to shut
constexpr float observation[4] = {0.30F, 0.80F,                       // dull, when open and when shut
                                  0.70F, 0.20F};                      // clear
constexpr float prior[2] = {0.5F, 0.5F};

}  // namespace

int main() {
  BeliefFilter<Door> filter({Door{}, Emission::departure, transition, observation, prior});
  for (const Observation heard : {dull, clear, dull, dull, dull}) {
    if (filter.update(knock, heard) != Status::ok) return 1;
    const char digit[] = {'0', '.', static_cast<char>('0' + static_cast<int>(filter.belief()[index(shut)] * 10.0F)), '\n'};
    board::write("shut with probability ", 22);
    board::write(digit, sizeof digit);
  }
  const float believed = filter.belief()[index(shut)];
  return believed > 0.7F && believed < 0.9F ? 0 : 2;
}

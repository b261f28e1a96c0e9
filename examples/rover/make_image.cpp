// Plans for the rover on the workstation, and writes what its firmware flashes: make_image FILE.pnb
//
// The planner is a stand-in of a few lines, QMDP: it values each action as if the state became known right after it.
//
//   Q_a(s) = sum_o O_a(o|s) r(o) + g sum_s' T_a(s'|s) V(s'),   V(s) = max_a Q_a(s)
//
// One vector an action. Subtracting V(s) from all of them changes no comparison between actions and leaves more of the 16 bits
// for their differences. QMDP takes no action for the sake of what it would tell; where it scans, it is because a scan risks little.
#include "rover.hpp"

#include "penumbra/image_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

constexpr double discount = 0.95;
constexpr int sweeps = 2000;  // 0.95^2000 is far below a rounding error

struct Plan {
  uint8_t actions[rover::A];
  int16_t vectors[rover::A * rover::S];
};

Plan plan() {
  using namespace rover;
  double q[A][S] = {};
  double value[S] = {};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (size_t a = 0; a < A; ++a) {
      for (size_t s = 0; s < S; ++s) {
        q[a][s] = 0.0;
        for (size_t o = 0; o < O; ++o) q[a][s] += static_cast<double>(observation_row(a, s)[o] * reward[o]);
        for (size_t next = 0; next < S; ++next) q[a][s] += discount * static_cast<double>(transition_row(a, s)[next]) * value[next];
      }
    }
    for (size_t s = 0; s < S; ++s) {
      value[s] = q[0][s];
      for (size_t a = 1; a < A; ++a) value[s] = std::max(value[s], q[a][s]);
    }
  }
  double largest = 0.0;
  for (size_t a = 0; a < A; ++a) {
    for (size_t s = 0; s < S; ++s) largest = std::max(largest, value[s] - q[a][s]);
  }
  Plan plan;
  for (size_t a = 0; a < A; ++a) {
    plan.actions[a] = static_cast<uint8_t>(a);
    for (size_t s = 0; s < S; ++s) {
      plan.vectors[a * S + s] = static_cast<int16_t>(std::lround((q[a][s] - value[s]) / largest * 32767.0));
    }
  }
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_image FILE.pnb\n", stderr);
    return 2;
  }
  // As if a first episode of uniform actions had counted a thousand pairs for each: the firmware then shows the episode's end.
  constexpr uint32_t pairs_before[rover::A] = {1000, 1000, 1000, 1000};
  const Plan planned = plan();
  penumbra::ImageSource<float> source{{rover::S, rover::A, rover::O}};
  source.transition = rover::transition;
  source.observation = rover::observation;
  source.reward = rover::reward;
  source.policy = penumbra::PolicyKind::vectors;
  source.parameter = rover::A;
  source.actions = planned.actions;
  source.vectors = planned.vectors;
  source.sequence = 1;
  source.episode = 1;
  source.pairs_before = pairs_before;

  alignas(4) uint8_t room[1024];
  const auto size = penumbra::build_image(source, etl::span<uint8_t>(room));
  if (!size.has_value()) {
    std::fprintf(stderr, "make_image: %s\n", describe(size.error().status));
    return 3;
  }
  std::FILE* file = std::fopen(argv[1], "wb");
  const bool written = file != nullptr && std::fwrite(room, 1, size.value(), file) == size.value();
  if (file == nullptr || std::fclose(file) != 0 || !written) {
    std::perror(argv[1]);
    return 4;
  }
  std::printf("planned %zu value vectors; the image has %u bytes\n", rover::A, size.value());
  for (size_t a = 0; a < rover::A; ++a) {
    std::printf("  %-8s", rover::action_names[a]);
    for (size_t s = 0; s < rover::S; ++s) std::printf("  %s %6d", rover::state_names[s], planned.vectors[a * rover::S + s]);
    std::puts("");
  }
  return 0;
}

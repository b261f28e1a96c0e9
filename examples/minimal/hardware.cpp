// Stands in for a robot, so that the minimal example can be run: sensors that count, a motor that remembers, and a table that always
// says "action 2". Ends with the number of the first thing that went wrong, or 0.
#include "hardware.hpp"

#include "penumbra/image_builder.hpp"

namespace {

constexpr uint8_t S = 3, A = 4, O = 4;
uint8_t next_reading = 0;
unsigned driven = 0;  // a bit for each action that was executed

alignas(4) uint8_t flash[1024];

bool flash_table() {
  static float transition[A * S * S], observation[A * S * O], reward[O];
  for (float& p : transition) p = 1.0F / S;
  for (float& p : observation) p = 1.0F / O;
  const uint8_t action = 2;
  const int16_t vector[S] = {1, 1, 1};
  penumbra::ImageSource<float> source{{S, A, O}};
  source.transition = transition;
  source.observation = observation;
  source.reward = reward;
  source.policy = penumbra::PolicyKind::vectors;
  source.parameter = 1;
  source.actions = &action;
  source.vectors = vector;
  return penumbra::build_image(source, etl::span<uint8_t>(flash)).has_value();
}

unsigned driven_in(int ticks) {
  driven = 0;
  for (int i = 0; i < ticks; ++i) control_tick();
  return driven;
}

}  // namespace

penumbra::Observation read_sensor() { return penumbra::Observation{static_cast<uint8_t>(next_reading++ % O)}; }
void drive(penumbra::Action action) { driven |= 1U << index(action); }

int main() {
  if (use_table(flash)) return 1;           // erased flash is no table
  if (driven_in(100) != 0b1111U) return 2;  // without one, every action has its turn
  if (!flash_table() || !use_table(flash)) return 3;
  if (driven_in(100) != 0b0100U) return 4;  // the table's
  return 0;
}

// Stands in for a robot: a sensor that counts and a motor that remembers. After a hundred ticks every action has had its turn, or the example
// goes on until its tester loses patience.
#include "hardware.hpp"

namespace {

volatile uint32_t ticks = 0;
volatile uint32_t driven = 0;  // a bit for each action

}  // namespace

penumbra::Observation read_sensor() { return static_cast<penumbra::Observation>(ticks % 4U); }

void drive(penumbra::Action action) {
  driven = driven | 1U << index(action);
  ticks = ticks + 1U;
}

bool keep_running() { return ticks < 100U || driven != 0b1111U; }

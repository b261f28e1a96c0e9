// The hardware of the minimal example, and its two entry points.
#pragma once

#include "penumbra/dims.hpp"

#include <etl/span.h>

penumbra::Observation read_sensor();
void drive(penumbra::Action action);

bool use_table(etl::span<const uint8_t> flash);
void control_tick();

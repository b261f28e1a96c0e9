// The hardware of the agent's example.
#pragma once

#include "penumbra/dims.hpp"

penumbra::Observation read_sensor();
void drive(penumbra::Action action);

// A robot runs until its power goes; the example ends when everything was tried, so that a test can run it.
bool keep_running();

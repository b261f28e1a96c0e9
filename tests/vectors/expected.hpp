// What parity.cpp arrives at on every platform: a CRC-32 over the image, and over every decision and belief of a run. They change
// when the image format, the filter, a policy or the random models change. If that is meant, put in the numbers that the test prints,
// the same on all platforms.
#pragma once

#include <stdint.h>

namespace penumbra::test::expected {

constexpr uint32_t three_states_uniform = 0xEB88FB67;
constexpr uint32_t three_states_vectors = 0x841F52B1;
constexpr uint32_t three_states_lattice = 0x3BB9A9E1;
constexpr uint32_t three_states_sharp = 0xD56F5FB3;
constexpr uint32_t five_states_arrival = 0x24C1610A;
constexpr uint32_t five_states_arrival_sharp = 0xF5AC0176;
constexpr uint32_t ten_states = 0xBC1F4FE2;

}  // namespace penumbra::test::expected

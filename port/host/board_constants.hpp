// The workstation in numbers: as a board it has only a name.
#pragma once

namespace penumbra::board {

inline constexpr const char* name = "host";

}  // namespace penumbra::board

// A header that forgot one: it is fine behind penumbra/dims.hpp, and only there.
#pragma once

namespace penumbra {
inline Action the_other(Action action) { return index(action) == 0U ? Action{1} : Action{0}; }
}  // namespace penumbra

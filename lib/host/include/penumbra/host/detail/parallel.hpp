// Work on several threads whose result does not depend on how many: every piece writes what is its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace penumbra::host::detail {

// body(i) for i = 0 … count-1, on at most `threads` threads (0: as many as the machine has), in any order.
void in_parallel(std::size_t count, std::uint64_t threads, const std::function<void(std::size_t)>& body);

}  // namespace penumbra::host::detail

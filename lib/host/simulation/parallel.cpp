// TBB behind one call.
#include "penumbra/host/detail/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

namespace penumbra::host::detail {

void in_parallel(std::size_t count, std::uint64_t threads, const std::function<void(std::size_t)>& body) {
  constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  const std::size_t most = threads > 0 ? static_cast<std::size_t>(threads) : tbb::global_control::active_value(limit);
  if (most == 1 || count < 2) {  // no thread is woken for what one can do
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  const tbb::global_control as_many_as_asked_for(limit, most);
  tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner());
}

}  // namespace penumbra::host::detail

// Values by planning again. Until the planners are here there are none.
#include "penumbra/host/image_value.hpp"

namespace penumbra::host {

Outcome<BeliefValue> value_of(const PolicyImage& /*image*/, const Model& /*model*/, const std::string& name, std::uint64_t /*threads*/) {
  return fail(Fault::input, name, "cannot be looked ahead with yet", "leave --choice lookahead out");
}

}  // namespace penumbra::host

// The estimators by their names.
#include "penumbra/host/refinement.hpp"

#include <algorithm>

namespace penumbra::host {

const std::vector<std::string>& estimator_names() {
  static const std::vector<std::string> names{"aoas", "counts", "trajectory"};
  return names;
}

const std::string& name_of(Estimator estimator) { return estimator_names()[static_cast<std::size_t>(estimator)]; }

std::optional<Estimator> find_estimator(const std::string& name) {
  const std::vector<std::string>& names = estimator_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<Estimator>(found - names.begin());
}

}  // namespace penumbra::host

// What beliefs are worth, for looking ahead with an image. The image holds what to do and not what it is worth, so the image's own
// model is planned for again, by the image's own method.
#pragma once

#include "penumbra/host/lookahead.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/policy_image.hpp"

#include <cstdint>
#include <string>

namespace penumbra::host {

// `model` is model_of(image), which holds vectors or a lattice. A problem where the plan takes more memory than planners allow; `name` is
// what it calls the image. Threads: 0 stands for as many as the machine has.
[[nodiscard]] Outcome<BeliefValue> value_of(const PolicyImage& image, const Model& model, const std::string& name, std::uint64_t threads);

}  // namespace penumbra::host

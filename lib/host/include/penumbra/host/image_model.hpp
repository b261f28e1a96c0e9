// The model inside an image, for whatever the workstation computes with it; and the other way round, whether an image holds a given model.
#pragma once

#include "penumbra/host/model.hpp"
#include "penumbra/policy_image.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace penumbra::host {

// The image's numbers in the order of model files. Rows are scaled to sum to 1 in double precision: the image's do so to 2e-6.
[[nodiscard]] Model model_of(const PolicyImage& image);

struct ImageMismatch {
  std::uint32_t offset = 0;  // byte of the image
  std::string what;
};

// The first place at which the image does not hold the model (sizes, emission, kind of reward, numbers rounded to single precision);
// nothing where it does. The model has a transition.
[[nodiscard]] std::optional<ImageMismatch> first_mismatch(const PolicyImage& image, const Model& model);

}  // namespace penumbra::host

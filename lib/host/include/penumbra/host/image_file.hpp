// A policy image from a file, checked by the door of lib/core.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/policy_image.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace penumbra::host {

class ImageFile {
 public:
  [[nodiscard]] static Outcome<ImageFile> read(Input& input);

  [[nodiscard]] const PolicyImage& image() const noexcept { return image_; }

  // A problem when the image was not made for models of these sizes and this emission.
  [[nodiscard]] Outcome<void> matches(const Model& model, const std::string& model_name) const;

 private:
  ImageFile() = default;

  std::string name_;
  std::vector<std::uint32_t> words_;  // the bytes, aligned as the image wants them; moving the file does not move them
  PolicyImage image_;
};

}  // namespace penumbra::host

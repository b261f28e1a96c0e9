// Images through the door of lib/core.
#include "penumbra/host/image_file.hpp"

#include <fmt/format.h>

#include <cstring>

namespace penumbra::host {

Outcome<ImageFile> ImageFile::read(Input& input) {
  const Outcome<std::string> text = input.read_all();
  if (!text) return fail(text.error());
  const std::string& bytes = text.value();
  ImageFile file;
  file.name_ = input.name();
  file.words_.resize(bytes.size() / sizeof(std::uint32_t) + 1);
  std::memcpy(file.words_.data(), bytes.data(), bytes.size());
  const auto* begin = static_cast<const std::uint8_t*>(static_cast<const void*>(file.words_.data()));
  const auto image = PolicyImage::open({begin, bytes.size()});
  if (!image) {
    return fail(Fault::input, file.name_, fmt::format("byte {}: {}", image.error().offset, describe(image.error().status)),
                "make it again, or copy it again");
  }
  file.image_ = image.value();
  return file;
}

Outcome<void> ImageFile::matches(const Model& model, const std::string& model_name) const {
  const ImageHeader& header = image_.header();
  if (header.states != model.states.size() || header.actions != model.actions.size() || header.observations != model.observations.size()) {
    return fail(Fault::input, name_,
                fmt::format("is for {} states, {} actions and {} observations, but {} has {}, {} and {}", header.states, header.actions,
                            header.observations, model_name, model.states.size(), model.actions.size(), model.observations.size()),
                "use the image that was made for this model");
  }
  if (header.emission != model.emission) {
    return fail(Fault::input, name_, fmt::format("is for the other emission timing than {}", model_name),
                "use the image that was made for this model");
  }
  return {};
}

}  // namespace penumbra::host

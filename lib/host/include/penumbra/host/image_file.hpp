// A policy image on the workstation: from a file or made of a plan, and in either case checked by the door of lib/core.
#pragma once

#include "penumbra/host/input.hpp"
#include "penumbra/host/model.hpp"
#include "penumbra/host/policy_table.hpp"
#include "penumbra/host/problem.hpp"
#include "penumbra/policy_image.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penumbra::host {

// What is wrong with an image of these bytes, and where one number was expected and another came, both.
[[nodiscard]] std::string describe(const ImageFault& fault, std::string_view bytes);

class ImageFile {
 public:
  [[nodiscard]] static Outcome<ImageFile> read(Input& input);

  // The same for bytes that are here already, with the fault as the door tells it.
  [[nodiscard]] static etl::expected<ImageFile, ImageFault> open(std::string name, std::string_view bytes);

  // Of a model that has a transition and a table that was made for it. A problem when the device could not hold it; `name` is what the
  // problem calls the model.
  [[nodiscard]] static Outcome<ImageFile> build(const Model& model, const PolicyTable& table, const ImageStamp& stamp,
                                                const std::string& name);

  // The same with another sequence number: a device takes newer ones only (link::is_newer()).
  [[nodiscard]] ImageFile with_sequence(std::uint32_t sequence) const;

  // As it is written to a file; a file may have had more behind it.
  [[nodiscard]] std::string_view bytes() const noexcept;

  // How many there were behind it, which nobody looks at.
  [[nodiscard]] std::size_t bytes_behind() const noexcept { return behind_; }

  [[nodiscard]] const PolicyImage& image() const noexcept { return image_; }

  // A problem when the image was not made for models of these sizes and this emission.
  [[nodiscard]] Outcome<void> matches(const Model& model, const std::string& model_name) const;

  ImageFile(ImageFile&&) = default;  // a copy would look into the original's bytes
  ImageFile& operator=(ImageFile&&) = default;

 private:
  ImageFile() = default;

  std::string name_;
  std::vector<std::uint32_t> words_;  // the bytes, aligned as the image wants them; moving the file does not move them
  PolicyImage image_;
  std::size_t behind_ = 0;
};

}  // namespace penumbra::host

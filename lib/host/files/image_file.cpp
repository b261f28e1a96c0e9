// Images through the door of lib/core.
#include "penumbra/host/image_file.hpp"

#include "penumbra/host/belief.hpp"
#include "penumbra/image_builder.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace penumbra::host {

namespace {

std::uint32_t word_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

std::uint32_t checksum_of(std::string_view bytes) { return etl::crc32(bytes.begin(), bytes.end()).value(); }

std::string expected_and_found(const ImageFault& fault, std::string_view bytes) {
  switch (fault.status) {
    case Status::image_truncated: {
      const bool has_size = bytes.size() >= sizeof(ImageHeader);
      const std::size_t expected = has_size ? word_at(bytes, offsetof(ImageHeader, size)) : sizeof(ImageHeader);
      return fmt::format("{} of {}{} bytes are there", bytes.size(), has_size ? "" : "at least ", expected);
    }
    case Status::image_version:
      return fmt::format("it is {}, and this program reads {}", word_at(bytes, fault.offset) & 0xFFFFU, image_version);
    case Status::image_checksum:
      return fmt::format("it says {:08x}, and its bytes give {:08x}", word_at(bytes, fault.offset),
                         checksum_of(bytes.substr(0, fault.offset)));
    default: return {};
  }
}

}  // namespace

std::string describe(const ImageFault& fault, std::string_view bytes) {
  const std::string numbers = expected_and_found(fault, bytes);
  return numbers.empty() ? penumbra::describe(fault.status) : fmt::format("{}: {}", penumbra::describe(fault.status), numbers);
}

etl::expected<ImageFile, ImageFault> ImageFile::open(std::string name, std::string_view bytes) {
  ImageFile file;
  file.name_ = std::move(name);
  file.words_.resize(bytes.size() / sizeof(std::uint32_t) + 1);
  if (!bytes.empty()) std::memcpy(file.words_.data(), bytes.data(), bytes.size());
  const auto* begin = static_cast<const std::uint8_t*>(static_cast<const void*>(file.words_.data()));
  const auto image = PolicyImage::open({begin, bytes.size()});
  if (!image) return etl::unexpected<ImageFault>(image.error());
  file.image_ = image.value();
  file.behind_ = bytes.size() - file.image_.header().size;
  return file;
}

ImageFile ImageFile::with_sequence(std::uint32_t sequence) const {
  std::string changed(bytes());
  std::memcpy(changed.data() + offsetof(ImageHeader, sequence), &sequence, sizeof sequence);
  const std::size_t end = changed.size() - sizeof(std::uint32_t);
  const std::uint32_t checksum = checksum_of(std::string_view(changed).substr(0, end));
  std::memcpy(changed.data() + end, &checksum, sizeof checksum);
  return std::move(open(name_, changed).value());
}

Outcome<ImageFile> ImageFile::read(Input& input) {
  const Outcome<std::string> bytes = input.read_all();
  if (!bytes) return fail(bytes.error());
  auto file = open(input.name(), bytes.value());
  if (file) return std::move(file.value());
  return fail(Fault::input, input.name(), fmt::format("byte {}: {}", file.error().offset, describe(file.error(), bytes.value())),
              "make it again, or copy it again");
}

Outcome<ImageFile> ImageFile::build(const Model& model, const PolicyTable& table, const ImageStamp& stamp, const std::string& name) {
  if (!fits_device(model)) {
    return fail(Fault::input, name,
                fmt::format("has {} states, {} actions and {} observations; an image holds at most {} of each", model.states.size(),
                            model.actions.size(), model.observations.size(), max_size));
  }
  const RuntimeDims dims(static_cast<std::uint8_t>(model.states.size()), static_cast<std::uint8_t>(model.actions.size()),
                         static_cast<std::uint8_t>(model.observations.size()));
  ImageSource<double> source{dims};
  source.emission = model.emission;
  source.transition = model.transition.data();
  source.observation = model.observation.data();
  source.reward_kind = model.reward_kind;
  source.reward = model.reward.data();
  source.prior = model.initial.data();
  source.policy = table.kind;
  source.parameter = table.parameter;
  source.actions = table.actions.data();
  source.vectors = table.vectors.data();
  source.sequence = stamp.sequence;
  source.episode = stamp.episode;
  source.first_length = stamp.first_length;
  source.seed = stamp.seed;
  source.pairs_before = stamp.pairs_before.empty() ? nullptr : stamp.pairs_before.data();

  ImageHeader header{};
  header.states = static_cast<std::uint8_t>(model.states.size());
  header.actions = static_cast<std::uint8_t>(model.actions.size());
  header.observations = static_cast<std::uint8_t>(model.observations.size());
  header.policy = table.kind;
  header.reward = model.reward_kind;
  header.parameter = table.parameter;
  const std::uint32_t points = table.kind == PolicyKind::lattice ? lattice_points(model.states.size(), table.parameter) : 0;
  const size_t size = layout_of(header).table_rows + table_rows_size(header, points) + sizeof(std::uint32_t);

  ImageFile file;
  file.name_ = name;
  file.words_.resize(size / sizeof(std::uint32_t));
  auto* begin = static_cast<std::uint8_t*>(static_cast<void*>(file.words_.data()));
  const auto built = build_image(source, {begin, size});
  if (!built) {
    return fail(Fault::input, name,
                fmt::format("does not fit an image: {}, at byte {}", describe(built.error().status), built.error().offset));
  }
  file.image_ = PolicyImage::open({begin, size}).value();
  return file;
}

std::string_view ImageFile::bytes() const noexcept {
  return {static_cast<const char*>(static_cast<const void*>(words_.data())), image_.header().size};
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

// penumbra image inspect: everything that an image says about itself.
#include "image.hpp"

#include "penumbra/link/image_update.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::string image;
  ModelFile model;  // without a path: no names
};

struct Part {
  std::string name;
  std::uint32_t offset;
  std::uint32_t size;
};

std::vector<Part> parts_of(const ImageHeader& header) {
  const ImageLayout at = layout_of(header);
  const auto end = header.size - static_cast<std::uint32_t>(sizeof(std::uint32_t));
  return {{"header", 0, at.pairs_before},
          {"pairs before", at.pairs_before, at.prior - at.pairs_before},
          {"prior", at.prior, at.transition - at.prior},
          {"transition", at.transition, at.observation - at.transition},
          {"observation", at.observation, at.reward - at.observation},
          {"reward", at.reward, at.table - at.reward},
          {"table", at.table, at.table_rows - at.table},
          {"table rows", at.table_rows, end - at.table_rows},
          {"checksum", end, header.size - end}};
}

// How many vectors or lattice points take each action.
std::vector<std::uint64_t> entries_by_action(const PolicyImage& image) {
  const ImageHeader& header = image.header();
  std::vector<std::uint64_t> entries(header.actions, 0);
  if (header.policy == PolicyKind::vectors) {
    const VectorPolicy<RuntimeDims> policy = image.vectors<RuntimeDims>();
    for (std::size_t k = 0; k < policy.count; ++k) ++entries[policy.actions[k]];
  }
  if (header.policy == PolicyKind::lattice) {
    const LatticePolicy<RuntimeDims> policy = image.lattice<RuntimeDims>();
    const std::uint32_t points = lattice_points(header.states, header.parameter);
    for (std::uint32_t rank = 0; rank < points; ++rank) ++entries[packed_action(policy.packed, rank, policy.bits)];
  }
  return entries;
}

Json names_of(const host::Labels& labels) { return labels.named() ? Json(labels.names()) : Json(nullptr); }

Json to_json(const host::ImageFile& file, const std::optional<Model>& model) {
  const PolicyImage& image = file.image();
  const ImageHeader& header = image.header();
  const bool lattice = header.policy == PolicyKind::lattice;
  const bool vectors = header.policy == PolicyKind::vectors;
  Json json{{"magic", header.magic}, {"version", header.version}, {"header_size", header.header_size}, {"size", header.size}};
  json["states"] = header.states;
  json["actions"] = header.actions;
  json["observations"] = header.observations;
  json["emission"] = word(header.emission);
  json["policy"] = word(header.policy);
  json["reward"] = word(header.reward);
  json["parameter"] = header.parameter;
  json["sequence"] = header.sequence;
  json["episode"] = header.episode;
  json["first_length"] = header.first_length;
  json["seed"] = header.seed;
  json["pairs_before"] = std::vector<std::uint32_t>(image.pairs_before(), image.pairs_before() + header.actions);
  json["points"] = lattice ? Json(lattice_points(header.states, header.parameter)) : Json(nullptr);
  json["vectors"] = vectors ? Json(header.parameter) : Json(nullptr);
  json["resolution"] = lattice ? Json(header.parameter) : Json(nullptr);
  json["entries_by_action"] = lattice || vectors ? Json(entries_by_action(image)) : Json(nullptr);
  json["crc"] = link::checksum_of(file.image());
  json["bytes_behind"] = file.bytes_behind();
  for (const Part& part : parts_of(header)) json["parts"].push_back({{"name", part.name}, {"offset", part.offset}, {"size", part.size}});
  json["state_names"] = model ? names_of(model->states) : Json(nullptr);
  json["action_names"] = model ? names_of(model->actions) : Json(nullptr);
  json["observation_names"] = model ? names_of(model->observations) : Json(nullptr);
  return json;
}

std::string table_words(const ImageHeader& header) {
  switch (header.policy) {
    case PolicyKind::uniform: return "uniform: every action with the same probability";
    case PolicyKind::vectors: return fmt::format("vectors: {} of them", grouped(header.parameter));
    case PolicyKind::lattice:
      return fmt::format("lattice: resolution {}, {} points", header.parameter, grouped(lattice_points(header.states, header.parameter)));
  }
  return "";
}

void print_header(const ImageHeader& header, std::uint32_t checksum) {
  print_table({{"field", "value"},
               {"magic", fmt::format("0x{:08X}", header.magic)},
               {"version", std::to_string(header.version)},
               {"header_size", std::to_string(header.header_size)},
               {"size", std::to_string(header.size)},
               {"states", std::to_string(header.states)},
               {"actions", std::to_string(header.actions)},
               {"observations", std::to_string(header.observations)},
               {"emission", word(header.emission)},
               {"policy", word(header.policy)},
               {"reward", word(header.reward)},
               {"parameter", std::to_string(header.parameter)},
               {"sequence", std::to_string(header.sequence)},
               {"episode", std::to_string(header.episode)},
               {"first_length", std::to_string(header.first_length)},
               {"seed", std::to_string(header.seed)},
               {"crc", fmt::format("0x{:08X}", checksum)}});
}

void print_actions(const PolicyImage& image, const host::Labels& actions) {
  const bool has_table = image.header().policy != PolicyKind::uniform;
  const std::string kind = image.header().policy == PolicyKind::lattice ? "points" : "vectors";
  const std::vector<std::uint64_t> entries = entries_by_action(image);
  double total = 0;
  for (const std::uint64_t count : entries) total += static_cast<double>(count);
  std::vector<Row> rows{{"action", "pairs before"}};
  if (has_table) rows[0].insert(rows[0].end(), {kind, "share"});
  for (std::size_t a = 0; a < entries.size(); ++a) {
    rows.push_back({actions.of(a), std::to_string(image.pairs_before()[a])});
    if (has_table) rows.back().insert(rows.back().end(), {grouped(entries[a]), number(static_cast<double>(entries[a]) / total)});
  }
  print_table(rows);
}

void print(const Options& options, const host::ImageFile& file, const std::optional<Model>& model) {
  const ImageHeader& header = file.image().header();
  print_line(fmt::format("{}: {}", shown_path(options.image), table_words(header)));
  if (file.bytes_behind() > 0) print_line(fmt::format("{} bytes behind the image are not part of it", grouped(file.bytes_behind())));
  print_line("");
  print_header(header, link::checksum_of(file.image()));
  print_line("");
  std::vector<Row> rows{{"part", "offset", "bytes"}};
  for (const Part& part : parts_of(header)) rows.push_back({part.name, std::to_string(part.offset), std::to_string(part.size)});
  print_table(rows);
  print_line("");
  print_actions(file.image(), model ? model->actions : host::Labels(header.actions));
}

Outcome<int> inspect(const Options& options) {
  const Outcome<void> once = check_one_standard_input(options.image, options.model.path);
  if (!once) return fail(once.error());
  const Outcome<host::ImageFile> file = read_image(options.image);
  if (!file) return fail(file.error());
  std::optional<Model> model;
  if (!options.model.path.empty()) {
    Outcome<Model> read = read_model(options.model);
    if (!read) return fail(read.error());
    const Outcome<void> matches = file.value().matches(read.value(), options.model.name());
    if (!matches) return fail(matches.error());
    model = std::move(read.value());
  }
  if (options.common.json) {
    print_json(to_json(file.value(), model));
  } else {
    print(options, file.value(), model);
  }
  return done;
}

}  // namespace

void add_image_inspect(CLI::App& image, Run& run) {
  CLI::App* command = image.add_subcommand("inspect", "Header, parts and table of an image");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->image);
  add_model_option(*command, options->model, "model of the same sizes, whose names are shown");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return inspect(*options); }; });
}

}  // namespace penumbra::command

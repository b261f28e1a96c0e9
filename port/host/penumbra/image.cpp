// penumbra image: look into a policy image. The subcommands are in files of their own; here is what they share.
#include "image.hpp"

namespace penumbra::command {

void add_image(CLI::App& app, Run& run) {
  CLI::App* image = app.add_subcommand("image", "Look into policy images: inspect, verify, compare, export, draw");
  image->require_subcommand(1);
  add_image_inspect(*image, run);
  add_image_verify(*image, run);
  add_image_diff(*image, run);
  add_image_export(*image, run);
  add_image_picture(*image, run);
  image->footer("penumbra image SUBCOMMAND --help explains each; each takes --json and --threads.\n" + app.get_footer());
}

void add_image_path(CLI::App& command, std::string& path, const std::string& name) {
  command.add_option(name, path, "policy image, P.pnb; - is standard input")->required()->option_text(" ");
}

Outcome<host::ImageFile> read_image(const std::string& path) {
  Outcome<host::Input> input = host::Input::open(path);
  if (!input) return fail(input.error());
  return host::ImageFile::read(input.value());
}

Outcome<void> check_one_standard_input(const std::string& path, const std::string& other) {
  if (path != "-" || other != "-") return {};
  return fail(Fault::usage, "", "standard input (-) can be read only once", "name one of the files");
}

std::string word(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::uniform: return "uniform";
    case PolicyKind::vectors: return "vectors";
    case PolicyKind::lattice: return "lattice";
  }
  return "unknown";
}

std::string word(Emission emission) { return emission == Emission::departure ? "departure" : "arrival"; }

std::string word(RewardKind kind) { return kind == RewardKind::by_observation ? "observation" : "action-state"; }

std::string shown_path(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace penumbra::command

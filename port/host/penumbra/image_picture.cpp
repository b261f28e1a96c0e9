// penumbra image picture: which action an image takes under which belief, as an SVG document.
#include "image.hpp"

#include "penumbra/host/image_file.hpp"
#include "penumbra/host/policy_picture.hpp"
#include "penumbra/host/run_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::string image;
  ModelFile model;  // without a path: no names
  std::vector<std::string> trajectories;
  std::vector<std::string> slices;
  std::string title;
  std::uint64_t resolution = 0;
  std::string output;
};

// "A,B,C": names or indices of three states.
Outcome<host::Triple> triple_of(const std::string& text, const Model& model) {
  std::vector<size_t> states;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string field = text.substr(begin, end - begin);
    const std::optional<size_t> state = model.states.find(field);
    if (!state) {
      return fail(Fault::usage, "", fmt::format("--states {}: there is no state \"{}\"", text, field),
                  model.states.named()
                      ? "name states of the model, or count them from 0"
                      : fmt::format("count states from 0 to {}, or give their names with --model", model.states.size() - 1));
    }
    states.push_back(*state);
    begin = end + 1;
  }
  if (states.size() != 3 || states[0] == states[1] || states[0] == states[2] || states[1] == states[2]) {
    return fail(Fault::usage, "", fmt::format("--states {}: a triangle has three different states", text),
                "pass three, as in --states 0,1,2");
  }
  return host::Triple{states[0], states[1], states[2]};
}

// The names come from the model file where there is one; the numbers are the image's in any case.
Outcome<Model> names_of(const Options& options, const host::ImageFile& image) {
  if (options.model.path.empty()) {
    Model sizes;
    const ImageHeader& header = image.image().header();
    sizes.states = host::Labels(header.states);
    sizes.actions = host::Labels(header.actions);
    sizes.observations = host::Labels(header.observations);
    return sizes;
  }
  Outcome<Model> model = read_model(options.model);
  if (!model) return model;
  const Outcome<void> matches = image.matches(model.value(), options.model.name());
  if (!matches) return fail(matches.error());
  return model;
}

Outcome<host::RunLog> read_runs(const Options& options, const Model& model) {
  host::RunLog runs(model);
  for (const std::string& path : options.trajectories) {
    Outcome<host::Input> input = host::Input::open(path);
    if (!input) return fail(input.error());
    ProgressLine progress("reading", input.value().size().value_or(0), options.common);
    const Outcome<std::uint64_t> steps = runs.add_trajectory(input.value(), model, [&](std::uint64_t bytes) { progress.at(bytes); });
    if (!steps) return fail(steps.error());
  }
  return runs;
}

void print_result(const Options& options, const Model& model, const host::PolicyPicture& picture, bool to_stderr) {
  if (options.common.json) {
    Json actions = Json::array();
    for (size_t a = 0; a < picture.share.size(); ++a) {
      actions.push_back({{"action", model.actions.of(a)}, {"share", picture.share[a]}, {"colour", picture.colours[a]}});
    }
    Json slices = Json::array();
    for (const host::PictureSlice& slice : picture.slices) {
      Json states = Json::array();
      for (const size_t s : slice.states) states.push_back(model.states.of(s));
      slices.push_back({{"states", states}, {"share", slice.share}, {"visited", slice.visited}});
    }
    print_json({{"states", model.states.size()},
                {"actions", actions},
                {"slices", slices},
                {"visited", picture.visited},
                {"resolution", picture.resolution}});
    return;
  }
  std::vector<Row> rows{{"action", "share", "colour"}};
  for (size_t a = 0; a < picture.share.size(); ++a) {
    rows.push_back({model.actions.of(a), fmt::format("{:.3f}", picture.share[a]), picture.colours[a]});
  }
  print_table(rows, to_stderr);
  if (!options.trajectories.empty()) print_line(fmt::format("{} visited beliefs", grouped(picture.visited)), to_stderr);
}

Outcome<int> draw(const Options& options) {
  const auto from_standard_input = std::count(options.trajectories.begin(), options.trajectories.end(), "-") +
                                   (options.image == "-" ? 1 : 0) + (options.model.path == "-" ? 1 : 0);
  if (from_standard_input > 1) {
    return fail(Fault::usage, "", "only one of image, model and trajectories can come from standard input", "put the others into files");
  }
  const Outcome<host::ImageFile> image = read_image(options.image);
  if (!image) return fail(image.error());
  const Outcome<Model> names = names_of(options, image.value());
  if (!names) return fail(names.error());
  const Model& model = names.value();

  host::PictureRequest request;
  request.title = options.title;
  request.states = model.states;
  request.actions = model.actions;
  request.resolution = options.resolution;
  if (!options.slices.empty() && model.states.size() < 3) {
    return fail(Fault::usage, "", fmt::format("--states picks three states, and the image has {}", model.states.size()), "leave it out");
  }
  for (const std::string& text : options.slices) {
    const Outcome<host::Triple> triple = triple_of(text, model);
    if (!triple) return fail(triple.error());
    request.slices.push_back(triple.value());
  }
  const Outcome<host::RunLog> runs = read_runs(options, model);
  if (!runs) return fail(runs.error());
  const Outcome<host::PolicyPicture> picture = host::draw_policy(image.value().image(), request, runs.value(), shown_path(options.image));
  if (!picture) return fail(picture.error());

  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  artefact.value().write(picture.value().svg);
  print_result(options, model, picture.value(), artefact.value().has_standard_output());
  return artefact.value().finish();
}

}  // namespace

void add_image_picture(CLI::App& image, Run& run) {
  CLI::App* command = image.add_subcommand("picture", "Which action the policy takes under which belief, as an SVG document");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->image);
  add_output(*command, options->output, "the picture")->required();
  add_model_option(*command, options->model, "model file that the names of states and actions are taken from");
  command
      ->add_option("--trajectory", options->trajectories,
                   "trajectories (CSV) whose beliefs are drawn over the map, followed by the image's own model; - is standard input")
      ->option_text("T.csv ...");
  command
      ->add_option(
          "--states", options->slices,
          "three states, the corners of a triangle: bottom left, bottom right, top; may be given again for more of them. By default "
          "the four likeliest states, three at a time")
      ->option_text("A,B,C")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--title", options->title, "heading of the picture")->option_text("TEXT");
  add_whole(*command, "--resolution", options->resolution, 2,
            fmt::format("cells along a side of the map, at most {}; by default as many as the policy needs", host::max_picture_resolution),
            host::max_picture_resolution);
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return draw(*options); }; });
}

}  // namespace penumbra::command

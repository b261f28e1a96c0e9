// penumbra image verify: would a board take this image, and does it hold that model? The answer is the exit status.
#include "image.hpp"

#include "penumbra/host/image_model.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::string image;
  ModelFile model;  // without a path: none to compare with
};

struct Verdict {
  std::optional<host::ImageMismatch> fault;
  std::optional<std::uint32_t> size;
  std::size_t bytes_behind = 0;
};

// The model has been read; files that cannot be are no matter of the image's.
Verdict judge(const std::string& bytes, const Options& options, const std::optional<Model>& model) {
  const auto file = host::ImageFile::open(options.image, bytes);
  if (!file) return {host::ImageMismatch{file.error().offset, host::describe(file.error(), bytes)}, std::nullopt, 0};
  Verdict verdict{std::nullopt, file.value().image().header().size, file.value().bytes_behind()};
  if (model) verdict.fault = host::first_mismatch(file.value().image(), *model);
  return verdict;
}

void print_verdict(const Options& options, const Verdict& verdict) {
  if (options.common.json) {
    Json json{{"valid", !verdict.fault}};
    json["problem"] = verdict.fault ? Json(verdict.fault->what) : Json(nullptr);
    json["offset"] = verdict.fault ? Json(verdict.fault->offset) : Json(nullptr);
    json["size"] = verdict.size ? Json(*verdict.size) : Json(nullptr);
    json["bytes_behind"] = verdict.size ? Json(verdict.bytes_behind) : Json(nullptr);
    print_json(json);
    return;
  }
  const std::string name = shown_path(options.image);
  if (verdict.fault) {
    print_line(fmt::format("{}: not good, byte {}: {}", name, verdict.fault->offset, verdict.fault->what));
  } else {
    print_line(fmt::format("{}: good{}", name, options.model.path.empty() ? "" : ", and holds " + options.model.name()));
  }
  if (verdict.bytes_behind > 0)
    print_line(fmt::format("note: {} bytes behind the image were not looked at", grouped(verdict.bytes_behind)));
}

Outcome<int> verify(const Options& options) {
  const Outcome<void> once = check_one_standard_input(options.image, options.model.path);
  if (!once) return fail(once.error());
  std::optional<Model> model;
  if (!options.model.path.empty()) {
    Outcome<Model> read = read_whole_model(options.model, "comparing it with an image");
    if (!read) return fail(read.error());
    model = std::move(read.value());
  }
  Outcome<host::Input> input = host::Input::open(options.image);
  if (!input) return fail(input.error());
  const Outcome<std::string> bytes = input.value().read_all();
  if (!bytes) return fail(bytes.error());
  const Verdict verdict = judge(bytes.value(), options, model);
  print_verdict(options, verdict);
  return verdict.fault ? answer_is_no : done;
}

}  // namespace

void add_image_verify(CLI::App& image, Run& run) {
  CLI::App* command = image.add_subcommand("verify", "Would a board take this image? The status is 0 if so, 1 if not");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->image);
  add_model_option(*command, options->model, "is it also for this model, with the same numbers in single precision?");
  add_common(*command, options->common);
  command->callback([&run, options] { run = [options] { return verify(*options); }; });
}

}  // namespace penumbra::command

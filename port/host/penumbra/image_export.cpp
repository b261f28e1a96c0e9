// penumbra image export: the image in the formats of other tools.
#include "image.hpp"

#include "penumbra/host/alpha_file.hpp"
#include "penumbra/host/image_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  Common common;
  std::string image;
  std::string output;
  std::string format;  // empty: by the name of the output
  std::string prefix = "policy_image";
  std::uint32_t address = 0;
  bool has_prefix = false;
  bool has_address = false;
};

std::string format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  std::string end = options.output.substr(std::min(options.output.find_last_of('.'), options.output.size()));
  std::transform(end.begin(), end.end(), end.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  if (end == ".hex" || end == ".ihex") return "hex";
  if (end == ".h" || end == ".c" || end == ".hpp" || end == ".cpp") return "c";
  return end == ".alpha" ? "alpha" : "bin";
}

// 32 bits, also in hexadecimal: that is how addresses are written.
CLI::Option* add_address(CLI::App& command, std::uint32_t& address) {
  const auto read = [&address](const std::string& text) {
    const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* begin = text.data() + (hexadecimal ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(begin, end, address, hexadecimal ? 16 : 10);
    if (parsed.ec == std::errc{} && parsed.ptr == end) return;
    throw CLI::ValidationError("--address", "\"" + text + "\" is not an address of 32 bits");  // the parser's way of telling
  };
  return command.add_option_function<std::string>("--address", read, "hex: address of the first byte, 0 by default; 0x… too")
      ->option_text("N");
}

Outcome<void> check_options(const Options& options, const std::string& format) {
  if (options.has_prefix && format != "c") {
    return fail(Fault::usage, "", "--prefix is for C arrays, and this is " + format, "leave it out, or pass --format c");
  }
  if (options.has_address && format != "hex") {
    return fail(Fault::usage, "", "--address is for Intel HEX, and this is " + format, "leave it out, or pass --format hex");
  }
  if (!host::is_c_identifier(options.prefix)) {
    return fail(Fault::usage, "", "--prefix is \"" + options.prefix + "\", which cannot be a name in C and C++",
                "letters, digits and _, no digit first, no keyword");
  }
  return {};
}

Outcome<std::string> exported(const Options& options, const std::string& format, const host::ImageFile& file) {
  const std::string_view bytes = file.bytes();
  if (format == "c") return host::to_c_array(bytes, options.prefix);
  if (format == "hex") {
    if (bytes.size() - 1 > std::numeric_limits<std::uint32_t>::max() - options.address) {
      return fail(Fault::usage, "",
                  fmt::format("--address is 0x{:X}, and {} bytes from there go past 32 bits", options.address, bytes.size()),
                  "begin lower");
    }
    return host::to_intel_hex(bytes, options.address);
  }
  if (format == "bin") return std::string(bytes);
  const ImageHeader& header = file.image().header();
  if (header.policy != PolicyKind::vectors) {
    return fail(Fault::input, shown_path(options.image),
                "its policy is " + std::string(header.policy == PolicyKind::lattice ? "a lattice" : "uniform") +
                    ", and .alpha files hold value vectors",
                "make an image of vectors: penumbra plan --method vectors");
  }
  return host::to_alpha(host::vectors_of(file.image()), header.states);
}

Outcome<int> export_image(const Options& options) {
  const std::string format = format_of(options);
  const Outcome<void> usable = check_options(options, format);
  if (!usable) return fail(usable.error());
  const Outcome<host::ImageFile> file = read_image(options.image);
  if (!file) return fail(file.error());
  const Outcome<std::string> text = exported(options, format, file.value());
  if (!text) return fail(text.error());
  Outcome<Artefact> artefact = Artefact::open(options.output, options.common);
  if (!artefact) return fail(artefact.error());
  artefact.value().write(text.value());
  if (options.common.json) {
    Json json{{"format", format}, {"size", file.value().bytes().size()}, {"bytes_behind", file.value().bytes_behind()}};
    json["prefix"] = format == "c" ? Json(options.prefix) : Json(nullptr);
    json["address"] = format == "hex" ? Json(options.address) : Json(nullptr);
    print_json(json);
  } else if (!artefact.value().has_standard_output()) {
    print_line(fmt::format("{}: {} as {}", options.output, shown_path(options.image), format));
    if (file.value().bytes_behind() > 0)
      print_line(fmt::format("note: {} bytes behind the image were left out", grouped(file.value().bytes_behind())));
  }
  return artefact.value().finish();
}

}  // namespace

void add_image_export(CLI::App& image, Run& run) {
  CLI::App* command = image.add_subcommand("export", "Write an image as bytes, Intel HEX, a C array, or its vectors");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->image);
  add_output(*command, options->output, "the image (required)")->required();
  command
      ->add_option("--format", options->format,
                   "by default what the file's name says: .hex, .c .h .cpp .hpp, .alpha (value vectors as pomdp-solve has them); else bin")
      ->check(CLI::IsMember({"bin", "hex", "c", "alpha"}))
      ->option_text("bin|hex|c|alpha");
  CLI::Option* prefix =
      command->add_option("--prefix", options->prefix, "c: name of the array, policy_image by default; its size is NAME_size")
          ->option_text("NAME");
  CLI::Option* address = add_address(*command, options->address);
  add_common(*command, options->common);
  command->callback([&run, options, prefix, address] {
    options->has_prefix = prefix->count() > 0;
    options->has_address = address->count() > 0;
    run = [options] { return export_image(*options); };
  });
}

}  // namespace penumbra::command

// penumbra device flash: an image into a device's flash, verified there, tried out, and confirmed when it did well. Anything else than a
// confirmed image is a failure, and one that the device gave up is its answer: no.
#include "device/connection.hpp"
#include "device/loop_world.hpp"
#include "image.hpp"

#include "penumbra/host/image_model.hpp"
#include "penumbra/link/image_update.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

struct Options {
  DeviceOptions device;
  std::string image;
  ModelFile model;  // without a path: the image's own
};

// The world of the trial, where the host is the device's plant.
Outcome<Model> trial_world(const Options& options, const host::ImageFile& image) {
  if (options.model.path.empty()) return host::model_of(image.image());
  Outcome<Model> model = read_whole_model(options.model, "a world");
  if (!model) return model;
  const Outcome<void> matches = image.matches(model.value(), options.model.name());
  if (!matches) return fail(matches.error());
  return model;
}

// A device takes newer images only. A plan knows nothing of the device, so its number is given here, unless it is the very image in use: that
// is seen through, whatever its number was when it was sent. Where none is in use, 0 is the number of a plan that was given none.
host::ImageFile newer_than_in_use(host::ImageFile image, const link::ImageReport& in_use) {
  host::ImageFile same = image.with_sequence(in_use.sequence);
  if (link::checksum_of(same.image()) == in_use.checksum) return same;
  const std::uint32_t sequence = image.image().header().sequence;
  if (in_use.checksum == 0 ? sequence != 0 : link::is_newer(sequence, in_use.sequence)) return image;
  return image.with_sequence(in_use.sequence + 1);
}

Outcome<int> flash(const Options& options) {
  const Outcome<void> named = check_device_options(options.device);
  if (!named) return fail(named.error());
  const Outcome<void> one = check_one_standard_input(options.image, options.model.path);
  if (!one) return fail(one.error());
  Outcome<host::ImageFile> image = read_image(options.image);
  if (!image) return fail(image.error());
  const Outcome<Model> model = trial_world(options, image.value());
  if (!model) return fail(model.error());

  Interruption interruption;
  Outcome<std::unique_ptr<Connection>> connected = Connection::open(options.device, std::nullopt, interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  host::Session& session = connection.session();
  const std::string name = shown_path(options.image);
  const Outcome<void> fits = session.check_image(image.value().bytes(), name);
  if (!fits) return fail(fits.error());
  connection.keep_files();
  LoopWorld world(model.value(), options.device.seed);
  session.set_plant(&world);  // asked by devices that have none of their own
  session.release();

  session.ask_image();
  const Outcome<bool> told = connection.work_until([&] { return session.image().has_value(); });
  if (!told) return fail(told.error());
  if (!told.value()) {
    connected.value().reset();
    interruption.die_if_asked();
  }
  image = connection.keep_image(newer_than_in_use(std::move(image.value()), *session.image()));
  if (!image) return fail(image.error());
  const std::string_view bytes = image.value().bytes();
  const Outcome<void> begun = session.send_image(bytes, name);
  if (!begun) return fail(begun.error());
  const std::uint64_t begin = connection.milliseconds();
  bool confirmed = false;
  std::optional<Problem> fell_back;  // what the device says of the image it gave up
  connection.watch([&](const host::SessionEvent& event) -> Outcome<void> {
    if (std::holds_alternative<host::ImageConfirmed>(event)) confirmed = true;
    if (std::holds_alternative<host::ImageBusy>(event)) say(connection.name() + ": another image is on trial; waiting for its turn");
    if (const auto* fell = std::get_if<host::ImageFellBack>(&event)) fell_back = fell->problem;
    if (const auto* refused = std::get_if<host::ImageRefused>(&event)) return fail(refused->problem);
    return {};
  });
  std::optional<ProgressLine> progress(std::in_place, "flashing", bytes.size(), options.device.common);
  const Outcome<bool> finished = connection.work_until([&] {
    progress->at(static_cast<std::uint64_t>(session.image_progress() * static_cast<double>(bytes.size())));
    return confirmed || fell_back;
  });
  progress.reset();
  if (!finished) return fail(finished.error());
  if (!finished.value()) {
    const bool kept = options.device.board.empty() || !options.device.flash.empty();
    say(kept ? "interrupted: the image is not confirmed, and the same command goes on with it"
             : "interrupted: the image is not confirmed, and gone with the board, whose flash was not kept (--flash FILE)");
    connected.value().reset();
    interruption.die_if_asked();
  }

  const double seconds = static_cast<double>(connection.milliseconds() - begin) / 1000;
  const ImageHeader& header = image.value().image().header();
  const std::uint32_t checksum = link::checksum_of(image.value().image());
  if (options.device.common.json) {
    print_json({{"device", connection.info().device},
                {"board", connection.info().board},
                {"image", name},
                {"size", bytes.size()},
                {"sequence", header.sequence},
                {"checksum", checksum},
                {"confirmed", confirmed},
                {"problem", fell_back ? Json(host::to_text(*fell_back)) : Json()},
                {"seconds", seconds},
                {"version", PENUMBRA_VERSION}});
  } else if (confirmed) {
    print_line(fmt::format("{}: {} is in its flash and confirmed: {} bytes, sequence {}, checksum {:08x}, in {:.1f} s", connection.name(),
                           name, grouped(bytes.size()), header.sequence, checksum, seconds));
  }
  if (!confirmed) say(*fell_back);
  return stayed_up(connection, fell_back ? 1 : 0) && confirmed ? done : answer_is_no;
}

}  // namespace

void add_device_flash(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "flash", "An image into a device's flash: sent, verified, tried out, confirmed");
  auto options = std::make_shared<Options>();
  add_image_path(*command, options->image);
  add_model_option(*command, options->model, "world of the trial, where the host is the device's plant; the image's own model by default");
  add_device_options(*command, options->device);
  command->callback([&run, options] { run = [options] { return flash(*options); }; });
}

}  // namespace penumbra::command

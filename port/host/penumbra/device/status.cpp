// penumbra device status: what a device says about itself and its health.
#include "device/connection.hpp"

#include <fmt/format.h>

#include <memory>

namespace penumbra::command {

namespace {

std::string features_of(const host::DeviceInfo& info) {
  std::string text;
  const auto add = [&text](bool has, const char* word) {
    if (has) text += (text.empty() ? "" : ", ") + std::string(word);
  };
  add(info.has(link::feature_counts), "counts");
  add(info.has(link::feature_log), "step log");
  add(info.has(link::feature_plant), "the host is its world");
  return text.empty() ? "none" : text;
}

Json to_json(const host::DeviceInfo& info, const link::DeviceStatus& status, const link::ImageReport& image) {
  Json json{{"device", info.device}, {"board", info.board}, {"incarnation", info.incarnation}};
  json["states"] = info.sizes.states;
  json["actions"] = info.sizes.actions;
  json["observations"] = info.sizes.observations;
  json["slot_size"] = info.slot_size;
  json["features"] = {
      {"counts", info.has(link::feature_counts)}, {"log", info.has(link::feature_log)}, {"plant", info.has(link::feature_plant)}};
  json["ticks"] = status.ticks;
  json["pairs"] = status.pairs;
  json["missed_deadlines"] = status.missed_deadlines;
  json["missed_observations"] = status.missed_observations;
  json["impossible_observations"] = status.impossible_observations;
  json["observations_out_of_range"] = status.observations_out_of_range;
  json["saturations"] = status.saturations;
  json["frames_refused"] = status.frames_refused;
  json["episode"] = status.episode;
  json["episode_ended"] = status.episode_ended != 0;
  json["safe"] = status.safe != 0;
  json["image"] = nullptr;
  if (image.checksum != 0) {
    json["image"] = {{"sequence", image.sequence},
                     {"checksum", image.checksum},
                     {"confirmed", image.confirmed != 0},
                     {"trial_ticks", image.trial_ticks}};
  }
  json["failed_image"] = image.failed == 0 ? Json(nullptr) : Json(image.failed);
  json["version"] = PENUMBRA_VERSION;
  return json;
}

std::string describe(const link::ImageReport& image, const link::DeviceStatus& status) {
  if (image.checksum == 0) return status.safe != 0 ? "none: it takes its safe action" : "none: it explores uniformly";
  const std::string name = fmt::format("sequence {}, checksum {:08x}, ", image.sequence, image.checksum);
  return name + (image.confirmed != 0 ? "confirmed" : fmt::format("on trial for {} ticks", grouped(image.trial_ticks)));
}

void print(const host::DeviceInfo& info, const link::DeviceStatus& status, const link::ImageReport& image) {
  std::vector<Row> rows{{"what", "is"}};
  rows.push_back({"board", fmt::format("{}, device {}, boot {}", info.board, info.device, info.incarnation)});
  rows.push_back(
      {"made for", fmt::format("{} states, {} actions, {} observations", info.sizes.states, info.sizes.actions, info.sizes.observations)});
  rows.push_back({"can", features_of(info)});
  rows.push_back({"image", describe(image, status)});
  if (image.failed != 0) rows.push_back({"gave up", fmt::format("image of checksum {:08x}", image.failed)});
  rows.push_back({"episode", fmt::format("{}{}", status.episode, status.episode_ended != 0 ? ", ended" : "")});
  const std::pair<const char*, std::uint32_t> figures[] = {{"ticks", status.ticks},
                                                           {"pairs", status.pairs},
                                                           {"missed deadlines", status.missed_deadlines},
                                                           {"missed observations", status.missed_observations},
                                                           {"impossible observations", status.impossible_observations},
                                                           {"observations out of range", status.observations_out_of_range},
                                                           {"saturations", status.saturations},
                                                           {"frames refused", status.frames_refused}};
  for (const auto& [name, value] : figures) rows.push_back({name, grouped(value)});
  print_table(rows);
}

Outcome<int> show(const DeviceOptions& options) {
  const Outcome<void> named = check_device_options(options);
  if (!named) return fail(named.error());
  Interruption interruption;
  Outcome<std::unique_ptr<Connection>> connected = Connection::open(options, std::nullopt, interruption);
  if (!connected) return fail(connected.error());
  Connection& connection = *connected.value();
  std::optional<link::DeviceStatus> status;
  std::optional<link::ImageReport> image;
  connection.watch([&](const host::SessionEvent& event) -> Outcome<void> {
    if (const auto* came = std::get_if<host::StatusCame>(&event)) status = came->status;
    if (const auto* came = std::get_if<host::ImageCame>(&event)) image = came->report;
    return {};
  });
  connection.session().ask_status();
  connection.session().ask_image();
  const Outcome<bool> came = connection.work_until([&] { return status && image; });
  if (!came) return fail(came.error());
  if (!came.value()) {
    connected.value().reset();
    interruption.die_if_asked();
  }
  connection.keep_files();
  if (options.common.json) {
    print_json(to_json(connection.info(), *status, *image));
  } else {
    print(connection.info(), *status, *image);
  }
  return done;
}

}  // namespace

void add_device_status(CLI::App& device, Run& run) {
  CLI::App* command = add_device_command(device, "status", "What a device says about itself: sizes, image in use, ticks, health");
  auto options = std::make_shared<DeviceOptions>();
  add_device_options(*command, *options);
  command->callback([&run, options] { run = [options] { return show(*options); }; });
}

}  // namespace penumbra::command

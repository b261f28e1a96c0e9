// A session and its parts: who a frame is for, whether it is of this life of the device, and what is due.
#include "penumbra/host/session.hpp"

#include "count_sweep.hpp"
#include "image_sender.hpp"
#include "log_reader.hpp"
#include "plant_side.hpp"
#include "wire.hpp"

#include "penumbra/host/image_file.hpp"
#include "penumbra/link/image_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace penumbra::host {

namespace {

std::string describe_sizes(const DeviceSizes& sizes) {
  return fmt::format("{} states, {} actions and {} observations", sizes.states, sizes.actions, sizes.observations);
}

// Of what a device calls itself, what can be printed.
std::string printable(etl::span<const std::uint8_t> text) {
  std::string out(text.begin(), text.end());
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return out;
}

// From protocol to protocol, hello begins with the number.
std::uint32_t protocol_of(etl::span<const std::uint8_t> hello) { return hello[1] | std::uint32_t{hello[2]} << 8U; }

}  // namespace

std::uint64_t DeviceInfo::cells() const noexcept { return sizes.actions * sizes.actions * sizes.observations * sizes.observations; }

class Session::Parts {
 public:
  Parts(SessionOptions chosen, std::uint64_t now)
      : options(std::move(chosen)), images(options), told_(now), now_(now), heard_at_(now), begun_at_(now) {
    hello_.open();
  }

  void receive(etl::span<const std::uint8_t> bytes, std::uint64_t now) {
    if (problem) return;
    pass_to(now);
    wire.statistics.bytes_in += bytes.size();
    for (const std::uint8_t byte : bytes) {
      const auto result = decoder_.push(byte);
      if (result == link::FrameDecoder::Result::more) continue;
      if (result == link::FrameDecoder::Result::message && handle(decoder_.message())) {
        ++wire.statistics.frames_in;
      } else {
        ++wire.statistics.refused;
      }
      if (!problem) continue;
      static_cast<void>(wire.take());
      return;
    }
  }

  void advance(std::uint64_t now) {
    pass_to(now);
    if (problem) return;
    watch_silence();
    if (hello_.is_due(now_, options.repeat_ms, wire.statistics)) wire.send(link::AskHello{});
    if (!device) return;
    if (device->has(link::feature_counts))
      sweep.advance(now_, options.repeat_ms, !sweep.is_exact() || stood_still_since(sweep.quiet_since()), wire);
    log.advance(now_, options.repeat_ms, !plant.is_held() || stood_still_since(log.quiet_since()), wire);
    if (status_.is_due(now_, options.repeat_ms, wire.statistics)) wire.send(link::AskStatus{});
    if (belief_.is_due(now_, options.repeat_ms, wire.statistics)) {
      wire.send(link::AskBelief{static_cast<std::uint8_t>(belief_so_far_.size())});
    }
    if (images.advance(now_, wire)) wire.send(link::AskHello{});  // which a report comes with
  }

  [[nodiscard]] Outcome<ImageFile> fitting_image(std::string_view bytes, const std::string& name) const;
  [[nodiscard]] Outcome<void> send_image(std::string_view bytes, const std::string& name);
  void start_counts(bool all) { sweep.start(all, plant.is_held()); }
  void ask_belief() {
    belief_so_far_.clear();
    belief_.open();
  }
  void ask_status() { status_.open(); }
  void ask_image() {
    wants_image_ = true;
    hello_.open();
  }

  void release() {
    plant.release(now_);
    sweep.stop_being_exact();
  }
  [[nodiscard]] std::uint64_t unheard_for() const noexcept { return now_ - heard_at_; }
  [[nodiscard]] bool talks() const noexcept { return wire.statistics.frames_in > frames_until_heard_; }
  [[nodiscard]] std::uint64_t image_stands_for() const noexcept { return images.is_sending() ? now_ - image_moved_at_ : 0; }
  [[nodiscard]] std::uint64_t overdue_for() const noexcept {
    return device && device->has(link::feature_plant) ? plant.waits_for(now_) : 0;
  }

  const SessionOptions options;
  Wire wire;
  std::vector<SessionEvent> events;
  std::optional<Problem> problem;
  std::optional<DeviceInfo> device;
  std::optional<link::ImageReport> image;
  bool silent = false;
  PlantSide plant;
  CountBook book;
  CountSweep sweep;
  LogReader log;
  ImageSender images;

 private:
  // --- Time, and silence

  // While nobody listened, as when the host was planning or was stopped, hardly any time has passed: nothing was late, and nobody silent.
  void pass_to(std::uint64_t now) noexcept { now_ += std::min(now - std::exchange(told_, now), longest_step_ms); }
  static constexpr std::uint64_t longest_step_ms = 250;

  void watch_silence() {
    const std::uint64_t quiet = now_ - heard_at_;
    if (quiet >= options.silence_ms / 4 && !hello_.is_open()) hello_.open();
    if (quiet < options.silence_ms || silent) return;
    silent = true;
    const char* what = device && !talks() ? "has said nothing" : "has not answered";
    events.emplace_back(Silent{{Fault::system, options.name, fmt::format("{} for {:.1f} s", what, static_cast<double>(quiet) / 1000), "",
                                "is it connected, powered, and running a firmware that has the link in it? it is asked again and again"}});
  }
  void hear() {
    heard_at_ = now_;
    frames_until_heard_ = wire.statistics.frames_in + 1;  // with the one that is being read
    if (silent) events.emplace_back(Back{});
    silent = false;
  }

  // The device stands still, and nothing is on its way any more: since `quiet` nothing has been asked.
  [[nodiscard]] bool stood_still_since(std::uint64_t quiet) const noexcept {
    return plant.stands_still() && now_ - std::max(plant.standing_since(), quiet) >= options.settle_ms;
  }

  // --- What comes

  // False: no message of a device, or one that says what cannot be.
  [[nodiscard]] bool handle(etl::span<const std::uint8_t> bytes) {
    switch (static_cast<link::Type>(bytes[0])) {
      case link::Type::hello: return handle_hello(bytes);
      case link::Type::acted: return take<link::Acted>(bytes);
      case link::Type::counts: return take<link::CountsPart>(bytes);
      case link::Type::log: return take<link::LogPart>(bytes);
      case link::Type::status: return take<link::DeviceStatus>(bytes);
      case link::Type::belief: return take<link::BeliefPart>(bytes);
      case link::Type::image: return take<link::ImageReport>(bytes);
      default: return false;
    }
  }
  template <class Message>
  [[nodiscard]] bool take(etl::span<const std::uint8_t> bytes) {
    const auto message = link::decode<Message>(bytes);
    return message.has_value() && (!device || handle(message.value()));  // without a hello its numbers mean nothing yet
  }

  // Of this life of the device? An older one has gone by; a newer one has begun unnoticed, and says so when asked.
  [[nodiscard]] bool is_current(std::uint32_t incarnation) {
    if (incarnation == device->incarnation) {
      hear();
      return true;
    }
    if (link::is_newer(incarnation, device->incarnation)) {
      if (!hello_.is_open()) hello_.open();
    } else {
      ++wire.statistics.stale;
    }
    return false;
  }

  [[nodiscard]] bool handle_hello(etl::span<const std::uint8_t> bytes);
  void meet(const DeviceInfo& met);
  [[nodiscard]] std::optional<Problem> misfit(const DeviceInfo& met) const;
  [[nodiscard]] Problem same_boot_again(std::uint16_t step) const;

  [[nodiscard]] bool handle(const link::Acted& acted) {
    if (acted.action >= device->sizes.actions || acted.episode_ended > 1) return false;
    if (acted.mark.incarnation != static_cast<std::uint8_t>(device->incarnation)) {
      if (!hello_.is_open()) hello_.open();  // a newer life or an older one: eight bits do not tell
      return true;
    }
    // What an earlier session left on the line belongs to another world: it runs off first.
    if (now_ - begun_at_ < options.settle_ms) {
      plant.wait_from(now_);
      return true;
    }
    const std::uint64_t steps = plant.steps();
    const std::uint64_t moved = plant.moved();
    plant.acted(acted, now_, wire);
    if (plant.steps() != steps) log.step_taken();
    // An action that comes again shows only that the device is there, not that it hears us.
    if (plant.steps() != steps || plant.moved() != moved) hear();
    if (plant.behind_for(now_) >= options.silence_ms) problem = same_boot_again(acted.mark.step);
    return true;
  }

  [[nodiscard]] bool handle(const link::CountsPart& part) {
    static_cast<void>(is_current(part.incarnation));
    std::optional<CountsSwept> done;
    if (!sweep.take(part, book, wire.statistics, done)) return false;
    if (done) events.emplace_back(*done);
    return true;
  }

  [[nodiscard]] bool handle(const link::LogPart& part) { return !is_current(part.incarnation) || log.take(part, book, events); }

  [[nodiscard]] bool handle(const link::DeviceStatus& status) {
    if (!is_current(status.incarnation) || !status_.is_open()) return true;
    status_.close();
    events.emplace_back(StatusCame{status});
    return true;
  }

  [[nodiscard]] bool handle(const link::BeliefPart& part) {
    hear();
    if (!belief_.is_open() || part.from != belief_so_far_.size()) return true;
    if (part.probability.empty() || part.probability.size() > device->sizes.states - part.from) return false;
    for (const std::uint8_t p : part.probability) belief_so_far_.push_back(p / 255.0);
    if (belief_so_far_.size() < device->sizes.states) {
      belief_.open();
      return true;
    }
    belief_.close();
    events.emplace_back(BeliefCame{part.ticks, std::exchange(belief_so_far_, {})});
    return true;
  }

  [[nodiscard]] bool handle(const link::ImageReport& report) {
    if (report.transfer > link::last_transfer) return false;
    if (!is_current(report.incarnation)) return true;
    const auto state = [](const link::ImageReport& r) {
      return std::tie(r.checksum, r.confirmed, r.trial_ticks, r.failed, r.transfer, r.incoming, r.next);
    };
    if (!image || state(*image) != state(report)) image_moved_at_ = now_;
    image = report;
    if (std::exchange(wants_image_, false)) {
      hello_.close();
      events.emplace_back(ImageCame{report});
    }
    images.take(report, now_, wire, events);
    return true;
  }

  std::uint64_t told_;  // the time outside
  std::uint64_t now_;
  std::uint64_t heard_at_;  // the last answer
  std::uint64_t image_moved_at_ = 0;
  std::uint64_t frames_until_heard_ = 0;
  std::uint64_t begun_at_;
  link::FrameDecoder decoder_;
  Question hello_;
  Question status_;
  Question belief_;
  std::vector<double> belief_so_far_;
  bool wants_image_ = false;
};

// --- Who it is

bool Session::Parts::handle_hello(etl::span<const std::uint8_t> bytes) {
  if (bytes.size() < 3) return false;
  if (protocol_of(bytes) != link::protocol_version) {
    problem = Problem{Fault::system, options.name,
                      fmt::format("speaks version {} of the link, and this program version {}", protocol_of(bytes), link::protocol_version),
                      "", "flash a firmware that was built with this version of penumbra, or use the program that came with the firmware"};
    return true;
  }
  const auto hello = link::decode<link::Hello>(bytes);
  if (!hello.has_value() || hello->states == 0 || hello->actions == 0 || hello->observations == 0) return false;
  meet({hello->device,
        hello->incarnation,
        {hello->states, hello->actions, hello->observations},
        hello->features,
        hello->slot_size,
        printable(hello->board)});
  return true;
}

std::optional<Problem> Session::Parts::misfit(const DeviceInfo& met) const {
  const std::optional<std::uint32_t> expected = device ? device->device : options.device;
  if (expected && met.device != *expected) {
    return Problem{Fault::input, options.name, fmt::format("is device {}, and device {} was expected", met.device, *expected),
                   met.board.empty() ? "" : fmt::format("it calls itself \"{}\"", met.board), "connect the other one, or name this one"};
  }
  const std::optional<DeviceSizes> sizes = device ? device->sizes : options.sizes;
  if (sizes && !(met.sizes == *sizes)) {
    return Problem{Fault::input, options.name,
                   fmt::format("is built for {}, and {} were expected", describe_sizes(met.sizes), describe_sizes(*sizes)), "",
                   "use the model that its firmware was built for, or a firmware of these sizes (-DPENUMBRA_FIRMWARE_SIZES=S,A,O)"};
  }
  // Within the time that a hello can be late, it is one; later, it is what the device says now.
  const bool went_back = device && link::is_newer(device->incarnation, met.incarnation) && now_ - heard_at_ >= options.silence_ms;
  if (went_back) {
    return Problem{Fault::system, options.name,
                   fmt::format("has gone from boot {} back to boot {}: its flash was erased", device->incarnation, met.incarnation), "",
                   "counts of its new boots could be taken for those of the old ones: give it another id, or begin another store"};
  }
  return std::nullopt;
}

// A flash that does not keep what is written: every boot has the same number.
Problem Session::Parts::same_boot_again(std::uint16_t step) const {
  return {
      Fault::system, options.name,
      fmt::format("is at step {} again after step {}, and still says that this is boot {}", step, plant.last_step(), device->incarnation),
      "", "it has started again and forgot its number, and with it what it counted: give it a flash that lasts"};
}

void Session::Parts::meet(const DeviceInfo& met) {
  problem = misfit(met);
  if (problem) return;
  if (device && link::is_newer(device->incarnation, met.incarnation)) {
    ++wire.statistics.stale;
    return;
  }
  hear();
  if (!wants_image_) hello_.close();
  if (device && device->incarnation == met.incarnation) {
    device = met;  // its features show with its first action
    return;
  }
  if (device) {
    events.emplace_back(Reset{device->incarnation, met.incarnation});
  } else {
    events.emplace_back(Ready{});
  }
  device = met;
  image.reset();
  book.begin(met.incarnation);
  plant.new_life(now_);
  sweep.new_life(met.incarnation, met.cells());
  log.new_life(met);
  images.new_life(now_);
}

// --- Images

Outcome<ImageFile> Session::Parts::fitting_image(std::string_view bytes, const std::string& name) const {
  if (!device) return fail(Fault::system, options.name, "has not said yet what it is", "wait until it is ready");
  auto file = ImageFile::open(name, bytes);
  if (!file)
    return fail(Fault::input, name, fmt::format("byte {}: {}", file.error().offset, describe(file.error(), bytes)), "make it again");
  const ImageHeader& header = file->image().header();
  const DeviceSizes sizes{header.states, header.actions, header.observations};
  if (!(sizes == device->sizes)) {
    return fail(Fault::input, name,
                fmt::format("is for {}, and {} is built for {}", describe_sizes(sizes), options.name, describe_sizes(device->sizes)),
                "use the image that was made for this device's model");
  }
  if (header.size > device->slot_size) {
    return fail(Fault::input, name,
                fmt::format("has {} bytes, and {} takes images of up to {}", header.size, options.name, device->slot_size),
                "plan with fewer vectors, or a coarser lattice");
  }
  return std::move(file.value());
}

Outcome<void> Session::Parts::send_image(std::string_view bytes, const std::string& name) {
  const Outcome<ImageFile> file = fitting_image(bytes, name);
  if (!file) return fail(file.error());
  const PolicyImage& fitting = file.value().image();
  image_moved_at_ = now_;
  images.start(std::string(file.value().bytes()), link::checksum_of(fitting), fitting.header().sequence, name, now_);
  return {};
}

// --- The outside

Session::Session(SessionOptions options, std::uint64_t now_ms) : parts_(std::make_unique<Parts>(std::move(options), now_ms)) {}
Session::Session(Session&& other) noexcept = default;
Session& Session::operator=(Session&& other) noexcept = default;
Session::~Session() = default;

void Session::receive(etl::span<const std::uint8_t> bytes, std::uint64_t now_ms) { parts_->receive(bytes, now_ms); }
void Session::advance(std::uint64_t now_ms) { parts_->advance(now_ms); }
std::string Session::take_output() { return parts_->wire.take(); }
std::vector<SessionEvent> Session::take_events() { return std::exchange(parts_->events, {}); }
const std::optional<Problem>& Session::problem() const noexcept { return parts_->problem; }
const std::optional<DeviceInfo>& Session::device() const noexcept { return parts_->device; }
bool Session::is_silent() const noexcept { return parts_->silent; }
const SessionStatistics& Session::statistics() const noexcept { return parts_->wire.statistics; }

void Session::set_plant(Plant* plant) { parts_->plant.plant = plant; }
void Session::hold() { parts_->plant.hold(); }
void Session::release() { parts_->release(); }
std::uint64_t Session::unheard_for() const noexcept { return parts_->unheard_for(); }
bool Session::talks() const noexcept { return parts_->talks(); }
std::uint64_t Session::overdue_for() const noexcept { return parts_->overdue_for(); }
std::uint64_t Session::image_stands_for() const noexcept { return parts_->image_stands_for(); }
bool Session::stands_still() const noexcept { return parts_->plant.stands_still(); }
bool Session::episode_ended() const noexcept { return parts_->plant.episode_ended(); }
std::uint64_t Session::steps() const noexcept { return parts_->plant.steps(); }
std::uint64_t Session::moved() const noexcept { return parts_->plant.moved(); }

void Session::start_counts(bool all) { parts_->start_counts(all); }
bool Session::is_sweeping() const noexcept { return parts_->sweep.is_under_way(); }
const std::map<std::uint32_t, LifeCounts>& Session::counts() const noexcept { return parts_->book.lives(); }
std::vector<CountNews> Session::take_count_news() { return parts_->book.take_news(); }
std::vector<std::uint64_t> Session::total_counts() const {
  std::vector<std::uint64_t> sum(parts_->device ? parts_->device->cells() : 0, 0);
  for (const auto& [incarnation, life] : counts()) {
    for (const auto& [cell, value] : life.cells) sum[cell] += value;
  }
  return sum;
}
void Session::follow_log(std::uint32_t from) { parts_->log.follow(from); }
bool Session::follows_log() const noexcept { return parts_->log.is_following(); }
void Session::read_log() { parts_->log.catch_up(); }
bool Session::log_is_read() const noexcept { return parts_->log.is_read(); }

void Session::ask_status() { parts_->ask_status(); }
void Session::ask_belief() { parts_->ask_belief(); }
void Session::ask_image() { parts_->ask_image(); }
Outcome<void> Session::check_image(std::string_view bytes, const std::string& name) const {
  const Outcome<ImageFile> image = parts_->fitting_image(bytes, name);
  return image ? Outcome<void>{} : fail(image.error());
}
Outcome<void> Session::send_image(std::string_view bytes, const std::string& name) { return parts_->send_image(bytes, name); }
bool Session::is_sending() const noexcept { return parts_->images.is_sending(); }
double Session::image_progress() const noexcept { return parts_->images.progress(); }
const std::optional<link::ImageReport>& Session::image() const noexcept { return parts_->image; }

}  // namespace penumbra::host

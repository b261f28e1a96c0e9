// A session: the host's end of the link, with one device on one line (lib/link/PROTOCOL.md says what is said). It opens nothing and waits
// for nothing: bytes come in, bytes go out, and the time is told, so that it runs on a serial port, a socket or a test's own clock. Time in which
// it was not told of any counts for a quarter of a second at most: it asked nothing meanwhile.
//
//   session.receive(bytes, now); session.advance(now); write(session.take_output());
//   for (const SessionEvent& event : session.take_events()) …
//
// Whatever the line loses, doubles, changes, delays or reorders: an action is executed once and none is left out, a pair is counted once, and an
// image is taken over whole or not at all. A line may deliver a frame late by `settle_ms`, not by more.
#pragma once

#include "penumbra/host/problem.hpp"
#include "penumbra/link/messages.hpp"

#include <etl/span.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace penumbra::host {

struct DeviceSizes {
  std::size_t states = 0;
  std::size_t actions = 0;
  std::size_t observations = 0;
};
[[nodiscard]] constexpr bool operator==(const DeviceSizes& a, const DeviceSizes& b) noexcept {
  return a.states == b.states && a.actions == b.actions && a.observations == b.observations;
}

// What a device says of itself.
struct DeviceInfo {
  std::uint32_t device = 0;
  std::uint32_t incarnation = 0;  // counts its boots
  DeviceSizes sizes;
  std::uint8_t features = 0;    // link::Feature
  std::uint32_t slot_size = 0;  // bytes of the largest image that it takes
  std::string board;

  [[nodiscard]] bool has(link::Feature feature) const noexcept { return (features & feature) != 0; }
  [[nodiscard]] std::uint64_t cells() const noexcept;  // of its counts
};

// The world that a device acts in when the host is the plant.
class Plant {
 public:
  Plant() = default;
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;
  virtual ~Plant() = default;

  // Executes this action, which the device has: asked once for each step. Nothing: it was executed, and the answer is lost.
  virtual std::optional<std::uint8_t> act(std::uint8_t action) = 0;

  // The next step makes no pair with the one before: the device has begun anew, or this world is new to it.
  virtual void cut() {}
};

struct SessionOptions {
  std::string name = "device";          // what problems call it
  std::optional<std::uint32_t> device;  // the one expected; nothing: any
  std::optional<DeviceSizes> sizes;     // likewise
  std::uint64_t repeat_ms = 50;         // a question without an answer
  std::uint64_t settle_ms = 250;        // after this nothing that was sent before is still on its way
  std::uint64_t silence_ms = 3000;      // without an answer: silent
  std::uint32_t healthy_ticks = 20;     // of an image on trial, before it is confirmed
  std::uint32_t image_window = 4;       // pieces of an image on their way at a time

  // Gives a slow line the time that a window of pieces and the answers to it take on it.
  void suit(std::uint64_t baud) noexcept {
    const std::uint64_t window_ms = 10000 * (image_window + 1U) * link::max_frame / baud;  // ten bits a byte
    if (window_ms <= repeat_ms) return;
    repeat_ms = window_ms;
    settle_ms += 2 * window_ms;
  }
};

// The counts of one incarnation: absolute values, the largest seen of each cell.
struct LifeCounts {
  std::map<std::uint32_t, std::uint32_t> cells;  // those above zero
  std::uint32_t pairs = 0;                       // their sum, modulo 2^32
};

struct CountNews {
  std::uint32_t incarnation;
  std::uint32_t cell;
  std::uint32_t value;
};

// --- What happened

struct Ready {};  // the device has said what it is, and is the one expected
struct Reset {    // it has booted again; its counts begin at zero
  std::uint32_t before;
  std::uint32_t incarnation;
};
struct Silent {  // for silence_ms; the session goes on asking
  Problem problem;
};
struct Back {};         // after that
struct CountsSwept {    // every cell was visited
  bool agree;           // with the device's own number of pairs
  bool exact;           // the device stood still meanwhile: they are equal; else they lie in the bounds of before and after
  std::uint32_t pairs;  // as the device says
};
struct LogStep {
  std::uint8_t action;
  std::uint8_t observation;
  bool pair;  // with the step before
};
struct LogSteps {
  std::uint32_t incarnation;
  std::uint32_t first;  // number
  std::vector<LogStep> steps;
};
struct LogGap {  // steps that were overwritten before they were read
  std::uint32_t incarnation;
  std::uint32_t from;
  std::uint32_t to;  // and without it
};
struct StatusCame {
  link::DeviceStatus status;
};
struct BeliefCame {
  std::uint32_t ticks;
  std::vector<double> belief;  // [state], in 255ths
};
struct ImageCame {  // the answer to ask_image()
  link::ImageReport report;
};
struct ImageOnTrial {  // verified in the device's flash, and in use
  std::uint32_t checksum;
};
struct ImageConfirmed {
  std::uint32_t checksum;
};
struct ImageFellBack {  // the device gave it up before it was confirmed: it reset, or missed a deadline
  std::uint32_t failed;
  std::uint32_t in_use;  // in its place; 0: none
  Problem problem;
};
struct ImageRefused {
  Problem problem;
};
struct ImageBusy {};  // another image is on trial; it is confirmed when it is healthy, and then comes the turn of this one

using SessionEvent = std::variant<Ready, Reset, Silent, Back, CountsSwept, LogSteps, LogGap, StatusCame, BeliefCame, ImageCame,
                                  ImageOnTrial, ImageConfirmed, ImageFellBack, ImageRefused, ImageBusy>;

struct SessionStatistics {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_in = 0;  // good ones
  std::uint64_t frames_out = 0;
  std::uint64_t refused = 0;  // frames that are none, or say what cannot be
  std::uint64_t asked_again = 0;
  std::uint64_t answered_again = 0;  // actions that came again
  std::uint64_t stale = 0;           // good frames of something that has gone by
};

class Session {
 public:
  Session(SessionOptions options, std::uint64_t now_ms);
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void receive(etl::span<const std::uint8_t> bytes, std::uint64_t now_ms);
  void advance(std::uint64_t now_ms);  // time-outs and repeats
  [[nodiscard]] std::string take_output();
  [[nodiscard]] std::vector<SessionEvent> take_events();

  // Why there is no session: another protocol, another device, other sizes, a boot that was there before. Nothing is sent from then on.
  [[nodiscard]] const std::optional<Problem>& problem() const noexcept;
  [[nodiscard]] const std::optional<DeviceInfo>& device() const noexcept;  // nothing before Ready
  [[nodiscard]] bool is_silent() const noexcept;
  [[nodiscard]] std::uint64_t unheard_for() const noexcept;  // milliseconds since the last answer: the same action again is none
  [[nodiscard]] bool talks() const noexcept;                 // good frames have come since
  [[nodiscard]] const SessionStatistics& statistics() const noexcept;

  // --- The plant. It outlives the session; null: nobody answers actions.
  void set_plant(Plant* plant);
  void hold();  // execute no further action: the world waits, and so does the device
  void release();
  [[nodiscard]] bool stands_still() const noexcept;  // held, and the device has had the answer to all that was executed
  // For how many milliseconds the device has not come for its next step, though it has the answer to the last one. 0 while it stands still, and
  // where the host is not its world.
  [[nodiscard]] std::uint64_t overdue_for() const noexcept;
  [[nodiscard]] bool episode_ended() const noexcept;   // as the last action said
  [[nodiscard]] std::uint64_t steps() const noexcept;  // executed in this session
  [[nodiscard]] std::uint64_t moved() const noexcept;  // steps that were answered with `moved` in place of being executed

  // --- Counts. One sweep at a time: CountsSwept tells of its end. The first of an incarnation asks for all cells, and so does one after a sum
  // that is not the device's. Of a device that has counts: one with a log alone has nothing to sweep. While held it waits until the device stands still and the line has run dry, and then it is exact.
  void start_counts(bool all = false);
  [[nodiscard]] bool is_sweeping() const noexcept;
  [[nodiscard]] const std::map<std::uint32_t, LifeCounts>& counts() const noexcept;  // [incarnation]
  [[nodiscard]] std::vector<std::uint64_t> total_counts() const;                     // [cell], their sum; empty before Ready
  [[nodiscard]] std::vector<CountNews> take_count_news();                            // what changed since it was last taken

  // --- The step log. From now on steps are fetched as they come, beginning with number `from` in this incarnation and with 0 in later ones. Of a
  // device that has no counts they are counted here.
  void follow_log(std::uint32_t from = 0);
  [[nodiscard]] bool follows_log() const noexcept;
  void read_log();  // what there is by now; while held, once the device stands still and the line has run dry
  [[nodiscard]] bool log_is_read() const noexcept;  // up to the device's newest, as of its last answer

  void ask_status();
  void ask_belief();
  void ask_image();

  // --- Images. A problem before a byte is sent when it is none, or not for this device; `name` is what problems call it. One at a time: a new
  // one takes the place of the one under way. Ends with ImageConfirmed, ImageFellBack or ImageRefused.
  [[nodiscard]] Outcome<void> check_image(std::string_view bytes, const std::string& name) const;
  [[nodiscard]] Outcome<void> send_image(std::string_view bytes, const std::string& name);
  [[nodiscard]] bool is_sending() const noexcept;
  [[nodiscard]] double image_progress() const noexcept;           // share of its bytes that have arrived
  [[nodiscard]] std::uint64_t image_stands_for() const noexcept;  // milliseconds in which it got no further; 0: none is under way
  [[nodiscard]] const std::optional<link::ImageReport>& image() const noexcept;  // the last that came in this incarnation

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace penumbra::host

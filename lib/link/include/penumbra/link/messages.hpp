// The messages of the link, each with its fields listed once: the same list writes and reads it. PROTOCOL.md draws their bytes and says
// who sends which when. A message is its type and its fields, little-endian, without gaps; `rest` takes what is left of it.
//
// Everything that arrives is untrusted: decode() gives a message only if its length is just that of its fields. What numbers mean is
// checked by who uses them.
#pragma once

#include "penumbra/link/frame.hpp"
#include "penumbra/status.hpp"

#include <etl/byte_stream.h>
#include <etl/optional.h>

namespace penumbra::link {

constexpr uint16_t protocol_version = 1;

enum class Type : uint8_t {
  // to the device
  ask_hello = 0x01,
  observed = 0x02,
  lost = 0x03,
  moved = 0x04,
  ask_counts = 0x05,
  ask_log = 0x06,
  ask_status = 0x07,
  ask_belief = 0x08,
  begin_image = 0x09,
  chunk = 0x0A,
  confirm = 0x0B,
  // from the device
  hello = 0x81,
  acted = 0x82,
  counts = 0x85,
  log = 0x86,
  status = 0x87,
  belief = 0x88,
  image = 0x89,
};

// Where a step belongs: the low byte of the incarnation and the low 16 bits of its number. One step is under way at a time, so that is
// plenty to tell an answer from a late one.
struct StepMark {
  uint8_t incarnation = 0;
  uint16_t step = 0;
};
[[nodiscard]] constexpr bool operator==(const StepMark& a, const StepMark& b) noexcept {
  return a.incarnation == b.incarnation && a.step == b.step;
}

// --- To the device

struct AskHello {
  static constexpr Type type = Type::ask_hello;
  uint16_t protocol = protocol_version;
  etl::span<const uint8_t> more;  // of later versions: whatever it is, an answer tells them this one's
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.protocol);
    fields.rest(m.more);
  }
};

// What the world answered to the action of this step.
struct Observed {
  static constexpr Type type = Type::observed;
  StepMark mark;
  uint8_t observation = 0;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.mark.incarnation, m.mark.step, m.observation);
  }
};

// The action was executed, and its answer is lost.
struct Lost {
  static constexpr Type type = Type::lost;
  StepMark mark;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.mark.incarnation, m.mark.step);
  }
};

// The world was put elsewhere, or another world begins: no pair spans it.
struct Moved {
  static constexpr Type type = Type::moved;
  StepMark mark;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.mark.incarnation, m.mark.step);
  }
};

// The counts from cell `from` on: those that changed since they were last handed out, or all above zero. Asking behind the end of a part
// says that it arrived.
struct AskCounts {
  static constexpr Type type = Type::ask_counts;
  uint32_t from = 0;
  uint8_t all = 0;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.from, m.all);
  }
};

struct AskLog {
  static constexpr Type type = Type::ask_log;
  uint32_t from = 0;  // number of a step
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.from);
  }
};

struct AskStatus {
  static constexpr Type type = Type::ask_status;
  template <class Self, class Fields>
  static void list(Self& /*m*/, Fields& /*fields*/) noexcept {}
};

struct AskBelief {
  static constexpr Type type = Type::ask_belief;
  uint8_t from = 0;  // state
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.from);
  }
};

// An image of this size is to come, and this is its own checksum (its last four bytes). The same again goes on where it stopped.
struct BeginImage {
  static constexpr Type type = Type::begin_image;
  uint32_t size = 0;
  uint32_t checksum = 0;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.size, m.checksum);
  }
};

// Bytes of an image are sent in multiples of this, the last ones excepted.
constexpr size_t chunk_unit = 32;
constexpr size_t max_chunk = (max_message - 5U) / chunk_unit * chunk_unit;

struct Chunk {
  static constexpr Type type = Type::chunk;
  uint32_t offset = 0;
  etl::span<const uint8_t> bytes;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.offset);
    fields.rest(m.bytes);
  }
};

// Numbers wrap, those of images, boots and steps: one is newer than those of the 2^31 - 1 steps behind it. Both ends compare so.
[[nodiscard]] constexpr bool is_newer(uint32_t number, uint32_t than) noexcept { return static_cast<int32_t>(number - than) > 0; }

// The image with this checksum did well: it is the one to fall back to from now on.
struct Confirm {
  static constexpr Type type = Type::confirm;
  uint32_t checksum = 0;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.checksum);
  }
};

// --- From the device

// What the device can be asked for.
enum Feature : uint8_t { feature_counts = 1, feature_log = 2, feature_plant = 4 };

struct Hello {
  static constexpr Type type = Type::hello;
  uint16_t protocol = protocol_version;  // stays the first field in every version
  uint32_t device = 0;
  uint32_t incarnation = 0;  // counts the boots
  uint8_t states = 0;
  uint8_t actions = 0;
  uint8_t observations = 0;
  uint8_t features = 0;
  uint32_t slot_size = 0;          // bytes, the largest image that fits
  etl::span<const uint8_t> board;  // its name
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.protocol, m.device, m.incarnation, m.states, m.actions, m.observations, m.features, m.slot_size);
    fields.rest(m.board);
  }
};

// The action of a step, sent until its answer comes.
struct Acted {
  static constexpr Type type = Type::acted;
  StepMark mark;
  uint8_t action = 0;
  uint8_t episode_ended = 0;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.mark.incarnation, m.mark.step, m.action, m.episode_ended);
  }
};

// Cells from `from` up to, and without, `next`: those that are not in it have no news. Absolute values.
struct CountsPart {
  static constexpr Type type = Type::counts;
  uint32_t incarnation = 0;
  uint32_t from = 0;
  uint32_t next = 0;
  uint32_t pairs = 0;  // in all cells when this was sent, modulo 2^32
  etl::span<const uint8_t> cells;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.incarnation, m.from, m.next, m.pairs);
    fields.rest(m.cells);
  }
};
constexpr size_t cell_size = 8;  // cell and value, 32 bits each
constexpr size_t cells_in_part = (max_message - 17U) / cell_size;

// Steps from number `first` on; `first` above what was asked for: those between are lost.
struct LogPart {
  static constexpr Type type = Type::log;
  uint32_t incarnation = 0;
  uint32_t first = 0;
  uint32_t newest = 0;  // number of the next step
  etl::span<const uint8_t> steps;
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.incarnation, m.first, m.newest);
    fields.rest(m.steps);
  }
};
constexpr size_t step_size = 3;  // action, observation, 1: no pair with the step before
constexpr size_t steps_in_part = (max_message - 13U) / step_size;

// How the device is. All counts are since it started, and wrap.
struct DeviceStatus {
  static constexpr Type type = Type::status;
  uint32_t incarnation = 0;
  uint32_t ticks = 0;
  uint32_t pairs = 0;
  uint32_t missed_deadlines = 0;
  uint32_t missed_observations = 0;
  uint32_t impossible_observations = 0;
  uint32_t observations_out_of_range = 0;
  uint32_t saturations = 0;
  uint32_t frames_refused = 0;
  uint32_t episode = 0;  // k
  uint8_t episode_ended = 0;
  uint8_t safe = 0;  // 1: it has no image that it trusts, and takes the safe action
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.incarnation, m.ticks, m.pairs, m.missed_deadlines, m.missed_observations, m.impossible_observations,
           m.observations_out_of_range, m.saturations, m.frames_refused, m.episode, m.episode_ended, m.safe);
  }
};

struct BeliefPart {
  static constexpr Type type = Type::belief;
  uint32_t ticks = 0;
  uint8_t from = 0;                      // state
  etl::span<const uint8_t> probability;  // in 255ths, rounded
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.ticks, m.from);
    fields.rest(m.probability);
  }
};

enum class Transfer : uint8_t {
  idle,       // nothing was begun since the start, or what was begun is in use
  erasing,    // ask again
  receiving,  // bytes from `next` on are wanted
  refused,    // for the reason in `reason`, at byte `next` of the image
  busy,       // the image in use is on trial: confirm it first
};
constexpr uint8_t last_transfer = static_cast<uint8_t>(Transfer::busy);

// The image in use and the one on its way: the answer to begin_image, chunk and confirm. Unasked behind the hello of a start, when a slot has
// been erased, and when an image was put to use, refused or given up.
struct ImageReport {
  static constexpr Type type = Type::image;
  uint32_t incarnation = 0;
  uint32_t checksum = 0;  // of the image in use; 0 with sequence 0: none
  uint32_t sequence = 0;
  uint8_t confirmed = 0;     // 0: on trial
  uint32_t trial_ticks = 0;  // that it has done well in
  uint32_t failed = 0;       // checksum of an image that was given up; 0: none
  uint8_t transfer = 0;      // Transfer
  uint32_t incoming = 0;     // checksum
  uint32_t next = 0;         // the byte that is wanted; while refused, the one that is wrong
  uint8_t reason = 0;        // Status
  template <class Self, class Fields>
  static void list(Self& m, Fields& fields) noexcept {
    fields(m.incarnation, m.checksum, m.sequence, m.confirmed, m.trial_ticks, m.failed, m.transfer, m.incoming, m.next, m.reason);
  }
};

namespace detail {

class FieldWriter {
 public:
  explicit FieldWriter(etl::span<uint8_t> room) noexcept : stream_(room.data(), room.size(), etl::endian::little) {}

  template <class... Values>
  void operator()(const Values&... values) noexcept {
    ((fits_ = stream_.write(values) && fits_), ...);
  }
  void rest(etl::span<const uint8_t> bytes) noexcept { fits_ = stream_.write(bytes.data(), bytes.size()) && fits_; }

  [[nodiscard]] size_t size() const noexcept { return fits_ ? stream_.size_bytes() : 0U; }

 private:
  etl::byte_stream_writer stream_;
  bool fits_ = true;
};

class FieldReader {
 public:
  explicit FieldReader(etl::span<const uint8_t> bytes) noexcept : stream_(bytes.data(), bytes.size(), etl::endian::little) {}

  template <class... Values>
  void operator()(Values&... values) noexcept {
    (read(values), ...);
  }
  void rest(etl::span<const uint8_t>& bytes) noexcept {
    const auto left = stream_.read<uint8_t>(stream_.available<uint8_t>());
    whole_ = whole_ && left.has_value();
    if (whole_) bytes = left.value();
  }

  [[nodiscard]] bool done() const noexcept { return whole_ && stream_.available<uint8_t>() == 0U; }

 private:
  template <class Value>
  void read(Value& value) noexcept {
    const auto got = stream_.read<Value>();
    whole_ = whole_ && got.has_value();
    if (whole_) value = got.value();
  }

  etl::byte_stream_reader stream_;
  bool whole_ = true;
};

}  // namespace detail

// The bytes of a message in `room`, and how many; 0: its `rest` is too long.
template <class Message>
[[nodiscard]] size_t encode(const Message& message, MessageRoom& room) noexcept {
  detail::FieldWriter fields({room.data(), room.size()});
  fields(static_cast<uint8_t>(Message::type));
  Message::list(message, fields);
  return fields.size();
}

// The whole frame; 0: its `rest` is too long.
template <class Message>
[[nodiscard]] size_t encode_frame(const Message& message, FrameRoom& frame) noexcept {
  MessageRoom room;
  const size_t size = encode(message, room);
  return size == 0U ? 0U : encode_frame(etl::span<const uint8_t>(room.data(), size), frame);
}

[[nodiscard]] inline bool has_type(etl::span<const uint8_t> bytes, Type type) noexcept {
  return !bytes.empty() && bytes[0] == static_cast<uint8_t>(type);
}

// The message, if these bytes are one; its `rest` points into them.
template <class Message>
[[nodiscard]] etl::optional<Message> decode(etl::span<const uint8_t> bytes) noexcept {
  if (!has_type(bytes, Message::type)) return etl::nullopt;
  detail::FieldReader fields(bytes.subspan(1));
  Message message;
  Message::list(message, fields);
  if (!fields.done()) return etl::nullopt;
  return message;
}

}  // namespace penumbra::link

// The device's end of the link, and the agent behind it. The work is split in two:
//
//   tick()   in the control interrupt: the agent's step, and a few words of book-keeping
//   poll()   in the background, as often as there is time: frames, uploads, flash
//
// poll() never masks an interrupt and shares single words with the tick, so it delays a tick by no instruction; only what the board does
// inside Flash::erase() and program() can (many parts stop the core while they erase).
//
//   link::Device<Rover, PairCounts, Uart, BoardFlash> device(uart, flash, {board::device_id(), "rover"});
//   if (!device.start()) …                                                 once, before the first tick
//   void control_interrupt() { drive(device.tick(read_sensor()).action); }    … missed() where periods were lost, deadline_missed()
//   for (;;) { device.poll(board::milliseconds()); if (device.is_quiet()) board::idle(); }
//
// In a loop test the host is the plant: start_plant() instead of a first tick, and plant_tick() in the control interrupt whenever poll()
// says that an observation has come. Repeating, numbering and waiting are done here.
#pragma once

#include "penumbra/agent.hpp"
#include "penumbra/link/boot_counter.hpp"
#include "penumbra/link/count_upload.hpp"
#include "penumbra/link/image_update.hpp"
#include "penumbra/link/step_log.hpp"
#include "penumbra/link/tally.hpp"
#include "penumbra/link/transport.hpp"

#include <etl/string_view.h>
#include <etl/type_traits.h>

namespace penumbra::link {

struct DeviceOptions {
  uint32_t id = 1;         // no two devices of a store share it
  etl::string_view board;  // a name for people, at most 32 characters
  Action safe_action{};    // what to do when an image had to be given up and there is none to fall back to
  uint32_t seed = 0;       // of the uniform policy before the first image; 0: another for every device and boot
};

constexpr uint32_t repeat_after_ms = 20;  // an action without an answer
constexpr size_t bytes_a_poll = 64;       // that one poll() takes from the line at most

template <class Dims, template <class> class Recorder, class Transport, class Flash>
class Device {
 public:
  template <class D>
  using Kept = Tally<Recorder<D>>;

  Device(Transport& transport, Flash& flash, const DeviceOptions& options) noexcept
      : transport_(transport), options_(options), agent_(options.seed), boots_(flash), update_(flash, sizes(dims_)) {}
  // For RuntimeDims: the caller has the storage.
  Device(const Dims& dims, const Kept<Dims>& recorder, Transport& transport, Flash& flash, const DeviceOptions& options) noexcept
      : transport_(transport),
        options_(options),
        dims_(dims),
        agent_(dims, recorder, options.seed),
        boots_(flash),
        update_(flash, sizes(dims)) {}
  Device(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(const Device&) = delete;
  Device& operator=(Device&&) = delete;
  ~Device() = default;

  // Before the first tick: counts the boot and takes the best image in flash into use. False: the flash does not work, or has a geometry
  // that flash.hpp does not allow; and nothing may be sent, because counts could be taken for those of another boot.
  [[nodiscard]] bool start() noexcept {
    const auto number = boots_.count();
    if (!number.has_value()) return false;
    incarnation_ = number.value();
    if (options_.seed == 0U) agent_.seed(options_.id * 0x9E3779B9U + incarnation_ * 0x85EBCA6BU);  // odd, so that neighbours part
    update_.choose();
    if (update_.image().is_open()) {
      use_image();
      busy_until_ = UINT32_MAX;  // nothing was read before it
    } else if (update_.has_failed_image()) {
      safe_.store(1);
    }
    due_ = due_hello | due_image;
    return true;
  }

  // --- In the control interrupt

  // The last action answered with `observation`: what next?
  Decision tick(Observation observation) noexcept { return book(safe() ? safe_decision() : agent_.step(observation)); }

  // The last action was executed, and its answer is lost; or periods went by without a tick, so that what the sensor says is no answer to
  // one period of it. No pair spans it.
  Decision missed() noexcept {
    missed_.add(1);
    return book(safe() ? safe_decision() : agent_.missed());
  }

  // The world was put elsewhere by hand: no pair spans it.
  Decision moved() noexcept {
    if (!safe()) agent_.reset();  // else it was reset, and its image may be gone
    return tick(Observation{});
  }

  // The tick took longer than it may. This alone loses no step: where the timer went on without it, the next tick is missed(). An image on
  // trial is given up for it, here and now: where ticks take all the time there is, the background would never come to it.
  void deadline_missed() noexcept {
    deadlines_.add(1);
    if (trial_.load() == 0U) return;
    trial_.store(0);
    if (!update_.fallback().is_open()) agent_.reset();
    fall_back();
    gave_up_.store(1);
  }

  // The plant at the other end: the first action, and one for each observation that poll() tells of. Without one plant_tick() is the
  // last decision once more.
  Decision start_plant() noexcept { return post(0, tick(Observation{})); }
  Decision plant_tick() noexcept {
    const uint32_t came = inbox_.load();
    const uint32_t out = outbox_.load();
    Decision decision{static_cast<Action>(out >> 8U & 0xFFU), Status::ok, (out & 1U) != 0U};
    switch (static_cast<Type>(came >> 8U)) {
      case Type::observed: decision = tick(static_cast<Observation>(came & 0xFFU)); break;
      case Type::lost: decision = missed(); break;
      case Type::moved: decision = moved(); break;
      default: return decision;
    }
    inbox_.store(0);
    return post((out >> 16U) + 1U, decision);
  }

  [[nodiscard]] const Agent<Dims, Kept>& agent() const noexcept { return agent_; }

  // --- In the background

  // True: an observation has come, and plant_tick() is due. `now` is in milliseconds and wraps.
  bool poll(uint32_t now) noexcept {
    if (gave_up_.load() != 0U) {
      gave_up_.store(0);
      update_.gave_up();
      trial_ticks_.store(0);
      let_go();
      due_ |= due_image;
    }
    const bool more_to_come = receive();
    const Transfer before = update_.transfer();
    if (update_.work(ticks_.load() != busy_until_) && update_.put_to_use()) use_image();
    if (update_.transfer() != before) due_ |= due_image;
    send(now);
    quiet_ = !more_to_come && sent_ == frame_size_ && due_ == 0U && !update_.is_at_work();
    return inbox_.load() != 0U;
  }

  // The last poll() found nothing more to do: the background may rest until something happens.
  [[nodiscard]] bool is_quiet() const noexcept { return quiet_; }

  [[nodiscard]] uint32_t incarnation() const noexcept { return incarnation_; }
  [[nodiscard]] const ImageUpdate<Flash>& images() const noexcept { return update_; }

 private:
  enum Due : uint32_t { due_hello = 1, due_image = 2, due_counts = 4, due_log = 8, due_status = 16, due_belief = 32 };

  // What the recorder keeps, by what it can be asked for.
  template <class R, class = void>
  struct HasCounts : etl::false_type {};
  template <class R>
  struct HasCounts<R, etl::void_t<decltype(&R::take_changed)>> : etl::true_type {};
  template <class R, class = void>
  struct HasLog : etl::false_type {};
  template <class R>
  struct HasLog<R, etl::void_t<decltype(&R::next_step)>> : etl::true_type {};
  static constexpr bool has_counts = HasCounts<Kept<Dims>>::value;
  static constexpr bool has_log = HasLog<Kept<Dims>>::value;

  static RuntimeDims sizes(const Dims& dims) noexcept {
    return {static_cast<uint8_t>(dims.states()), static_cast<uint8_t>(dims.actions()), static_cast<uint8_t>(dims.observations())};
  }

  // --- The tick's

  [[nodiscard]] bool safe() const noexcept { return safe_.load() != 0U; }
  [[nodiscard]] Decision safe_decision() const noexcept { return {options_.safe_action, Status::no_image, agent_.episode().ended()}; }

  Decision book(const Decision& decision) noexcept {
    ticks_.add(1);
    impossible_.add(static_cast<uint32_t>(decision.status == Status::impossible_observation));
    out_of_range_.add(static_cast<uint32_t>(decision.status == Status::observation_out_of_range));
    trial_ticks_.add(trial_.load());
    return decision;
  }

  Decision post(uint32_t step, const Decision& decision) noexcept {
    outbox_.store((step & 0xFFFFU) << 16U | static_cast<uint32_t>(index(decision.action)) << 8U | action_there |
                  static_cast<uint32_t>(decision.episode_ended));
    return decision;
  }
  static constexpr uint32_t action_there = 2;

  // --- Images

  // The agent takes the image over at its next step; until then it reads the old one. The trial begins before: were it after, and did the
  // first step of the new image take all the time there is, the background would never come to say so. A deadline that is missed in
  // between is held against the new image too, which is then taken back here; where there is none to go back to, what the agent did by it until
  // then is wiped away: the tick leaves the agent alone by now.
  void use_image() noexcept {
    trial_ticks_.store(0);
    trial_.store(static_cast<uint32_t>(update_.on_trial()));
    static_cast<void>(agent_.adopt(update_.image()));
    safe_.store(0);
    if (gave_up_.load() != 0U) {
      fall_back();
      if (safe()) agent_.reset();
    }
    let_go();
  }
  // The background writes the fallback before the trial begins, and again only after the tick has ended it.
  void fall_back() noexcept {
    if (update_.fallback().is_open()) {
      static_cast<void>(agent_.adopt(update_.fallback()));
    } else {
      safe_.store(1);
    }
  }
  void let_go() noexcept { busy_until_ = ticks_.load(); }

  // --- What comes

  // True: it took as much as it takes at a time, and there may be more.
  bool receive() noexcept {
    etl::array<uint8_t, bytes_a_poll> bytes;
    const size_t size = transport_.read({bytes.data(), bytes.size()});
    for (size_t i = 0; i < size; ++i) {
      switch (decoder_.push(bytes[i])) {
        case FrameDecoder::Result::message: refused_.add(static_cast<uint32_t>(!handle(decoder_.message()))); break;
        case FrameDecoder::Result::refused: refused_.add(1); break;
        case FrameDecoder::Result::more: break;
      }
    }
    return size == bytes.size();
  }

  // False: no message for a device.
  bool handle(etl::span<const uint8_t> bytes) noexcept {
    switch (static_cast<Type>(bytes[0])) {
      case Type::ask_hello:
        return take<AskHello>(bytes,
                              [&](const AskHello& m) { due_ |= m.protocol == protocol_version ? due_hello | due_image : due_hello; });
      case Type::observed: return take<Observed>(bytes, [&](const Observed& m) { answer(m.mark, Type::observed, m.observation); });
      case Type::lost: return take<Lost>(bytes, [&](const Lost& m) { answer(m.mark, Type::lost, 0); });
      case Type::moved: return take<Moved>(bytes, [&](const Moved& m) { answer(m.mark, Type::moved, 0); });
      case Type::ask_counts:
        return has_counts && take<AskCounts>(bytes, [&](const AskCounts& m) {
                 ask_counts_ = m;
                 due_ |= due_counts;
               });
      case Type::ask_log:
        return has_log && take<AskLog>(bytes, [&](const AskLog& m) {
                 ask_log_ = m;
                 due_ |= due_log;
               });
      case Type::ask_status: return take<AskStatus>(bytes, [&](const AskStatus&) { due_ |= due_status; });
      case Type::ask_belief:
        return take<AskBelief>(bytes, [&](const AskBelief& m) {
          ask_belief_ = m;
          due_ |= due_belief;
        });
      case Type::begin_image:
        return take<BeginImage>(bytes, [&](const BeginImage& m) {
          update_.begin(m.size, m.checksum);
          due_ |= due_image;
        });
      case Type::chunk:
        return take<Chunk>(bytes, [&](const Chunk& m) {
          update_.chunk(m.offset, m.bytes);
          due_ |= due_image;
        });
      case Type::confirm:
        return take<Confirm>(bytes, [&](const Confirm& m) {
          confirm(m.checksum);
          due_ |= due_image;
        });
      default: return false;
    }
  }
  template <class Message, class Use>
  static bool take(etl::span<const uint8_t> bytes, const Use& use) noexcept {
    const auto message = decode<Message>(bytes);
    if (message.has_value()) use(message.value());
    return message.has_value();
  }

  void confirm(uint32_t checksum) noexcept {
    if (!update_.is_in_use(checksum)) return;  // late, of another image: the trial goes on without a gap
    const uint32_t on_trial = trial_.load();
    trial_.store(0);  // first: from here on the tick does not give it up
    if (gave_up_.load() == 0U && !update_.confirm(checksum)) trial_.store(on_trial);
  }

  [[nodiscard]] StepMark mark() const noexcept {
    return {static_cast<uint8_t>(incarnation_), static_cast<uint16_t>(outbox_.load() >> 16U)};
  }
  void answer(const StepMark& to, Type kind, uint8_t observation) noexcept {
    if (outbox_.load() == 0U || inbox_.load() != 0U || !(to == mark())) return;
    inbox_.store(static_cast<uint32_t>(kind) << 8U | observation);
  }

  // --- What goes

  void send(uint32_t now) noexcept {
    if (sent_ == frame_size_) {
      sent_ = 0;
      frame_size_ = next_frame(now);
    }
    sent_ += transport_.write(etl::span<const uint8_t>(frame_.data() + sent_, frame_size_ - sent_));
  }

  // The most urgent message, from what is true now: nothing waits in a queue. 0: there is nothing to say.
  size_t next_frame(uint32_t now) noexcept {
    const uint32_t out = outbox_.load();
    const bool waits = out != 0U && inbox_.load() == 0U;
    if (waits && out != acted_) return acted(out, now);
    if (take_due(due_hello)) return hello();
    if (take_due(due_image)) return image();
    if (take_due(due_counts)) return counts();
    if (take_due(due_log)) return log();
    if (take_due(due_status)) return status();
    if (take_due(due_belief)) return belief();
    if (waits && now - acted_at_ >= repeat_after_ms) return acted(out, now);  // last: it comes up again and again
    return 0;
  }
  bool take_due(uint32_t what) noexcept {
    const bool is_due = (due_ & what) != 0U;
    due_ &= ~what;
    return is_due;
  }

  size_t acted(uint32_t out, uint32_t now) noexcept {
    acted_ = out;
    acted_at_ = now;
    Acted message;
    message.mark = {static_cast<uint8_t>(incarnation_), static_cast<uint16_t>(out >> 16U)};
    message.action = static_cast<uint8_t>(out >> 8U);
    message.episode_ended = static_cast<uint8_t>(out & 1U);
    return encode_frame(message, frame_);
  }

  size_t hello() noexcept {
    Hello message;
    message.device = options_.id;
    message.incarnation = incarnation_;
    message.states = static_cast<uint8_t>(dims_.states());
    message.actions = static_cast<uint8_t>(dims_.actions());
    message.observations = static_cast<uint8_t>(dims_.observations());
    message.features =
        static_cast<uint8_t>((has_counts ? feature_counts : 0) | (has_log ? feature_log : 0) | (outbox_.load() != 0U ? feature_plant : 0));
    message.slot_size = update_.capacity();
    const size_t name_size = options_.board.size() < 32U ? options_.board.size() : 32U;
    const void* name = options_.board.data();
    if (name_size > 0U) message.board = etl::span<const uint8_t>(static_cast<const uint8_t*>(name), name_size);
    return encode_frame(message, frame_);
  }

  size_t image() noexcept {
    ImageReport message;
    message.incarnation = incarnation_;
    message.trial_ticks = trial_ticks_.load();
    update_.report(message);
    return encode_frame(message, frame_);
  }

  size_t counts() noexcept {
    if constexpr (has_counts) {
      etl::array<uint8_t, cells_in_part * cell_size> room;
      CountsPart message = upload_.part(agent_.recorder(), ask_counts_.from, ask_counts_.all != 0U, {room.data(), room.size()});
      message.incarnation = incarnation_;
      message.pairs = agent_.recorder().pairs();
      return encode_frame(message, frame_);
    }
    return 0;
  }

  size_t log() noexcept {
    if constexpr (has_log) {
      etl::array<uint8_t, steps_in_part * step_size> room;
      const auto reading = agent_.recorder().read(ask_log_.from, {room.data(), room.size()});
      LogPart message;
      message.incarnation = incarnation_;
      message.first = reading.first;
      message.newest = agent_.recorder().next_step();
      message.steps = {room.data(), reading.size};
      return encode_frame(message, frame_);
    }
    return 0;
  }

  size_t status() noexcept {
    DeviceStatus message;
    message.incarnation = incarnation_;
    message.ticks = ticks_.load();
    message.pairs = agent_.recorder().pairs();
    message.missed_deadlines = deadlines_.load();
    message.missed_observations = missed_.load();
    message.impossible_observations = impossible_.load();
    message.observations_out_of_range = out_of_range_.load();
    message.saturations = agent_.recorder().saturations();
    message.frames_refused = refused_.load();
    message.episode = agent_.episode().k();
    message.episode_ended = static_cast<uint8_t>(agent_.episode().ended());
    message.safe = static_cast<uint8_t>(safe());
    return encode_frame(message, frame_);
  }

  // Copied while ticks go on: where one came in between, the belief may be of two ticks, and the next poll() copies it again.
  size_t belief() noexcept {
    static constexpr size_t most = max_message - 6U;
    etl::array<uint8_t, most> room;
    BeliefPart message;
    message.ticks = ticks_.load();
    message.from = ask_belief_.from;
    size_t size = 0;
    for (size_t s = ask_belief_.from; s < dims_.states() && size < most; ++s) {
      room[size++] = static_cast<uint8_t>(agent_.belief()[s] * 255.0F + 0.5F);  // NOLINT: not below zero, so this rounds
    }
    if (ticks_.load() != message.ticks) {
      due_ |= due_belief;
      return 0;
    }
    message.probability = {room.data(), size};
    return encode_frame(message, frame_);
  }

  Transport& transport_;
  DeviceOptions options_;
  Dims dims_;
  Agent<Dims, Kept> agent_;
  BootCounter<Flash> boots_;
  ImageUpdate<Flash> update_;
  uint32_t incarnation_ = 0;

  // Written by the tick.
  detail::Word ticks_, missed_, deadlines_, impossible_, out_of_range_;
  detail::Word outbox_;  // step (16), action (8), 2 + episode ended; 0: there is no plant

  // Written by both, the background by whole values.
  detail::Word gave_up_;      // 1: an image on trial was given up; the tick's, and the background takes it back
  detail::Word inbox_;        // kind and observation; the background's, and the tick takes it back
  detail::Word trial_;        // 1: the image in use is on trial; the background's, and the tick takes it back
  detail::Word trial_ticks_;  // the tick adds; the background begins anew
  detail::Word safe_;         // 1: the tick gave the only image up, or start() found it so; the background takes it back

  // Written by the background.
  detail::Word refused_;
  uint32_t busy_until_ = UINT32_MAX;  // tick at which the agent still read another slot

  FrameDecoder decoder_;
  CountUpload upload_;
  AskCounts ask_counts_;
  AskLog ask_log_;
  AskBelief ask_belief_;
  uint32_t due_ = 0;
  bool quiet_ = false;
  FrameRoom frame_{};
  size_t frame_size_ = 0;
  size_t sent_ = 0;
  uint32_t acted_ = 0;
  uint32_t acted_at_ = 0;
};

}  // namespace penumbra::link

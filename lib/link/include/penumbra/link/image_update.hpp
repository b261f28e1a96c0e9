// Image update: which image is in use, and how a new one gets there. It is written to the slot that is not in use, checked in place, marked
// as tried, and handed to the agent. Until the host confirms it, it is on trial: a reset or a missed deadline brings the last confirmed
// image back, or, when there is none, the safe action. Power may fail anywhere: a whole image stays in use, and at most the update is lost.
//
// Here is the background's part, which owns the flash. The agent's part, one word each way, is in device.hpp.
#pragma once

#include "penumbra/link/image_slots.hpp"
#include "penumbra/link/messages.hpp"

namespace penumbra::link {

static_assert(chunk_unit % max_write_size == 0U, "chunks are whole write units of every flash");

// The image's own checksum: its last four bytes.
[[nodiscard]] inline uint32_t checksum_of(const PolicyImage& image) noexcept {
  const ImageHeader& header = image.header();
  uint32_t checksum = 0;
  memcpy(&checksum, static_cast<const uint8_t*>(static_cast<const void*>(&header)) + header.size - sizeof checksum, sizeof checksum);
  return checksum;
}

template <class Flash>
class ImageUpdate {
 public:
  ImageUpdate(Flash& flash, const RuntimeDims& dims) noexcept : slots_(flash), dims_(dims) {}

  [[nodiscard]] uint32_t capacity() const noexcept { return slots_.capacity(); }

  // --- At the start

  // Chooses among the slots: of the images that are whole and confirmed, the newest by sequence number. One that was tried and is not
  // confirmed has failed; one that was never tried is the rest of an update that the power ended.
  // Not inlined, so that its frame is not on the stack of the rest of start().
  [[gnu::noinline]] void choose() noexcept {
    for (const Slot slot : {Slot::first, Slot::second}) {
      const auto image = open(slot);
      if (!image.has_value()) continue;
      if (!slots_.is_confirmed(slot)) {
        if (slots_.is_tried(slot)) has_failed(slot, image.value());
      } else if (active_ == Slot::none || is_newer(image.value().header().sequence, image_.header().sequence)) {
        active_ = slot;
        image_ = image.value();
      }
    }
    forgive();
  }

  [[nodiscard]] const PolicyImage& image() const noexcept { return image_; }  // in use; not open: none
  [[nodiscard]] bool is_in_use(uint32_t checksum) const noexcept { return image_.is_open() && checksum_of(image_) == checksum; }
  [[nodiscard]] bool on_trial() const noexcept { return on_trial_; }
  [[nodiscard]] bool has_failed_image() const noexcept { return failed_slot_ != Slot::none; }

  // While an image is on trial: the confirmed one in the other slot. Not open: there is none.
  [[nodiscard]] const PolicyImage& fallback() const noexcept { return fallback_; }

  // --- In the background

  [[nodiscard]] Transfer transfer() const noexcept { return transfer_; }

  void begin(uint32_t size, uint32_t checksum) noexcept {
    if (on_trial_) {
      transfer_ = Transfer::busy;
      return;
    }
    const bool under_way = transfer_ == Transfer::erasing || transfer_ == Transfer::receiving;
    if (under_way && size == size_ && checksum == incoming_) return;  // goes on
    if (is_in_use(checksum)) {
      transfer_ = Transfer::idle;
      return;
    }
    size_ = size;
    incoming_ = checksum;
    next_ = 0;
    erased_ = 0;
    if (size < sizeof(ImageHeader) || size > capacity()) return refuse(Status::image_size, 8);
    transfer_ = Transfer::erasing;
  }

  void chunk(uint32_t offset, etl::span<const uint8_t> bytes) noexcept {
    if (transfer_ != Transfer::receiving || offset != next_ || bytes.empty()) return;
    if (bytes.size() > size_ - next_ || (bytes.size() % chunk_unit != 0U && bytes.size() != size_ - next_)) return;
    if (!slots_.write(incoming_slot(), offset, bytes)) return refuse(Status::flash_refused, offset);
    next_ += static_cast<uint32_t>(bytes.size());
  }

  // One piece of what is to be done: a page erased, or the image checked. True: it is ready to be put to use.
  // `may_erase`: the agent has let go of the slot.
  bool work(bool may_erase) noexcept {
    if (transfer_ == Transfer::erasing && may_erase) {
      if (!slots_.erase(incoming_slot(), erased_)) {
        refuse(Status::flash_refused, 0);
      } else if (++erased_ == slots_.pages_for(size_)) {
        transfer_ = Transfer::receiving;
      }
      return false;
    }
    return transfer_ == Transfer::receiving && next_ == size_ && is_good();
  }

  [[nodiscard]] bool is_at_work() const noexcept {
    return transfer_ == Transfer::erasing || (transfer_ == Transfer::receiving && next_ == size_);
  }

  // The new image is in use, on trial. Call when work() said so, and hand image() to the agent.
  bool put_to_use() noexcept {
    const Slot slot = incoming_slot();
    if (!slots_.mark_tried(slot)) {
      refuse(Status::flash_refused, 0);
      return false;
    }
    fallback_ = image_;  // confirmed, or none
    image_ = checked_;
    active_ = slot;
    on_trial_ = true;
    transfer_ = Transfer::idle;
    return true;
  }

  // The image on trial was given up, and the agent has the fallback.
  void gave_up() noexcept {
    has_failed(active_, image_);
    image_ = fallback_;
    active_ = image_.is_open() ? other(active_) : Slot::none;
    on_trial_ = false;
    transfer_ = Transfer::idle;
  }

  // True: the image on trial is the one to keep now.
  bool confirm(uint32_t checksum) noexcept {
    if (!on_trial_ || !is_in_use(checksum) || !slots_.mark_confirmed(active_)) return false;
    on_trial_ = false;
    transfer_ = Transfer::idle;
    forgive();
    return true;
  }

  void report(ImageReport& report) const noexcept {
    if (image_.is_open()) {
      report.checksum = checksum_of(image_);
      report.sequence = image_.header().sequence;
      report.confirmed = static_cast<uint8_t>(!on_trial_);
    }
    report.failed = failed_;
    report.transfer = static_cast<uint8_t>(transfer_);
    report.incoming = incoming_;
    report.next = next_;
    report.reason = static_cast<uint8_t>(reason_);
  }

 private:
  // An image of this device's sizes.
  [[nodiscard]] etl::expected<PolicyImage, ImageFault> open(Slot slot) const noexcept {
    auto image = slots_.open(slot);
    if (image.has_value() && !same_sizes(image.value().dims(), dims_)) {
      return etl::unexpected<ImageFault>(ImageFault{Status::image_other_sizes, 12});
    }
    return image;
  }
  // The one that is not in use. With none in use, one that leaves an image that has failed where it is: a device that was reset before the
  // next is confirmed must still know of it.
  [[nodiscard]] Slot incoming_slot() const noexcept {
    return active_ != Slot::none ? other(active_) : failed_slot_ == Slot::first ? Slot::second : Slot::first;
  }
  void has_failed(Slot slot, const PolicyImage& image) noexcept {
    failed_slot_ = slot;
    failed_ = checksum_of(image);
  }

  // An image that has failed once, and has been confirmed since.
  void forgive() noexcept {
    if (!is_in_use(failed_)) return;
    failed_slot_ = Slot::none;
    failed_ = 0;
  }

  void refuse(Status reason, uint32_t offset) noexcept {
    transfer_ = Transfer::refused;
    reason_ = reason;
    next_ = offset;
  }

  // The image as it lies in flash: whole, the one that was announced, of this device's sizes, and newer than the one in use.
  bool is_good() noexcept {
    const auto image = open(incoming_slot());
    if (!image.has_value()) {
      refuse(image.error().status, image.error().offset);
    } else if (image.value().header().size != size_ || checksum_of(image.value()) != incoming_) {
      refuse(Status::image_checksum, size_);
    } else if (image_.is_open() && !is_newer(image.value().header().sequence, image_.header().sequence)) {
      refuse(Status::image_field, 20);
    } else {
      checked_ = image.value();
      return true;
    }
    return false;
  }

  ImageSlots<Flash> slots_;
  RuntimeDims dims_;
  Slot active_ = Slot::none;
  PolicyImage image_;
  PolicyImage fallback_;
  PolicyImage checked_;  // the one that is ready to be put to use
  bool on_trial_ = false;
  Slot failed_slot_ = Slot::none;
  uint32_t failed_ = 0;  // checksum; 0: none

  Transfer transfer_ = Transfer::idle;
  uint32_t size_ = 0;  // of the image that is under way
  uint32_t incoming_ = 0;
  uint32_t next_ = 0;
  uint32_t erased_ = 0;  // pages
  Status reason_ = Status::ok;
};

}  // namespace penumbra::link

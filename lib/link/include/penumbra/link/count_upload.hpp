// Count upload: the changed cells of PairCounts, in parts that fit a message. The host asks for a part by its first cell; asking for the cell
// behind a part says that it arrived. Anything else hands its cells out again. Values are absolute, so nothing of this matters for
// correctness: only for which cells need no second journey.
#pragma once

#include "penumbra/link/messages.hpp"

namespace penumbra::link {

class CountUpload {
 public:
  // The cells of `counts` from `from` on, into `room`; `all`: whether they changed or not.
  template <class Counts>
  [[nodiscard]] CountsPart part(Counts& counts, uint32_t from, bool all, etl::span<uint8_t> room) noexcept {
    if (from != next_) take_back(counts);
    const auto end = static_cast<uint32_t>(counts.cell_count());
    size_ = 0;
    uint32_t cell = from;
    while (size_ < cells_.size()) {
      cell = all ? next_counted(counts, cell) : static_cast<uint32_t>(counts.take_changed(cell));
      if (cell >= end) break;
      const uint32_t value = counts.count(cell);  // behind the taking
      memcpy(room.data() + size_ * cell_size, &cell, sizeof cell);
      memcpy(room.data() + size_ * cell_size + 4U, &value, sizeof value);
      cells_[size_++] = cell++;
    }
    next_ = cell < end ? cell : end;
    CountsPart part;
    part.from = from;
    part.next = next_;
    part.cells = {room.data(), size_ * cell_size};
    return part;
  }

 private:
  template <class Counts>
  void take_back(Counts& counts) noexcept {
    for (size_t i = 0; i < size_; ++i) counts.touch(cells_[i]);
  }
  template <class Counts>
  static uint32_t next_counted(const Counts& counts, uint32_t cell) noexcept {
    while (cell < counts.cell_count() && counts.count(cell) == 0U) ++cell;
    return cell;
  }

  etl::array<uint32_t, cells_in_part> cells_{};  // of the part that was sent last
  size_t size_ = 0;
  uint32_t next_ = 0;
};

}  // namespace penumbra::link

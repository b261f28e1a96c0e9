// A sweep over a device's counts: part after part, the next one asked for when the last one has come. Values only grow and each cell is visited
// between the first part and the last, so the sum lies between the device's numbers of pairs then and then; if it does not, something is
// missing, and the sweep asks for everything.
//
// A part that comes late by a whole sweep could be taken for an answer, and what is news in the real one be lost. Nothing false comes of that, but
// something may be missing until its cell is counted again. So an exact sweep, of a device that stands still, begins when the line has run dry.
#pragma once

#include "wire.hpp"

namespace penumbra::host {

// Counts as they come from a device, the largest of each cell, and what of it is news.
class CountBook {
 public:
  void raise(std::uint32_t incarnation, std::uint32_t cell, std::uint32_t value);
  void add_one(std::uint32_t incarnation, std::uint32_t cell) { raise(incarnation, cell, lives_[incarnation].cells[cell] + 1U); }
  [[nodiscard]] bool knows(std::uint32_t incarnation) const { return lives_.count(incarnation) != 0; }
  void begin(std::uint32_t incarnation) { lives_[incarnation]; }
  [[nodiscard]] std::uint32_t pairs(std::uint32_t incarnation) const { return lives_.at(incarnation).pairs; }
  [[nodiscard]] const std::map<std::uint32_t, LifeCounts>& lives() const noexcept { return lives_; }
  [[nodiscard]] std::vector<CountNews> take_news();

 private:
  std::map<std::uint32_t, LifeCounts> lives_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> news_;  // incarnation and cell
};

class CountSweep {
 public:
  // A device of so many cells has booted, or is new here.
  void new_life(std::uint32_t incarnation, std::uint64_t cells) noexcept;

  // `exact`: not before the device stands still and the line has run dry; may_begin says when.
  void start(bool all, bool exact) noexcept;
  void stop_being_exact() noexcept { exact_ = false; }
  [[nodiscard]] bool is_under_way() const noexcept { return wanted_; }
  [[nodiscard]] bool is_exact() const noexcept { return exact_; }
  // Nothing has been asked since; only then is it certain that nothing else comes.
  [[nodiscard]] std::uint64_t quiet_since() const noexcept { return question_.asked_at(); }

  void advance(std::uint64_t now, std::uint64_t repeat, bool may_begin, Wire& wire);

  // False: no part that could be. The end of a sweep is in `done`.
  [[nodiscard]] bool take(const link::CountsPart& part, CountBook& book, SessionStatistics& statistics, std::optional<CountsSwept>& done);

 private:
  void begin(bool all) noexcept;
  [[nodiscard]] std::optional<CountsSwept> finish(std::uint32_t sum, std::uint32_t pairs) noexcept;

  std::uint32_t incarnation_ = 0;
  std::uint64_t cells_ = 0;
  bool swept_ = false;  // once in this incarnation
  bool wanted_ = false;
  bool exact_ = false;
  bool all_ = false;
  std::uint32_t from_ = 0;
  std::optional<std::uint32_t> first_pairs_;   // of this sweep
  std::optional<std::uint32_t> newest_pairs_;  // of this incarnation
  Question question_;
};

}  // namespace penumbra::host

// Cells in, and whether all of them came.
#include "count_sweep.hpp"

#include <cstring>

namespace penumbra::host {

void CountBook::raise(std::uint32_t incarnation, std::uint32_t cell, std::uint32_t value) {
  LifeCounts& life = lives_[incarnation];
  std::uint32_t& known = life.cells[cell];
  if (value <= known) return;
  life.pairs += value - known;
  known = value;
  news_.insert({incarnation, cell});
}

std::vector<CountNews> CountBook::take_news() {
  std::vector<CountNews> news;
  for (const auto& [incarnation, cell] : news_) news.push_back({incarnation, cell, lives_.at(incarnation).cells.at(cell)});
  news_.clear();
  return news;
}

void CountSweep::new_life(std::uint32_t incarnation, std::uint64_t cells) noexcept {
  incarnation_ = incarnation;
  cells_ = cells;
  swept_ = false;
  newest_pairs_.reset();
  if (wanted_) start(true, exact_);
}

void CountSweep::start(bool all, bool exact) noexcept {
  wanted_ = true;
  exact_ = exact;
  begin(all || !swept_);
}

void CountSweep::begin(bool all) noexcept {
  all_ = all;
  from_ = 0;
  first_pairs_.reset();
  question_.close();
}

void CountSweep::advance(std::uint64_t now, std::uint64_t repeat, bool may_begin, Wire& wire) {
  if (!wanted_) return;
  if (!question_.is_open()) {
    if (!may_begin) return;
    question_.open();
  }
  if (question_.is_due(now, repeat, wire.statistics)) wire.send(link::AskCounts{from_, static_cast<std::uint8_t>(all_)});
}

bool CountSweep::take(const link::CountsPart& part, CountBook& book, SessionStatistics& statistics, std::optional<CountsSwept>& done) {
  if (part.cells.size() % link::cell_size != 0 || part.next <= part.from || part.next > cells_) return false;
  std::vector<CountNews> news;
  for (std::size_t at = 0; at < part.cells.size(); at += link::cell_size) {
    CountNews cell{part.incarnation, 0, 0};
    std::memcpy(&cell.cell, part.cells.data() + at, sizeof cell.cell);
    std::memcpy(&cell.value, part.cells.data() + at + sizeof cell.cell, sizeof cell.value);
    if (cell.cell < part.from || cell.cell >= part.next) return false;
    news.push_back(cell);
  }
  // It is true whenever it comes, also of an incarnation that is over.
  if (!book.knows(part.incarnation)) return true;
  for (const CountNews& cell : news) book.raise(cell.incarnation, cell.cell, cell.value);

  const bool is_old = part.incarnation != incarnation_ || (newest_pairs_ && link::is_newer(*newest_pairs_, part.pairs));
  if (!is_old) newest_pairs_ = part.pairs;
  if (is_old || !question_.is_open() || part.from != from_) {
    ++statistics.stale;
    return true;
  }
  if (!first_pairs_) first_pairs_ = part.pairs;
  from_ = part.next;
  question_.open();
  if (from_ == cells_) done = finish(book.pairs(incarnation_), part.pairs);
  return true;
}

std::optional<CountsSwept> CountSweep::finish(std::uint32_t sum, std::uint32_t pairs) noexcept {
  const bool within = sum - *first_pairs_ <= pairs - *first_pairs_;  // the numbers wrap
  const bool agree = exact_ ? sum == pairs && *first_pairs_ == pairs : within;
  if (!agree && !all_) {
    begin(true);
    return std::nullopt;
  }
  swept_ = true;
  wanted_ = false;
  question_.close();
  return CountsSwept{agree, exact_, pairs};
}

}  // namespace penumbra::host

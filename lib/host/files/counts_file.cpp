// Counts from and to JSON, and the sum over any mix of files.
#include "penumbra/host/counts.hpp"

#include "json.hpp"
#include "penumbra/host/detail/parallel.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace penumbra::host {

namespace {

using nlohmann::json;

constexpr const char* format = "counts/1";
constexpr const char* too_many = " to more than 2^62 pairs of one action";
constexpr const char* how_to_make_one = "counts files are made by: penumbra count MODEL T.csv -o C.json";

// A counts document, checked as it is read: sizes, exact integers, sums.
class Document {
 public:
  Document(const json& document, const std::string& name, Counts counts)
      : document_(document),
        name_(name),
        counts_(std::move(counts)),
        levels_{{{counts_.actions, "action"},
                 {counts_.actions, "action"},
                 {counts_.observations, "observation"},
                 {counts_.observations, "observation"}}} {}

  Outcome<Counts> read() {
    if (!document_.is_object()) return refuse("is " + shown(document_) + ", not pair counts", how_to_make_one);
    const auto kind = document_.find("penumbra");
    if (kind == document_.end()) return refuse("has no key \"penumbra\", which says what a file is", how_to_make_one);
    if (*kind == "model/1") return refuse("is a model, not pair counts", how_to_make_one);
    if (*kind != format) return refuse("is " + shown(*kind) + ", not \"" + format + "\"", how_to_make_one);
    const auto pairs = document_.find("pairs");
    if (pairs == document_.end()) return refuse("has no key \"pairs\"", how_to_make_one);
    const auto samples = document_.find("samples");
    if (samples == document_.end()) return refuse("has no key \"samples\"", how_to_make_one);

    if (!check_list(*samples, "samples", 0) || !read_list(*pairs, 0)) return fail(std::move(problem_));
    const std::vector<std::uint64_t> sums = counts_.samples();
    for (size_t a = 0; a < sums.size(); ++a) {
      const json& stated = (*samples)[a];
      const std::string place = "samples[" + std::to_string(a) + "] is " + shown(stated);
      if (!stated.is_number_unsigned()) return refuse(place + ", not a count");
      if (stated != sums[a]) return refuse(place + ", but pairs[" + std::to_string(a) + "] adds up to " + std::to_string(sums[a]));
    }
    return std::move(counts_);
  }

 private:
  Failure refuse(std::string what, std::string advice = {}) const { return fail(Fault::input, name_, std::move(what), std::move(advice)); }

  bool note(const std::string& what) {
    problem_ = Problem{Fault::input, name_, what, {}, {}};
    return false;
  }

  bool check_list(const json& list, const std::string& place, size_t level) {
    const auto& [size, kind] = levels_[level];
    if (!list.is_array()) return note(place + " is " + shown(list) + ", not a list");
    if (list.size() == size) return true;
    return note(place + " has length " + std::to_string(list.size()) + ", but the model has " + std::to_string(size) + " " + kind +
                (size == 1 ? "" : "s"));
  }

  // Of pairs[at_[0]]…, `level` indices of it.
  [[nodiscard]] std::string place(size_t level) const {
    std::string text = "pairs";
    for (size_t i = 0; i < level; ++i) text += "[" + std::to_string(at_[i]) + "]";
    return text;
  }

  bool read_list(const json& list, size_t level) {
    if (list.size() != levels_[level].first || !list.is_array()) return check_list(list, place(level), level);
    if (level == 0) cell_ = counts_.pairs.data();
    for (size_t& i = at_[level] = 0; i < list.size(); ++i) {
      if (level == 0) sum_ = 0;
      if (!(level + 1 < levels_.size() ? read_list(list[i], level + 1) : read_count(list[i]))) return false;
    }
    return true;
  }

  bool read_count(const json& count) {
    if (!count.is_number_unsigned()) return note(place(4) + " is " + shown(count) + ", not a count");
    *cell_ = count.get<std::uint64_t>();
    if (__builtin_add_overflow(sum_, *cell_, &sum_) || sum_ > max_samples) return note(place(1) + " adds up" + too_many);
    ++cell_;
    return true;
  }

  const json& document_;
  const std::string& name_;
  Counts counts_;
  std::array<std::pair<size_t, const char*>, 4> levels_;
  std::array<size_t, 4> at_{};
  std::uint64_t* cell_ = nullptr;  // the next one
  std::uint64_t sum_ = 0;          // of this action
  Problem problem_;
};

// The work of count_files(): files are taken by whatever thread is free, and a table of counts serves one file at a time, so that there
// are no more tables than threads.
class Counting {
 public:
  Counting(const std::vector<std::string>& paths, const Model& model, const std::string& model_name, const Progress& progress)
      : paths_(paths), model_(model), model_name_(model_name), progress_(progress), first_bad_(paths.size()) {}

  // A file behind one that is known to be bad cannot change the answer any more.
  void count(size_t file) noexcept {
    if (file > first_bad_) return;
    try {
      const Outcome<void> added = add(paths_[file]);
      if (!added) note(file, added.error());
    } catch (const std::exception&) {
      note(file, Problem{Fault::system, paths_[file], "takes more memory than there is", {}, {}});
    }
  }

  Outcome<Counts> sum() {
    if (problem_) return fail(std::move(*problem_));
    Outcome<Counts> sum = take_table();
    if (!sum) return sum;
    // Sums only grow: that they do not fit comes out in any grouping, so no single file is to blame.
    for (const Counts& table : tables_) fits_ = sum.value().add(table) && fits_;
    if (!fits_)
      return fail(Fault::input, paths_.front(), "and the files after it add up" + std::string(too_many), "is one of them given twice?");
    return sum;
  }

 private:
  Outcome<void> add(const std::string& path) {
    Outcome<Input> input = Input::open(path);
    if (!input) return fail(input.error());
    const Outcome<std::optional<char>> first = input.value().peek();
    if (!first) return fail(first.error());
    Outcome<Counts> table = take_table();
    if (!table) return fail(table.error());
    Outcome<void> added = first.value() == '{' || first.value() == '[' ? add_counts(input.value(), table.value())
                                                                       : add_trajectory(input.value(), table.value());
    const std::lock_guard<std::mutex> lock(mutex_);
    tables_.push_back(std::move(table.value()));
    return added;
  }

  Outcome<void> add_counts(Input& input, Counts& table) {
    const Outcome<Counts> counts = read_counts(input, model_);
    if (!counts) return fail(counts.error());
    if (!table.add(counts.value())) fits_ = false;
    tell(input.size().value_or(0));
    return {};
  }

  Outcome<void> add_trajectory(Input& input, Counts& table) {
    std::uint64_t told = 0;
    const Outcome<std::uint64_t> steps =
        table.add_trajectory(input, model_, [&](std::uint64_t bytes) { tell(bytes - std::exchange(told, bytes)); });
    if (!steps) return fail(steps.error());
    return {};
  }

  Outcome<Counts> take_table() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tables_.empty()) return Counts::of(model_, model_name_);
    Counts table = std::move(tables_.back());
    tables_.pop_back();
    return table;
  }

  void note(size_t file, Problem problem) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file >= first_bad_) return;
    first_bad_ = file;
    problem_ = std::move(problem);
  }

  void tell(std::uint64_t bytes) {
    if (!progress_) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    progress_(bytes_ += bytes);
  }

  const std::vector<std::string>& paths_;
  const Model& model_;
  const std::string& model_name_;
  const Progress& progress_;
  std::mutex mutex_;
  std::vector<Counts> tables_;  // that no thread is using
  std::uint64_t bytes_ = 0;
  std::atomic<bool> fits_{true};
  std::atomic<size_t> first_bad_;
  std::optional<Problem> problem_;  // of that file
};

void append(std::string& text, std::uint64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_list(std::string& text, const std::uint64_t* numbers, size_t count) {
  text += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    append(text, numbers[i]);
  }
  text += ']';
}

}  // namespace

Outcome<Counts> read_counts(Input& input, const Model& model) {
  const Outcome<std::string> text = input.read_all();
  if (!text) return fail(text.error());
  const Outcome<json> document = parse_json(text.value(), input.name());
  if (!document) return fail(document.error());
  Outcome<Counts> counts = Counts::of(model, input.name());
  if (!counts) return counts;
  return Document(document.value(), input.name(), std::move(counts.value())).read();
}

std::string to_json(const Counts& counts) {
  const size_t A = counts.actions;
  const size_t O = counts.observations;
  std::string text = std::string("{\n  \"penumbra\": \"") + format + "\",\n  \"pairs\": [\n";
  const std::uint64_t* row = counts.pairs.data();
  for (size_t a = 0; a < A; ++a) {
    text += "    [\n";
    for (size_t next = 0; next < A; ++next) {
      text += "      [\n";
      for (size_t o = 0; o < O; ++o, row += O) {
        text += "        ";
        append_list(text, row, O);
        text += o + 1 < O ? ",\n" : "\n";
      }
      text += next + 1 < A ? "      ],\n" : "      ]\n";
    }
    text += a + 1 < A ? "    ],\n" : "    ]\n";
  }
  text += "  ],\n  \"samples\": ";
  append_list(text, counts.samples().data(), A);
  text += "\n}\n";
  return text;
}

Outcome<Counts> count_files(const std::vector<std::string>& paths, const Model& model, const std::string& model_name, unsigned threads,
                            const Progress& progress) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return fail(Fault::usage, "", "standard input (\"-\") is named twice", "it can be read once");
  }
  Counting counting(paths, model, model_name, progress);
  detail::in_parallel(paths.size(), std::max(threads, 1U), [&counting](size_t file) { counting.count(file); });
  return counting.sum();
}

}  // namespace penumbra::host

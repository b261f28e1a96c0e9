// Trajectories from CSV. Lines whose fields are plain, nearly all of them, go through a short loop without copies; a line with quotes, blanks
// around a field or anything wrong is looked at again, slowly and exactly, and only there are problems found.
#include "penumbra/host/trajectory.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace penumbra::host {

namespace {

constexpr size_t chunk = size_t{1} << 18U;
constexpr size_t longest_line = size_t{1} << 16U;
constexpr size_t batch = 4096;  // steps
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t";
constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

// Where a plain field ends, or is not plain.
constexpr std::array<bool, 256> ends_plain_field = [] {
  std::array<bool, 256> ends{};
  for (const char c : {',', '\n', '\r', '"'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// What a plain field stands for, as Labels::find() would say: no allocation, and one load where a field has one byte. `nothing` may also
// mean that the field takes a closer look.
class PlainFields {
 public:
  explicit PlainFields(const Labels& labels) : count_(labels.size()) {
    for (size_t i = 0; i < labels.names().size(); ++i) {
      const std::string& name = labels.names()[i];
      if (trimmed(name) == name) names_.emplace(name, static_cast<std::uint32_t>(i));  // another one has to be quoted
    }
    for (size_t byte = 0; byte < of_byte_.size(); ++byte) {
      const char text = static_cast<char>(byte);
      of_byte_[byte] = find_long({&text, 1});
    }
  }

  [[nodiscard]] std::uint32_t find(const char* text, size_t size) const {
    if (size == 1) return of_byte_[static_cast<unsigned char>(*text)];
    return find_long({text, size});
  }

 private:
  [[nodiscard]] std::uint32_t find_long(std::string_view text) const {
    if (!names_.empty()) {
      const auto found = names_.find(text);
      if (found != names_.end()) return found->second;
    }
    if (text.empty() || text.size() > 9) return nothing;  // nine digits fit
    std::uint32_t index = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return nothing;
      index = index * 10U + static_cast<std::uint32_t>(c - '0');
    }
    return index < count_ ? index : nothing;
  }

  size_t count_;
  std::array<std::uint32_t, 256> of_byte_{};
  std::unordered_map<std::string_view, std::uint32_t> names_;  // of the model's strings
};

// The fields of one line, exactly: RFC 4180 without line breaks in fields, and blanks around a field are dropped.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  std::string_view text;        // of this field; valid until the next
  size_t offset = 0;            // where it begins, or where the fault is
  const char* fault = nullptr;  // why there are no more fields

  bool next() {
    if (ended_) return false;
    offset = std::min(line_.find_first_not_of(blanks, at_), line_.size());
    if (offset < line_.size() && line_[offset] == '"') return next_quoted();
    const size_t end = std::min(line_.find(',', offset), line_.size());
    text = trimmed(line_.substr(offset, end - offset));
    if (text.find('"') != std::string_view::npos) return stop(offset, "a quote inside a field that is not quoted");
    return go_on(end);
  }

 private:
  bool next_quoted() {
    unquoted_.clear();
    size_t at = offset + 1;
    while (true) {
      const size_t quote = line_.find('"', at);
      if (quote == std::string_view::npos) return stop(offset, "a quoted field does not end on its line");
      unquoted_ += line_.substr(at, quote - at);
      at = quote + 1;
      if (at == line_.size() || line_[at] != '"') break;
      unquoted_ += '"';
      ++at;
    }
    text = unquoted_;
    const size_t end = std::min(line_.find_first_not_of(blanks, at), line_.size());
    if (end < line_.size() && line_[end] != ',') return stop(end, "text after a quoted field");
    return go_on(end);
  }
  bool go_on(size_t end) {
    ended_ = end == line_.size();
    at_ = end + 1;
    return true;
  }
  bool stop(size_t where, const char* why) {
    ended_ = true;
    offset = where;
    fault = why;
    return false;
  }

  std::string_view line_;
  size_t at_ = 0;
  bool ended_ = false;
  std::string unquoted_;
};

// The valid ones, where that is a short line.
std::string valid_ones(const char* kind, const Labels& labels) {
  if (!labels.named()) return {};
  std::string text = std::string("the ") + kind + "s are";
  for (size_t i = 0; i < labels.size(); ++i) {
    text += (i == 0 ? " " : ", ") + in_quotes(labels.of(i));
    if (text.size() > 120) return {};
  }
  return text;
}

class Reader {
 public:
  Reader(Input& input, const Model& model, const StepSink& sink)
      : input_(input), model_(model), sink_(sink), actions_(model.actions), observations_(model.observations), steps_(batch) {}

  Outcome<std::uint64_t> read(const Progress& progress) {
    const std::unique_ptr<char[]> buffer(new char[longest_line + chunk + 1]);
    size_t end = 0;  // of a line's beginning that was read
    std::uint64_t bytes = 0;
    while (true) {
      const Outcome<size_t> size = input_.read(buffer.get() + end, chunk);
      if (!size) return fail(size.error());
      if (size.value() == 0) break;
      bytes += size.value();
      if (progress) progress(bytes);
      const std::string_view fresh(buffer.get() + end, size.value());
      const size_t last_line_end = fresh.rfind('\n');
      if (last_line_end == std::string_view::npos) {
        end += fresh.size();
      } else {
        const Outcome<void> read = read_lines(buffer.get(), fresh.data() + last_line_end + 1);
        if (!read) return fail(read.error());
        end = fresh.size() - last_line_end - 1;
        std::memmove(buffer.get(), fresh.data() + last_line_end + 1, end);
      }
      if (end > longest_line) return too_long();
    }
    if (end > 0) {
      buffer[end] = '\n';
      const Outcome<void> read = read_lines(buffer.get(), buffer.get() + end + 1);
      if (!read) return fail(read.error());
    }
    if (columns_.empty()) return problem(0, "is empty", header_advice);
    hand_on();
    return count_;
  }

 private:
  enum class Column : std::uint8_t { other, action, observation };

  static constexpr const char* header_advice = "the first line names the columns: action,observation";

  // Whole lines, each with its end.
  Outcome<void> read_lines(const char* at, const char* end) {
    while (at != end) {
      if (!columns_.empty()) at = read_plain_lines(at, end);
      if (at == end) break;
      const auto* line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
      std::string_view line(at, static_cast<size_t>(line_end - at));
      if (line.size() > longest_line) return too_long();
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      const size_t inside = line.find('\r');
      if (inside != std::string_view::npos) return problem(inside, "a carriage return inside a line");
      const Outcome<void> read = columns_.empty() ? read_header(line) : read_step(line);
      if (!read) return read;
      at = line_end + 1;
    }
    return {};
  }

  // Stops before the first line that takes a closer look.
  const char* read_plain_lines(const char* at, const char* end) {
    const size_t last = columns_.size() - 1;
    while (at != end) {
      const char* const line = at;
      std::uint32_t action = nothing;
      std::uint32_t observation = nothing;
      for (size_t column = 0;; ++column) {
        const char* const field = at;
        while (!ends_plain_field[static_cast<unsigned char>(*at)]) ++at;
        const auto size = static_cast<size_t>(at - field);
        if (columns_[column] == Column::action) action = actions_.find(field, size);
        if (columns_[column] == Column::observation) observation = observations_.find(field, size);
        if (column == last) break;
        if (*at != ',') return line;
        ++at;
      }
      if (*at == '\r') ++at;  // there is a line end behind it, at the latest at `end`
      if (*at != '\n' || action == nothing || observation == nothing || static_cast<size_t>(at - line) > longest_line) return line;
      ++at;
      add({action, observation});
    }
    return at;
  }

  Outcome<void> read_header(std::string_view line) {
    const size_t mark = line.substr(0, byte_order_mark.size()) == byte_order_mark ? byte_order_mark.size() : 0;
    bool seen[3] = {};
    std::vector<Column> columns;
    Splitter fields(line.substr(mark));
    while (fields.next()) {
      const Column column = fields.text == "action" ? Column::action : fields.text == "observation" ? Column::observation : Column::other;
      if (column != Column::other && seen[static_cast<size_t>(column)]) {
        return problem(mark + fields.offset, "a second column " + in_quotes(fields.text));
      }
      seen[static_cast<size_t>(column)] = true;
      columns.push_back(column);
    }
    if (fields.fault != nullptr) return problem(mark + fields.offset, fields.fault);
    for (const Column column : {Column::action, Column::observation}) {
      if (seen[static_cast<size_t>(column)]) continue;
      const char* name = column == Column::action ? "action" : "observation";
      return problem(0, std::string("the header has no column \"") + name + "\"", header_advice);
    }
    columns_ = std::move(columns);
    return {};
  }

  Outcome<void> read_step(std::string_view line) {
    struct Field {
      std::string text;
      size_t offset = 0;
    };
    Field of[3];
    size_t count = 0;
    size_t surplus = line.size();  // where the first field begins that the header does not have
    Splitter fields(line);
    for (; fields.next(); ++count) {
      if (count < columns_.size()) {
        Field& field = of[static_cast<size_t>(columns_[count])];
        field.text = fields.text;
        field.offset = fields.offset;
      } else if (count == columns_.size()) {
        surplus = fields.offset;
      }
    }
    if (fields.fault != nullptr) return problem(fields.offset, fields.fault);
    if (count != columns_.size()) {
      const std::string has = line.empty() ? "is empty" : "has " + std::to_string(count) + (count == 1 ? " field" : " fields");
      return problem(surplus, "the line " + has + ", the header has " + std::to_string(columns_.size()));
    }
    const Field& action = of[static_cast<size_t>(Column::action)];
    const Field& observation = of[static_cast<size_t>(Column::observation)];
    const std::optional<size_t> a = model_.actions.find(action.text);
    if (!a) return unknown("action", model_.actions, action.text, action.offset);
    const std::optional<size_t> o = model_.observations.find(observation.text);
    if (!o) return unknown("observation", model_.observations, observation.text, observation.offset);
    add({static_cast<std::uint32_t>(*a), static_cast<std::uint32_t>(*o)});
    return {};
  }

  void add(Step step) {
    steps_[waiting_++] = step;
    ++count_;
    if (waiting_ == batch) hand_on();
  }
  void hand_on() {
    if (waiting_ > 0) sink_({steps_.data(), waiting_});
    waiting_ = 0;
  }

  [[nodiscard]] Failure unknown(const char* kind, const Labels& labels, std::string_view text, size_t offset) const {
    const char* is_not = labels.named() ? " is neither a name nor an index below " : " is not an index below ";
    return problem(offset, kind + (" " + in_quotes(text)) + is_not + std::to_string(labels.size()), valid_ones(kind, labels));
  }
  [[nodiscard]] Failure too_long() const {
    return problem(longest_line, "the line is longer than " + std::to_string(longest_line) + " bytes", "is this a trajectory?");
  }
  // On the line at hand: each line behind the header is a step.
  [[nodiscard]] Failure problem(size_t offset, std::string what, std::string advice = {}) const {
    const std::uint64_t line = columns_.empty() ? 1 : count_ + 2;
    return fail(Fault::input, input_.name() + ":" + std::to_string(line) + ":" + std::to_string(offset + 1), std::move(what),
                std::move(advice));
  }

  Input& input_;
  const Model& model_;
  const StepSink& sink_;
  PlainFields actions_;
  PlainFields observations_;
  std::vector<Column> columns_;  // empty: the header has not been read
  std::vector<Step> steps_;      // room for a batch
  size_t waiting_ = 0;           // of them, to be handed on
  std::uint64_t count_ = 0;      // all that were read
};

}  // namespace

Outcome<std::uint64_t> read_trajectory(Input& input, const Model& model, const StepSink& sink, const Progress& progress) {
  return Reader(input, model, sink).read(progress);
}

std::string csv_field(const std::string& text) {
  const bool plain = !text.empty() && trimmed(text) == text && text.find_first_of(",\"\r\n") == std::string::npos;
  if (plain) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

}  // namespace penumbra::host

// The library's parser with our strictness and our words. Its own document builder keeps the last of two equal keys and does not say where
// a key stands, so the document is built here.
#include "json.hpp"

#include "text.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace penumbra::host {

namespace {

using nlohmann::json;

// Tells how far the parser has read: it asks for one character after the other.
class Reader {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Reader& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const Reader& other) const { return at_ == other.at_; }
  bool operator!=(const Reader& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

bool of_a_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' || c == '-' || c == '.';
}

// Where the number or word begins that the byte at `last` belongs to.
size_t word_start(std::string_view text, size_t last) {
  size_t start = last;
  if (!of_a_word(text[last])) return last;
  while (start > 0 && of_a_word(text[start - 1])) --start;
  return start;
}

// Where the token begins whose last byte is at `last`.
size_t token_start(std::string_view text, size_t last) {
  size_t start = last;
  if (text[last] == '"') {
    while (start > 0) {
      if (text[--start] != '"') continue;
      size_t escapes = 0;
      while (escapes < start && text[start - 1 - escapes] == '\\') ++escapes;
      if (escapes % 2 == 0) break;
    }
    return start;
  }
  return word_start(text, last);
}

// The same token, a string without its quotes.
std::string_view token_at(std::string_view text, size_t start) {
  size_t end = start + 1;
  if (text[start] == '"') {
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
    return text.substr(start + 1, end - start - 1);
  }
  if (of_a_word(text[start])) {
    while (end < text.size() && of_a_word(text[end])) ++end;
  }
  return text.substr(start, end - start);
}

class Builder {  // what nlohmann::json::sax_parse() calls
 public:
  Builder(std::string_view text, const std::string& name, const char* const* reached) : text_(text), name_(name), reached_(reached) {}

  json document;
  std::optional<Problem> problem;

  bool null() { return value(json(nullptr)); }
  bool boolean(bool b) { return value(json(b)); }
  bool number_integer(json::number_integer_t number) { return value(json(number)); }
  bool number_unsigned(json::number_unsigned_t number) { return value(json(number)); }
  bool number_float(json::number_float_t number, const std::string&) { return value(json(number)); }
  bool string(std::string& text) { return value(json(std::move(text))); }
  bool binary(json::binary_t&) { return false; }  // JSON has none
  bool start_object(size_t) { return open(json(json::value_t::object)); }
  bool start_array(size_t) { return open(json(json::value_t::array)); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& key) {
    json& object = *open_.back();
    if (object.contains(key)) {
      return refuse(token_start(text_, read() - 1), "key " + in_quotes(key) + " is there twice", "remove one of them");
    }
    member_ = &object[key];
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception& error) {
    std::string_view reason = error.what();
    reason = reason.substr(0, reason.find("; last read"));  // what follows is the file's own text
    const auto says = [&](const char* part) { return reason.find(part) != std::string_view::npos; };
    if (says("UTF-8 byte")) return refuse(position - 1, "is not valid UTF-8");
    if (position > text_.size()) return refuse(text_.size(), text_.empty() ? "is empty" : "ends too early", "is the file whole?");
    if (says("control character")) return refuse(position - 1, "a string holds a control character");
    if (says("invalid string")) return refuse(position - 1, "a string holds an escape that JSON does not know");
    // A whole token in the wrong place, or a byte that makes no token.
    const size_t start = says("unexpected") ? token_start(text_, position - 1) : word_start(text_, position - 1);
    const std::string token = in_quotes(token_at(text_, start));
    if (says("number overflow")) return refuse(start, "the number " + token + " is too large");
    if (ended_) return refuse(start, "there is text after the end of the document: " + token);
    const size_t before = text_.find_last_not_of(" \t\r\n", start == 0 ? 0 : start - 1);
    if ((text_[start] == ']' || text_[start] == '}') && before != std::string_view::npos && text_[before] == ',') {
      return refuse(start, token + " does not belong here", "is there a comma too many before it?");
    }
    return refuse(start, token + " does not belong here", start == 0 ? "this is not JSON: is it the right file?" : "");
  }

 private:
  [[nodiscard]] size_t read() const { return static_cast<size_t>(*reached_ - text_.data()); }

  bool refuse(size_t offset, std::string what, std::string advice = {}) {
    problem = Problem{Fault::input, place(name_, text_, offset), std::move(what), {}, std::move(advice)};
    return false;
  }

  json* put(json&& value) {
    if (open_.empty()) return &(document = std::move(value));
    if (open_.back()->is_object()) return &(*member_ = std::move(value));
    return &open_.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
  }
  bool value(json&& value) {
    put(std::move(value));
    ended_ = open_.empty();
    return true;
  }
  bool open(json&& container) {
    if (open_.size() == max_json_depth) {
      return refuse(read() - 1, "is nested deeper than " + std::to_string(max_json_depth) + " brackets");
    }
    open_.push_back(put(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    ended_ = open_.empty();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  const char* const* reached_;
  std::vector<json*> open_;  // objects and arrays that have not ended; they stay where they are as long as they are in here
  json* member_ = nullptr;   // of the innermost object: where its next value goes
  bool ended_ = false;       // the document is complete
};

}  // namespace

Outcome<json> parse_json(std::string_view text, const std::string& name) {
  const char* reached = text.data();
  Builder builder(text, name, &reached);
  const size_t zero = text.find('\0');  // would be the end of the document to the library
  if (zero != std::string_view::npos)
    return fail(Fault::input, place(name, text, zero), "holds a zero byte", "this is not JSON: is it the right file?");
  try {
    if (json::sax_parse(Reader(text.data(), &reached), Reader(text.data() + text.size(), &reached), &builder)) {
      return Outcome<json>(std::move(builder.document));
    }
  } catch (const std::bad_alloc&) {
    return fail(Fault::system, name, "takes more memory than there is");
  } catch (const std::exception&) {
    return fail(Fault::input, name, "is not JSON");
  }
  if (!builder.problem) return fail(Fault::input, name, "is not JSON");
  return fail(std::move(*builder.problem));
}

std::string shown(const json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.dump();
}

}  // namespace penumbra::host

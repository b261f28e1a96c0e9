// SQLite as the store needs it: a file, statements whose values are bound and never pasted into the text, and transactions. Errors are kept
// until done() or commit() is asked, as Problems with the file's name.
#pragma once

#include "penumbra/host/problem.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace penumbra::host {

struct CloseDatabase {
  bool logged = false;  // has a write-ahead log to put away
  void operator()(sqlite3* handle) const noexcept;
};

class Database {
 public:
  // Made when it is missing, to be read and written. Whose file it is, nobody has looked yet.
  [[nodiscard]] static Outcome<Database> open(const std::string& path);

  // Statements without values, any number of them.
  [[nodiscard]] Outcome<void> run(const char* statements) const;

  // A journal beside the file, which lets readers and a writer work at a time and commits without waiting for the disk. The last one who closes
  // the file puts it away, so that at rest there is one file, which can be copied and be read where nothing can be written. (Where the last
  // one may only read, the journal stays until the next one who may write.)
  [[nodiscard]] Outcome<void> use_write_ahead_log();

  // Removes the file, if open() has made it, nobody else has it open, and `query` says that there is nothing in it that would be missed (its first value is 0).
  void remove_unless(const char* query);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }

  // What SQLite's `code` means to a user.
  [[nodiscard]] Problem problem(int code) const;

 private:
  std::string path_;
  bool is_new_ = false;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
};

// Bytes rather than text.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  Statement(const Database& database, const char* sql);

  // Its parameters ?1, ?2 … An empty optional is NULL.
  template <class... Values>
  Statement& with(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    return *this;
  }

  // Is there another row? Not at the end, nor after a failure.
  [[nodiscard]] bool row();

  // The next column of the row. What is not a Value there is a problem, which done() tells; rows end then.
  template <class Value>
  [[nodiscard]] Value take();

  // The column that was taken last holds nothing that a store would.
  void refuse();

  // Ready for the next values, if nothing went wrong.
  [[nodiscard]] Outcome<void> done();

  // For statements without rows, or whose rows do not matter.
  [[nodiscard]] Outcome<void> run() {
    while (row()) {
    }
    return done();
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };

  void note(int code);

  template <class Value>
  void bind(int at, const Value& value) {
    if constexpr (std::is_same_v<Value, bool> || std::is_unsigned_v<Value>) {
      if (std::uint64_t{value} > static_cast<std::uint64_t>(std::numeric_limits<sqlite3_int64>::max())) return note(SQLITE_MISMATCH);
      note(sqlite3_bind_int64(get(), at, static_cast<sqlite3_int64>(value)));
    } else if constexpr (std::is_same_v<Value, double>) {
      note(sqlite3_bind_double(get(), at, value));
    } else if constexpr (std::is_same_v<Value, Blob>) {
      note(sqlite3_bind_blob64(get(), at, value.bytes.empty() ? "" : value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT));
    } else {
      const std::string_view text = value;
      note(sqlite3_bind_text64(get(), at, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    }
  }
  template <class Value>
  void bind(int at, const std::optional<Value>& value) {
    if (value) return bind(at, *value);
    note(sqlite3_bind_null(get(), at));
  }

  [[nodiscard]] sqlite3_stmt* get() const noexcept { return statement_.get(); }

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int column_ = -1;  // the one taken last
  std::optional<Problem> problem_;
};

template <class Value>
struct Optional : std::false_type {};
template <class Value>
struct Optional<std::optional<Value>> : std::true_type {
  using Inner = Value;
};

template <class Value>
Value Statement::take() {
  if constexpr (Optional<Value>::value) {
    if (sqlite3_column_type(get(), column_ + 1) != SQLITE_NULL) return take<typename Optional<Value>::Inner>();
    ++column_;
    return {};
  } else {
    const int type = sqlite3_column_type(get(), ++column_);
    if constexpr (std::is_unsigned_v<Value>) {
      const sqlite3_int64 number = sqlite3_column_int64(get(), column_);
      const bool fits = type == SQLITE_INTEGER && number >= 0 && static_cast<std::uint64_t>(number) <= std::numeric_limits<Value>::max();
      if (!fits) refuse();
      return fits ? static_cast<Value>(number) : Value{};
    } else if constexpr (std::is_same_v<Value, double>) {
      if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) refuse();
      return sqlite3_column_double(get(), column_);
    } else {
      if (type != SQLITE_TEXT && type != SQLITE_BLOB) refuse();
      const void* const bytes = sqlite3_column_blob(get(), column_);  // before its size: SQLite may convert
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(get(), column_));
      return bytes == nullptr ? Value{} : Value(static_cast<const char*>(bytes), size);
    }
  }
}

// All or nothing. The right to write is taken at the beginning, so that two commands wait for each other there and nowhere else. Without
// a commit() nothing has happened.
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  [[nodiscard]] Outcome<void> begin();
  [[nodiscard]] Outcome<void> commit();

 private:
  const Database& database_;
  bool open_ = false;
};

}  // namespace penumbra::host

// SQLite: opening, waiting for others, and its errors in words.
#include "storage/database.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

namespace penumbra::host {

namespace {

constexpr std::chrono::milliseconds patience{5000};  // another command writes for a few milliseconds at a time
constexpr std::chrono::milliseconds pause{10};

// False: others have the file open.
bool put_log_away(sqlite3* handle) noexcept {
  sqlite3_busy_timeout(handle, 0);
  return sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

Outcome<Database> Database::open(const std::string& path) {
  if (path.empty()) return fail(Fault::usage, "", "the store has no name", "name its file");
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) return fail(Fault::system, path, "is a folder, not a file", "name a file in it");
    return fail(Fault::system, path, "is a device or a pipe, not a file", "name a file");
  }
  Database database;
  database.path_ = path;
  database.is_new_ = !is_there;
  sqlite3* handle = nullptr;
  const std::string name = path.front() == '/' ? path : "./" + path;  // ":memory:" and "file:x" are files' names to us
  const int code = sqlite3_open_v2(name.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return fail(database.problem(code));
  if (sqlite3_db_readonly(handle, "main") != 0) return fail(database.problem(SQLITE_READONLY));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  return database;
}

Outcome<void> Database::run(const char* statements) const {
  const int code = sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(problem(code));
  return {};
}

// SQLite does not wait by itself where two commands change the journal of a new file at a time.
Outcome<void> Database::use_write_ahead_log() {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int code = SQLITE_BUSY;
  while (code == SQLITE_BUSY) {
    code = sqlite3_exec(handle(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr) & 0xFF;
    if (code != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(pause);
  }
  if (code != SQLITE_OK) return fail(problem(code));
  Statement mode(*this, "PRAGMA journal_mode");
  const bool changed = mode.row() && mode.take<std::string>() == "wal";
  if (const Outcome<void> done = mode.done(); !done) return done;
  if (!changed) return fail(Fault::system, path_, "its disk cannot hold a store: it shares no memory", "name a file on a local disk");
  handle_.get_deleter().logged = true;
  return {};
}

void CloseDatabase::operator()(sqlite3* handle) const noexcept {
  if (logged) static_cast<void>(put_log_away(handle));
  sqlite3_close_v2(handle);
}

// Without the log the lock shuts everybody out, unless somebody has begun another in between. One who opens the file while it is locked waits,
// and SQLite then tells him that it is gone.
void Database::remove_unless(const char* query) {
  if (!is_new_ || !put_log_away(handle()) || !run("BEGIN EXCLUSIVE")) return;
  Statement mode(*this, "PRAGMA journal_mode");
  if (!mode.row() || mode.take<std::string>() != "delete") return;
  Statement missed(*this, query);
  if (missed.row() && missed.take<std::uint64_t>() == 0) static_cast<void>(::unlink(path_.c_str()));
}

Problem Database::problem(int code) const {
  int error = handle() == nullptr ? 0 : sqlite3_system_errno(handle());
  // Where a file cannot be made, SQLite tries to read it, and tells how that went.
  std::error_code ignored;
  if (error == ENOENT && std::filesystem::is_directory(std::filesystem::path(path_).parent_path() / ".", ignored)) error = EACCES;
  const bool told = handle() != nullptr && (sqlite3_errcode(handle()) & 0xFF) == (code & 0xFF);
  const std::string reason = told ? sqlite3_errmsg(handle()) : sqlite3_errstr(code);
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Fault::system, path_, "is in use by another program, and stays so", {}, "wait for that to end, or name another store"};
    case SQLITE_FULL: return {Fault::system, path_, "cannot be written: the disk is full", {}, "make room on the disk"};
    case SQLITE_READONLY:
      return {Fault::system, path_, "cannot be written: no permission to change it or its folder", {}, "name a store of your own"};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_PERM:
      return {Fault::system,
              path_,
              "cannot be opened or written: " + (error == 0 ? reason : std::string(std::strerror(error))),
              {},
              error == ENOENT ? "make its folder first" : ""};
    case SQLITE_NOMEM: return {Fault::system, path_, "takes more memory than there is", {}, {}};
    case SQLITE_NOTADB: return {Fault::input, path_, "is not a Penumbra store: " + reason, {}, "name another file"};
    case SQLITE_CORRUPT: return {Fault::input, path_, "is damaged: " + reason, {}, "go back to a copy, or name another file"};
    default: return {Fault::input, path_, "is not as a Penumbra store should be: " + reason, {}, "go back to a copy, or name another file"};
  }
}

Statement::Statement(const Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  note(sqlite3_prepare_v2(database.handle(), sql, -1, &statement, nullptr));
  statement_.reset(statement);
}

void Statement::note(int code) {
  if (code != SQLITE_OK && !problem_) problem_ = database_.problem(code);
}

bool Statement::row() {
  if (problem_) return false;
  column_ = -1;
  const int code = sqlite3_step(get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) note(code);
  return code == SQLITE_ROW;
}

void Statement::refuse() {
  if (problem_) return;
  const unsigned char* const text = sqlite3_column_text(get(), column_);
  problem_ = Problem{Fault::input,
                     database_.path(),
                     std::string("is damaged: ") + sqlite3_column_name(get(), column_) + " is " +
                         (text == nullptr ? "missing" : "\"" + std::string(reinterpret_cast<const char*>(text)) + "\""),
                     {},
                     "go back to a copy, or name another file"};
}

Outcome<void> Statement::done() {
  sqlite3_reset(get());
  if (problem_) return fail(*problem_);
  return {};
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Outcome<void> Transaction::begin() {
  const Outcome<void> begun = database_.run("BEGIN IMMEDIATE");
  open_ = begun.has_value();
  return begun;
}

Outcome<void> Transaction::commit() {
  const Outcome<void> committed = database_.run("COMMIT");
  open_ = !committed.has_value();
  return committed;
}

}  // namespace penumbra::host

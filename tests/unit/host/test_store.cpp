// The store: what it was told survives kills, repeats and other commands, and what is not a store is refused and left alone.
#include "penumbra/host/store.hpp"

#include "penumbra/host/input.hpp"
#include "penumbra/host/output.hpp"
#include "recipe.hpp"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;
namespace fs = std::filesystem;

const fs::path folder = fs::path(PENUMBRA_SCRATCH) / "store";

std::string file(const char* name) { return (folder / name).string(); }

const Model& model() {  // 2 states, 2 actions, 3 observations: 36 cells
  static const Model made = random_model(2, 2, 3, 1);
  return made;
}
const DeviceRow rover{7, "netduinoplus2", 2, 2, 3};
const DeviceRow other_rover{8, "microbit", 2, 2, 3};

template <class Value>
void good(const Outcome<Value>& outcome) {
  TEST_ASSERT_TRUE_MESSAGE(outcome.has_value(), outcome ? "" : to_text(outcome.error()).c_str());
}

template <class Value>
void bad(Fault fault, const std::string& text, const Outcome<Value>& outcome) {
  TEST_ASSERT_FALSE_MESSAGE(outcome.has_value(), text.c_str());
  TEST_ASSERT_EQUAL_STRING(text.c_str(), to_text(outcome.error()).c_str());
  TEST_ASSERT_EQUAL(static_cast<int>(fault), static_cast<int>(outcome.error().fault));
}

Store opened(const std::string& path) {
  Outcome<Store> store = Store::open(path);
  good(store);
  return std::move(store.value());
}

// A store that knows both rovers.
Store project(const char* name = "project.db") {
  Store store = opened(file(name));
  good(store.seen(rover));
  good(store.seen(other_rover));
  return store;
}

// As another program would: the first column of the first row, as text.
std::string sql(const std::string& path, const char* statement) {
  sqlite3* database = nullptr;
  TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(path.c_str(), &database));
  std::string text;
  const auto first = [](void* to, int, char** values, char**) {
    auto& all = *static_cast<std::string*>(to);
    if (all.empty() && values[0] != nullptr) all = values[0];
    return 0;
  };
  const int code = sqlite3_exec(database, statement, first, &text, nullptr);
  const std::string reason = sqlite3_errmsg(database);
  sqlite3_close(database);
  TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, code, reason.c_str());
  return text;
}

std::string content(const std::string& path) {
  Outcome<Input> input = Input::open(path);
  return input ? input.value().read_all().value() : "(not there)";
}

std::uint64_t total(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts.pairs) sum += count;
  return sum;
}

// Steps that visit all cells, and the counts of their pairs.
std::vector<LoggedStep> walk(size_t count) {
  std::mt19937 random(3);
  std::vector<LoggedStep> steps(count);
  for (LoggedStep& step : steps) step = {static_cast<std::uint32_t>(random() % 2), static_cast<std::uint32_t>(random() % 3), true};
  return steps;
}

std::vector<std::uint64_t> pairs_of(const std::vector<LoggedStep>& steps) {
  PairCounter counter(model());
  for (const LoggedStep& step : steps) {
    if (!step.pair) counter.break_pair();
    counter.add(step.action, step.observation);
  }
  return counter.counts().pairs;
}

etl::span<const LoggedStep> part(const std::vector<LoggedStep>& steps, size_t from, size_t to) {
  return {steps.data() + from, steps.data() + to};
}

// --- Opening

void a_missing_file_is_made_and_opens_again() {
  {
    const Store store = project();
    good(store.check());
  }
  const Store again = opened(file("project.db"));
  const std::vector<DeviceRow> devices = again.devices().value();
  TEST_ASSERT_EQUAL(2, devices.size());
  TEST_ASSERT_EQUAL(7, devices[0].id);
  TEST_ASSERT_EQUAL_STRING("netduinoplus2", devices[0].board.c_str());
  TEST_ASSERT_TRUE(devices[1].states == 2 && devices[1].actions == 2 && devices[1].observations == 3);
}

void a_closed_store_is_one_file() {
  { const Store store = project(); }
  TEST_ASSERT_EQUAL(1, std::distance(fs::directory_iterator(folder), {}));
  {
    const Store one = opened(file("project.db"));
    { const Store two = opened(file("project.db")); }
    TEST_ASSERT_TRUE(fs::exists(file("project.db-wal")));
  }
  TEST_ASSERT_EQUAL(1, std::distance(fs::directory_iterator(folder), {}));
  TEST_ASSERT_EQUAL_STRING("delete", sql(file("project.db"), "PRAGMA journal_mode").c_str());
}

void the_same_work_gives_the_same_bytes() {
  for (const char* name : {"a.db", "b.db"}) {
    Store store = project(name);
    good(store.keep_counts(7, 1, std::vector<CountCell>{{1, 2}, {3, 4}}, 5));
    good(store.keep_event({0, 7, 1, "boot", "by power"}));
  }
  TEST_ASSERT_TRUE(content(file("a.db")) == content(file("b.db")));
}

void a_name_that_means_something_to_sqlite_is_a_file_all_the_same() {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  for (const char* name : {":memory:", "file:x.db?mode=memory"}) {
    { const Store store = opened(name); }
    TEST_ASSERT_TRUE_MESSAGE(fs::exists(folder / name), name);
  }
  fs::current_path(before);
}

void garbage_is_refused_and_left_alone() {
  const std::string garbage(5000, '#');
  good(write_file(file("garbage"), garbage));
  bad(Fault::input, file("garbage") + ": is not a Penumbra store: file is not a database\n  name another file",
      Store::open(file("garbage")));
  TEST_ASSERT_TRUE(content(file("garbage")) == garbage);
}

void another_programs_database_is_refused_and_left_alone() {
  sql(file("mail.db"), "CREATE TABLE mail(sender TEXT); INSERT INTO mail VALUES('me')");
  sql(file("other.db"), "PRAGMA application_id = 77; PRAGMA user_version = 1");
  for (const char* name : {"mail.db", "other.db"}) {
    const std::string before = content(file(name));
    bad(Fault::input, file(name) + ": is not a Penumbra store, but another program's SQLite file\n  name another file",
        Store::open(file(name)));
    TEST_ASSERT_TRUE(content(file(name)) == before);
  }
}

void a_store_of_another_version_is_refused() {
  { const Store store = project(); }
  sql(file("project.db"), "PRAGMA user_version = 2");
  bad(Fault::input,
      file("project.db") +
          ": is a Penumbra store of version 2, and this program knows version 1\n  use the program that made it, or name another file",
      Store::open(file("project.db")));
}

void a_truncated_store_is_refused_or_whole_at_any_length() {
  {
    Store store = project();
    for (std::uint32_t life = 1; life <= 40; ++life) {
      std::vector<CountCell> cells;
      for (std::uint32_t cell = 0; cell < 36; ++cell) cells.push_back({cell, life + cell});
      good(store.keep_counts(7, life, cells, life));
    }
  }
  const std::string whole = content(file("project.db"));
  TEST_ASSERT_TRUE(whole.size() > 8 * 4096);
  for (size_t size = 0; size < whole.size(); size += 512) {
    good(write_file(file("cut.db"), whole.substr(0, size)));
    const Outcome<Store> cut = Store::open(file("cut.db"));
    if (size == 0) {
      good(cut);  // nothing is a store that has nothing in it yet
    } else {
      TEST_ASSERT_FALSE(cut.has_value());
      TEST_ASSERT_TRUE_MESSAGE(cut.error().fault == Fault::input, to_text(cut.error()).c_str());
    }
  }
}

void damaged_pages_are_refused_or_harmless() {
  {
    Store store = project();
    for (std::uint32_t life = 1; life <= 40; ++life) good(store.keep_counts(7, life, std::vector<CountCell>{{1, life}, {35, 9}}, life));
    good(store.keep_image(1, 2, 3, std::string(9000, 'i')));
    good(store.keep_use({7, 1, 2, ImageState::sent}));
    good(store.keep_episode({7, 1, 2, 3, 4, 2, {}, {}}));
    good(store.keep_event({0, 7, 1, "kind", "text"}));
  }
  const std::string whole = content(file("project.db"));
  std::mt19937 random(5);
  int refused = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::string broken = whole;
    for (int i = 0; i < 8; ++i) broken[random() % broken.size()] = static_cast<char>(random());
    good(write_file(file("broken.db"), broken));
    Outcome<Store> store = Store::open(file("broken.db"));
    if (!store) {
      ++refused;
      continue;
    }
    // Whatever it says, it says without a crash.
    const auto works = [](const auto& outcome) { return outcome.has_value(); };
    const bool all = works(store.value().counts(model(), "m.json")) && works(store.value().images()) && works(store.value().image(1)) &&
                     works(store.value().uses()) && works(store.value().episodes()) && works(store.value().events()) &&
                     works(store.value().keep_counts(7, 1, std::vector<CountCell>{{1, 50}}, 60)) &&
                     works(store.value().keep_steps(7, 99, 0, walk(3)));
    if (!all) ++refused;
  }
  TEST_ASSERT_TRUE(refused > 15);
}

void values_that_no_store_holds_are_refused() {
  { const Store store = project(); }
  sql(file("project.db"), "INSERT INTO counts VALUES(7, 1, 36, 1)");  // one cell too many
  {
    const Store store = opened(file("project.db"));
    bad(Fault::input, file("project.db") + ": is damaged: cell is \"36\"\n  go back to a copy, or name another file",
        store.counts(model(), "m.json"));
  }
  sql(file("project.db"), "PRAGMA ignore_check_constraints = 1; UPDATE counts SET cell = 0, value = 'many'");
  const Outcome<Store> checked = Store::open(file("project.db"));
  TEST_ASSERT_FALSE(checked.has_value());
  TEST_ASSERT_EQUAL_STRING("is damaged: CHECK constraint failed in counts", checked.error().what.c_str());
}

void a_place_that_cannot_be_written_is_a_problem_of_the_system() {
  bad(Fault::system, folder.string() + ": is a folder, not a file\n  name a file in it", Store::open(folder.string()));
  bad(Fault::system, file("none/project.db") + ": cannot be opened or written: No such file or directory\n  make its folder first",
      Store::open(file("none/project.db")));
  bad(Fault::usage, "the store has no name\n  name its file", Store::open(""));
  bad(Fault::system, "/dev/full: is a device or a pipe, not a file\n  name a file", Store::open("/dev/full"));
}

// Runs it as somebody who may not write what root made; those who are not root already are.
void as_nobody(const std::function<void()>& work) {
  const bool root = ::geteuid() == 0;
  if (root) TEST_ASSERT_EQUAL(0, ::seteuid(65534));
  work();
  if (root) TEST_ASSERT_EQUAL(0, ::seteuid(0));
}

void without_permission_it_says_so() {
  { const Store store = project(); }
  fs::permissions(file("project.db"), fs::perms(0444));
  fs::permissions(folder, fs::perms(0555));
  std::string file_problem;
  std::string folder_problem;
  as_nobody([&] {
    const Outcome<Store> in_file = Store::open(file("project.db"));
    const Outcome<Store> in_folder = Store::open(file("new.db"));
    if (!in_file) file_problem = to_text(in_file.error());
    if (!in_folder) folder_problem = to_text(in_folder.error());
  });
  fs::permissions(folder, fs::perms(0755));
  TEST_ASSERT_EQUAL_STRING(
      (file("project.db") + ": cannot be written: no permission to change it or its folder\n  name a store of your own").c_str(),
      file_problem.c_str());
  TEST_ASSERT_EQUAL_STRING((file("new.db") + ": cannot be opened or written: Permission denied").c_str(), folder_problem.c_str());
}

void a_disk_without_room_is_told_of_and_loses_nothing() {
  Store store = project();
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  TEST_ASSERT_EQUAL(0, ::getrlimit(RLIMIT_FSIZE, &before));
  struct rlimit small = before;
  small.rlim_cur = 300000;
  TEST_ASSERT_EQUAL(0, ::setrlimit(RLIMIT_FSIZE, &small));
  std::uint32_t kept = 0;
  Outcome<bool> outcome;
  while (kept < 100 && (outcome = store.keep_image(kept + 1, 1, 1, std::string(20000, 'i'))).has_value()) ++kept;
  TEST_ASSERT_EQUAL(0, ::setrlimit(RLIMIT_FSIZE, &before));
  TEST_ASSERT_TRUE(kept > 2 && kept < 100);
  TEST_ASSERT_TRUE_MESSAGE(outcome.error().fault == Fault::system, to_text(outcome.error()).c_str());
  TEST_ASSERT_EQUAL(kept, store.images().value().size());
  good(store.keep_image(kept + 1, 1, 1, std::string(20000, 'i')));
  good(store.check());
}

// --- Devices

void a_device_with_other_sizes_is_refused_with_what_was_expected() {
  Store store = project();
  good(store.seen(rover));
  bad(Fault::input,
      file("project.db") +
          ": device 7 came with 2 states, 2 actions and 4 observations\n"
          "  this store knows it with 2 states, 2 actions and 3 observations\n"
          "  flash the firmware that this store is about, or use another store",
      store.seen({7, "netduinoplus2", 2, 2, 4}));
  bad(Fault::input,
      file("project.db") +
          ": device 9 came with 3 states, 2 actions and 3 observations\n"
          "  the devices of this store have 2 states, 2 actions and 3 observations\n"
          "  flash the firmware that this store is about, or use another store",
      store.seen({9, "microbit", 3, 2, 3}));
  TEST_ASSERT_EQUAL(2, store.devices().value().size());
}

void a_device_that_is_another_board_is_refused() {
  Store store = project();
  bad(Fault::input,
      file("project.db") +
          ": device 7 came as a microbit, and this store knows it as a netduinoplus2\n"
          "  give each device a number of its own, or use another store",
      store.seen({7, "microbit", 2, 2, 3}));
}

void a_board_that_was_not_known_may_become_known() {
  Store store = opened(file("project.db"));
  good(store.seen({7, "", 2, 2, 3}));
  good(store.seen(rover));
  good(store.seen({7, "", 2, 2, 3}));
  TEST_ASSERT_EQUAL_STRING("netduinoplus2", store.devices().value()[0].board.c_str());
}

void sizes_whose_pairs_cannot_be_counted_are_refused() {
  Store store = opened(file("project.db"));
  for (const DeviceRow& device : {DeviceRow{1, "b", 2, 0, 3}, DeviceRow{1, "b", 0, 2, 3}, DeviceRow{1, "b", 2, 255, 255}}) {
    const Outcome<void> seen = store.seen(device);
    TEST_ASSERT_FALSE(seen.has_value());
    TEST_ASSERT_TRUE(seen.error().what.find("whose pairs cannot be counted") != std::string::npos);
  }
  good(store.seen({1, "b", 2, 32, 256}));
}

void nothing_is_kept_of_a_device_that_never_said_what_it_is() {
  Store store = project();
  const std::string refusal = file("project.db") + ": device 9 is not in this store";
  bad(Fault::input, refusal, store.keep_counts(9, 1, std::vector<CountCell>{{0, 1}}, 2));
  bad(Fault::input, refusal, store.keep_steps(9, 1, 0, walk(3)));
  bad(Fault::input, refusal, store.keep_use({9, 1, 2, ImageState::sent}));
  bad(Fault::input, refusal, store.keep_episode({9, 1, 2, 3, 4, 5, {}, {}}));
  bad(Fault::input, refusal, store.counts(model(), "m.json", 9));
}

// --- Counts

void cells_keep_their_largest_value_in_any_order_and_number_of_repeats() {
  Store store = project();
  std::vector<std::vector<CountCell>> frames;
  for (std::uint32_t value = 1; value <= 20; ++value) frames.push_back({{value % 5, value}, {35, 1000 * value}, {9, 0}});
  std::mt19937 random(1);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(frames.begin(), frames.end(), random);
    for (const auto& frame : frames) good(store.keep_counts(7, 1, frame, frame[0].value));
  }
  const std::vector<CountCell> cells = store.cells(7, 1).value();
  TEST_ASSERT_EQUAL(6, cells.size());
  const CountCell expected[] = {{0, 20}, {1, 16}, {2, 17}, {3, 18}, {4, 19}, {35, 20000}};
  for (size_t i = 0; i < 6; ++i) {
    TEST_ASSERT_EQUAL_UINT32(expected[i].cell, cells[i].cell);
    TEST_ASSERT_EQUAL_UINT32(expected[i].value, cells[i].value);
  }
  TEST_ASSERT_EQUAL_UINT64(20 + 16 + 17 + 18 + 19 + 20000, store.pairs(7, 1).value());
  TEST_ASSERT_EQUAL_STRING("20", sql(file("project.db"), "SELECT ticks FROM incarnations WHERE device = 7").c_str());
}

void the_largest_cell_fits() {
  Store store = project();
  good(store.keep_counts(7, 4294967295U, std::vector<CountCell>{{0, 4294967295U}}, 1));
  good(store.keep_counts(7, 1, std::vector<CountCell>{{0, 4294967295U}}, 1));
  TEST_ASSERT_EQUAL_UINT64(2 * std::uint64_t{4294967295U}, store.counts(model(), "m.json").value().pairs[0]);
}

void counts_are_the_sum_over_incarnations_and_devices() {
  Store store = project();
  good(store.keep_counts(7, 1, std::vector<CountCell>{{0, 5}, {1, 1}}, 9));
  good(store.keep_counts(7, 2, std::vector<CountCell>{{0, 2}}, 3));
  good(store.keep_counts(8, 1, std::vector<CountCell>{{0, 10}, {20, 4}}, 15));
  const Counts all = store.counts(model(), "m.json").value();
  TEST_ASSERT_TRUE(all.actions == 2 && all.observations == 3 && all.pairs.size() == 36);
  TEST_ASSERT_EQUAL_UINT64(17, all.pairs[0]);
  TEST_ASSERT_EQUAL_UINT64(1, all.pairs[1]);
  TEST_ASSERT_EQUAL_UINT64(4, all.pairs[20]);
  TEST_ASSERT_EQUAL_UINT64(22, total(all));
  TEST_ASSERT_EQUAL_UINT64(8, total(store.counts(model(), "m.json", 7).value()));
  TEST_ASSERT_EQUAL_UINT64(2, store.pairs(7, 2).value());
  TEST_ASSERT_EQUAL_UINT64(0, store.pairs(7, 3).value());
  TEST_ASSERT_EQUAL(0, store.cells(7, 3).value().size());
}

void an_empty_store_has_zero_counts() {
  const Store store = opened(file("project.db"));
  TEST_ASSERT_EQUAL_UINT64(0, total(store.counts(model(), "m.json").value()));
}

void a_frame_with_a_cell_that_is_none_is_refused_whole() {
  Store store = project();
  bad(Fault::input, file("project.db") + ": device 7 counted in cell 36, and has only 36 cells, numbered from 0",
      store.keep_counts(7, 1, std::vector<CountCell>{{0, 5}, {36, 1}}, 9));
  TEST_ASSERT_EQUAL_UINT64(0, store.pairs(7, 1).value());
}

void a_model_of_other_sizes_gets_no_counts() {
  const Store store = project();
  bad(Fault::input,
      file("project.db") +
          ": holds counts of 2 states, 2 actions and 3 observations\n"
          "  big.json has 3 states, 2 actions and 3 observations\n"
          "  take the model of its devices",
      store.counts(random_model(3, 2, 3, 1), "big.json"));
}

void the_views_give_a_script_the_totals() {
  Store store = project();
  const std::vector<LoggedStep> steps = walk(500);
  good(store.keep_steps(7, 1, 0, steps));
  good(store.keep_counts(8, 1, std::vector<CountCell>{{35, 7}}, 9));
  const Counts counts = store.counts(model(), "m.json").value();
  for (size_t a = 0; a < 2; ++a) {
    for (size_t a2 = 0; a2 < 2; ++a2) {
      for (size_t o = 0; o < 3; ++o) {
        for (size_t o2 = 0; o2 < 3; ++o2) {
          const size_t cell = ((a * 2 + a2) * 3 + o) * 3 + o2;
          const std::string query = "SELECT count FROM total_pairs WHERE a = " + std::to_string(a) + " AND a2 = " + std::to_string(a2) +
                                    " AND o = " + std::to_string(o) + " AND o2 = " + std::to_string(o2);
          TEST_ASSERT_EQUAL_STRING(std::to_string(counts.pairs[cell]).c_str(), sql(file("project.db"), query.c_str()).c_str());
        }
      }
    }
  }
  TEST_ASSERT_EQUAL_STRING(std::to_string(total(counts)).c_str(), sql(file("project.db"), "SELECT sum(count) FROM total_counts").c_str());
}

// --- The step log

void steps_are_counted_once_whatever_is_sent_again() {
  Store store = project();
  const std::vector<LoggedStep> steps = walk(2000);
  std::mt19937 random(2);
  std::uint64_t next = 0;
  while (next < steps.size()) {  // each batch begins at or before the step that is waited for
    const std::uint64_t from = next - std::min<std::uint64_t>(next, random() % 30);
    const std::uint64_t to = std::min<std::uint64_t>(steps.size(), from + random() % 40);
    const Outcome<std::uint64_t> kept = store.keep_steps(7, 1, from, part(steps, from, to));
    good(kept);
    TEST_ASSERT_EQUAL_UINT64(std::max(next, to), kept.value());
    next = kept.value();
    TEST_ASSERT_EQUAL_UINT64(next, store.next_step(7, 1).value());
  }
  TEST_ASSERT_TRUE(pairs_of(steps) == store.counts(model(), "m.json").value().pairs);
  TEST_ASSERT_EQUAL_UINT64(steps.size() - 1, store.pairs(7, 1).value());
  TEST_ASSERT_EQUAL(0, store.events().value().size());
}

void a_gap_is_an_event_and_no_pair_spans_it() {
  Store store = project();
  std::vector<LoggedStep> steps = walk(100);
  TEST_ASSERT_EQUAL_UINT64(30, store.keep_steps(7, 1, 0, part(steps, 0, 30)).value());
  TEST_ASSERT_EQUAL_UINT64(100, store.keep_steps(7, 1, 50, part(steps, 50, 100)).value());
  steps.erase(steps.begin() + 30, steps.begin() + 50);
  steps[30].pair = false;
  TEST_ASSERT_TRUE(pairs_of(steps) == store.counts(model(), "m.json").value().pairs);
  const std::vector<Event> events = store.events().value();
  TEST_ASSERT_EQUAL(1, events.size());
  TEST_ASSERT_TRUE(events[0].device == 7U && events[0].incarnation == 1U);
  TEST_ASSERT_EQUAL_STRING("gap", events[0].kind.c_str());
  TEST_ASSERT_EQUAL_STRING("steps 30 to 49 did not come", events[0].text.c_str());
  TEST_ASSERT_EQUAL_UINT64(100, store.keep_steps(7, 1, 30, walk(20)).value());  // too late: they are passed over
  TEST_ASSERT_EQUAL_UINT64(78, store.pairs(7, 1).value());
}

void steps_before_the_first_that_came_are_a_gap_too() {
  Store store = project();
  TEST_ASSERT_EQUAL_UINT64(8, store.keep_steps(7, 1, 5, walk(3)).value());
  TEST_ASSERT_EQUAL_STRING("steps 0 to 4 did not come", store.events().value().at(0).text.c_str());
}

void a_step_that_is_no_pair_with_the_last_one_is_not_counted_with_it() {
  Store store = project();
  std::vector<LoggedStep> steps = walk(60);
  for (const size_t broken : {10U, 20U, 21U}) steps[broken].pair = false;
  good(store.keep_steps(7, 1, 0, part(steps, 0, 20)));
  good(store.keep_steps(7, 1, 20, part(steps, 20, 60)));
  TEST_ASSERT_TRUE(pairs_of(steps) == store.counts(model(), "m.json").value().pairs);
  TEST_ASSERT_EQUAL_UINT64(56, store.pairs(7, 1).value());
}

void incarnations_have_logs_of_their_own() {
  Store store = project();
  good(store.keep_steps(7, 1, 0, walk(10)));
  good(store.keep_steps(7, 2, 0, walk(5)));
  good(store.keep_steps(8, 1, 0, walk(3)));
  TEST_ASSERT_EQUAL_UINT64(9 + 4 + 2, total(store.counts(model(), "m.json").value()));
  TEST_ASSERT_EQUAL_UINT64(0, store.next_step(8, 2).value());
}

void impossible_steps_are_refused_whole() {
  Store store = project();
  std::vector<LoggedStep> steps = walk(5);
  steps[4].observation = 3;
  bad(Fault::input,
      file("project.db") + ": device 7 logged action " + std::to_string(steps[4].action) +
          " and observation 3, and has only 2 states, 2 actions and 3 observations, numbered from 0",
      store.keep_steps(7, 1, 0, steps));
  TEST_ASSERT_EQUAL_UINT64(0, store.next_step(7, 1).value());
  TEST_ASSERT_FALSE(store.keep_steps(7, 1, ~std::uint64_t{0}, walk(3)).has_value());
  TEST_ASSERT_EQUAL_UINT64(0, store.keep_steps(7, 1, 10, {}).value());
}

void an_incarnation_sends_counts_or_steps_and_not_both() {
  Store store = project();
  const std::string refusal = file("project.db") +
                              ": device 7, incarnation 1: sends counts and its step log, which are the same pairs\n"
                              "  use one of the two";
  good(store.keep_steps(7, 1, 0, walk(10)));
  bad(Fault::input, refusal, store.keep_counts(7, 1, std::vector<CountCell>{{0, 5}}, 9));
  good(store.keep_counts(7, 2, std::vector<CountCell>{{0, 5}}, 9));
  TEST_ASSERT_FALSE(store.keep_steps(7, 2, 0, walk(10)).has_value());
  TEST_ASSERT_EQUAL_UINT64(14, total(store.counts(model(), "m.json").value()));
}

// --- Images, episodes, events

void images_come_back_byte_for_byte() {
  Store store = project();
  std::string bytes(70000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i / 7);
  good(store.keep_image(2, 0xFFFFFFFFU, 1, bytes));
  good(store.keep_image(1, 5, 0, ""));
  good(store.keep_image(2, 0xFFFFFFFFU, 1, bytes));  // again
  TEST_ASSERT_TRUE(store.image(2).value() == bytes);
  TEST_ASSERT_TRUE(store.image(1).value().empty());
  const std::vector<ImageRow> images = store.images().value();
  TEST_ASSERT_EQUAL(2, images.size());
  TEST_ASSERT_TRUE(images[1].sequence == 2 && images[1].checksum == 0xFFFFFFFFU && images[1].episode == 1 && images[1].size == 70000);
  bad(Fault::input, file("project.db") + ": holds no image with the sequence number 3", store.image(3));
}

void another_image_under_the_same_number_is_refused() {
  Store store = project();
  TEST_ASSERT_TRUE(store.keep_image(2, 10, 1, "image").value());
  TEST_ASSERT_FALSE(store.keep_image(2, 10, 1, "other").value());
  TEST_ASSERT_FALSE(store.keep_image(2, 11, 1, "image").value());
  TEST_ASSERT_EQUAL_STRING("image", store.image(2).value().c_str());
}

// --- Lives

void a_number_is_given_out_once() {
  Store store = project();  // of devices 7 and 8
  Store other = opened(file("project.db"));
  // Not those that people give, low ones, nor those of parts, which may be as high as can be.
  good(store.seen({4294967295, "", 2, 2, 3}));
  good(store.seen({1002, "", 2, 2, 3}));
  TEST_ASSERT_EQUAL(1001, store.new_device().value());
  TEST_ASSERT_EQUAL(1003, other.new_device().value());
  TEST_ASSERT_EQUAL(1004, store.new_device().value());
  TEST_ASSERT_EQUAL(4, store.devices().value().size());  // the new ones have not said yet what they are
  // The life that holds the place may turn out to be of either kind.
  good(store.seen({1001, "", 2, 2, 3}));
  good(store.begin_life(1001, 1, CountedBy::store, false));
  good(store.keep_steps(1001, 1, 0, walk(10)));
}

void a_device_that_has_forgotten_its_boots_is_refused() {
  Store store = project();
  TEST_ASSERT_EQUAL_UINT64(0, store.begin_life(7, 3, CountedBy::device, true).value().ticks);
  good(store.keep_counts(7, 3, std::vector<CountCell>{{0, 5}}, 9));
  TEST_ASSERT_EQUAL_UINT64(9, store.begin_life(7, 3, CountedBy::device, false).value().ticks);  // it is still the same
  const std::string begin = file("project.db") + ": has counts of boot 3 of device 7, and this is ";
  const std::string end =
      "\n  a device that remembers its boots keeps its flash\n  keep its flash (a board on this machine: --flash FILE), or give it another "
      "number (--id)";
  bad(Fault::input, begin + "another one" + end, store.begin_life(7, 3, CountedBy::device, true));
  bad(Fault::input, begin + "boot 2" + end, store.begin_life(7, 2, CountedBy::device, false));
  good(store.begin_life(7, 4, CountedBy::device, true));
  good(store.begin_life(8, 1, CountedBy::device, true));
}

void what_became_of_an_image_on_a_device_is_the_last_that_was_told() {
  Store store = project();
  for (const ImageState state : {ImageState::sent, ImageState::on_trial, ImageState::confirmed}) good(store.keep_use({7, 1, 50, state}));
  good(store.keep_use({7, 2, 51, ImageState::fell_back}));
  good(store.keep_use({8, 1, 50, ImageState::on_trial}));
  const std::vector<ImageUse> uses = store.uses().value();
  TEST_ASSERT_EQUAL(3, uses.size());
  TEST_ASSERT_TRUE(uses[0].device == 7 && uses[0].sequence == 1 && uses[0].checksum == 50 && uses[0].state == ImageState::confirmed);
  TEST_ASSERT_TRUE(uses[1].sequence == 2 && uses[1].state == ImageState::fell_back);
  TEST_ASSERT_TRUE(uses[2].device == 8 && uses[2].state == ImageState::on_trial);
  TEST_ASSERT_EQUAL_STRING("on trial", to_text(uses[2].state));
}

void episodes_come_back_bit_for_bit_and_replace_their_own() {
  Store store = project();
  good(store.keep_episode({7, 2, 1, 1, 1, 1, 1.0, 1U}));
  good(store.keep_episode({7, 2, 3000, 2999, 1234.1, 0.1 + 0.2, 1.0 / 3, 77U}));
  good(store.keep_episode({7, 1, 2500, 2499, 5e-324, -1e22, {}, {}}));
  const std::vector<EpisodeRow> episodes = store.episodes().value();
  TEST_ASSERT_EQUAL(2, episodes.size());
  TEST_ASSERT_TRUE(episodes[0].number == 1 && episodes[0].reward == 5e-324 && episodes[0].average_reward == -1e22);
  TEST_ASSERT_TRUE(!episodes[0].gain && !episodes[0].image_checksum);
  TEST_ASSERT_TRUE(episodes[1].ticks == 3000 && episodes[1].pairs == 2999 && episodes[1].reward == 1234.1);
  TEST_ASSERT_TRUE(episodes[1].average_reward == 0.1 + 0.2 && episodes[1].gain == 1.0 / 3 && episodes[1].image_checksum == 77U);
}

void events_keep_their_order_and_their_text() {
  Store store = project();
  good(store.keep_event({0, {}, {}, "link", "lost"}));
  good(store.keep_event({0, 7, 3, "fell back", "'); DROP TABLE events; --"}));
  const std::vector<Event> events = store.events().value();
  TEST_ASSERT_EQUAL(2, events.size());
  TEST_ASSERT_TRUE(events[0].number == 1 && !events[0].device && !events[0].incarnation && events[0].kind == "link");
  TEST_ASSERT_TRUE(events[1].number == 2 && events[1].device == 7U && events[1].incarnation == 3U);
  TEST_ASSERT_EQUAL_STRING("'); DROP TABLE events; --", events[1].text.c_str());
}

// --- Others at the same time, and kills

void two_on_one_file_see_each_others_work() {
  Store one = project();
  Store two = opened(file("project.db"));
  for (std::uint32_t value = 1; value <= 50; ++value) {
    good(one.keep_counts(7, 1, std::vector<CountCell>{{0, value}}, value));
    good(two.keep_counts(7, 1, std::vector<CountCell>{{1, value}}, value));
    TEST_ASSERT_EQUAL_UINT64(2 * value, one.pairs(7, 1).value());
    TEST_ASSERT_EQUAL_UINT64(2 * value, two.pairs(7, 1).value());
  }
}

void one_who_never_lets_go_is_told_of() {
  Store store = project();
  sqlite3* holder = nullptr;
  TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(file("project.db").c_str(), &holder));
  TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_exec(holder, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
  good(store.devices());  // readers do not wait
  bad(Fault::system, file("project.db") + ": is in use by another program, and stays so\n  wait for that to end, or name another store",
      store.keep_event({0, {}, {}, "a", "b"}));
  TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_exec(holder, "ROLLBACK", nullptr, nullptr, nullptr));
  sqlite3_close(holder);
  good(store.keep_event({0, {}, {}, "a", "b"}));
}

// The child's status; it ends without the parent's leftovers.
pid_t in_child(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  TEST_ASSERT_TRUE(child >= 0);
  if (child == 0) ::_exit(work() ? 0 : 1);
  return child;
}

void commands_that_come_and_go_do_not_break_each_other() {
  constexpr std::uint32_t rounds = 40;
  constexpr std::uint32_t commands = 3;
  std::vector<pid_t> children;
  for (std::uint32_t device = 1; device <= commands; ++device) {  // from the making of the file on
    children.push_back(in_child([device] {
      for (std::uint32_t round = 1; round <= rounds; ++round) {
        Outcome<Store> store = Store::open(file("project.db"));
        Outcome<void> done = store ? store.value().seen({device, "b", 2, 2, 3}) : fail(store.error());
        if (done) done = store.value().keep_counts(device, round, std::vector<CountCell>{{0, round}}, 1);
        if (!done) std::fprintf(stderr, "%s\n", to_text(done.error()).c_str());
        if (!done) return false;
      }
      return true;
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    TEST_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL(0, status);
  }
  const Store store = opened(file("project.db"));
  good(store.check());
  TEST_ASSERT_EQUAL_UINT64(commands * rounds * (rounds + 1) / 2, total(store.counts(model(), "m.json").value()));
}

// What a killed command had done: it writes the number of each round to the pipe once all of that round is committed.
constexpr std::uint32_t cells_a_round = 12;
constexpr size_t steps_a_round = 6;

bool write_rounds(const std::string& path, std::uint32_t from, int pipe) {
  Outcome<Store> opened_store = Store::open(path);
  if (!opened_store) return false;
  Store store = std::move(opened_store.value());
  if (!store.seen(rover) || !store.seen(other_rover)) return false;
  const std::vector<LoggedStep> steps = walk(steps_a_round);
  for (std::uint32_t round = from;; ++round) {
    std::vector<CountCell> cells;
    for (std::uint32_t cell = 0; cell < cells_a_round; ++cell) cells.push_back({cell, round});
    if (!store.keep_counts(7, 1, cells, round)) return false;
    // As a device that does not know what the host has: it begins with steps of the round before.
    const std::uint64_t next = round * steps_a_round;
    if (round > 1 && !store.keep_steps(8, 1, next - steps_a_round, steps)) return false;
    if (!store.keep_steps(8, 1, next, steps)) return false;
    if (!store.keep_image(round, round, round, std::string(3000, static_cast<char>(round)))) return false;
    if (!store.keep_event({0, 7, 1, "round", std::to_string(round)})) return false;
    if (::write(pipe, &round, sizeof round) != sizeof round) return false;
  }
}

void whatever_the_moment_of_a_kill_nothing_committed_is_lost_and_nothing_counted_twice() {
  constexpr int kills = 50;
  std::mt19937 random(4);
  std::uint32_t reported = 0;
  int new_files = 0;
  int early = 0;  // kills before the first round was through
  for (int kill = 0; kill < kills; ++kill) {
    if (kill % 5 == 0) {  // the making of the file is killed too
      fs::remove(file("project.db"));
      fs::remove(file("project.db-wal"));
      fs::remove(file("project.db-shm"));
      reported = 0;
      ++new_files;
    }
    int ends[2];
    TEST_ASSERT_EQUAL(0, ::pipe(ends));
    const std::uint32_t before = reported;
    const pid_t child = in_child([&] { return write_rounds(file("project.db"), before + 1, ends[1]); });
    ::close(ends[1]);
    std::uint32_t round = 0;
    if (kill % 2 == 1) {  // at work; the others are killed from their first moment on
      TEST_ASSERT_EQUAL(sizeof round, ::read(ends[0], &round, sizeof round));
      reported = round;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15000));
    TEST_ASSERT_EQUAL(0, ::kill(child, SIGKILL));
    int status = 0;
    TEST_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(status), "the child ended by itself");
    while (::read(ends[0], &round, sizeof round) == sizeof round) reported = round;
    ::close(ends[0]);
    if (reported == before) ++early;

    Store store = opened(file("project.db"));
    good(store.check());
    const std::vector<CountCell> cells = store.cells(7, 1).value();
    const std::uint32_t counted = cells.empty() ? 0 : cells[0].value;
    TEST_ASSERT_TRUE(counted >= reported && counted <= reported + 1);
    TEST_ASSERT_EQUAL(counted == 0 ? 0 : cells_a_round, cells.size());
    for (const CountCell& cell : cells) TEST_ASSERT_EQUAL_UINT32(counted, cell.value);

    // Rounds are numbered from 1: the first steps are a gap, and then none is lost.
    const std::uint64_t next = store.next_step(8, 1).value();
    TEST_ASSERT_TRUE(next == 0 || next % steps_a_round == 0);
    const std::uint64_t rounds = next == 0 ? 0 : next / steps_a_round - 1;
    TEST_ASSERT_TRUE(rounds >= reported && rounds <= counted);
    TEST_ASSERT_EQUAL_UINT64(rounds == 0 ? 0 : rounds * steps_a_round - 1, store.pairs(8, 1).value());

    const std::vector<ImageRow> images = store.images().value();
    TEST_ASSERT_TRUE(images.size() >= reported && images.size() <= counted);
    for (const ImageRow& image : images) {
      TEST_ASSERT_TRUE(store.image(image.sequence).value() == std::string(3000, static_cast<char>(image.sequence)));
    }
    std::uint32_t told = 0;
    std::uint32_t gaps = 0;
    const std::vector<Event> events = store.events().value();
    for (const Event& event : events) ++(event.kind == "gap" ? gaps : told);
    TEST_ASSERT_TRUE(told >= reported);
    TEST_ASSERT_EQUAL(rounds == 0 ? 0 : 1, gaps);
  }
  std::printf("%d kills, %d of them with a new file, %d before the first round was through\n", kills, new_files, early);
}

}  // namespace

void setUp() {
  fs::remove_all(folder);
  fs::create_directories(folder);
}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_missing_file_is_made_and_opens_again);
  RUN_TEST(a_closed_store_is_one_file);
  RUN_TEST(the_same_work_gives_the_same_bytes);
  RUN_TEST(a_name_that_means_something_to_sqlite_is_a_file_all_the_same);
  RUN_TEST(garbage_is_refused_and_left_alone);
  RUN_TEST(another_programs_database_is_refused_and_left_alone);
  RUN_TEST(a_store_of_another_version_is_refused);
  RUN_TEST(a_truncated_store_is_refused_or_whole_at_any_length);
  RUN_TEST(damaged_pages_are_refused_or_harmless);
  RUN_TEST(values_that_no_store_holds_are_refused);
  RUN_TEST(a_place_that_cannot_be_written_is_a_problem_of_the_system);
  RUN_TEST(without_permission_it_says_so);
  RUN_TEST(a_disk_without_room_is_told_of_and_loses_nothing);
  RUN_TEST(a_device_with_other_sizes_is_refused_with_what_was_expected);
  RUN_TEST(a_device_that_is_another_board_is_refused);
  RUN_TEST(a_board_that_was_not_known_may_become_known);
  RUN_TEST(sizes_whose_pairs_cannot_be_counted_are_refused);
  RUN_TEST(nothing_is_kept_of_a_device_that_never_said_what_it_is);
  RUN_TEST(cells_keep_their_largest_value_in_any_order_and_number_of_repeats);
  RUN_TEST(the_largest_cell_fits);
  RUN_TEST(counts_are_the_sum_over_incarnations_and_devices);
  RUN_TEST(an_empty_store_has_zero_counts);
  RUN_TEST(a_frame_with_a_cell_that_is_none_is_refused_whole);
  RUN_TEST(a_model_of_other_sizes_gets_no_counts);
  RUN_TEST(the_views_give_a_script_the_totals);
  RUN_TEST(steps_are_counted_once_whatever_is_sent_again);
  RUN_TEST(a_gap_is_an_event_and_no_pair_spans_it);
  RUN_TEST(steps_before_the_first_that_came_are_a_gap_too);
  RUN_TEST(a_step_that_is_no_pair_with_the_last_one_is_not_counted_with_it);
  RUN_TEST(incarnations_have_logs_of_their_own);
  RUN_TEST(impossible_steps_are_refused_whole);
  RUN_TEST(an_incarnation_sends_counts_or_steps_and_not_both);
  RUN_TEST(images_come_back_byte_for_byte);
  RUN_TEST(another_image_under_the_same_number_is_refused);
  RUN_TEST(a_number_is_given_out_once);
  RUN_TEST(a_device_that_has_forgotten_its_boots_is_refused);
  RUN_TEST(what_became_of_an_image_on_a_device_is_the_last_that_was_told);
  RUN_TEST(episodes_come_back_bit_for_bit_and_replace_their_own);
  RUN_TEST(events_keep_their_order_and_their_text);
  RUN_TEST(two_on_one_file_see_each_others_work);
  RUN_TEST(one_who_never_lets_go_is_told_of);
  RUN_TEST(commands_that_come_and_go_do_not_break_each_other);
  RUN_TEST(whatever_the_moment_of_a_kill_nothing_committed_is_lost_and_nothing_counted_twice);
  return UNITY_END();
}

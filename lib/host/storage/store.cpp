// The tables of the store, and what is asked of them.
#include "penumbra/host/store.hpp"

#include "storage/database.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace penumbra::host {

namespace {

// In the file's header: "Pnmb", and the version of the tables. With a change of theirs comes another version.
constexpr std::uint32_t application = 0x506e6d62;
constexpr std::uint32_t version = 1;

constexpr const char* schema = R"(
CREATE TABLE devices(
  id INTEGER PRIMARY KEY,
  board TEXT NOT NULL,
  states INTEGER NOT NULL,
  actions INTEGER NOT NULL CHECK(actions > 0),
  observations INTEGER NOT NULL CHECK(observations > 0));
CREATE TABLE incarnations(
  device INTEGER NOT NULL,
  incarnation INTEGER NOT NULL,
  counted_by TEXT NOT NULL CHECK(counted_by IN ('device', 'store')),
  ticks INTEGER NOT NULL DEFAULT 0,
  next_step INTEGER NOT NULL DEFAULT 0,
  last_action INTEGER,
  last_observation INTEGER,
  PRIMARY KEY(device, incarnation)) WITHOUT ROWID;
CREATE TABLE counts(
  device INTEGER NOT NULL,
  incarnation INTEGER NOT NULL,
  cell INTEGER NOT NULL CHECK(typeof(cell) = 'integer' AND cell >= 0),
  value INTEGER NOT NULL CHECK(typeof(value) = 'integer' AND value BETWEEN 0 AND 4294967295),
  PRIMARY KEY(device, incarnation, cell)) WITHOUT ROWID;
CREATE TABLE images(
  sequence INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  episode INTEGER NOT NULL,
  bytes BLOB NOT NULL);
CREATE TABLE image_uses(
  device INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('sent', 'on trial', 'confirmed', 'fell back')),
  PRIMARY KEY(device, sequence)) WITHOUT ROWID;
CREATE TABLE episodes(
  device INTEGER NOT NULL,
  number INTEGER NOT NULL,
  ticks INTEGER NOT NULL,
  pairs INTEGER NOT NULL,
  reward REAL NOT NULL,
  average_reward REAL NOT NULL,
  gain REAL,
  image_checksum INTEGER,
  PRIMARY KEY(device, number)) WITHOUT ROWID;
CREATE TABLE events(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  device INTEGER,
  incarnation INTEGER,
  kind TEXT NOT NULL,
  text TEXT NOT NULL);
CREATE VIEW total_counts(cell, count) AS
  SELECT cell, sum(value) FROM counts GROUP BY cell;
CREATE VIEW total_pairs(a, a2, o, o2, count) AS
  SELECT cell / (observations * observations * actions), cell / (observations * observations) % actions,
    cell / observations % observations, cell % observations, count
  FROM total_counts, (SELECT actions, observations FROM devices LIMIT 1);
)";

constexpr const char* image_states[] = {"sent", "on trial", "confirmed", "fell back"};

constexpr std::uint64_t max_step = std::uint64_t{1} << 62U;

constexpr const char* counted_by_device = "device";
constexpr const char* counted_by_store = "store";
constexpr const char* name_of(CountedBy who) { return who == CountedBy::device ? counted_by_device : counted_by_store; }

bool same_sizes(const DeviceRow& a, const DeviceRow& b) {
  return a.states == b.states && a.actions == b.actions && a.observations == b.observations;
}

std::string sizes(const DeviceRow& device) {
  return std::to_string(device.states) + " states, " + std::to_string(device.actions) + " actions and " +
         std::to_string(device.observations) + " observations";
}

std::string named(std::uint32_t device) { return "device " + std::to_string(device); }

DeviceRow take_device(Statement& row) {
  return {row.take<std::uint32_t>(), row.take<std::string>(), row.take<std::size_t>(), row.take<std::size_t>(), row.take<std::size_t>()};
}

Outcome<std::vector<DeviceRow>> all_devices(const Database& database) {
  std::vector<DeviceRow> devices;
  Statement query(database, "SELECT id, board, states, actions, observations FROM devices ORDER BY id");
  while (query.row()) devices.push_back(take_device(query));
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return devices;
}

Outcome<DeviceRow> known_device(const Database& database, std::uint32_t id) {
  std::optional<DeviceRow> device;
  Statement query(database, "SELECT id, board, states, actions, observations FROM devices WHERE id = ?1");
  query.with(id);
  while (query.row()) device = take_device(query);
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (!device) return fail(Fault::input, database.path(), named(id) + " is not in this store");
  return *device;
}

// The answer to a question that has one.
Outcome<std::uint32_t> first_number(const Database& database, const char* question) {
  std::uint32_t number = 0;
  Statement query(database, question);
  while (query.row()) number = query.take<std::uint32_t>();
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return number;
}

enum class Content { nothing, store };

// Whose file it is. Nothing is written: it may be another program's. A new file, and one whose making was cut short, hold nothing.
Outcome<Content> look_into(const Database& database) {
  Statement query(database,
                  "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),"
                  " (SELECT count(*) FROM sqlite_master)");
  std::optional<std::uint32_t> id;
  std::optional<std::uint32_t> of_version;
  std::uint64_t tables = 0;
  if (query.row()) {
    id = query.take<std::uint32_t>();
    of_version = query.take<std::uint32_t>();
    tables = query.take<std::uint64_t>();
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (id == 0U && of_version == 0U && tables == 0) return Content::nothing;
  if (id != application) {
    return fail(Fault::input, database.path(), "is not a Penumbra store, but another program's SQLite file", "name another file");
  }
  if (of_version != version) {
    return fail(Fault::input, database.path(),
                "is a Penumbra store of version " + std::to_string(of_version.value_or(0)) + ", and this program knows version " +
                    std::to_string(version),
                "use the program that made it, or name another file");
  }
  return Content::store;
}

// With another command that does the same, whoever is second finds it done.
Outcome<void> make_tables(const Database& database) {
  Transaction transaction(database);
  if (const Outcome<void> begun = transaction.begin(); !begun) return begun;
  const Outcome<Content> content = look_into(database);
  if (!content) return fail(content.error());
  if (content.value() == Content::store) return {};
  const std::string stamp =
      "PRAGMA application_id = " + std::to_string(application) + "; PRAGMA user_version = " + std::to_string(version) + ";";
  if (const Outcome<void> made = database.run((schema + stamp).c_str()); !made) return made;
  return transaction.commit();
}

Outcome<void> sound(const Database& database, const char* pragma) {
  Statement query(database, pragma);
  std::string verdict;
  while (query.row()) verdict = query.take<std::string>();
  if (const Outcome<void> done = query.done(); !done) return done;
  if (verdict == "ok") return {};
  return fail(Fault::input, database.path(), "is damaged: " + verdict, "go back to a copy, or name another file");
}

// How far an incarnation has come.
struct Progressed {
  std::uint64_t next_step = 0;
  std::optional<std::uint32_t> last_action;  // of the step before it, if a pair may begin there
  std::optional<std::uint32_t> last_observation;
};

// The incarnation's row, made where it is new. Its pairs are counted by the device or by the store: both together would count them twice.
Outcome<Progressed> incarnation_row(const Database& database, std::uint32_t device, std::uint32_t incarnation, const char* counted_by) {
  Statement insert(database,
                   "INSERT INTO incarnations(device, incarnation, counted_by) VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE"
                   " SET counted_by = excluded.counted_by WHERE ticks = 0 AND NOT EXISTS(SELECT 1 FROM counts"
                   " WHERE counts.device = excluded.device AND counts.incarnation = excluded.incarnation)");  // nothing has come yet
  if (const Outcome<void> done = insert.with(device, incarnation, std::string_view(counted_by)).run(); !done) return fail(done.error());
  Progressed progressed;
  std::string before;
  Statement query(database,
                  "SELECT counted_by, next_step, last_action, last_observation FROM incarnations WHERE device = ?1 AND incarnation = ?2");
  query.with(device, incarnation);
  while (query.row()) {
    before = query.take<std::string>();
    progressed = {query.take<std::uint64_t>(), query.take<std::optional<std::uint32_t>>(), query.take<std::optional<std::uint32_t>>()};
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (before != counted_by) {
    return fail(
        Fault::input, database.path(),
        named(device) + ", incarnation " + std::to_string(incarnation) + ": sends counts and its step log, which are the same pairs",
        "use one of the two");
  }
  return progressed;
}

Outcome<void> add_event(const Database& database, const Event& event) {
  Statement insert(database, "INSERT INTO events(device, incarnation, kind, text) VALUES(?1, ?2, ?3, ?4)");
  return insert.with(event.device, event.incarnation, event.kind, event.text).run();
}

}  // namespace

const char* to_text(ImageState state) noexcept { return image_states[static_cast<std::size_t>(state)]; }

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&& other) noexcept = default;
Store& Store::operator=(Store&& other) noexcept = default;
Store::~Store() = default;

Outcome<Store> Store::open(const std::string& path) {
  Outcome<Database> opened = Database::open(path);
  if (!opened) return fail(opened.error());
  auto database = std::make_unique<Database>(std::move(opened.value()));
  const Outcome<Content> content = look_into(*database);
  if (!content) return fail(content.error());
  if (const Outcome<void> done = database->use_write_ahead_log(); !done) return fail(done.error());
  // A kill loses nothing that was committed; a workstation that loses its power may lose the last moments, and the file stays sound.
  if (const Outcome<void> done = database->run("PRAGMA synchronous = NORMAL"); !done) return fail(done.error());
  if (content.value() == Content::nothing) {
    if (const Outcome<void> done = make_tables(*database); !done) return fail(done.error());
  }
  if (const Outcome<void> done = sound(*database, "PRAGMA quick_check(1)"); !done) return fail(done.error());
  return Store(std::move(database));
}

void Store::discard() {
  database_->remove_unless("SELECT EXISTS(SELECT 1 FROM counts) + EXISTS(SELECT 1 FROM images) + EXISTS(SELECT 1 FROM episodes)");
}

Outcome<void> Store::check() const { return sound(*database_, "PRAGMA integrity_check(1)"); }

const std::string& Store::path() const noexcept { return database_->path(); }

// The life that a new device will have makes the number known to others before the device has said anything.
Outcome<std::uint32_t> Store::new_device() {
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return fail(begun.error());
  const Outcome<std::uint32_t> number =
      first_number(*database_,
                   "WITH taken AS (SELECT 1000 AS number UNION SELECT id FROM devices UNION SELECT device FROM incarnations)"
                   " SELECT min(number) + 1 FROM taken WHERE number >= 1000 AND number + 1 NOT IN (SELECT number FROM taken)");
  if (!number) return number;
  Statement insert(*database_, "INSERT INTO incarnations(device, incarnation, counted_by) VALUES(?1, 1, 'device')");
  if (const Outcome<void> done = insert.with(number.value()).run(); !done) return fail(done.error());
  if (const Outcome<void> done = transaction.commit(); !done) return fail(done.error());
  return number;
}

Outcome<void> Store::seen(const DeviceRow& device) {
  const std::string& path = database_->path();
  const std::optional<std::size_t> cells = count_cells(device.actions, device.observations);
  if (device.states == 0 || cells.value_or(0) == 0) {
    return fail(Fault::input, path, named(device.id) + " came with " + sizes(device) + ", whose pairs cannot be counted");
  }
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return begun;
  const Outcome<std::vector<DeviceRow>> all = all_devices(*database_);
  if (!all) return fail(all.error());
  for (const DeviceRow& known : all.value()) {
    if (known.id == device.id && !known.board.empty() && !device.board.empty() && known.board != device.board) {
      return fail(Fault::input, path, named(device.id) + " came as a " + device.board + ", and this store knows it as a " + known.board,
                  "give each device a number of its own, or use another store");
    }
    if (same_sizes(known, device)) continue;
    return fail(Fault::input, path, named(device.id) + " came with " + sizes(device),
                "flash the firmware that this store is about, or use another store",
                (known.id == device.id ? "this store knows it with " : "the devices of this store have ") + sizes(known));
  }
  Statement insert(*database_,
                   "INSERT INTO devices(id, board, states, actions, observations) VALUES(?1, ?2, ?3, ?4, ?5)"
                   " ON CONFLICT(id) DO UPDATE SET board = excluded.board WHERE board = ''");
  insert.with(device.id, device.board, device.states, device.actions, device.observations);
  if (const Outcome<void> done = insert.run(); !done) return done;
  return transaction.commit();
}

Outcome<std::vector<DeviceRow>> Store::devices() const { return all_devices(*database_); }

Outcome<Life> Store::begin_life(std::uint32_t device, std::uint32_t incarnation, CountedBy counted_by, bool is_new) {
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return fail(begun.error());
  std::optional<std::uint32_t> latest;
  Statement query(*database_, "SELECT max(incarnation) FROM incarnations WHERE device = ?1");
  query.with(device);
  while (query.row()) latest = query.take<std::optional<std::uint32_t>>();
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (latest && (*latest > incarnation || (is_new && *latest == incarnation))) {
    const std::string now = *latest == incarnation ? "another one" : "boot " + std::to_string(incarnation);
    return fail(Fault::input, path(), "has counts of boot " + std::to_string(*latest) + " of " + named(device) + ", and this is " + now,
                "keep its flash (a board on this machine: --flash FILE), or give it another number (--id)",
                "a device that remembers its boots keeps its flash");
  }
  const Outcome<Progressed> row = incarnation_row(*database_, device, incarnation, name_of(counted_by));
  if (!row) return fail(row.error());
  Statement ticks(*database_, "SELECT ticks FROM incarnations WHERE device = ?1 AND incarnation = ?2");
  ticks.with(device, incarnation);
  Life life{0, row.value().next_step};
  while (ticks.row()) life.ticks = ticks.take<std::uint64_t>();
  if (const Outcome<void> done = ticks.done(); !done) return fail(done.error());
  if (const Outcome<void> done = transaction.commit(); !done) return fail(done.error());
  return life;
}

Outcome<void> Store::keep_counts(std::uint32_t device, std::uint32_t incarnation, etl::span<const CountCell> cells, std::uint64_t ticks) {
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return begun;
  const Outcome<DeviceRow> known = known_device(*database_, device);
  if (!known) return fail(known.error());
  const Outcome<Progressed> progressed = incarnation_row(*database_, device, incarnation, counted_by_device);
  if (!progressed) return fail(progressed.error());

  Statement update(*database_, "UPDATE incarnations SET ticks = max(ticks, ?3) WHERE device = ?1 AND incarnation = ?2");
  if (const Outcome<void> done = update.with(device, incarnation, ticks).run(); !done) return done;
  const std::size_t count = count_cells(known.value().actions, known.value().observations).value_or(0);
  Statement insert(*database_,
                   "INSERT INTO counts(device, incarnation, cell, value) VALUES(?1, ?2, ?3, ?4)"
                   " ON CONFLICT(device, incarnation, cell) DO UPDATE SET value = excluded.value WHERE excluded.value > value");
  for (const CountCell& cell : cells) {
    if (cell.cell >= count) {
      return fail(Fault::input, database_->path(),
                  named(device) + " counted in cell " + std::to_string(cell.cell) + ", and has only " + std::to_string(count) +
                      " cells, numbered from 0");
    }
    if (cell.value == 0) continue;
    if (const Outcome<void> done = insert.with(device, incarnation, cell.cell, cell.value).run(); !done) return done;
  }
  return transaction.commit();
}

Outcome<std::uint64_t> Store::keep_steps(std::uint32_t device, std::uint32_t incarnation, std::uint64_t first,
                                         etl::span<const LoggedStep> steps) {
  if (steps.empty()) return next_step(device, incarnation);
  if (first > max_step - steps.size()) {
    return fail(Fault::input, database_->path(),
                named(device) + " numbered a step " + std::to_string(first) + ", which is no number of one");
  }
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return fail(begun.error());
  const Outcome<DeviceRow> known = known_device(*database_, device);
  if (!known) return fail(known.error());
  const std::size_t A = known.value().actions;
  const std::size_t O = known.value().observations;
  const auto impossible =
      std::find_if(steps.begin(), steps.end(), [&](const LoggedStep& s) { return s.action >= A || s.observation >= O; });
  if (impossible != steps.end()) {
    return fail(Fault::input, database_->path(),
                named(device) + " logged action " + std::to_string(impossible->action) + " and observation " +
                    std::to_string(impossible->observation) + ", and has only " + sizes(known.value()) + ", numbered from 0");
  }
  const Outcome<Progressed> row = incarnation_row(*database_, device, incarnation, counted_by_store);
  if (!row) return fail(row.error());

  Progressed at = row.value();
  if (first > at.next_step) {
    const std::string text = "steps " + std::to_string(at.next_step) + " to " + std::to_string(first - 1) + " did not come";
    if (const Outcome<void> done = add_event(*database_, {0, device, incarnation, "gap", text}); !done) return fail(done.error());
    at = {first, {}, {}};
  }
  Statement insert(*database_,
                   "INSERT INTO counts(device, incarnation, cell, value) VALUES(?1, ?2, ?3, 1)"
                   " ON CONFLICT(device, incarnation, cell) DO UPDATE SET value = min(value + 1, 4294967295)");  // as the device's cells do
  for (std::size_t i = at.next_step - first; i < steps.size(); ++i) {
    const LoggedStep& step = steps[i];
    if (step.pair && at.last_action && at.last_observation) {
      const std::size_t cell = ((*at.last_action * A + step.action) * O + *at.last_observation) * O + step.observation;
      if (const Outcome<void> done = insert.with(device, incarnation, cell).run(); !done) return fail(done.error());
    }
    at = {at.next_step + 1, step.action, step.observation};
  }
  Statement update(*database_,
                   "UPDATE incarnations SET ticks = ?3, next_step = ?3, last_action = ?4, last_observation = ?5"
                   " WHERE device = ?1 AND incarnation = ?2");
  update.with(device, incarnation, at.next_step, at.last_action, at.last_observation);
  if (const Outcome<void> done = update.run(); !done) return fail(done.error());
  if (const Outcome<void> done = transaction.commit(); !done) return fail(done.error());
  return at.next_step;
}

Outcome<std::uint64_t> Store::next_step(std::uint32_t device, std::uint32_t incarnation) const {
  std::uint64_t next = 0;
  Statement query(*database_, "SELECT next_step FROM incarnations WHERE device = ?1 AND incarnation = ?2");
  query.with(device, incarnation);
  while (query.row()) next = query.take<std::uint64_t>();
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return next;
}

Outcome<Counts> Store::counts(const Model& model, const std::string& name, std::optional<std::uint32_t> device) const {
  const Outcome<std::vector<DeviceRow>> all = all_devices(*database_);
  if (!all) return fail(all.error());
  if (device) {
    if (const Outcome<DeviceRow> known = known_device(*database_, *device); !known) return fail(known.error());
  }
  const DeviceRow wanted{0, {}, model.states.size(), model.actions.size(), model.observations.size()};
  if (!all.value().empty() && !same_sizes(all.value().front(), wanted)) {
    return fail(Fault::input, database_->path(), "holds counts of " + sizes(all.value().front()), "take the model of its devices",
                name + " has " + sizes(wanted));
  }
  Outcome<Counts> counts = Counts::of(model, name);
  if (!counts) return counts;
  Statement query(*database_, "SELECT cell, sum(value) FROM counts WHERE ?1 IS NULL OR device = ?1 GROUP BY cell");
  query.with(device);
  while (query.row()) {
    const auto cell = query.take<std::size_t>();
    if (cell >= counts.value().pairs.size()) {
      query.refuse();
      break;
    }
    counts.value().pairs[cell] = query.take<std::uint64_t>();
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return counts;
}

Outcome<std::uint64_t> Store::pairs(std::uint32_t device, std::uint32_t incarnation) const {
  std::uint64_t sum = 0;
  Statement query(*database_, "SELECT ifnull(sum(value), 0) AS pairs FROM counts WHERE device = ?1 AND incarnation = ?2");
  query.with(device, incarnation);
  while (query.row()) sum = query.take<std::uint64_t>();
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return sum;
}

Outcome<std::vector<CountCell>> Store::cells(std::uint32_t device, std::uint32_t incarnation) const {
  std::vector<CountCell> cells;
  Statement query(*database_, "SELECT cell, value FROM counts WHERE device = ?1 AND incarnation = ?2 ORDER BY cell");
  query.with(device, incarnation);
  while (query.row()) cells.push_back({query.take<std::uint32_t>(), query.take<std::uint32_t>()});
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return cells;
}

Outcome<bool> Store::keep_image(std::uint32_t sequence, std::uint32_t checksum, std::uint32_t episode, std::string_view bytes) {
  Transaction transaction(*database_);
  if (const Outcome<void> begun = transaction.begin(); !begun) return fail(begun.error());
  Statement query(*database_, "SELECT checksum = ?2 AND episode = ?3 AND bytes = ?4 AS same FROM images WHERE sequence = ?1");
  query.with(sequence, checksum, episode, Blob{bytes});
  bool other = false;
  while (query.row()) other = query.take<std::uint32_t>() == 0;
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (other) return false;
  Statement insert(*database_, "INSERT OR IGNORE INTO images(sequence, checksum, episode, bytes) VALUES(?1, ?2, ?3, ?4)");
  if (const Outcome<void> done = insert.with(sequence, checksum, episode, Blob{bytes}).run(); !done) return fail(done.error());
  if (const Outcome<void> done = transaction.commit(); !done) return fail(done.error());
  return true;
}

Outcome<std::vector<ImageRow>> Store::images() const {
  std::vector<ImageRow> images;
  Statement query(*database_, "SELECT sequence, checksum, episode, length(bytes) FROM images ORDER BY sequence");
  while (query.row()) {
    images.push_back({query.take<std::uint32_t>(), query.take<std::uint32_t>(), query.take<std::uint32_t>(), query.take<std::uint64_t>()});
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return images;
}

Outcome<std::string> Store::image(std::uint32_t sequence) const {
  std::optional<std::string> bytes;
  Statement query(*database_, "SELECT bytes FROM images WHERE sequence = ?1");
  query.with(sequence);
  while (query.row()) bytes = query.take<std::string>();
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  if (!bytes) return fail(Fault::input, database_->path(), "holds no image with the sequence number " + std::to_string(sequence));
  return std::move(*bytes);
}

Outcome<void> Store::keep_use(const ImageUse& use) {
  if (const Outcome<DeviceRow> known = known_device(*database_, use.device); !known) return fail(known.error());
  Statement insert(*database_, "INSERT OR REPLACE INTO image_uses(device, sequence, checksum, state) VALUES(?1, ?2, ?3, ?4)");
  return insert.with(use.device, use.sequence, use.checksum, std::string_view(to_text(use.state))).run();
}

Outcome<std::vector<ImageUse>> Store::uses() const {
  std::vector<ImageUse> uses;
  Statement query(*database_, "SELECT device, sequence, checksum, state FROM image_uses ORDER BY device, sequence");
  while (query.row()) {
    ImageUse use{query.take<std::uint32_t>(), query.take<std::uint32_t>(), query.take<std::uint32_t>(), {}};
    const auto* const state = std::find(std::begin(image_states), std::end(image_states), query.take<std::string>());
    if (state == std::end(image_states)) {
      query.refuse();
      break;
    }
    use.state = static_cast<ImageState>(state - std::begin(image_states));
    uses.push_back(use);
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return uses;
}

Outcome<void> Store::keep_episode(const EpisodeRow& episode) {
  if (const Outcome<DeviceRow> known = known_device(*database_, episode.device); !known) return fail(known.error());
  Statement insert(*database_,
                   "INSERT OR REPLACE INTO episodes(device, number, ticks, pairs, reward, average_reward, gain, image_checksum)"
                   " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  insert.with(episode.device, episode.number, episode.ticks, episode.pairs, episode.reward, episode.average_reward, episode.gain,
              episode.image_checksum);
  return insert.run();
}

Outcome<std::vector<EpisodeRow>> Store::episodes() const {
  std::vector<EpisodeRow> episodes;
  Statement query(
      *database_,
      "SELECT device, number, ticks, pairs, reward, average_reward, gain, image_checksum FROM episodes ORDER BY device, number");
  while (query.row()) {
    episodes.push_back({query.take<std::uint32_t>(), query.take<std::uint32_t>(), query.take<std::uint64_t>(), query.take<std::uint64_t>(),
                        query.take<double>(), query.take<double>(), query.take<std::optional<double>>(),
                        query.take<std::optional<std::uint32_t>>()});
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return episodes;
}

Outcome<void> Store::keep_event(const Event& event) { return add_event(*database_, event); }

Outcome<std::vector<Event>> Store::events() const {
  std::vector<Event> events;
  Statement query(*database_, "SELECT number, device, incarnation, kind, text FROM events ORDER BY number");
  while (query.row()) {
    events.push_back({query.take<std::uint64_t>(), query.take<std::optional<std::uint32_t>>(), query.take<std::optional<std::uint32_t>>(),
                      query.take<std::string>(), query.take<std::string>()});
  }
  if (const Outcome<void> done = query.done(); !done) return fail(done.error());
  return events;
}

}  // namespace penumbra::host

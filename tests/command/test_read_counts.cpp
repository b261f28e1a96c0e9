// examples/counts: a store, read from Python, says what the store itself says, and the command takes it.
#include "penumbra/host/counts.hpp"
#include "penumbra/host/model_file.hpp"
#include "penumbra/host/store.hpp"
#include "shell.hpp"

#include <random>

namespace {

using namespace penumbra::test;
using namespace penumbra::host;

const char* const door = R"({"penumbra": "model/1", "states": 2, "actions": ["listen", "open"], "observations": ["left", "right", "none"],
 "observation": [[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], [[0.2, 0.2, 0.6], [0.3, 0.1, 0.6]]], "reward": [0, 1, 0.5]})";

const std::string read = "python3 '" PENUMBRA_READ_COUNTS "' ";

// Two devices, one that counts and one whose steps the store counts, over two boots each.
Store project(const Shell& shell) {
  Store store = std::move(Store::open((shell.folder / "project.db").string()).value());
  std::mt19937 random(1);
  const auto draw = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (const std::uint32_t device : {7U, 4000000000U}) {
    TEST_ASSERT_TRUE(store.seen({device, "microbit", 2, 2, 3}).has_value());
    for (const std::uint32_t boot : {1U, 2U}) {
      std::vector<CountCell> cells;
      std::vector<LoggedStep> steps;
      for (std::uint32_t cell = 0; cell < 36; cell += 1 + draw(2)) cells.push_back({cell, 1 + draw(5000)});
      for (int t = 0; t < 3000; ++t) steps.push_back({draw(2), draw(3), true});
      TEST_ASSERT_TRUE(device == 7 ? store.keep_counts(device, boot, cells, 9).has_value()
                                   : store.keep_steps(device, boot, 0, steps).has_value());
    }
  }
  return store;
}

Model door_model() {
  Input input = Input::of_text("door.json", door);
  return *read_model(input).model;
}

void the_script_says_what_the_store_says() {
  const Shell shell("read_counts");
  write(shell.folder / "door.json", door);
  const Store store = project(shell);  // open: the script reads beside it
  const Counts counts = store.counts(door_model(), "door.json").value();
  const Ran ran = shell.good(read + "project.db door.json -o counts.json");
  const nlohmann::json expected = nlohmann::json::parse(to_json(counts));
  TEST_ASSERT_TRUE(nlohmann::json::parse(shell.file("counts.json")) == expected);
  const std::vector<std::uint64_t> samples = counts.samples();
  TEST_ASSERT_TRUE(ran.out.find(std::to_string(samples[0] + samples[1]) + " pairs of 2 devices over 4 boots\n") == 0);
  TEST_ASSERT_TRUE(ran.out.find(std::to_string(samples[0]) + "  listen\n") != std::string::npos);
  TEST_ASSERT_TRUE(ran.out.find(std::to_string(samples[1]) + "  open\n") != std::string::npos);
  const auto most = static_cast<size_t>(std::max_element(counts.pairs.begin(), counts.pairs.end()) - counts.pairs.begin());
  const char* const actions[] = {"listen", "open"};
  const char* const observations[] = {"left", "right", "none"};
  const std::string line = std::to_string(counts.pairs[most]) + "  " + actions[most / 18] + ": " + observations[most / 3 % 3] + ", " +
                           actions[most / 9 % 2] + ": " + observations[most % 3] + "\n";
  const size_t list = ran.out.find("next action: observation\n");
  TEST_ASSERT_TRUE(list != std::string::npos);
  TEST_ASSERT_EQUAL_STRING(line.c_str(), ran.out.substr(ran.out.find_first_not_of(' ', list + 25), line.size()).c_str());
}

void the_command_takes_what_the_script_writes() {
  const Shell shell("read_counts.estimate");
  write(shell.folder / "door.json", door);
  {
    const Store store = project(shell);
    write(shell.folder / "store.json", to_json(store.counts(door_model(), "door.json").value()));
  }
  static_cast<void>(shell.good(read + "project.db -o script.json"));  // closed, and without names
  const std::string estimate = shell.good("$P estimate door.json script.json --json").out;
  TEST_ASSERT_EQUAL_STRING(shell.good("$P estimate door.json store.json --json").out.c_str(), estimate.c_str());
}

void what_cannot_be_read_is_told_in_a_line_and_nothing_is_made() {
  const Shell shell("read_counts.refuses");
  { const Store store = project(shell); }
  write(shell.folder / "door.json", door);
  write(shell.folder / "garbage.db", std::string(5000, '#'));
  static_cast<void>(shell.good("python3 -c \"import sqlite3; sqlite3.connect('mail.db').execute('CREATE TABLE mail(x)')\""));
  static_cast<void>(Store::open((shell.folder / "new.db").string()));
  shell.bad(4, "none.db: there is no such file", read + "none.db -o c.json");
  shell.bad(3, "garbage.db: cannot be read as a Penumbra store: file is not a database", read + "garbage.db -o c.json");
  shell.bad(3, "mail.db: is not a Penumbra store", read + "mail.db -o c.json");
  shell.bad(3, "new.db: knows no device yet", read + "new.db -o c.json");
  shell.bad(4, "none.json: No such file or directory", read + "project.db none.json -o c.json");
  shell.bad(3, "garbage.db: is not a model in JSON", read + "project.db garbage.db -o c.json");
  write(shell.folder / "small.json", R"({"actions": 2, "observations": 2})");
  shell.bad(3, "small.json: has 2 actions and 2 observations, the store 2 and 3", read + "project.db small.json -o c.json");
  write(shell.folder / "large.json", R"({"actions": 2, "observations": 9})");
  shell.bad(3, "large.json: has 2 actions and 9 observations, the store 2 and 3", read + "project.db large.json -o c.json");
  shell.bad(4, "none/c.json: No such file or directory", read + "project.db door.json -o none/c.json");
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_script_says_what_the_store_says);
  RUN_TEST(the_command_takes_what_the_script_writes);
  RUN_TEST(what_cannot_be_read_is_told_in_a_line_and_nothing_is_made);
  return UNITY_END();
}

// penumbra simulate and filter.
#include "shell.hpp"

#include "penumbra/image_builder.hpp"

#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

namespace {

using namespace penumbra;
using namespace penumbra::test;

using Table = std::vector<std::vector<std::string>>;
Table csv(const std::string& text) {
  Table rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

const char* const door = R"({"penumbra": "model/1", "states": ["shut", "open"], "actions": ["wait"], "observations": ["dark", "light"],
 "transition": [[[0.9, 0.1], [0.25, 0.75]]], "observation": [[[1, 0], [0.3, 0.7]]], "reward": [0, 1], "initial": [1, 0]})";

std::string with_arrival(std::string text) { return text.replace(text.find("\"reward\""), 8, "\"emission\": \"arrival\", \"reward\""); }

void states_are_added_and_nothing_else_changes() {
  const Shell shell("states");
  static_cast<void>(shell.good("$P generate --states 3 --actions 2 --observations 4 --seed 1 -o m.json"));
  for (const std::string policy : {"uniform", "myopic", "myopic --min-action .2", "myopic --change-every 50"}) {
    const std::string line = "$P simulate m.json --steps 500 --seed 4 --policy " + policy;
    const Ran plain = shell.good(line + " -o t.csv --json");
    const Ran with = shell.good(line + " -o s.csv --with-states --json");
    TEST_ASSERT_EQUAL_STRING(plain.out.c_str(), with.out.c_str());
    const Table steps = csv(shell.file("t.csv"));
    const Table states = csv(shell.file("s.csv"));
    TEST_ASSERT_EQUAL(501, steps.size());
    TEST_ASSERT_EQUAL_STRING("state", states[0][0].c_str());
    for (size_t t = 0; t <= 500; ++t) TEST_ASSERT_TRUE(states[t].size() == 3 && states[t][1] == steps[t][0] && states[t][2] == steps[t][1]);
  }
}

void names_are_written_and_read_again() {
  const Shell shell("names");
  write(shell.folder / "m.json", door);
  static_cast<void>(shell.good("$P simulate m.json --steps 20 --seed 4 --policy uniform -o t.csv"));
  const Table steps = csv(shell.file("t.csv"));
  TEST_ASSERT_EQUAL_STRING("wait", steps[1][0].c_str());
  TEST_ASSERT_EQUAL_STRING("dark", steps[1][1].c_str());  // the door starts shut
  TEST_ASSERT_EQUAL(19, shell.good("$P count m.json t.csv --json").json()["samples"][0].get<int>());
}

void no_steps_make_an_empty_trajectory() {
  const Shell shell("no_steps");
  write(shell.folder / "m.json", door);
  TEST_ASSERT_TRUE(shell.good("$P simulate m.json --steps 0 --seed 4 --policy uniform -o t.csv --json").json()["average_reward"].is_null());
  TEST_ASSERT_EQUAL_STRING("action,observation\n", shell.file("t.csv").c_str());
  static_cast<void>(shell.good("$P filter m.json t.csv -o b.csv"));
  TEST_ASSERT_EQUAL_STRING("step,shut,open\n0,1,0\n", shell.file("b.csv").c_str());
}

void options_that_do_not_go_together_are_wrong_use() {
  const Shell shell("options");
  write(shell.folder / "m.json", door);
  const std::string line = "$P simulate m.json --steps 10 --seed 1 -o t.csv --policy ";
  shell.bad(2, "myopic", line + "uniform --min-action .1");
  shell.bad(2, "--change-every", line + "myopic --belief-model m.json --change-every 5");
  shell.bad(2, "--min-action", line + "myopic --min-action 2");
  static_cast<void>(shell.good("$P generate --states 2 --actions 3 --observations 2 --seed 1 -o n.json"));
  shell.bad(2, "--min-action is 0.4", "$P simulate n.json --steps 10 --seed 1 -o t.csv --policy myopic --min-action 0.4");
  shell.bad(3, "n.json: has other sizes", line + "myopic --belief-model n.json");
}

void another_belief_model_changes_what_is_done() {
  const Shell shell("belief_model");
  static_cast<void>(shell.good("$P generate --states 3 --actions 4 --observations 4 --seed 1 -o m.json"));
  static_cast<void>(shell.good("$P generate --states 3 --actions 4 --observations 4 --seed 2 -o n.json"));
  const std::string line = "$P simulate m.json --steps 500 --seed 4 --policy myopic ";
  static_cast<void>(
      shell.good(line + "-o 1.csv && " + line + "--belief-model m.json -o 2.csv && " + line + "--belief-model n.json -o 3.csv"));
  TEST_ASSERT_TRUE(shell.file("1.csv") == shell.file("2.csv"));
  TEST_ASSERT_FALSE(shell.file("1.csv") == shell.file("3.csv"));
}

void an_image_can_act_if_it_fits_the_model() {
  const Shell shell("image");
  write(shell.folder / "m.json", door);
  static_cast<void>(shell.good("$P generate --states 3 --actions 2 --observations 4 --seed 1 -o n.json"));
  const double T[] = {0.9, 0.1, 0.25, 0.75};
  const double O[] = {1, 0, 0.3, 0.7};
  const double r[] = {0, 1};
  ImageSource<double> source{RuntimeDims(2, 1, 2)};
  source.transition = T;
  source.observation = O;
  source.reward = r;
  alignas(4) std::uint8_t room[512];
  const auto size = build_image(source, room);
  TEST_ASSERT_TRUE(size.has_value());
  const std::string bytes(reinterpret_cast<const char*>(room), size.value());
  write(shell.folder / "p.pnb", bytes);
  write(shell.folder / "cut.pnb", bytes.substr(0, bytes.size() - 1));
  write(shell.folder / "arrival.json", with_arrival(door));
  static_cast<void>(shell.good("$P simulate m.json --steps 50 --seed 3 --policy p.pnb -o t.csv"));
  TEST_ASSERT_EQUAL(51, csv(shell.file("t.csv")).size());
  shell.bad(3, "cut.pnb: byte ", "$P simulate m.json --steps 50 --seed 3 --policy cut.pnb -o x.csv");
  shell.bad(3, "p.pnb: is for 2 states, 1 actions and 2 observations", "$P simulate n.json --steps 50 --seed 3 --policy p.pnb -o x.csv");
  shell.bad(3, "timing", "$P simulate arrival.json --steps 50 --seed 3 --policy p.pnb -o x.csv");
}

// Three steps by hand. Departure: see by O, then move by T. Arrival: move, then see.
void the_belief_is_that_of_bayes_in_both_timings_and_scalars() {
  const Shell shell("filter");
  write(shell.folder / "m.json", door);
  write(shell.folder / "a.json", with_arrival(door));
  write(shell.folder / "t.csv", "action,observation\nwait,dark\nwait,light\n0,1\n");
  const auto beliefs = [&](const std::string& model, const std::string& scalar) {
    const nlohmann::json json = shell.good("$P filter " + model + " t.csv -o b.csv --json --scalar " + scalar).json();
    const Table table = csv(shell.file("b.csv"));
    TEST_ASSERT_EQUAL(5, table.size());
    std::vector<double> open;
    for (size_t t = 1; t < 5; ++t) {
      TEST_ASSERT_EQUAL_STRING(std::to_string(t - 1).c_str(), table[t][0].c_str());
      open.push_back(std::stod(table[t][2]));
    }
    TEST_ASSERT_TRUE(json["impossible"].empty());
    return open;
  };
  for (const std::string scalar : {"f64", "f32"}) {
    const double close = scalar == "f64" ? 1e-15 : 1e-6;
    const std::vector<double> departure = beliefs("m.json", scalar);
    TEST_ASSERT_DOUBLE_WITHIN(close, 0, departure[0]);
    TEST_ASSERT_DOUBLE_WITHIN(close, 0.1, departure[1]);   // dark tells nothing of a door that was shut; it opens with .1
    TEST_ASSERT_DOUBLE_WITHIN(close, 0.75, departure[2]);  // light: it was open, and stays so with .75
    TEST_ASSERT_DOUBLE_WITHIN(close, 0.75, departure[3]);
    const std::vector<double> arrival = beliefs("a.json", scalar);
    TEST_ASSERT_DOUBLE_WITHIN(close, 0.03 / 0.93, arrival[1]);
    TEST_ASSERT_DOUBLE_WITHIN(close, 1, arrival[2]);
    TEST_ASSERT_DOUBLE_WITHIN(close, 1, arrival[3]);
  }
}

void impossible_observations_are_listed_and_restart_the_belief() {
  const Shell shell("impossible");
  write(shell.folder / "m.json", door);
  write(shell.folder / "t.csv", "action,observation\n0,light\n0,dark\n0,light\n0,light\n");
  for (const std::string scalar : {"f64", "f32"}) {
    const nlohmann::json json = shell.good("$P filter m.json t.csv -o b.csv --json --scalar " + scalar).json();
    TEST_ASSERT_TRUE(json["impossible"] == nlohmann::json::array({0}));  // a shut door gives no light
    TEST_ASSERT_TRUE(csv(shell.file("b.csv"))[2] == (std::vector<std::string>{"1", "1", "0"}));
  }
}

void digits_are_those_of_the_scalar() {
  const Shell shell("digits");
  static_cast<void>(shell.good("$P generate --states 3 --actions 1 --observations 3 --seed 1 -o m.json"));
  static_cast<void>(shell.good("$P simulate m.json --steps 5 --seed 1 --policy uniform -o t.csv"));
  static_cast<void>(shell.good("$P filter m.json t.csv -o 64.csv && $P filter m.json t.csv -o 32.csv --scalar f32"));
  TEST_ASSERT_EQUAL_STRING("step,b0,b1,b2\n0,0.33333333333333331,0.33333333333333331,0.33333333333333331\n",
                           shell.file("64.csv").substr(0, 76).c_str());
  TEST_ASSERT_EQUAL_STRING("step,b0,b1,b2\n0,0.333333343,0.333333343,0.333333343\n", shell.file("32.csv").substr(0, 52).c_str());
}

void without_a_transition_there_is_nothing_to_simulate_or_filter() {
  const Shell shell("no_transition");
  std::string text = door;
  const size_t begin = text.find("\"transition\"");
  write(shell.folder / "m.json", text.erase(begin, text.find("\"observation\":") - begin));
  write(shell.folder / "t.csv", "action,observation\n");
  shell.bad(3, "m.json: has no transition", "$P simulate m.json --steps 50 --seed 3 --policy uniform -o x.csv");
  shell.bad(3, "m.json: has no transition", "$P filter m.json t.csv -o x.csv");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(states_are_added_and_nothing_else_changes);
  RUN_TEST(names_are_written_and_read_again);
  RUN_TEST(no_steps_make_an_empty_trajectory);
  RUN_TEST(options_that_do_not_go_together_are_wrong_use);
  RUN_TEST(another_belief_model_changes_what_is_done);
  RUN_TEST(an_image_can_act_if_it_fits_the_model);
  RUN_TEST(the_belief_is_that_of_bayes_in_both_timings_and_scalars);
  RUN_TEST(impossible_observations_are_listed_and_restart_the_belief);
  RUN_TEST(digits_are_those_of_the_scalar);
  RUN_TEST(without_a_transition_there_is_nothing_to_simulate_or_filter);
  return UNITY_END();
}

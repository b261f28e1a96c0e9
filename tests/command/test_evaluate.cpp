// penumbra evaluate.
#include "shell.hpp"

#include <string>
#include <vector>

namespace {

using namespace penumbra::test;

const std::string images = PENUMBRA_IMAGES;
const std::string generate = "$P generate --states 3 --actions 4 --observations 4 --seed 1 -o m.json";

std::string evaluate(const std::string& image, const std::string& rest) {
  return "$P evaluate m.json " + images + "/" + image + " " + rest;
}

void the_keys_are_all_there_and_make_sense() {
  const Shell shell("evaluate_keys");
  static_cast<void>(shell.good(generate));
  for (const std::string kind : {"uniform", "vectors", "lattice"}) {
    const nlohmann::json json = shell.good(evaluate("s3_" + kind + ".pnb", "--steps 2000 --runs 4 --seed 5 --json")).json();
    TEST_ASSERT_TRUE(json["policy"] == kind && json["choice"] == "table");
    TEST_ASSERT_TRUE(json["runs"] == 4 && json["steps"] == 2000 && json["seed"] == 5);
    const double average = json["average_reward"];
    TEST_ASSERT_TRUE(average > 0 && average < 1 && json["ci95"] > 0 && json["ci95"] < 0.2);
    TEST_ASSERT_TRUE(json["min"] <= average && json["max"] >= average);
    for (const char* key : {"table_average_reward", "table_ci95", "difference", "difference_ci95"}) {
      TEST_ASSERT_TRUE_MESSAGE(json.contains(key) && json[key].is_null(), key);
    }
  }
  const Ran table = shell.good(evaluate("s3_lattice.pnb", "--steps 100 --runs 2"));
  TEST_ASSERT_TRUE(table.out.find("2 runs of 100 steps") != std::string::npos && table.err.empty());
}

void one_run_does_not_show_its_spread() {
  const Shell shell("evaluate_one");
  static_cast<void>(shell.good(generate));
  const nlohmann::json json = shell.good(evaluate("s3_vectors.pnb", "--steps 50 --runs 1 --json")).json();
  TEST_ASSERT_TRUE(json["ci95"].is_null() && json["average_reward"].is_number());
}

void sizes_and_seed_may_be_left_out() {
  const Shell shell("evaluate_defaults");
  static_cast<void>(shell.good(generate));
  const nlohmann::json json = shell.good(evaluate("s3_vectors.pnb", "--json")).json();
  TEST_ASSERT_TRUE(json["runs"] == 16 && json["steps"] == 100000 && json["seed"] == 1);
}

void the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
  const Shell shell("evaluate_threads");
  static_cast<void>(shell.good(generate));
  const std::string line = evaluate("s3_lattice.pnb", "--steps 3000 --runs 7 --seed 3 --json");
  const std::string one = shell.good(line + " --threads 1").out;
  TEST_ASSERT_TRUE(one == shell.good(line + " --threads 2").out);
  TEST_ASSERT_TRUE(one == shell.good(line).out);
  TEST_ASSERT_FALSE(one == shell.good(evaluate("s3_lattice.pnb", "--steps 3000 --runs 7 --seed 4 --json")).out);
}

void wrong_use_is_2() {
  const Shell shell("evaluate_usage");
  static_cast<void>(shell.good(generate));
  shell.bad(2, "is less than 1", evaluate("s3_vectors.pnb", "--runs 0"));
  shell.bad(2, "is less than 1", evaluate("s3_vectors.pnb", "--steps 0"));
  shell.bad(2, "is not a whole number", evaluate("s3_vectors.pnb", "--steps -4"));
  shell.bad(2, "1e12 is more than 1000000", evaluate("s3_vectors.pnb", "--runs 1e12"));
  shell.bad(2, "--choice", evaluate("s3_vectors.pnb", "--choice dice"));
  shell.bad(2, "IMAGE", "$P evaluate m.json");
  shell.bad(2, "is uniform", evaluate("s3_uniform.pnb", "--choice lookahead"));
  shell.bad(2, "standard input", "$P evaluate - - < m.json");
}

void what_does_not_fit_is_3_and_what_is_missing_4() {
  const Shell shell("evaluate_input");
  static_cast<void>(shell.good(generate));
  shell.bad(3, "s2_vectors.pnb: is for 2 states, 3 actions and 2 observations", evaluate("s2_vectors.pnb", ""));
  static_cast<void>(shell.good("sed 's/departure/arrival/' m.json > a.json"));
  shell.bad(3, "timing", "$P evaluate a.json " + images + "/s3_vectors.pnb");
  write(shell.folder / "cut.pnb", content(images + "/s3_vectors.pnb").substr(0, 100));
  shell.bad(3, "cut.pnb: byte 100: ", "$P evaluate m.json cut.pnb");
  write(shell.folder / "t.json",
        R"({"penumbra": "model/1", "states": 2, "actions": 1, "observations": 2, "observation": [[[1, 0], [0, 1]]], "reward": [0, 1]})");
  shell.bad(3, "t.json: has no transition", "$P evaluate t.json cut.pnb");
  shell.bad(4, "none.pnb: cannot be read", "$P evaluate m.json none.pnb");
  shell.bad(4, "none.json: cannot be read", "$P evaluate none.json cut.pnb");
  shell.bad(4, "standard output: cannot be written", evaluate("s3_vectors.pnb", "--steps 10 --json > /dev/full"));
}

// Every action leads to state 0, which pays 0.25; the first step, in state 1, pays 1.
void the_average_is_what_the_policy_earns() {
  const Shell shell("evaluate_truth");
  write(shell.folder / "m.json", R"({"penumbra": "model/1", "states": 3, "actions": 4, "observations": 4, "transition":
 [[[1,0,0],[1,0,0],[1,0,0]],[[1,0,0],[1,0,0],[1,0,0]],[[1,0,0],[1,0,0],[1,0,0]],[[1,0,0],[1,0,0],[1,0,0]]], "observation":
 [[[1,0,0,0],[0,1,0,0],[0,0,1,0]],[[1,0,0,0],[0,1,0,0],[0,0,1,0]],[[1,0,0,0],[0,1,0,0],[0,0,1,0]],[[1,0,0,0],[0,1,0,0],[0,0,1,0]]],
 "reward": [0.25, 1, 1, 1], "initial": [0, 1, 0]})");
  const nlohmann::json json = shell.good(evaluate("s3_vectors.pnb", "--steps 4 --runs 3 --json")).json();
  TEST_ASSERT_EQUAL_DOUBLE((1 + 3 * 0.25) / 4, json["average_reward"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0, json["ci95"].get<double>());
}

// [action][state][outcome]: 1/2, 1/4 and 1/4 (or 1/8, 1/8), as the images of tests/fuzz/make_seeds.cpp have them.
std::string halves(std::size_t outcomes, bool transition) {
  nlohmann::json table = nlohmann::json::array();
  for (std::size_t row = 0; row < 12; ++row) {
    std::vector<double> entries(outcomes);
    double left = 1;
    for (std::size_t i = 0; i < outcomes; ++i) {
      const double share = i + 1 < outcomes ? left / 2 : left;
      entries[(row + (transition ? row / 3 : 0) + i) % outcomes] = share;
      left -= share;
    }
    if (row % 3 == 0) table.push_back(nlohmann::json::array());
    table.back().push_back(entries);
  }
  return table.dump();
}

// In the world that the image is for. Its table was made without thinking, so that looking ahead earns more; the difference is that of
// the same runs.
void looking_ahead_is_compared_with_the_table_on_the_same_runs() {
  const Shell shell("evaluate_lookahead");
  write(shell.folder / "m.json", R"({"penumbra": "model/1", "states": 3, "actions": 4, "observations": 4, "transition": )" +
                                     halves(3, true) + R"(, "observation": )" + halves(4, false) +
                                     R"(, "reward": [-0.5, -0.375, -0.25, -0.125], "initial": [0.25, 0.5, 0.25]})");
  static_cast<void>(shell.good("$P image verify " + images + "/s3_lattice.pnb --model m.json"));
  const std::string rest = "--steps 5000 --runs 6 --seed 2 --json";
  const nlohmann::json table = shell.good(evaluate("s3_lattice.pnb", rest)).json();
  const Ran ran = shell.good(evaluate("s3_lattice.pnb", rest + " --choice lookahead --threads 1"));
  const nlohmann::json ahead = ran.json();
  TEST_ASSERT_TRUE(ahead["choice"] == "lookahead" && ahead["policy"] == "lattice");
  TEST_ASSERT_TRUE(ahead["table_average_reward"] == table["average_reward"] && ahead["table_ci95"] == table["ci95"]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, ahead["average_reward"].get<double>() - table["average_reward"].get<double>(),
                            ahead["difference"].get<double>());
  TEST_ASSERT_TRUE(ahead["difference"] > ahead["difference_ci95"] && ahead["difference_ci95"] > 0);
  TEST_ASSERT_TRUE(ran.out == shell.good(evaluate("s3_lattice.pnb", rest + " --choice lookahead --threads 2")).out);
  const nlohmann::json vectors = shell.good(evaluate("s3_vectors.pnb", rest + " --choice lookahead")).json();
  TEST_ASSERT_TRUE(vectors["policy"] == "vectors" && vectors["difference"] > 0);
  const Ran people = shell.good(evaluate("s3_lattice.pnb", "--steps 100 --runs 2 --choice lookahead"));
  TEST_ASSERT_TRUE(people.out.find("lookahead") != std::string::npos && people.out.find("difference") != std::string::npos);
}

void help_explains_itself() {
  const Shell shell("evaluate_help");
  const std::string help = shell.good("$P evaluate --help").out;
  for (const char* word : {"--steps", "--runs", "--seed", "--choice", "--json", "--threads"}) {
    TEST_ASSERT_TRUE_MESSAGE(help.find(word) != std::string::npos, word);
  }
  TEST_ASSERT_TRUE(shell.good("$P --help").out.find("  evaluate ") != std::string::npos);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_keys_are_all_there_and_make_sense);
  RUN_TEST(one_run_does_not_show_its_spread);
  RUN_TEST(sizes_and_seed_may_be_left_out);
  RUN_TEST(the_same_seed_gives_the_same_bytes_on_any_number_of_threads);
  RUN_TEST(wrong_use_is_2);
  RUN_TEST(what_does_not_fit_is_3_and_what_is_missing_4);
  RUN_TEST(the_average_is_what_the_policy_earns);
  RUN_TEST(looking_ahead_is_compared_with_the_table_on_the_same_runs);
  RUN_TEST(help_explains_itself);
  return UNITY_END();
}

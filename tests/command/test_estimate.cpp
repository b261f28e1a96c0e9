// penumbra count and estimate.
#include "shell.hpp"

#include <cmath>

namespace {

using namespace penumbra::test;

const char* const door = R"({"penumbra": "model/1", "states": 2, "actions": 2, "observations": 2,
 "observation": [[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]]], "reward": [0, 1]})";

void pairs_are_counted_within_files_and_not_across() {
  const Shell shell("count");
  write(shell.folder / "m.json", door);
  write(shell.folder / "1.csv", "action,observation\n0,1\n1,0\n1,1\n");
  write(shell.folder / "2.csv", "observation,extra,action\n1,x,0\n0,y,1\n");
  write(shell.folder / "0.csv", "action,observation\n");
  const Ran ran = shell.good("$P count m.json 1.csv 0.csv 2.csv -o c.json --json");
  TEST_ASSERT_TRUE(ran.json()["samples"] == nlohmann::json({2, 1}));
  const nlohmann::json counts = nlohmann::json::parse(shell.file("c.json"));
  TEST_ASSERT_TRUE(counts["penumbra"] == "counts/1" && counts["samples"] == nlohmann::json({2, 1}));
  TEST_ASSERT_EQUAL(2, counts["pairs"][0][1][1][0].get<int>());  // 0,1 then 1,0, in both files
  TEST_ASSERT_EQUAL(1, counts["pairs"][1][1][0][1].get<int>());
}

void any_mix_and_order_gives_the_same_bytes() {
  const Shell shell("mix");
  static_cast<void>(shell.good("$P generate --states 3 --actions 3 --observations 4 --seed 2 -o m.json"));
  static_cast<void>(
      shell.good("for i in 1 2 3; do $P simulate m.json --steps 3000 --seed $i --policy myopic --min-action .1 -o $i.csv; done"));
  static_cast<void>(shell.good(
      "$P count m.json 1.csv -o 1.json && $P count m.json 2.csv 3.csv -o 23.json && $P count m.json 1.json 23.json -o 123.json"));
  const std::string all = shell.good("$P estimate m.json 1.csv 2.csv 3.csv -o e.json --json").out;
  const std::string model = shell.file("e.json");
  for (const std::string logs :
       {"3.csv 1.csv 2.csv", "1.json 23.json", "2.csv 1.json 3.csv", "123.json", "- 23.json < 1.csv", "23.json - < 1.json"}) {
    TEST_ASSERT_TRUE_MESSAGE(all == shell.good("$P estimate m.json " + logs + " -o e.json --json").out, logs.c_str());
    TEST_ASSERT_TRUE(model == shell.file("e.json"));
  }
}

void the_estimate_comes_with_all_that_is_known_of_it() {
  const Shell shell("report");
  static_cast<void>(shell.good("$P generate --states 3 --actions 2 --observations 4 --seed 2 -o m.json"));
  static_cast<void>(shell.good("$P simulate m.json --steps 100000 --seed 1 --policy uniform -o t.csv"));
  const nlohmann::json json = shell.good("$P estimate m.json t.csv -o e.json --json").json();
  for (const char* key : {"transition", "standard_error", "samples", "sigma_min", "rank", "clipped", "uniform_rows", "frobenius_error"}) {
    TEST_ASSERT_EQUAL_MESSAGE(2, json[key].size(), key);
  }
  const nlohmann::json truth = nlohmann::json::parse(shell.file("m.json"));
  const nlohmann::json model = nlohmann::json::parse(shell.file("e.json"));
  TEST_ASSERT_TRUE(model["transition"] == json["transition"]);
  for (const char* key : {"observation", "reward", "states", "emission", "initial"}) TEST_ASSERT_TRUE(model[key] == truth[key]);
  for (size_t a = 0; a < 2; ++a) {
    double square = 0;
    for (size_t s = 0; s < 3; ++s) {
      for (size_t n = 0; n < 3; ++n) {
        const double off = json["transition"][a][s][n].get<double>() - truth["transition"][a][s][n].get<double>();
        TEST_ASSERT_TRUE(std::abs(off) < 5 * json["standard_error"][a][s][n].get<double>());  // 18 entries: by chance once in 10^5 seeds
        square += off * off;
      }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, std::sqrt(square), json["frobenius_error"][a].get<double>());
  }
  const std::string table = shell.good("$P estimate m.json t.csv").out;
  for (const char* word : {"samples", "sigma_min", "clipped", "std. error", "error"})
    TEST_ASSERT_TRUE(table.find(word) != std::string::npos);
}

void what_was_never_done_is_uniform_and_says_so() {
  const Shell shell("never");
  write(shell.folder / "m.json", door);
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,0\n0,1\n");
  const nlohmann::json json = shell.good("$P estimate m.json t.csv -o e.json --json").json();
  TEST_ASSERT_TRUE(json["uniform_rows"][1] == nlohmann::json({0, 1}));
  TEST_ASSERT_TRUE(json["transition"][1] == nlohmann::json({{0.5, 0.5}, {0.5, 0.5}}));
  TEST_ASSERT_TRUE(json["standard_error"][1][0][0].is_null());
  TEST_ASSERT_TRUE(json["frobenius_error"].is_null());
  TEST_ASSERT_TRUE(shell.good("$P estimate m.json t.csv").out.find("nothing is known") != std::string::npos);
}

void samples_that_never_varied_tell_no_error() {
  const Shell shell("one_pair");
  write(shell.folder / "m.json", door);
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,0\n");
  const nlohmann::json json = shell.good("$P estimate m.json t.csv --json").json();
  TEST_ASSERT_TRUE(json["transition"][0][0][0].is_number());
  for (const auto& row : json["standard_error"][0]) {
    for (const auto& error : row) TEST_ASSERT_TRUE(error.is_null());
  }
  TEST_ASSERT_TRUE(shell.good("$P estimate m.json t.csv").out.find("±?") != std::string::npos);
}

void models_that_aoas_cannot_serve_are_refused_with_the_reason() {
  const Shell shell("refused");
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,0\n");
  std::string text = door;
  write(shell.folder / "arrival.json", text.replace(text.find("\"reward\""), 8, "\"emission\": \"arrival\", \"reward\""));
  text = door;
  write(shell.folder / "blind.json", text.replace(text.find("[0.7, 0.3]"), 10, "[0.4, 0.6]"));
  write(shell.folder / "few.json", R"({"penumbra": "model/1", "states": 3, "actions": 1, "observations": 2,
    "observation": [[[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]], "reward": [0, 1]})");
  shell.bad(3, "arrival.json: ", "$P estimate arrival.json t.csv -o e.json");
  shell.bad(3, "blind.json: ", "$P estimate blind.json t.csv -o e.json");
  shell.bad(3, "few.json: ", "$P estimate few.json t.csv -o e.json");
  TEST_ASSERT_FALSE(shell.good("$P check few.json --json").json()["applies"].get<bool>());
  static_cast<void>(shell.good("$P count arrival.json t.csv"));  // counting is for everybody
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(pairs_are_counted_within_files_and_not_across);
  RUN_TEST(any_mix_and_order_gives_the_same_bytes);
  RUN_TEST(the_estimate_comes_with_all_that_is_known_of_it);
  RUN_TEST(what_was_never_done_is_uniform_and_says_so);
  RUN_TEST(samples_that_never_varied_tell_no_error);
  RUN_TEST(models_that_aoas_cannot_serve_are_refused_with_the_reason);
  return UNITY_END();
}

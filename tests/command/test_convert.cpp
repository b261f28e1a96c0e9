// penumbra convert and generate.
#include "shell.hpp"

namespace {

using namespace penumbra::test;

// Every kind of thing that one of the formats cannot say as plainly as the other.
const char* const odd = R"({"penumbra": "model/1", "states": ["a b", "c,\"d\""], "actions": ["T"], "observations": ["1", "0", "ä"],
 "transition": [[[0.1, 0.9], [0.33333333333333331, 0.66666666666666674]]],
 "observation": [[[0.5, 0.25, 0.25], [1, 0, 0]]],
 "reward": [0.1, -2, 1e-30], "emission": "arrival", "initial": [0.2, 0.8]})";

void there_and_back_again_nothing_is_lost() {
  const Shell shell("convert");
  write(shell.folder / "odd.json", odd);
  static_cast<void>(shell.good("$P convert odd.json -o 1.json && $P convert 1.json -o 2.pomdp && $P convert 2.pomdp -o 3.json"));
  static_cast<void>(shell.good("$P convert 2.pomdp -o 4.POMDP && $P convert 4.POMDP -o - --to json > 5.json"));
  TEST_ASSERT_TRUE(shell.file("1.json") == shell.file("3.json"));
  TEST_ASSERT_TRUE(shell.file("1.json") == shell.file("5.json"));
  TEST_ASSERT_TRUE(shell.file("2.pomdp") == shell.file("4.POMDP"));
  const nlohmann::json before = nlohmann::json::parse(odd);
  const nlohmann::json after = nlohmann::json::parse(shell.file("3.json"));
  for (const auto& item : before.items()) TEST_ASSERT_TRUE_MESSAGE(after[item.key()] == item.value(), item.key().c_str());
}

void a_departure_model_stays_json() {
  const Shell shell("convert_departure");
  static_cast<void>(shell.good("$P generate --states 3 --actions 2 --observations 4 --seed 1 -o m.json"));
  shell.bad(3, "m.json: ", "$P convert m.json -o m.pomdp");
}

void the_format_is_the_names_or_the_users() {
  const Shell shell("convert_format");
  write(shell.folder / "m.json", odd);
  shell.bad(2, "ends neither in .json nor in .pomdp", "$P convert m.json -o m.txt");
  static_cast<void>(shell.good("$P convert m.json -o m.txt --to pomdp && $P check m.txt"));
  shell.bad(2, "--to", "$P convert m.json -o m.txt --to xml");
}

void generated_models_are_what_was_asked_for() {
  const Shell shell("generate");
  const nlohmann::json json =
      shell.good("$P generate --states 5 --actions 4 --observations 8 --seed 3 --min-sigma 0.45 --epsilon 0.02 -o m.json --json").json();
  const nlohmann::json check = shell.good("$P check m.json --json").json();
  TEST_ASSERT_EQUAL(5, check["states"].get<int>());
  TEST_ASSERT_EQUAL(4, check["actions"].get<int>());
  TEST_ASSERT_EQUAL(8, check["observations"].get<int>());
  TEST_ASSERT_TRUE(check["epsilon"].get<double>() >= 0.02 && check["alpha"].get<double>() >= 0.45);
  TEST_ASSERT_TRUE(check["sigma_min"] == json["sigma_min"] && check["epsilon"] == json["epsilon"]);
  TEST_ASSERT_TRUE(json["rejected"].get<int>() > 0);
  TEST_ASSERT_TRUE(check["applies"].get<bool>());
  TEST_ASSERT_TRUE(shell.good("$P generate --states 5 --actions 4 --observations 8 --seed 3 -o n.json >&2 && $P check n.json --json")
                       .json()["epsilon"]
                       .get<double>() >= 0.01);
}

void impossible_recipes_are_wrong_use() {
  const Shell shell("generate_bad");
  const std::string sizes = "$P generate --states 3 --actions 1 --observations 2 --seed 1 -o m.json";
  shell.bad(2, "--epsilon", sizes + " --epsilon 0.4");
  shell.bad(2, "distinct", sizes + " --peaks distinct");
  shell.bad(2, "sigma_min", sizes + " --min-sigma 0.5");
  shell.bad(2, "--peak", sizes + " --peak 1.5");
  shell.bad(2, "memory", "$P generate --states 1e6 --actions 1e6 --observations 1e6 --seed 1 -o m.json");
  static_cast<void>(shell.good(sizes + " --peaks any"));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(there_and_back_again_nothing_is_lost);
  RUN_TEST(a_departure_model_stays_json);
  RUN_TEST(the_format_is_the_names_or_the_users);
  RUN_TEST(generated_models_are_what_was_asked_for);
  RUN_TEST(impossible_recipes_are_wrong_use);
  return UNITY_END();
}

// penumbra plan: what users and scripts rely on.
#include "shell.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace penumbra::test;

const std::string quick = " --runs 4 --steps 2000";
const std::string generate = "$P generate --states 3 --actions 4 --observations 4 --seed 1 -o m.json";

// Listening costs 1, the wrong door 100, the right one pays 10.
const char* const tiger = R"(discount: 0.95
values: reward
states: left right
actions: listen open-left open-right
observations: left right
start: uniform
T: listen identity
T: open-left uniform
T: open-right uniform
O: listen
0.85 0.15
0.15 0.85
O: open-left uniform
O: open-right uniform
R: listen : * : * : * -1
R: open-left : left : * : * -100
R: open-left : right : * : * 10
R: open-right : left : * : * 10
R: open-right : right : * : * -100
)";

void keys_are_there_for_both_planners() {
  const Shell shell("keys");
  static_cast<void>(shell.good(generate));
  const nlohmann::json lattice = shell.good("$P plan m.json --resolution 20 -o l.pnb --json" + quick).json();
  TEST_ASSERT_EQUAL_STRING("lattice", lattice["method"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL(231, lattice["points"].get<int>());
  TEST_ASSERT_EQUAL(20, lattice["resolution"].get<int>());
  TEST_ASSERT_TRUE(lattice["vectors"].is_null() && lattice["ci95"].is_null());
  TEST_ASSERT_TRUE(lattice["upper_bound"].get<double>() >= lattice["gain"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, lattice["gain"].get<double>(), lattice["upper_bound"].get<double>());
  const nlohmann::json vectors = shell.good("$P plan m.json --vectors 6 -o v.pnb --json" + quick).json();
  TEST_ASSERT_EQUAL_STRING("vectors", vectors["method"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(vectors["vectors"].get<int>() >= 1 && vectors["vectors"].get<int>() <= 6);
  TEST_ASSERT_TRUE(vectors["points"].is_null() && vectors["resolution"].is_null());
  TEST_ASSERT_TRUE(vectors["gain"].get<double>() - vectors["ci95"].get<double>() <= vectors["upper_bound"].get<double>());
  for (const nlohmann::json& plan : {lattice, vectors}) {
    for (const char* key : {"bias_span", "iterations", "seconds"}) TEST_ASSERT_TRUE_MESSAGE(plan[key].is_number(), key);
    TEST_ASSERT_TRUE(plan["certificate"].is_null());
  }
  TEST_ASSERT_EQUAL_STRING("lattice", shell.good("$P image inspect l.pnb --json").json()["policy"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL(shell.file("v.pnb").size(), vectors["bytes"].get<size_t>());
}

void the_same_seed_gives_the_same_image_whatever_the_threads() {
  const Shell shell("threads");
  static_cast<void>(shell.good(generate));
  for (const std::string options : {"", " --vectors 4", " --resolution 30 --optimism 0.1"}) {
    auto one = shell.good("$P plan m.json -o one.pnb --json --threads 1" + options + quick).json();
    auto two = shell.good("$P plan m.json -o two.pnb --json --threads 2" + options + quick).json();
    TEST_ASSERT_TRUE(shell.file("one.pnb") == shell.file("two.pnb"));
    one.erase("seconds");
    two.erase("seconds");
    TEST_ASSERT_TRUE(one == two);
  }
}

// The lattice of resolution 200 is exact to the fifth digit here: 1.0838 a step.
void the_tiger_is_solved_and_certified() {
  const Shell shell("tiger");
  write(shell.folder / "tiger.pomdp", tiger);
  const nlohmann::json plan = shell.good("$P plan tiger.pomdp --certify --gap 0.05 -o t.pnb --json").json();
  const nlohmann::json certificate = plan["certificate"];
  TEST_ASSERT_DOUBLE_WITHIN(0.0001, 1.0838, certificate["upper_bound"].get<double>());
  TEST_ASSERT_TRUE(certificate["met"].get<bool>() && certificate["gap"].get<double>() <= 0.05);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, certificate["upper_bound"].get<double>() - certificate["lower_bound"].get<double>(),
                            certificate["gap"].get<double>());
  const nlohmann::json earned = shell.good("$P evaluate tiger.pomdp t.pnb --steps 100000 --runs 16 --seed 5 --json").json();
  TEST_ASSERT_DOUBLE_WITHIN(3 * earned["ci95"].get<double>(), 1.0838, earned["average_reward"].get<double>());
}

void options_of_a_planner_say_which_is_meant_and_cannot_be_mixed() {
  const Shell shell("method");
  static_cast<void>(shell.good(generate));
  const auto method = [&](const std::string& options) {
    return shell.good("$P plan m.json --json" + quick + options).json()["method"].get<std::string>();
  };
  TEST_ASSERT_EQUAL_STRING("lattice", method(" --interpolation nearest").c_str());
  TEST_ASSERT_EQUAL_STRING("lattice", method(" --optimism 0.1").c_str());
  TEST_ASSERT_EQUAL_STRING("vectors", method(" --method auto --vectors 8 --resolution 2").c_str());  // what earns more
  shell.bad(2, "--method auto", "$P plan m.json --vectors 3 --resolution 5 -o x.pnb");
  shell.bad(2, "the lattice's", "$P plan m.json --method vectors --resolution 5 -o x.pnb");
  shell.bad(2, "not for the lattice", "$P plan m.json --method lattice --vectors 5 -o x.pnb");
  shell.bad(2, "only the lattice can be optimistic", "$P plan m.json --method auto --optimism .1 -o x.pnb");
  shell.bad(2, "--optimism too", "$P plan m.json --resolution 5 --epsilon .1 -o x.pnb");
  shell.bad(2, "has 2 numbers", "$P plan m.json --optimism .1,.2 -o x.pnb");
  shell.bad(2, "between 0 and 2", "$P plan m.json --optimism 2.5 -o x.pnb");
  shell.bad(2, "between 0 and 2", "$P plan m.json --optimism nan -o x.pnb");
  shell.bad(2, "more than 1", "$P plan m.json --optimism .1 --epsilon .5 -o x.pnb");
  shell.bad(2, "--gap", "$P plan m.json --gap .1 -o x.pnb");
  shell.bad(2, "is more than 32767", "$P plan m.json --resolution 40000 -o x.pnb");
  shell.bad(2, "is less than 1", "$P plan m.json --vectors 0 -o x.pnb");
}

void optimism_is_one_radius_or_one_an_action() {
  const Shell shell("optimism");
  static_cast<void>(shell.good(generate));
  const auto gain = [&](const std::string& options) {
    return shell.good("$P plan m.json --json --resolution 12" + quick + options).json()["gain"].get<double>();
  };
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, gain(" --optimism .1"), gain(" --optimism .1,.1,.1,.1"));
  TEST_ASSERT_TRUE(gain(" --optimism .1") > gain("") + 1e-4);
  TEST_ASSERT_TRUE(gain(" --optimism .3 --epsilon .05") < gain(" --optimism .3"));
}

void too_large_a_lattice_is_refused_at_once() {
  const Shell shell("large");
  static_cast<void>(shell.good("$P generate --states 10 --actions 4 --observations 16 --seed 1 -o m.json"));
  const Ran ran = shell.bad(3, "2054455634 points", "$P plan m.json --resolution 40 -o x.pnb");
  TEST_ASSERT_TRUE(ran.err.find("would fit") != std::string::npos);
  shell.bad(3, "MB", "$P plan m.json --resolution 6 --memory 1 -o x.pnb");
}

void what_an_image_cannot_hold_is_refused() {
  const Shell shell("device");
  static_cast<void>(shell.good("$P generate --states 2 --actions 1 --observations 256 --seed 1 -o m.json"));
  shell.bad(3, "an image holds at most 255", "$P plan m.json -o x.pnb");
  write(shell.folder / "sensors.json",
        R"({"penumbra": "model/1", "states": 2, "actions": 1, "observations": 2, "observation": [[[1, 0], [0, 1]]], "reward": [0, 1]})");
  shell.bad(3, "transition", "$P plan sensors.json -o x.pnb");
  shell.bad(4, "missing.json", "$P plan missing.json -o x.pnb");
}

void policies_of_other_solvers_become_images() {
  const Shell shell("alpha");
  write(shell.folder / "tiger.pomdp", tiger);
  // Where the tiger is nearly sure to be right: open left. These vectors do that from 0.9 on.
  write(shell.folder / "tiger.alpha", "0\n-1 -1\n\n1\n-100 10\n\n2\n10 -100\n");
  const nlohmann::json plan = shell.good("$P plan tiger.pomdp --from-alpha tiger.alpha -o t.pnb --json" + quick).json();
  TEST_ASSERT_EQUAL(3, plan["vectors"].get<int>());
  static_cast<void>(
      shell.good("$P image export t.pnb --format alpha -o back.alpha && $P plan tiger.pomdp --from-alpha back.alpha -o u.pnb"));
  TEST_ASSERT_TRUE(shell.file("t.pnb") == shell.file("u.pnb"));
  TEST_ASSERT_EQUAL(2, shell.good("$P plan tiger.pomdp --from-alpha tiger.alpha --vectors 2 --json" + quick).json()["vectors"].get<int>());
  write(shell.folder / "bad.alpha", "0\n-1 -1\n\n7\n1 1\n");
  shell.bad(3, "bad.alpha:4", "$P plan tiger.pomdp --from-alpha bad.alpha -o x.pnb");
  write(shell.folder / "short.alpha", "0\n-1\n");
  shell.bad(3, "short.alpha:2", "$P plan tiger.pomdp --from-alpha short.alpha -o x.pnb");
  shell.bad(4, "none.alpha", "$P plan tiger.pomdp --from-alpha none.alpha -o x.pnb");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(keys_are_there_for_both_planners);
  RUN_TEST(the_same_seed_gives_the_same_image_whatever_the_threads);
  RUN_TEST(the_tiger_is_solved_and_certified);
  RUN_TEST(options_of_a_planner_say_which_is_meant_and_cannot_be_mixed);
  RUN_TEST(optimism_is_one_radius_or_one_an_action);
  RUN_TEST(too_large_a_lattice_is_refused_at_once);
  RUN_TEST(what_an_image_cannot_hold_is_refused);
  RUN_TEST(policies_of_other_solvers_become_images);
  return UNITY_END();
}

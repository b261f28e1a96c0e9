// penumbra learn: what users and scripts rely on.
#include "sanitized.hpp"
#include "shell.hpp"

#include <sstream>
#include <vector>

namespace {

using namespace penumbra::test;

const std::string generate = "$P generate --states 3 --actions 4 --observations 4 --seed 1 -o m.json";
const char* const learners[] = {"aoas-ucrl", "oas-ucrl", "psrl-pomdp", "seeu", "sm-ucrl", "optimal", "uniform", "myopic"};

// All but how long it took.
nlohmann::json without_seconds(nlohmann::json document) {
  document.erase("seconds");
  document["planning"].erase("seconds");
  return document;
}

// Where each run ended. The figures of all are those of the runs.
void check_each_run(const nlohmann::json& json, bool learns, bool explores_first) {
  const nlohmann::json& runs = json["each_run"];
  TEST_ASSERT_EQUAL(json["runs"].get<std::size_t>(), runs.size());
  int stuck = 0;
  double gap_regret = 0;
  double error = 0;
  for (const nlohmann::json& run : runs) {
    TEST_ASSERT_EQUAL(4, run["plays"].size());
    double plays = 0;
    for (const nlohmann::json& share : run["plays"]) plays += share.get<double>();
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, plays);
    gap_regret += run["gap_regret"].get<double>() / static_cast<double>(runs.size());
    TEST_ASSERT_EQUAL(explores_first, run["stuck"].is_boolean());
    TEST_ASSERT_EQUAL(!explores_first, run["stuck"].is_null());
    TEST_ASSERT_EQUAL(!learns, run["transition_error"].is_null());
    if (!learns) continue;
    if (explores_first) stuck += run["stuck"].get<bool>() ? 1 : 0;
    TEST_ASSERT_EQUAL(4, run["transition_error"].size());
    error += run["transition_error"][0].get<double>() / static_cast<double>(runs.size());
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, json["gap_regret"]["mean"].get<double>(), gap_regret);
  if (!learns) return;
  if (explores_first) TEST_ASSERT_EQUAL(json["stuck"].get<int>(), stuck);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, json["transition_error"][0].get<double>(), error);
}

void every_learner_has_the_keys_and_the_files() {
  const Shell shell("keys");
  static_cast<void>(shell.good(generate));
  for (const std::string learner : learners) {
    const nlohmann::json json = shell.good("$P learn m.json --algorithm " + learner + " --steps 9000 --runs 2 --json -o " + learner).json();
    const bool learns = learner.find('-') != std::string::npos || learner == "seeu";
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.5314, json["optimal_gain"].get<double>());
    for (const char* key : {"regret", "gap_regret"}) {
      TEST_ASSERT_TRUE_MESSAGE(json[key]["mean"].is_number() && json[key]["ci95"].is_number(), key);
    }
    TEST_ASSERT_EQUAL(learns ? 4 : 0, json["transition_error"].size());
    TEST_ASSERT_TRUE(json["seconds"].is_number() && json["planning"]["seconds"].is_number() && json["episodes"].is_number());
    TEST_ASSERT_TRUE(json["slope"].is_number() || learner == "optimal");
    TEST_ASSERT_EQUAL(learns, json["options"].contains("epsilon"));
    const bool explores_first = learner == "aoas-ucrl";
    TEST_ASSERT_EQUAL(explores_first, json["stuck"].is_number());
    TEST_ASSERT_TRUE(explores_first || json["stuck"].is_null());
    check_each_run(json, learns, explores_first);
    TEST_ASSERT_EQUAL(1, json["seed"].get<int>());
    TEST_ASSERT_EQUAL_STRING(PENUMBRA_VERSION, json["version"].get<std::string>().c_str());
    TEST_ASSERT_TRUE(nlohmann::json::parse(content(shell.folder / learner / "summary.json")) == json);
    std::vector<std::string> curves{"regret", "gap_regret"};
    if (learns) curves.emplace_back("transition_error");
    for (const std::string& curve : curves) {
      TEST_ASSERT_EQUAL(0, content(shell.folder / learner / (curve + ".csv")).find("step,mean,ci95\n"));
      TEST_ASSERT_TRUE(content(shell.folder / learner / (curve + ".svg")).find("<svg") != std::string::npos);
      TEST_ASSERT_EQUAL(1, content(shell.folder / learner / (curve + ".png")).find("PNG"));
    }
    TEST_ASSERT_EQUAL(learns, std::filesystem::exists(shell.folder / learner / "transition_error.csv"));
  }
}

void the_same_seed_gives_the_same_bytes_whatever_the_threads() {
  const Shell shell("threads");
  static_cast<void>(shell.good(generate));
  for (const std::string learner :
       {"aoas-ucrl", "aoas-ucrl --estimator trajectory --least-samples 2", "oas-ucrl", "psrl-pomdp", "seeu", "sm-ucrl"}) {
    const std::string line = "$P learn m.json --algorithm " + learner + " --steps 12000 --runs 4 --seed 7 --each-run --json";
    const nlohmann::json one = shell.good(line + " --threads 1 -o one").json();
    const nlohmann::json two = shell.good(line + " --threads 2 -o two").json();
    TEST_ASSERT_TRUE(without_seconds(one) == without_seconds(two));
    static_cast<void>(shell.good("rm one/summary.json two/summary.json && diff -r one two && rm -r one two"));
  }
}

// SIGTERM in place of Ctrl-C, which shells keep from what they run in the background.
void a_job_that_was_interrupted_goes_on_and_gives_the_same_bytes() {
  const Shell shell("resume");
  static_cast<void>(shell.good(generate));
  // Runs that last long enough to be interrupted.
  const std::string job = std::string("$P learn m.json --algorithm aoas-ucrl --steps ") + (sanitized ? "20000" : "150000");
  const std::string line = job + " --runs 8 --threads 1 --each-run --json";
  const nlohmann::json whole = shell.good(line + " -o whole").json();
  // Interrupted when the checkpoint has its first runs: what is there by then is written, and the command dies of the signal.
  const Ran cut = shell.run("(" + line + " -o cut --checkpoint c.json 2>said & job=$!; " +
                            "while ! grep -q '\"1\":' c.json 2>/dev/null; do sleep .02; done; kill -TERM $job; wait $job)");
  TEST_ASSERT_EQUAL(143, cut.status);
  TEST_ASSERT_FALSE(cut.json()["whole"].get<bool>());
  const int runs = cut.json()["runs"].get<int>();
  TEST_ASSERT_TRUE(runs >= 2 && runs < 8);
  TEST_ASSERT_TRUE(shell.file("said").find("goes on from c.json") != std::string::npos);
  TEST_ASSERT_EQUAL(0, content(shell.folder / "cut/gap_regret.csv").find("step,mean,ci95,run_0,run_1"));
  const nlohmann::json resumed = shell.good(line + " -o resumed --checkpoint c.json").json();
  TEST_ASSERT_TRUE(without_seconds(whole) == without_seconds(resumed));
  static_cast<void>(shell.good("rm */summary.json && diff -r whole resumed"));
  // A checkpoint serves for more runs of the same job, and is refused for another.
  TEST_ASSERT_EQUAL(9, shell.good(job + " --runs 9 --checkpoint c.json --json").json()["runs"]);
  shell.bad(3, "is of another job: its steps", "$P learn m.json --algorithm aoas-ucrl --steps 1000 --checkpoint c.json");
  shell.bad(3, "is of another job: its radius", job + " --radius .2 --checkpoint c.json");
  // A run with curves that the others lack would be averaged with nothing.
  nlohmann::json odd = nlohmann::json::parse(shell.file("c.json"));
  odd["runs"]["1"]["error"] = odd["runs"]["1"]["action_error"] = nlohmann::json::array();
  write(shell.folder / "odd.json", odd.dump());
  shell.bad(3, "some have an error curve, some have none", job + " --runs 8 --checkpoint odd.json");
  write(shell.folder / "bad.json", "{\"penumbra\": \"learning/2\", ");
  shell.bad(3, "bad.json:1:", "$P learn m.json --algorithm aoas-ucrl --steps 1000 --checkpoint bad.json -o x");
}

void an_interrupted_single_run_shows_as_far_as_it_came() {
  const Shell shell("single");
  static_cast<void>(shell.good(generate));
  const auto cut_after = [&](const std::string& seconds) {
    return shell.run("($P learn m.json --algorithm uniform --steps 4e9 --runs 1 --points 100000 --json -o cut 2>said & job=$!; sleep " +
                     seconds + "; kill -TERM $job; wait $job)");
  };
  Ran cut = cut_after("1");
  for (const char* longer : {"10", "60"}) {  // a slow machine has not come to the first point yet
    if (cut.out.empty() || cut.json()["steps"].get<double>() < 40000) cut = cut_after(longer);
  }
  TEST_ASSERT_EQUAL(143, cut.status);
  TEST_ASSERT_TRUE(cut.json()["steps"].get<double>() >= 40000 && cut.json()["steps"].get<double>() < 4e9);
  TEST_ASSERT_TRUE(cut.json()["regret"]["mean"].is_number());
}

void what_cannot_be_learned_is_refused() {
  const Shell shell("refused");
  static_cast<void>(shell.good(generate));
  const std::string end = " --algorithm aoas-ucrl --steps 1000 --runs 1 -o out";
  const std::string sizes = R"({"penumbra": "model/1", "states": 2, "actions": 1, "observations": 2, )";
  const std::string moves = R"("transition": [[[0.9, 0.1], [0.2, 0.8]]], )";
  write(shell.folder / "arrival.json", sizes + moves + R"("observation": [[[1, 0], [0, 1]]], "reward": [0, 1], "emission": "arrival"})");
  write(shell.folder / "sensors.json", sizes + R"("observation": [[[1, 0], [0, 1]]], "reward": [0, 1]})");
  write(shell.folder / "rich.json", sizes + moves + R"("observation": [[[1, 0], [0, 1]]], "reward": [0, 2]})");
  write(shell.folder / "state.json", sizes + moves + R"("observation": [[[1, 0], [0, 1]]], "reward": [[0, 1]]})");
  write(shell.folder / "blind.json", sizes + moves + R"("observation": [[[0.5, 0.5], [0.5, 0.5]]], "reward": [0, 1]})");
  shell.bad(3, "arrival", "$P learn arrival.json" + end);
  shell.bad(3, "has no transition", "$P learn sensors.json" + end);
  shell.bad(3, "reward of observation \"1\" is 2", "$P learn rich.json" + end);
  shell.bad(3, "rewards of actions and states", "$P learn state.json" + end);
  shell.bad(3, "look the same", "$P learn blind.json" + end);
  write(shell.folder / "rooms.json", sizes + R"("transition": [[[1, 0], [0, 1]]], "observation": [[[1, 0], [0, 1]]], "reward": [0, 1]})");
  shell.bad(3, "depends on where one starts", "$P learn rooms.json" + end + " --checkpoint c.json");
  shell.bad(4, "none.json", "$P learn none.json" + end);
}

void options_are_the_learners_own() {
  const Shell shell("options");
  static_cast<void>(shell.good(generate));
  shell.bad(2, "--algorithm", "$P learn m.json --steps 10");
  shell.bad(2, "--algorithm", "$P learn m.json --steps 10 --algorithm magic");
  shell.bad(2, "--steps", "$P learn m.json --algorithm uniform");
  shell.bad(2, "--jitter means nothing to aoas-ucrl", "$P learn m.json --algorithm aoas-ucrl --steps 10 --jitter .1");
  shell.bad(2, "--no-reuse means nothing to oas-ucrl", "$P learn m.json --algorithm oas-ucrl --steps 10 --no-reuse");
  shell.bad(2, "--estimator means nothing to oas-ucrl", "$P learn m.json --algorithm oas-ucrl --steps 10 --estimator counts");
  shell.bad(2, "--least-samples means nothing to oas-ucrl", "$P learn m.json --algorithm oas-ucrl --steps 10 --least-samples 2");
  shell.bad(2, "--estimator", "$P learn m.json --algorithm aoas-ucrl --steps 10 --estimator spectral");
  shell.bad(2, "--least-samples", "$P learn m.json --algorithm aoas-ucrl --steps 10 --least-samples -1");
  shell.bad(2, "--least-samples", "$P learn m.json --algorithm aoas-ucrl --steps 10 --least-samples some");
  shell.bad(2, "more than 1", "$P learn m.json --algorithm oas-ucrl --steps 10 --min-action .3");
  shell.bad(2, "more than 1", "$P learn m.json --algorithm aoas-ucrl --steps 10 --epsilon .5");
  shell.bad(2, "is less than 1", "$P learn m.json --algorithm aoas-ucrl --steps 10 --first-episode 0");
  shell.bad(2, "not between", "$P learn m.json --algorithm aoas-ucrl --steps 10 --delta 0");
  shell.bad(2, "--output", "$P learn m.json --algorithm aoas-ucrl --steps 10 --each-run");
  shell.bad(2, "this takes a file", "$P learn m.json --algorithm uniform --steps 10 --checkpoint -");
  shell.bad(2, "would fit", "$P learn m.json --algorithm aoas-ucrl --steps 10 --resolution 30000 --checkpoint c.json -o out");
  shell.bad(2, "would fit", "$P learn m.json --algorithm psrl-pomdp --steps 10 --resolution 30000 -o out");
  shell.bad(2, "resampled at every step", "$P learn m.json --algorithm psrl-pomdp --steps 10 --particles 20");
  shell.bad(4, "standard output", "$P learn m.json --algorithm uniform --steps 10 --runs 2 -o out > /dev/full");
  write(shell.folder / "file", "");
  shell.bad(4, "file: is a file, not a folder", "$P learn m.json --algorithm uniform --steps 10 -o file");
  const nlohmann::json json =
      shell.good("$P learn m.json --algorithm aoas-ucrl --steps 6000 --runs 2 --t0 1000 --c .2 --delta .1 --no-reuse --json").json();
  TEST_ASSERT_EQUAL(1000, json["options"]["first-episode"].get<int>());
  TEST_ASSERT_EQUAL(1000, json["first_episode"]["steps"].get<int>());
  TEST_ASSERT_TRUE(json["options"]["no-reuse"].get<bool>());
  TEST_ASSERT_EQUAL_DOUBLE(0.2, json["options"]["radius"].get<double>());
}

// Nothing else tells the three estimators apart: what they are given is the same, and the first episode is.
void estimators_and_least_samples_make_runs_of_their_own() {
  const Shell shell("estimators");
  static_cast<void>(shell.good(generate));
  const std::string line = "$P learn m.json --algorithm aoas-ucrl --steps 9000 --runs 2 --t0 1000 --json -o out --checkpoint ";
  std::set<double> regrets;
  for (const std::string estimator : {"aoas", "counts", "trajectory"}) {
    for (const std::string least : {"0", "30"}) {
      const nlohmann::json json =
          shell.good(line + estimator + least + ".json --estimator " + estimator + " --least-samples " + least).json();
      TEST_ASSERT_TRUE(nlohmann::json::parse(content(shell.folder / "out/summary.json")) == json);
      TEST_ASSERT_EQUAL_STRING(estimator.c_str(), json["options"]["estimator"].get<std::string>().c_str());
      TEST_ASSERT_EQUAL_DOUBLE(std::stod(least), json["options"]["least-samples"].get<double>());
      regrets.insert(json["gap_regret"]["mean"].get<double>());
    }
  }
  TEST_ASSERT_EQUAL(6, regrets.size());
  // A checkpoint is that of its estimator, and by default both options are the paper's.
  shell.bad(3, "is of another job: its estimator", line + "counts0.json");
  shell.bad(3, "is of another job: its least-samples", line + "aoas30.json");
  const nlohmann::json json = shell.good(line + "aoas0.json").json();
  TEST_ASSERT_EQUAL_STRING("aoas", json["options"]["estimator"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_DOUBLE(0, json["options"]["least-samples"].get<double>());
}

void curves_are_there_without_gnuplot() {
  const Shell shell("plain");
  static_cast<void>(shell.good(generate));
  const Ran ran = shell.good("PATH=/nonexistent $P learn m.json --algorithm uniform --steps 1000 --runs 2 -o out");
  TEST_ASSERT_TRUE(ran.err.find("gnuplot") != std::string::npos);
  TEST_ASSERT_TRUE(std::filesystem::exists(shell.folder / "out/regret.csv"));
  TEST_ASSERT_FALSE(std::filesystem::exists(shell.folder / "out/regret.svg"));
}

void a_table_for_people_says_what_it_means() {
  const Shell shell("people");
  static_cast<void>(shell.good(generate));
  const std::string out = shell.good("$P learn m.json --algorithm psrl-pomdp --steps 5000 --runs 2").out;
  for (const char* words : {"psrl-pomdp in m.json: 2 runs of 5,000 steps", "optimal gain", "gap regret", "of which planning",
                            "100 particles with a jitter of 0.03"}) {
    TEST_ASSERT_TRUE_MESSAGE(out.find(words) != std::string::npos, words);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(every_learner_has_the_keys_and_the_files);
  RUN_TEST(the_same_seed_gives_the_same_bytes_whatever_the_threads);
  RUN_TEST(a_job_that_was_interrupted_goes_on_and_gives_the_same_bytes);
  RUN_TEST(an_interrupted_single_run_shows_as_far_as_it_came);
  RUN_TEST(what_cannot_be_learned_is_refused);
  RUN_TEST(options_are_the_learners_own);
  RUN_TEST(estimators_and_least_samples_make_runs_of_their_own);
  RUN_TEST(curves_are_there_without_gnuplot);
  RUN_TEST(a_table_for_people_says_what_it_means);
  return UNITY_END();
}

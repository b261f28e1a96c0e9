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

// Sensors that tell states apart badly, so that there is much to gain.
void hard_world(const Shell& shell) {
  static_cast<void>(shell.good("$P generate --states 5 --actions 3 --observations 8 --peak .35 --seed 41 -o m.json"));
  static_cast<void>(
      shell.good("for i in 1 2; do $P simulate m.json --steps 40000 --seed $i --policy myopic --min-action .1 -o $i.csv; done"));
  static_cast<void>(shell.good("$P count m.json 2.csv -o 2.json"));
}

double sum(const nlohmann::json& numbers) {
  double all = 0;
  for (const auto& number : numbers) all += number.get<double>();
  return all;
}

bool says(const Ran& ran, const std::string& words) { return ran.out.find(words) != std::string::npos; }

void without_refinement_it_is_aoas_as_ever() {
  const Shell shell("none");
  hard_world(shell);
  const Ran plain = shell.good("$P estimate m.json 1.csv 2.json -o e.json");
  const std::string model = shell.file("e.json");
  TEST_ASSERT_TRUE(plain.out == shell.good("$P estimate m.json 1.csv 2.json -o e.json --refine none").out);
  TEST_ASSERT_TRUE(model == shell.file("e.json"));
  TEST_ASSERT_TRUE(plain.out.find("action  samples  sigma_min  clipped  uniform rows  largest std. error") == 0);
  TEST_ASSERT_FALSE(says(plain, "log-likelihood"));
  const nlohmann::json json = shell.good("$P estimate m.json 1.csv 2.json --json").json();
  TEST_ASSERT_TRUE(json["refinement"].is_null() && json["report"].is_null());
  TEST_ASSERT_TRUE(json["frobenius_error"] == json["frobenius_error_aoas"]);
}

void refinements_have_less_error_than_aoas_and_are_what_is_written() {
  const Shell shell("refine");
  hard_world(shell);
  const nlohmann::json aoas = shell.good("$P estimate m.json 1.csv 2.csv --json").json();
  for (const std::string method : {"counts", "trajectory"}) {
    const nlohmann::json json = shell.good("$P estimate m.json 1.csv 2.csv --json -o e.json --refine " + method).json();
    TEST_ASSERT_TRUE(nlohmann::json::parse(shell.file("e.json"))["transition"] == json["transition"]);
    TEST_ASSERT_TRUE(json["frobenius_error_aoas"] == aoas["frobenius_error"]);
    TEST_ASSERT_TRUE(sum(json["frobenius_error"]) < 0.6 * sum(aoas["frobenius_error"]));
    const nlohmann::json refinement = json["refinement"];
    TEST_ASSERT_TRUE(refinement["method"] == method);
    TEST_ASSERT_TRUE(refinement["log_likelihood_after"].get<double>() > refinement["log_likelihood_before"].get<double>());
    TEST_ASSERT_EQUAL(0, refinement["impossible"].get<int>());
    if (method == "counts") {
      TEST_ASSERT_TRUE(refinement["passes"].size() == 3 && refinement["converged"].size() == 3);
      for (const auto& kept : refinement["kept"]) TEST_ASSERT_TRUE(kept == "observation" || kept == "observation-and-state");
    } else {
      TEST_ASSERT_TRUE(refinement["passes"].is_number() && refinement["converged"] == true && refinement["kept"].is_null());
    }
    for (size_t a = 0; a < 3; ++a) {
      for (size_t s = 0; s < 5; ++s) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, sum(json["transition"][a][s]));
        for (const auto& deviation : json["standard_error"][a][s]) TEST_ASSERT_TRUE(deviation.get<double>() > 0);
      }
    }
    const Ran table = shell.good("$P estimate m.json 1.csv 2.csv --refine " + method);
    for (const char* words : {"error of AOAS", "log-likelihood", " nats) in ", "±"}) TEST_ASSERT_TRUE_MESSAGE(says(table, words), words);
    TEST_ASSERT_TRUE(says(table, "next action by") == (method == "counts"));
    TEST_ASSERT_FALSE(says(table, "ran out") || says(table, "left out"));
  }
}

void the_number_of_threads_changes_no_byte() {
  const Shell shell("threads");
  hard_world(shell);
  for (const std::string method : {"counts", "trajectory"}) {
    const std::string line = "$P estimate m.json 1.csv 2.csv --json -o e.json --refine " + method + " --threads ";
    const std::string one = shell.good(line + "1").out;
    const std::string model = shell.file("e.json");
    TEST_ASSERT_TRUE(one == shell.good(line + "2").out);
    TEST_ASSERT_TRUE(model == shell.file("e.json"));
  }
  for (const std::string logs : {"1.csv 2.csv", "1.csv 2.json", "2.json"}) {
    nlohmann::json reports[2];
    for (int i = 0; i < 2; ++i) {
      reports[i] = shell.good("$P estimate m.json " + logs + " --report --json --threads " + std::to_string(i + 1)).json();
      for (auto& row : reports[i]["report"]["rows"]) row.erase("seconds");
    }
    TEST_ASSERT_TRUE(reports[0] == reports[1]);
  }
}

void counts_refine_any_mix_and_trajectories_need_their_order() {
  const Shell shell("order");
  hard_world(shell);
  const std::string mix = shell.good("$P estimate m.json 2.json 1.csv --refine counts --json").out;
  TEST_ASSERT_TRUE(mix == shell.good("$P estimate m.json 1.csv 2.csv --refine counts --json").out);
  TEST_ASSERT_TRUE(mix == shell.good("$P estimate m.json - 2.json --refine counts --json < 1.csv").out);
  shell.bad(3, "2.json: is a counts file", "$P estimate m.json 1.csv 2.json --refine trajectory -o e.json");
  shell.bad(3, "2.json: is a counts file", "$P estimate m.json 1.csv 2.json --refine trajectory --report -o e.json");
  shell.bad(2, "--refine", "$P estimate m.json 1.csv --refine most");
  shell.bad(2, "standard input", "$P estimate - - --refine trajectory < m.json");
  shell.bad(2, "standard input", "$P estimate - - --report < m.json");
  shell.bad(2, "named twice", "$P estimate m.json - - --refine trajectory < 1.csv");
  shell.bad(4, "none.csv: ", "$P estimate m.json 1.csv none.csv --refine trajectory");
  write(shell.folder / "odd.csv", "action,observation\n0,99\n");
  shell.bad(3, "odd.csv:2", "$P estimate m.json 1.csv odd.csv --refine trajectory");
  shell.bad(3, "odd.csv:2", "$P estimate m.json 2.json odd.csv --report");
  TEST_ASSERT_TRUE(shell.good("$P estimate m.json 2.csv - --refine trajectory --json < 1.csv").json()["transition"] ==
                   shell.good("$P estimate m.json 2.csv 1.csv --refine trajectory --json").json()["transition"]);
}

void what_aoas_refuses_is_refused_before_the_log_is_read() {
  const Shell shell("before");
  std::string text = door;
  write(shell.folder / "arrival.json", text.replace(text.find("\"reward\""), 8, "\"emission\": \"arrival\", \"reward\""));
  for (const std::string option : {"--refine counts", "--refine trajectory", "--report"})
    shell.bad(3, "arrival.json: ", "$P estimate arrival.json none.csv " + option);
}

void refinements_of_little_or_nothing_say_what_is_not_known() {
  const Shell shell("little");
  write(shell.folder / "m.json", door);
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,0\n0,1\n");
  write(shell.folder / "none.csv", "action,observation\n");
  for (const std::string method : {"counts", "trajectory"}) {
    for (const std::string log : {"t.csv", "none.csv"}) {
      const nlohmann::json json = shell.good("$P estimate m.json " + log + " -o e.json --json --refine " + method).json();
      TEST_ASSERT_TRUE(json["transition"][1] == nlohmann::json({{0.5, 0.5}, {0.5, 0.5}}));
      TEST_ASSERT_TRUE(json["standard_error"][1][0][0].is_null());
      TEST_ASSERT_TRUE(json["frobenius_error"].is_null() && json["frobenius_error_aoas"].is_null());
      const Ran table = shell.good("$P estimate m.json " + log + " --refine " + method);
      TEST_ASSERT_TRUE(says(table, "action 1: no pairs; made uniform") && says(table, "±?"));
      TEST_ASSERT_FALSE(says(table, "nan"));
    }
  }
  TEST_ASSERT_TRUE(shell.good("$P estimate m.json t.csv --json --refine counts").json()["refinement"]["kept"][1].is_null());
}

void steps_that_no_state_gives_are_left_out_and_counted() {
  const Shell shell("odd");
  write(shell.folder / "m.json", R"({"penumbra": "model/1", "states": 2, "actions": 1, "observations": 3,
    "observation": [[[0.9, 0.1, 0], [0.2, 0.8, 0]]], "reward": [0, 1, 0]})");
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,1\n0,2\n0,0\n0,1\n0,0\n0,0\n");
  for (const std::string method : {"counts", "trajectory"}) {
    const std::string line = "$P estimate m.json t.csv --refine " + method;
    TEST_ASSERT_EQUAL(method == "counts" ? 2 : 1, shell.good(line + " --json").json()["refinement"]["impossible"].get<int>());
    TEST_ASSERT_TRUE(says(shell.good(line), "left out"));
  }
}

void too_many_standard_errors_are_null_and_said_so() {
  const Shell shell("many");
  static_cast<void>(shell.good("$P generate --states 47 --actions 1 --observations 47 --seed 1 -o m.json"));
  static_cast<void>(shell.good("$P simulate m.json --steps 2000 --seed 1 --policy uniform -o t.csv"));
  for (const std::string method : {"counts", "trajectory"}) {
    const std::string line = "$P estimate m.json t.csv --refine " + method;
    TEST_ASSERT_TRUE(shell.good(line + " --json").json()["standard_error"].is_null());
    TEST_ASSERT_TRUE(says(shell.good(line), "standard errors are left out"));
  }
}

nlohmann::json row_of(const nlohmann::json& json, const std::string& estimator) {
  for (const auto& row : json["report"]["rows"]) {
    if (row["estimator"] == estimator) return row;
  }
  return nullptr;
}

void a_report_holds_every_estimator_to_what_it_has_not_seen() {
  const Shell shell("held_out");
  hard_world(shell);
  const nlohmann::json json = shell.good("$P estimate m.json 1.csv 2.csv --report --json").json();
  TEST_ASSERT_TRUE(json["transition"] == shell.good("$P estimate m.json 1.csv 2.csv --json").json()["transition"]);
  TEST_ASSERT_EQUAL(16000, json["report"]["held_out"].get<int>());
  TEST_ASSERT_TRUE(json["report"]["unit"] == "steps");
  TEST_ASSERT_EQUAL(5, json["report"]["rows"].size());
  for (const auto& row : json["report"]["rows"]) {
    for (const char* key :
         {"log_likelihood_per_1000", "gain_over_aoas", "gain_standard_error", "frobenius_error", "impossible", "passes", "seconds"})
      TEST_ASSERT_TRUE_MESSAGE(row.contains(key), key);
  }
  const nlohmann::json uniform = row_of(json, "uniform");
  const double score_of_nothing = uniform["log_likelihood_per_1000"].get<double>();
  for (const char* estimator : {"aoas", "counts", "trajectory", "model"})
    TEST_ASSERT_TRUE(row_of(json, estimator)["log_likelihood_per_1000"].get<double>() > score_of_nothing);
  TEST_ASSERT_TRUE(-uniform["gain_over_aoas"].get<double>() > 2 * uniform["gain_standard_error"].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(0, row_of(json, "model")["frobenius_error"].get<double>());
  TEST_ASSERT_TRUE(row_of(json, "trajectory")["frobenius_error"].get<double>() < row_of(json, "aoas")["frobenius_error"].get<double>());
  TEST_ASSERT_TRUE(row_of(json, "trajectory")["passes"].get<int>() > 1 && uniform["passes"].is_null());
  const Ran table = shell.good("$P estimate m.json 1.csv 2.csv --report");
  TEST_ASSERT_TRUE(table.out.find(shell.good("$P estimate m.json 1.csv 2.csv").out) == 0);
  for (const char* words : {"held out: 16,000 steps", "over aoas", "mean error"}) TEST_ASSERT_TRUE_MESSAGE(says(table, words), words);
  const bool named = !json["report"]["best"].is_null();
  TEST_ASSERT_TRUE(says(table, named ? json["report"]["best"].get<std::string>() + " predicts best" : "do not tell the best"));
}

void a_report_with_counts_files_says_what_they_cannot_do() {
  const Shell shell("counts_report");
  hard_world(shell);
  const nlohmann::json pairs = shell.good("$P estimate m.json 2.json --report --json").json();
  TEST_ASSERT_TRUE(pairs["report"]["unit"] == "pairs" && row_of(pairs, "trajectory").is_null());
  TEST_ASSERT_TRUE(std::abs(pairs["report"]["held_out"].get<double>() - 8000) < 400);
  TEST_ASSERT_TRUE(row_of(pairs, "counts")["log_likelihood_per_1000"].get<double>() >
                   row_of(pairs, "uniform")["log_likelihood_per_1000"].get<double>());
  TEST_ASSERT_TRUE(says(shell.good("$P estimate m.json 2.json --report"), "no trajectory: "));
  const nlohmann::json mixed = shell.good("$P estimate m.json 1.csv 2.json --report --json").json();
  TEST_ASSERT_TRUE(mixed["report"]["unit"] == "steps" && mixed["report"]["held_out"] == 8000);
  TEST_ASSERT_EQUAL(5, mixed["report"]["rows"].size());
  TEST_ASSERT_TRUE(says(shell.good("$P estimate m.json 1.csv 2.json --report"), "trajectories alone"));
}

void a_report_without_the_truth_has_neither_the_model_nor_errors() {
  const Shell shell("no_truth");
  write(shell.folder / "m.json", door);
  std::string log = "action,observation\n";
  for (int t = 0; t < 60; ++t) log += (t % 3 == 0 ? "1," : "0,") + std::to_string(t / 7 % 2) + "\n";
  write(shell.folder / "t.csv", log);
  const nlohmann::json json = shell.good("$P estimate m.json t.csv --report --json").json();
  TEST_ASSERT_EQUAL(4, json["report"]["rows"].size());
  for (const auto& row : json["report"]["rows"]) TEST_ASSERT_TRUE(row["frobenius_error"].is_null());
  TEST_ASSERT_FALSE(says(shell.good("$P estimate m.json t.csv --report"), "mean error"));
}

void a_report_on_too_little_data_says_so() {
  const Shell shell("too_little");
  write(shell.folder / "m.json", door);
  write(shell.folder / "t.csv", "action,observation\n0,0\n0,0\n0,1\n1,1\n");
  write(shell.folder / "5.csv", "action,observation\n0,0\n0,0\n0,1\n1,1\n0,1\n");
  write(shell.folder / "none.csv", "action,observation\n");
  for (const std::string logs : {"t.csv", "none.csv", "t.csv none.csv"}) {
    const nlohmann::json report = shell.good("$P estimate m.json " + logs + " --report --json").json()["report"];
    TEST_ASSERT_TRUE(report["held_out"] == 0 && report["rows"].empty() && report["best"].is_null());
    TEST_ASSERT_TRUE(says(shell.good("$P estimate m.json " + logs + " --report"), "too little data"));
  }
  const nlohmann::json one = shell.good("$P estimate m.json 5.csv --report --json").json();
  TEST_ASSERT_EQUAL(1, one["report"]["held_out"].get<int>());
  TEST_ASSERT_TRUE(row_of(one, "uniform")["gain_standard_error"].is_null());
  const Ran table = shell.good("$P estimate m.json 5.csv --report");
  TEST_ASSERT_FALSE(says(table, "nan"));
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
  RUN_TEST(without_refinement_it_is_aoas_as_ever);
  RUN_TEST(refinements_have_less_error_than_aoas_and_are_what_is_written);
  RUN_TEST(the_number_of_threads_changes_no_byte);
  RUN_TEST(counts_refine_any_mix_and_trajectories_need_their_order);
  RUN_TEST(what_aoas_refuses_is_refused_before_the_log_is_read);
  RUN_TEST(refinements_of_little_or_nothing_say_what_is_not_known);
  RUN_TEST(steps_that_no_state_gives_are_left_out_and_counted);
  RUN_TEST(too_many_standard_errors_are_null_and_said_so);
  RUN_TEST(a_report_holds_every_estimator_to_what_it_has_not_seen);
  RUN_TEST(a_report_with_counts_files_says_what_they_cannot_do);
  RUN_TEST(a_report_without_the_truth_has_neither_the_model_nor_errors);
  RUN_TEST(a_report_on_too_little_data_says_so);
  return UNITY_END();
}

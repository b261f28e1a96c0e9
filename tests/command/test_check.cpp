// penumbra check.
#include "shell.hpp"

#include <cmath>

namespace {

using namespace penumbra::test;

const char* const rover = R"({"penumbra": "model/1", "states": ["dock", "aisle"], "actions": ["drive", "wait"], "observations": 2,
 "transition": [[[0.9, 0.1], [0.2, 0.8]], [[0.75, 0.25], [0.5, 0.5]]],
 "observation": [[[0.8, 0.2], [0.3, 0.7]], [[0.6, 0.4], [0.5, 0.5]]],
 "reward": [0, 1]})";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

void a_valid_model_shows_its_constants() {
  const Shell shell("check_valid");
  write(shell.folder / "m.json", rover);
  const nlohmann::json json = shell.good("$P check m.json --json").json();
  TEST_ASSERT_EQUAL(2, json["states"].get<int>());
  TEST_ASSERT_EQUAL(2, json["actions"].get<int>());
  TEST_ASSERT_EQUAL(2, json["observations"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(0.1, json["epsilon"].get<double>());
  TEST_ASSERT_TRUE(json["applies"].get<bool>() && json["problems"].empty());
  // By hand: of [[a, b], [1-a, 1-b]] the product of the singular values is |a - b|, the sum of their squares that of all entries.
  const auto sigma_min = [](double a, double b) {
    const double squares = a * a + b * b + (1 - a) * (1 - a) + (1 - b) * (1 - b);
    return std::sqrt((squares - std::sqrt(squares * squares - 4 * (a - b) * (a - b))) / 2);
  };
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sigma_min(0.8, 0.3), json["sigma_min"][0].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sigma_min(0.6, 0.5), json["sigma_min"][1].get<double>());
  TEST_ASSERT_EQUAL_DOUBLE(json["sigma_min"][1].get<double>(), json["alpha"].get<double>());
  TEST_ASSERT_TRUE(json["bound"].is_null());
  const std::string table = shell.good("$P check m.json").out;
  for (const char* word : {"drive", "wait", "sigma_min", "epsilon", "alpha", "applies"}) {
    TEST_ASSERT_TRUE_MESSAGE(table.find(word) != std::string::npos, word);
  }
}

// Each constant by the formula of the paper.
void the_bound_has_the_papers_constants() {
  const Shell shell("check_bound");
  write(shell.folder / "m.json", rover);
  const nlohmann::json json = shell.good("$P check m.json --samples 1e6 --policies 3 --delta 0.1 --json").json();
  const nlohmann::json bound = json["bound"];
  const double epsilon = 0.1;
  const double eta = 1 - epsilon / (1 - epsilon);
  TEST_ASSERT_EQUAL_DOUBLE(eta, bound["eta"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4 * 0.81 / 0.001, bound["L"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 4 * 0.729 / 0.0001, bound["C"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, bound["L"].get<double>() / (1 - eta), bound["C"].get<double>());
  const double beta = (1 - epsilon) / (1 - epsilon / 2);  // alpha of D(epsilon/2)
  const double D = 8 * (2 / std::pow(1 - beta, 2) + (1 + beta) * std::log((1 - beta) / 8) / std::log(beta)) / (1 - beta);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, D, bound["D"].get<double>());
  const double alpha = json["alpha"].get<double>();
  const double error = 4 / (alpha * alpha * epsilon * (1 - eta)) * std::sqrt(2 * 3 * 2 * 2 * std::log(2 * 2 * 4 * 3 / 0.1) / 1e6);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, error, bound["error"].get<double>());
  // Practice is far below theory, and falls like one over the root of the samples.
  const double here = bound["expected_error"][0].get<double>();
  TEST_ASSERT_TRUE(here > 0 && here < error / 100);
  const nlohmann::json more = shell.good("$P check m.json --samples 4e6 --json").json()["bound"]["expected_error"];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, here / 2, more[0].get<double>());
  const std::string table = shell.good("$P check m.json --samples 1e6").out;
  for (const char* word : {"the paper's bound", "eta", "D(epsilon/2)", "to expect"})
    TEST_ASSERT_TRUE(table.find(word) != std::string::npos);
}

void what_is_expected_is_what_happens() {
  const Shell shell("check_expected");
  write(shell.folder / "m.json", rover);
  const int runs = 40;
  double square = 0;
  for (int run = 0; run < runs; ++run) {
    const std::string seed = std::to_string(run + 1);
    static_cast<void>(shell.good("$P simulate m.json --steps 20000 --policy uniform --seed " + seed + " -o t.csv"));
    const double error = shell.good("$P estimate m.json t.csv --json").json()["frobenius_error"][0].get<double>();
    square += error * error / runs;
  }
  const double expected = shell.good("$P check m.json --samples 10000 --json").json()["bound"]["expected_error"][0].get<double>();
  // The root mean square of 40 runs is itself off by some 10 %: a factor of 1.4 is four times that, once in ten thousand.
  TEST_ASSERT_TRUE(std::sqrt(square) < 1.4 * expected && std::sqrt(square) > expected / 1.4);
}

void without_a_transition_epsilon_is_unknown_and_can_be_assumed() {
  const Shell shell("check_unknown");
  std::string text = rover;
  const size_t begin = text.find("\"transition\"");
  text.erase(begin, text.find("\"observation\":") - begin);
  write(shell.folder / "m.json", text);
  const nlohmann::json json = shell.good("$P check m.json --samples 1000 --json").json();
  TEST_ASSERT_TRUE(json["epsilon"].is_null() && json["applies"].get<bool>());
  TEST_ASSERT_TRUE(json["bound"]["error"].is_null() && json["bound"]["expected_error"].is_null() && json["bound"]["without"].is_string());
  TEST_ASSERT_TRUE(shell.good("$P check m.json --samples 1000 --epsilon 0.05 --json").json()["bound"]["error"].is_number());
}

void aoas_that_does_not_apply_is_an_answer_with_its_reason() {
  const Shell shell("check_applies");
  write(shell.folder / "arrival.json", replaced(rover, "\"reward\"", "\"emission\": \"arrival\", \"reward\""));
  write(shell.folder / "blind.json", replaced(rover, "[0.6, 0.4], [0.5, 0.5]", "[0.5, 0.5], [0.5, 0.5]"));
  for (const char* name : {"arrival.json", "blind.json"}) {
    const nlohmann::json json = shell.good(std::string("$P check --json ") + name).json();
    TEST_ASSERT_FALSE(json["applies"].get<bool>());
    TEST_ASSERT_FALSE(json["problems"].empty());
    TEST_ASSERT_TRUE(shell.good(std::string("$P check ") + name).out.find("does not apply") != std::string::npos);
  }
  TEST_ASSERT_TRUE(shell.good("$P check blind.json").out.find("wait") != std::string::npos);
}

void all_problems_of_a_bad_model_are_on_standard_output_and_the_first_on_standard_error() {
  const Shell shell("check_problems");
  std::string text = replaced(rover, "[0.8, 0.2]", "[0.8, 0.1]");
  text = replaced(text, "[0.5, 0.5]]]", "[0.5, 0.6]]]");
  write(shell.folder / "m.json", text);
  const Ran table = shell.bad(3, "m.json: transition[1][1] sums to 1.1, not 1", "$P check m.json");
  TEST_ASSERT_TRUE(table.out.find("transition[1][1] sums to 1.1") != std::string::npos);
  TEST_ASSERT_TRUE(table.out.find("observation[0][0] sums to 0.9") != std::string::npos);
  TEST_ASSERT_TRUE(table.err.find("observation[0][0]") == std::string::npos);
  const nlohmann::json json = shell.bad(3, "m.json: transition[1][1]", "$P check m.json --json").json();
  TEST_ASSERT_EQUAL(2, json["problems"].size());
  TEST_ASSERT_TRUE(json["states"].is_null());
  const Ran repaired = shell.good("$P check m.json --normalize");
  TEST_ASSERT_TRUE(repaired.err.find("transition[1][1] summed to 1.1 and was scaled") != std::string::npos);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_valid_model_shows_its_constants);
  RUN_TEST(the_bound_has_the_papers_constants);
  RUN_TEST(what_is_expected_is_what_happens);
  RUN_TEST(without_a_transition_epsilon_is_unknown_and_can_be_assumed);
  RUN_TEST(aoas_that_does_not_apply_is_an_answer_with_its_reason);
  RUN_TEST(all_problems_of_a_bad_model_are_on_standard_output_and_the_first_on_standard_error);
  return UNITY_END();
}

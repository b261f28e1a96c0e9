// The JSON door: what loads, and what is refused with which words. The .pomdp door has tests of its own.
#include "penumbra/host/model_file.hpp"

#include <unity.h>

#include <string>

namespace {

using namespace penumbra;
using namespace penumbra::host;

// A door sensor: two states, one action, two observations. `change` replaces the first `what` by `with`.
const std::string good = R"({"penumbra": "model/1", "states": ["shut", "open"], "actions": 1, "observations": 2,
  "transition": [[[0.9, 0.1], [0.25, 0.75]]],
  "observation": [[[0.8, 0.2], [0.3, 0.7]]],
  "reward": [0, 1], "emission": "departure", "initial": [1, 0]})";

std::string changed(const std::string& what, const std::string& with) {
  std::string text = good;
  const size_t at = text.find(what);
  TEST_ASSERT_MESSAGE(at != std::string::npos, what.c_str());
  return text.replace(at, what.size(), with);
}

Model loaded(const std::string& text, RowSums row_sums = RowSums::strict) {
  ModelReading reading = read_json_model(text, "m.json", row_sums);
  TEST_ASSERT_MESSAGE(reading.model.has_value(), reading.problems.empty() ? "" : to_text(reading.problems[0]).c_str());
  TEST_ASSERT_TRUE(reading.problems.empty());
  return *reading.model;
}

// The first line of the first problem.
std::string refusal(const std::string& text, RowSums row_sums = RowSums::strict) {
  const ModelReading reading = read_json_model(text, "m.json", row_sums);
  TEST_ASSERT_FALSE_MESSAGE(reading.model.has_value(), text.c_str());
  TEST_ASSERT_FALSE(reading.problems.empty());
  for (const Problem& problem : reading.problems) TEST_ASSERT_TRUE(problem.fault == Fault::input);
  const std::string first = to_text(reading.problems[0]);
  return first.substr(0, first.find('\n'));
}

void expect_refusal(const char* expected, const std::string& text) { TEST_ASSERT_EQUAL_STRING(expected, refusal(text).c_str()); }

void a_good_model_loads_as_it_is_written() {
  const Model model = loaded(good);
  TEST_ASSERT_EQUAL(2, model.states.size());
  TEST_ASSERT_EQUAL_STRING("open", model.states.of(1).c_str());
  TEST_ASSERT_EQUAL_STRING("0", model.actions.of(0).c_str());
  TEST_ASSERT_TRUE(model.transition == (std::vector<double>{0.9, 0.1, 0.25, 0.75}));
  TEST_ASSERT_TRUE(model.observation == (std::vector<double>{0.8, 0.2, 0.3, 0.7}));
  TEST_ASSERT_TRUE(model.initial == (std::vector<double>{1, 0}));
  TEST_ASSERT_TRUE(model.reward_kind == RewardKind::by_observation && model.emission == Emission::departure);
}

void what_is_optional_has_its_default() {
  Model model = loaded(changed(R"(, "emission": "departure", "initial": [1, 0])", ""));
  TEST_ASSERT_TRUE(model.initial == (std::vector<double>{0.5, 0.5}));
  TEST_ASSERT_TRUE(model.emission == Emission::departure);
  model = loaded(changed(R"("transition": [[[0.9, 0.1], [0.25, 0.75]]],)", ""));
  TEST_ASSERT_FALSE(model.has_transition());
  TEST_ASSERT_TRUE(loaded(changed("\"departure\"", "\"arrival\"")).emission == Emission::arrival);
}

void the_reward_is_by_observation_or_by_action_and_state() {
  const Model model = loaded(changed("[0, 1]", "[[-3, 2.5]]"));
  TEST_ASSERT_TRUE(model.reward_kind == RewardKind::by_action_and_state);
  TEST_ASSERT_TRUE(model.reward == (std::vector<double>{-3, 2.5}));
}

void a_written_model_is_read_again_bit_for_bit() {
  Model model = loaded(changed("[0.9, 0.1]", "[0.33333333333333331, 0.66666666666666674]"));
  model.discount = 0.95;
  const Model again = loaded(to_json(model));
  TEST_ASSERT_TRUE(again.transition == model.transition && again.observation == model.observation && again.reward == model.reward);
  TEST_ASSERT_TRUE(again.initial == model.initial && again.states.names() == model.states.names() && *again.discount == 0.95);
  TEST_ASSERT_EQUAL_STRING(to_json(model).c_str(), to_json(again).c_str());
}

void a_row_within_a_millionth_of_one_is_normalised_silently() {
  const ModelReading reading = read_json_model(changed("0.9, 0.1", "0.900000, 0.099999"), "m.json");
  TEST_ASSERT_TRUE(reading.model.has_value() && reading.remarks.empty());
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, reading.model->transition[0] + reading.model->transition[1]);
}

void a_row_that_does_not_sum_to_one_is_refused_with_place_and_sum() {
  const std::string text = changed("0.8, 0.2", "0.8, 0.23");
  expect_refusal("m.json: observation[0][0] sums to 1.03, not 1", text);
  TEST_ASSERT_EQUAL_STRING(
      "m.json: observation[0][0] sums to 1.03, not 1\n  action \"0\", state \"shut\": 0.8 0.23\n  fix the row, or pass --normalize to "
      "scale it",
      to_text(read_json_model(text, "m.json").problems[0]).c_str());
  expect_refusal("m.json: initial sums to 0.9, not 1", changed("[1, 0]", "[0.9, 0]"));
}

void on_demand_rows_are_scaled_and_that_is_said() {
  const ModelReading reading = read_json_model(changed("0.8, 0.2", "0.9, 0.3"), "m.json", RowSums::normalize);
  TEST_ASSERT_TRUE(reading.model.has_value());
  TEST_ASSERT_EQUAL(1, reading.remarks.size());
  TEST_ASSERT_EQUAL_STRING("m.json: observation[0][0] summed to 1.2 and was scaled", reading.remarks[0].c_str());
  TEST_ASSERT_EQUAL_DOUBLE(0.75, reading.model->observation[0]);
  TEST_ASSERT_EQUAL_STRING("m.json: observation[0][0] sums to 0, not 1", refusal(changed("0.8, 0.2", "0, 0"), RowSums::normalize).c_str());
}

void every_problem_is_found() {
  std::string text = changed("0.8, 0.2", "0.8, 0.1");
  text.replace(text.find("0.25, 0.75"), 10, "-0.25, 1.25");
  text.replace(text.find("[0, 1]"), 6, "[0]");
  const ModelReading reading = read_json_model(text, "m.json");
  TEST_ASSERT_EQUAL(3, reading.problems.size());
  TEST_ASSERT_EQUAL_STRING("transition[0][1] has the entry -0.25, which is not a probability", reading.problems[0].what.c_str());
  TEST_ASSERT_EQUAL_STRING("observation[0][0] sums to 0.9, not 1", reading.problems[1].what.c_str());
  TEST_ASSERT_EQUAL_STRING("reward has 1 entry, not 2: one for each observation", reading.problems[2].what.c_str());
}

void sizes_that_disagree_are_refused() {
  expect_refusal("m.json: transition has 1 entry, not 3: one for each action", changed("\"actions\": 1", "\"actions\": 3"));
  expect_refusal("m.json: transition[0][0] has 1 entry, not 2: one for each next state", changed("[0.9, 0.1]", "[1]"));
  expect_refusal("m.json: observation[0][1][1] is \"x\", not a number", changed("0.3, 0.7", "0.3, \"x\""));
  expect_refusal("m.json: observation[0][1] is 1, not a list with one entry for each observation", changed("[0.3, 0.7]", "1"));
}

void sizes_that_make_no_sense_are_refused() {
  expect_refusal("m.json: actions is 0; there has to be one at least", changed("\"actions\": 1", "\"actions\": 0"));
  expect_refusal("m.json: actions is -1, neither a count nor a list of names", changed("\"actions\": 1", "\"actions\": -1"));
  expect_refusal("m.json: actions is 1.5, neither a count nor a list of names", changed("\"actions\": 1", "\"actions\": 1.5"));
  expect_refusal("m.json: states[1] is \"shut\" again; names are distinct", changed("\"open\"", "\"shut\""));
  expect_refusal("m.json: states[1] is \"\", which is not a name", changed("\"open\"", "\"\""));
  expect_refusal("m.json: states[1] is \"o\\x0An\", which is not a name", changed("\"open\"", "\"o\\nn\""));
  expect_refusal("m.json: transition has 1 entry, not 18446744073709551615: one for each action",
                 changed("\"actions\": 1", "\"actions\": 18446744073709551615"));
}

void what_is_missing_is_named() {
  expect_refusal("m.json: has no \"reward\"", changed("\"reward\": [0, 1],", ""));
  expect_refusal("m.json: has no \"states\"", changed(R"("states": ["shut", "open"],)", ""));
  expect_refusal("m.json: has no \"penumbra\": \"model/1\", so it may not be a model", changed("\"penumbra\": \"model/1\",", ""));
  expect_refusal("m.json: penumbra is \"counts/1\", not \"model/1\"", changed("model/1", "counts/1"));
  expect_refusal("m.json: holds a list, not a model", "[1, 2]");
  expect_refusal("m.json: emission is \"later\"", changed("departure", "later"));
}

void what_is_not_json_is_refused_with_line_and_column() {
  expect_refusal("m.json:2:26: key \"states\" is there twice",
                 changed("\"transition\": [[[0.9, 0.1]", "\"actions2\": 3, \"a\":1,  \"states\": [[[0.9, 0.1]"));
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:4:", refusal(good + "x").c_str(), 9);
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:2:", refusal(changed("0.9", "NaN")).c_str(), 9);
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:2:", refusal(changed("0.9", "1e999")).c_str(), 9);
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:1:", refusal(changed("open", "\xFF")).c_str(), 9);
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:1:", refusal("").c_str(), 9);
  TEST_ASSERT_EQUAL_STRING_LEN("m.json:1:", refusal(std::string(100000, '[')).c_str(), 9);
}

void every_beginning_of_a_model_is_refused_and_harms_nothing() {
  for (size_t size = 0; size + 1 < good.size(); ++size)
    TEST_ASSERT_FALSE(read_json_model(good.substr(0, size), "m.json").model.has_value());
}

void a_key_without_meaning_is_remarked() {
  const ModelReading reading = read_json_model(changed("\"transition\"", "\"transitions\""), "m.json");
  TEST_ASSERT_TRUE(reading.model.has_value() && !reading.model->has_transition());
  TEST_ASSERT_EQUAL_STRING("m.json: key \"transitions\" means nothing here and is ignored", reading.remarks[0].c_str());
}

void a_million_wrong_rows_make_a_hundred_problems_and_a_count() {
  std::string text = R"({"penumbra": "model/1", "states": 1, "actions": 100000, "observations": 1, "reward": [0], "observation": [[[0]])";
  for (int i = 1; i < 100000; ++i) text += ",[[0]]";
  const ModelReading reading = read_json_model(text + "]}", "m.json");
  TEST_ASSERT_EQUAL(101, reading.problems.size());
  TEST_ASSERT_EQUAL_STRING("99900 more problems like these", reading.problems.back().what.c_str());
}

void the_first_character_tells_json_from_pomdp() {
  const std::string marked = "\xEF\xBB\xBF \n" + good;
  Input json = Input::of_text("m", marked);
  TEST_ASSERT_TRUE(host::read_model(json).model.has_value());
  const std::string tiny =
      "discount: 1\nvalues: reward\nstates: 1\nactions: 1\nobservations: 1\nT: *\nuniform\nO: *\nuniform\nR: * : * : * : * 1\n";
  Input pomdp = Input::of_text("m", tiny);
  const ModelReading reading = host::read_model(pomdp);
  TEST_ASSERT_TRUE(reading.model.has_value() && reading.model->emission == Emission::arrival);
  Input empty = Input::of_text("m", " \n");
  TEST_ASSERT_EQUAL_STRING("is empty", host::read_model(empty).problems[0].what.c_str());
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_good_model_loads_as_it_is_written);
  RUN_TEST(what_is_optional_has_its_default);
  RUN_TEST(the_reward_is_by_observation_or_by_action_and_state);
  RUN_TEST(a_written_model_is_read_again_bit_for_bit);
  RUN_TEST(a_row_within_a_millionth_of_one_is_normalised_silently);
  RUN_TEST(a_row_that_does_not_sum_to_one_is_refused_with_place_and_sum);
  RUN_TEST(on_demand_rows_are_scaled_and_that_is_said);
  RUN_TEST(every_problem_is_found);
  RUN_TEST(sizes_that_disagree_are_refused);
  RUN_TEST(sizes_that_make_no_sense_are_refused);
  RUN_TEST(what_is_missing_is_named);
  RUN_TEST(what_is_not_json_is_refused_with_line_and_column);
  RUN_TEST(every_beginning_of_a_model_is_refused_and_harms_nothing);
  RUN_TEST(a_key_without_meaning_is_remarked);
  RUN_TEST(a_million_wrong_rows_make_a_hundred_problems_and_a_count);
  RUN_TEST(the_first_character_tells_json_from_pomdp);
  return UNITY_END();
}

// Cassandra's .pomdp files: every form is read, every mistake is refused with its place, and what is written is read back bit for bit.
#include "penumbra/host/input.hpp"
#include "penumbra/host/model_file.hpp"

#include "random_model.hpp"

#include <unity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string>

namespace {

using namespace penumbra;
using namespace penumbra::host;
using penumbra::test::Random;
namespace fs = std::filesystem;

// Two states, two actions, two observations: five lines.
const std::string preamble =
    "discount: 0.9\n"
    "values: reward\n"
    "states: left right\n"
    "actions: listen open\n"
    "observations: quiet growl\n";
const std::string rows = "T: * identity\nO: * uniform\n";

std::string sample(const char* name) {
  Outcome<Input> input = Input::open((fs::path(PENUMBRA_SAMPLES) / name).string());
  TEST_ASSERT_TRUE_MESSAGE(input.has_value(), name);
  return input.value().read_all().value();
}

Model load(const std::string& text, RowSums row_sums = RowSums::strict) {
  ModelReading reading = read_pomdp(text, "file", row_sums);
  for (const Problem& problem : reading.problems) TEST_MESSAGE(to_text(problem).c_str());
  TEST_ASSERT_TRUE_MESSAGE(reading.model.has_value(), text.substr(0, 1000).c_str());
  TEST_ASSERT_TRUE(reading.problems.empty());
  return *reading.model;
}

void assert_numbers(std::initializer_list<double> expected, const double* actual) {
  for (const double number : expected) TEST_ASSERT_EQUAL_DOUBLE(number, *actual++);
}

// The first problem of the text is at `where` and says `what`.
void assert_refused(const std::string& text, const char* where, const char* what, RowSums row_sums = RowSums::strict) {
  const ModelReading reading = read_pomdp(text, "file", row_sums);
  TEST_ASSERT_FALSE_MESSAGE(reading.model.has_value(), text.c_str());
  TEST_ASSERT_FALSE(reading.problems.empty());
  const Problem& problem = reading.problems[0];
  const std::string told = to_text(problem);
  TEST_ASSERT_EQUAL_STRING(where, problem.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(told.find(what) != std::string::npos, told.c_str());
  TEST_ASSERT_TRUE(problem.fault == Fault::input);
  TEST_ASSERT_TRUE(std::count(told.begin(), told.end(), '\n') <= 2);
}

// --- forms ---

void the_plain_forms_are_read() {
  const Model model = load(sample("lift.pomdp"));
  TEST_ASSERT_EQUAL(3, model.states.size());
  TEST_ASSERT_EQUAL_STRING("top", model.states.names()[2].c_str());
  TEST_ASSERT_EQUAL_STRING("wait", model.actions.names()[2].c_str());
  TEST_ASSERT_EQUAL_STRING("dark", model.observations.names()[1].c_str());
  TEST_ASSERT_EQUAL_DOUBLE(0.9, *model.discount);
  TEST_ASSERT_TRUE(model.emission == Emission::arrival);
  TEST_ASSERT_TRUE(model.reward_kind == RewardKind::by_action_and_state);
  assert_numbers({0.5, 0.25, 0.25}, model.initial.data());
  assert_numbers({0.1, 0.9, 0.0, 0.0, 0.1, 0.9, 0.0, 0.0, 1.0}, model.transition_row(0, 0));
  assert_numbers({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, model.transition_row(2, 0));
  for (size_t a = 0; a < 3; ++a) assert_numbers({0.9, 0.1, 0.5, 0.5, 0.2, 0.8}, model.observation_row(a, 0));
  assert_numbers({-0.1, -0.1, -0.1, -0.1, -0.1, -0.1}, model.reward.data());
  assert_numbers({0.9 * 1 - 0.1 * 0.1, -0.1, 0.8 * 2.5 - 0.2 * 0.1}, model.reward.data() + 6);
}

void counts_costs_and_any_order_are_read() {
  const Model model = load(sample("pump.pomdp"));
  TEST_ASSERT_FALSE(model.states.named() || model.actions.named() || model.observations.named());
  TEST_ASSERT_FALSE(model.discount.has_value());
  assert_numbers({0.5, 0.5, 0.0, 0.0}, model.initial.data());
  assert_numbers({0.75, 0.25, 0.0, 0.0, 0.0, 0.75, 0.25, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}, model.transition_row(0, 0));
  for (size_t s = 0; s < 4; ++s) assert_numbers({0.5, 0.5, 0.0, 0.0}, model.transition_row(1, s));
  assert_numbers({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 1.0}, model.observation_row(0, 0));
  assert_numbers({-1.0, -1.0, -5.5, -9.0, -3.0, -3.0, -3.0, -3.0}, model.reward.data());
}

void a_comment_carries_what_the_grammar_cannot() {
  const Model model = load(sample("garden.pomdp"));
  TEST_ASSERT_EQUAL_STRING("wet: bed", model.states.names()[1].c_str());
  TEST_ASSERT_EQUAL_STRING("T", model.actions.names()[0].c_str());
  TEST_ASSERT_EQUAL_STRING("start", model.actions.names()[1].c_str());
  TEST_ASSERT_EQUAL_STRING("R", model.observations.names()[1].c_str());
  TEST_ASSERT_FALSE(model.discount.has_value());
  TEST_ASSERT_TRUE(model.reward_kind == RewardKind::by_observation);
  assert_numbers({0.25, 1.0, 0.0}, model.reward.data());
  assert_numbers({1.0, 0.0}, model.initial.data());
  assert_numbers({0.7, 0.3, 0.2, 0.8, 0.0, 1.0, 0.0, 1.0}, model.transition_row(0, 0));
}

void a_comment_that_is_no_object_is_a_comment() {
  TEST_ASSERT_EQUAL(2, load(preamble + "# penumbra: a shade\n#penumbra\n#\n" + rows).states.size());
}

void start_has_many_forms() {
  const std::string four = "states: a b c 9d actions: 1 observations: 1 T: 0 identity O: 0 uniform\n";
  assert_numbers({0.25, 0.25, 0.25, 0.25}, load(four).initial.data());
  assert_numbers({0.25, 0.25, 0.25, 0.25}, load(four + "start: uniform").initial.data());
  assert_numbers({0.1, 0.2, 0.3, 0.4}, load("start: .1 .2 .3 .4\n" + four).initial.data());
  assert_numbers({0, 0, 1, 0}, load(four + "start: c").initial.data());
  assert_numbers({0, 1, 0, 0}, load(four + "start: 1").initial.data());
  assert_numbers({0.5, 0, 0, 0.5}, load(four + "start include: 0 9d").initial.data());
  assert_numbers({0.5, 0.5, 0, 0}, load(four + "start exclude : c 3 3").initial.data());
  const std::string one = "states: 1 actions: 1 observations: 1 T: 0 identity O: 0 uniform\n";
  assert_numbers({1}, load(one + "start: 1").initial.data());
  assert_numbers({1}, load(one + "start: 1.0").initial.data());
}

void reset_is_the_start_wherever_it_stands() {
  const Model model = load(preamble + "T: * identity T: open : left reset O: * uniform T: listen reset start: 0.2 0.8");
  assert_numbers({0.2, 0.8, 0.2, 0.8, 0.2, 0.8, 0.0, 1.0}, model.transition_row(0, 0));
}

void wildcards_stand_at_every_position() {
  const Model model = load(preamble +
                           "T: * : * : * 0.5  T: listen : * : left 1  T: listen : * : right 0\n"
                           "O: * : * 0.25 0.75  O: open : * : * 0.5  O: * : right : quiet 1  O: * : right : growl 0\n");
  assert_numbers({1, 0, 1, 0, 0.5, 0.5, 0.5, 0.5}, model.transition_row(0, 0));
  assert_numbers({0.25, 0.75, 1, 0, 0.5, 0.5, 1, 0}, model.observation_row(0, 0));
}

void identity_is_an_observation_where_states_and_observations_are_as_many() {
  assert_numbers({1, 0, 0, 1}, load(preamble + "T: * uniform O: * identity").observation_row(1, 0));
}

void later_statements_override_earlier_ones() {
  const Model model = load(preamble + rows +
                           "T: listen 0.5 0.5 0.25 0.75  T: listen : left 0.1 0.9  T: open : left : left 0  T: open : left : right 1\n"
                           "R: * : * : * : * 3  R: listen : * : * : * 4  R: * : left : * : * 5  R: open : left : * : * 6\n");
  assert_numbers({0.1, 0.9, 0.25, 0.75, 0.0, 1.0, 0.0, 1.0}, model.transition_row(0, 0));
  assert_numbers({5, 4, 6, 3}, model.reward.data());
}

void white_space_comments_and_colons_separate() {
  const Model model = load(
      "\xEF\xBB\xBFstates:#\n3\r\nactions :\tgo#comment: T: x\n observations:see\v\f\n"
      "T:go:0:1 1 T : 0 : 1#\n:\n2 1 T:*:2 1 0\r0 O:go uniform");
  TEST_ASSERT_EQUAL_STRING("go", model.actions.names()[0].c_str());
  assert_numbers({0, 1, 0, 0, 0, 1, 1, 0, 0}, model.transition_row(0, 0));
}

void numbers_are_read_in_every_notation() {
  const Model model =
      load(preamble + rows +
           "R: listen : left : * : * -1.5e+2 R: listen : right : * : * +.5 R: open : left : * : * 5. R: open : right : * : * 1E-3");
  assert_numbers({-150, 0.5, 5, 0.001}, model.reward.data());
}

void names_may_be_words_of_the_grammar() {
  const Model model = load(
      "states: T O uniform\nactions: R states\nobservations: reset é\n"
      "T: R : T : O 1\nT: R : O : uniform 1\nT: R : uniform : T 1\nT: states uniform\nO: R uniform\nO: states : * 1 0\nstart: T\n");
  assert_numbers({0, 1, 0, 0, 0, 1, 1, 0, 0}, model.transition_row(0, 0));
  assert_numbers({1, 0, 0}, model.initial.data());
  TEST_ASSERT_EQUAL_STRING("é", model.observations.names()[1].c_str());
}

// --- rows ---

void six_decimals_are_normalised_silently() {
  const std::string third = "states: 3 actions: 1 observations: 1 T: 0 : * .333333 .333333 .333333 O: * uniform";
  const ModelReading reading = read_pomdp(third, "file");
  TEST_ASSERT_TRUE(reading.model.has_value());
  TEST_ASSERT_TRUE(reading.remarks.empty());
  assert_numbers({1.0 / 3, 1.0 / 3, 1.0 / 3}, reading.model->transition_row(0, 0));
}

void rows_are_scaled_on_demand_with_a_remark() {
  const std::string text = preamble + rows + "T: open : right 0.5 0.3\nstart: 0.2 0.2\n";
  const ModelReading reading = read_pomdp(text, "file", RowSums::normalize);
  TEST_ASSERT_TRUE(reading.model.has_value());
  assert_numbers({0.625, 0.375}, reading.model->transition_row(1, 1));
  assert_numbers({0.5, 0.5}, reading.model->initial.data());
  TEST_ASSERT_EQUAL(2, reading.remarks.size());
  TEST_ASSERT_EQUAL_STRING("file:9:1: start summed to 0.4 and was scaled", reading.remarks[0].c_str());
  TEST_ASSERT_EQUAL_STRING("file:8:1: T: open : right summed to 0.8 and was scaled", reading.remarks[1].c_str());
}

void a_row_of_zeros_is_not_scaled() {
  assert_refused(preamble + rows + "T: open : right 0 0", "file:8:1", "T: open : right sums to 0, not 1", RowSums::normalize);
}

void all_rows_that_are_wrong_are_told_in_order() {
  const ModelReading reading = read_pomdp(
      preamble + "O: * uniform\nO: open : left .5 .4\nT: * identity\nT: open : left\n.5 .53\nT: listen : right : right 0.5\n", "file");
  TEST_ASSERT_EQUAL(3, reading.problems.size());
  TEST_ASSERT_EQUAL_STRING("file:7:1: O: open : left sums to 0.9, not 1\n  0.5 0.4\n  fix the row, or pass --normalize to scale it",
                           to_text(reading.problems[0]).c_str());
  TEST_ASSERT_EQUAL_STRING("file:9:1: T: open : left sums to 1.03, not 1", to_text(reading.problems[1]).substr(0, 44).c_str());
  TEST_ASSERT_EQUAL_STRING("file:11:1: T: listen : right sums to 0.5, not 1", to_text(reading.problems[2]).substr(0, 47).c_str());
}

void a_thousand_wrong_rows_are_a_hundred_and_a_number() {
  const ModelReading reading = read_pomdp("states: 1000 actions: 1 observations: 1 T: * : * : 0 0.5 O: * uniform", "file");
  TEST_ASSERT_EQUAL(101, reading.problems.size());
  TEST_ASSERT_EQUAL_STRING("file: 900 more problems like these", to_text(reading.problems[100]).c_str());
  const ModelReading scaled =
      read_pomdp("states: 1000 actions: 1 observations: 1 T: * : * : 0 0.5 O: * uniform", "file", RowSums::normalize);
  TEST_ASSERT_TRUE(scaled.model.has_value());
  TEST_ASSERT_EQUAL(101, scaled.remarks.size());
}

void what_is_not_given_is_told_once() {
  const ModelReading reading = read_pomdp(preamble + "T: listen identity\nT: open : left 1 0\n", "file");
  TEST_ASSERT_EQUAL(3, reading.problems.size());
  TEST_ASSERT_EQUAL_STRING("file:4:1: T: open : right is not given", to_text(reading.problems[0]).substr(0, 38).c_str());
  TEST_ASSERT_EQUAL_STRING("O: listen is not given", reading.problems[1].what.c_str());
}

void a_mistake_brings_no_others_with_it() {
  const auto problems = [](const std::string& text) { return read_pomdp(preamble + text, "file").problems.size(); };
  TEST_ASSERT_EQUAL(1, problems("T: * uniform O: * uniform T: listen : left 0.1 0.2 0.7"));
  TEST_ASSERT_EQUAL(1, problems("T: listen uniform T: opne uniform O: * uniform"));
  TEST_ASSERT_EQUAL(1, problems("T: * uniform O: * uniform T: listen : left 1.5 0"));
  TEST_ASSERT_EQUAL(2, problems("T: * uniform O: * uniform T: listen : left 1.5 0 O: open : left 0.5 0.2"));
  TEST_ASSERT_EQUAL(1, problems("start: .5 .6 T: * reset O: * uniform"));
}

// --- mistakes ---

void mistakes_of_syntax_are_refused_where_they_are() {
  assert_refused(preamble + "T: listen\n1 0 nan 0", "file:7:5", "\"nan\" is not a number or the beginning");
  assert_refused(preamble + "T: listen\n inf", "file:7:2", "\"inf\" is not a number");
  assert_refused(preamble + rows + "R: * : * : * : * 1e999", "file:8:18", "too large");
  assert_refused(preamble + rows + "R: * : * : * : * 0x10", "file:8:18", "\"0x10\"");
  assert_refused(preamble + "T: listen : left : right", "file:6:25", "the file ends where a number");
  assert_refused(preamble + "T: : left 1 0", "file:6:4", "\":\" is not a name");
  assert_refused(preamble + "T: listen : left : right : quiet 1", "file:6:28", "at most 3");
  assert_refused(preamble + "R: listen 1", "file:6:11", "at least an action and a state");
  assert_refused(preamble + "discount: 0.9", "file:6:1", "discount is given twice");
  assert_refused(preamble + "states: 2", "file:6:1", "states is given twice");
  assert_refused(preamble + "start: uniform\nstart include: 1", "file:7:1", "start is given twice");
  assert_refused("  values: reward\n  values: cost", "file:2:3", "values is given twice");
  assert_refused("values: gain", "file:1:9", "\"gain\" is not \"reward\" or \"cost\"");
  assert_refused("discount: high", "file:1:11", "\"high\" is not a discount");
  assert_refused("discount: 1.5", "file:1:11", "not between 0 and 1");
  assert_refused("discount: -0.5", "file:1:11", "not between 0 and 1");
  assert_refused("hello", "file:1:1", "\"hello\" is not the beginning of a statement");
  assert_refused("states: actions: 2", "file:1:1", "states is empty");
  assert_refused("states: a b : c", "file:1:13", "\":\" is not part of states");
  assert_refused("T 0 uniform", "file:1:1", "\"T\" is not the beginning");
}

void mistakes_of_sizes_are_refused_where_they_are() {
  assert_refused("actions: 2 observations: 2\n", "file:2:1", "no \"states:\"");
  assert_refused("", "file:1:1", "no \"states:\"");
  TEST_ASSERT_EQUAL(3, read_pomdp("", "file").problems.size());
  assert_refused("states: 0 actions: 1 observations: 1", "file:1:9", "not a number of states");
  assert_refused("states: 2.5 actions: 1 observations: 1", "file:1:9", "not a number of states");
  assert_refused("states: -3 actions: 1 observations: 1", "file:1:9", "not a number of states");
  assert_refused("states: 99999999999999999999 actions: 1 observations: 1", "file:1:9", "not a number of states");
  assert_refused("states: a b\nT a uniform\nactions: 1", "file:2:1", "\"T\" is not followed by a colon");
  assert_refused("states: a 5 actions: 1 observations: 1", "file:1:11", "\"5\" is not a name");
  assert_refused("states: a b\n a actions: 1 observations: 1", "file:2:2", "the state \"a\" is named twice");
}

void mistakes_in_statements_are_refused_where_they_are() {
  assert_refused(preamble + rows + "T: listen : left-ish 1 0", "file:8:13", "there is no state \"left-ish\"\n  the states are left, right");
  assert_refused(preamble + rows + "T: listen : lfet 1 0", "file:8:13", "the states are left, right");
  assert_refused(preamble + rows + "T: lisen : left 1 0", "file:8:4", "there is no action \"lisen\"\n  did you mean \"listen\"?");
  assert_refused(preamble + rows + "O: listen : left : 2 1", "file:8:20", "there is no observation \"2\"");
  assert_refused("states: 3 actions: 1 observations: 1 T: * identity O: * uniform start: 3", "file:1:72",
                 "there is no state \"3\"\n  states are numbered from 0 to 2");
  assert_refused(preamble + rows + "T: listen : left\n1 0 0", "file:8:1", "T: listen : left has 3 numbers, not 2");
  assert_refused(preamble + rows + "T: listen 1 0 0", "file:8:1", "T: listen has 3 numbers, not 4");
  assert_refused(preamble + rows + "T: listen : left : left 1 0", "file:8:1", "T: listen : left : left has 2 numbers, not 1");
  assert_refused(preamble + rows + "R: listen : left 1 2 3", "file:8:1", "R: listen : left has 3 numbers, not 4");
  assert_refused(preamble + rows + "R: listen : left : left 1", "file:8:1", "R: listen : left : left has 1 number, not 2");
  assert_refused(preamble + rows + "R: listen : left : left uniform", "file:8:25", "cannot be uniform");
  assert_refused(preamble + rows + "T: listen : left identity", "file:8:18", "T: listen : left cannot be identity");
  assert_refused(preamble + rows + "O: listen : left reset", "file:8:18", "O: listen : left cannot be reset");
  assert_refused("states: 2 actions: 1 observations: 3 T: 0 uniform O: 0 identity", "file:1:56", "O: 0 cannot be identity");
  assert_refused(preamble + rows + "T: listen : left\n 1.25 -0.25", "file:9:2", "1.25 is not a probability");
  assert_refused(preamble + rows + "T: listen : left\n 1 -0.25", "file:9:4", "-0.25 is not a probability");
}

void mistakes_of_the_start_are_refused_where_they_are() {
  assert_refused(preamble + rows + "start: 0.5 0.6", "file:8:1", "start sums to 1.1, not 1");
  assert_refused(preamble + rows + "start: 0.5 0.25 0.25", "file:8:1", "start has 3 numbers, not 2");
  assert_refused(preamble + rows + "start: 0.5", "file:8:1", "start has 1 number, not 2");
  assert_refused(preamble + rows + "start: -0.5 1.5", "file:8:8", "\"-0.5\" is not a probability");
  assert_refused(preamble + rows + "start: left right", "file:8:8", "\"left\" is not a probability");
  assert_refused(preamble + rows + "start: middle", "file:8:8", "there is no state \"middle\"");
  assert_refused(preamble + rows + "start include: left middle", "file:8:21", "there is no state \"middle\"");
  assert_refused(preamble + rows + "start exclude: left right", "file:8:1", "excludes every state");
}

void what_is_not_text_is_refused_where_it_is() {
  using namespace std::string_literals;
  assert_refused("states: 2\n\0"s, "file:2:1", "a control character, 0x00");
  assert_refused("states: 2\n a\x1B[0m", "file:2:3", "a control character, 0x1b");
  assert_refused("states: \xC3\xA9 \xC3", "file:1:12", "0xc3 is not UTF-8");
  for (const char* bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82"}) {
    assert_refused(bad, "file:1:1", "is not UTF-8");
  }
}

void mistakes_in_the_comment_are_refused_where_they_are() {
  const auto refused = [](const std::string& comment, const char* what) {
    assert_refused(preamble + rows + "# penumbra: " + comment, "file:8:13", what);
  };
  refused("{\"states\":", "not a JSON object");
  refused("{} {}", "not a JSON object");
  refused("{\"states\":[\"a\"]}", "names 1 states, but there are 2");
  refused("{\"states\":[\"a\",\"a\"]}", "not a list of distinct names");
  refused("{\"actions\":[\"a\",\"\"]}", "not a list of distinct names");
  refused("{\"actions\":[\"a\",\"b\\n\"]}", "not a list of distinct names");
  refused("{\"observations\":[\"a\",3]}", "not a list of distinct names");
  refused("{\"reward\":\"state\"}", "is not \"observation\"");
  refused("{\"discount\":0.5}", "is not null");
  refused("{\"reward\":\"observation\",\"reward\":\"observation\"}", "given twice");
  assert_refused(preamble + rows + "# penumbra: {}\n  # penumbra: {}", "file:9:15", "second comment");
  assert_refused(preamble + rows + "# penumbra: {\"reward\":\"observation\"}\nR: * : * : * : quiet 1\nR: listen : * : * : quiet 2",
                 "file:10:1", "not a reward by observation");
  const ModelReading unknown = read_pomdp(preamble + rows + "# penumbra: {\"colour\":1}", "file");
  TEST_ASSERT_TRUE(unknown.model.has_value());
  TEST_ASSERT_EQUAL(1, unknown.remarks.size());
}

void an_expected_reward_out_of_range_is_refused() {
  assert_refused(preamble +
                     "T: * : * 0.50000000000001 0.49999999999999\nO: * : * 0.5 0.5000000000009\nR: * : * : * : * "
                     "1.7976931348623157e308\nR: * : * : left : quiet 1.7976931348623157e308",
                 "file:9:1", "too large a number");
}

void a_short_file_cannot_ask_for_much_memory() {
  assert_refused("states: 2000 actions: 1 observations: 1\nT: 0 identity O: 0 uniform", "file:1:1", "too large a model");
  assert_refused("actions: 18446744073709551615\nstates: 18446744073709551615 observations: 2", "file:2:1", "too large a model");
  const std::string spaces(8U << 20U, ' ');
  assert_refused("states: 9000 actions: 1 observations: 1" + spaces, "file:1:1", "too large a model");
  TEST_ASSERT_EQUAL(1000, load("states: 1000 actions: 1 observations: 1\nT: 0 identity O: 0 uniform").states.size());
  TEST_ASSERT_EQUAL(2000,
                    load("states: 2000 actions: 1 observations: 1\nT: 0 identity O: 0 uniform" + spaces.substr(0, 64000)).states.size());
}

// --- rewards, against the whole tensor ---

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

void a_random_row(Random& random, std::vector<double>& into, size_t count) {
  std::vector<double> row(count);
  double sum = 0.0;
  for (double& p : row) {
    p = random.below(3) == 0 ? 0.0 : static_cast<double>(random.bits());
    sum += p;
  }
  if (sum == 0.0) row[0] = sum = 1.0;
  for (const double p : row) into.push_back(p / sum);
}

class RandomFile {
 public:
  explicit RandomFile(uint32_t seed) : random_(seed), S_(size()), A_(size()), O_(size()), cost_(random_.below(2) == 0) {
    std::vector<std::string> lines = {"values: " + std::string(cost_ ? "cost" : "reward"), list("states", 's', S_),
                                      list("actions", 'a', A_), list("observations", 'o', O_)};
    for (size_t row = 0; row < A_ * S_; ++row) {
      for (const char table : {'T', 'O'}) {
        std::vector<double>& cells = table == 'T' ? transition_ : observation_;
        const size_t width = table == 'T' ? S_ : O_;
        a_random_row(random_, cells, width);
        std::string line = std::string(1, table) + ": " + std::to_string(row / S_) + " : s" + std::to_string(row % S_);
        for (size_t i = cells.size() - width; i < cells.size(); ++i) line += " " + number_text(cells[i]);
        lines.insert(lines.begin() + random_.below(static_cast<uint32_t>(lines.size() + 1)), line);
      }
    }
    for (const std::string& line : lines) text_ += line + "\n";
    tensor_.assign(A_ * S_ * S_ * O_, 0.0);
    const size_t rules = random_.below(12);
    for (size_t i = 0; i < rules; ++i) add_rule();
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] size_t rows() const { return A_ * S_; }
  [[nodiscard]] double reward(size_t row) const {
    double expected = 0.0;
    for (size_t next = 0; next < S_; ++next) {
      for (size_t o = 0; o < O_; ++o) {
        expected += transition_[row * S_ + next] * observation_[(row / S_ * S_ + next) * O_ + o] * tensor_[(row * S_ + next) * O_ + o];
      }
    }
    return cost_ ? -expected : expected;
  }

 private:
  size_t size() { return 1U + random_.below(4); }
  static std::string list(const char* keyword, char letter, size_t count) {
    std::string text = keyword + std::string(":");
    for (size_t i = 0; i < count; ++i) text += std::string(" ") + letter + std::to_string(i);
    return text;
  }
  // An index or, for "*", the count; and its word.
  std::pair<size_t, std::string> element(char letter, size_t count) {
    const size_t i = random_.below(static_cast<uint32_t>(count + 1));
    if (i == count) return {i, "*"};
    return {i, random_.below(2) == 0 ? std::to_string(i) : letter + std::to_string(i)};
  }

  void add_rule() {
    const size_t form = 2 + random_.below(3);  // elements given
    auto [a, a_word] = element('a', A_);
    auto [s, s_word] = element('s', S_);
    auto [n, n_word] = form > 2 ? element('s', S_) : std::pair(S_, std::string());
    auto [o, o_word] = form > 3 ? element('o', O_) : std::pair(O_, std::string());
    text_ += "R:" + a_word + " : " + s_word + (form > 2 ? ":" + n_word : "") + (form > 3 ? " : " + o_word : "");
    std::vector<double> numbers(form == 4 ? 1 : form == 3 ? O_ : S_ * O_);
    for (double& number : numbers) {
      number = static_cast<double>(random_.below(2001)) / 8.0 - 125.0;
      text_ += " " + number_text(number);
    }
    text_ += "\n";
    for (size_t cell = 0; cell < tensor_.size(); ++cell) {
      const size_t seen = cell % O_;
      const size_t next = cell / O_ % S_;
      const size_t state = cell / O_ / S_ % S_;
      const size_t action = cell / O_ / S_ / S_;
      const auto matches = [](size_t index, size_t element, size_t count) { return element == count || element == index; };
      if (!matches(action, a, A_) || !matches(state, s, S_) || !matches(next, n, S_) || !matches(seen, o, O_)) continue;
      tensor_[cell] = numbers[form == 4 ? 0 : form == 3 ? seen : next * O_ + seen];
    }
  }

  Random random_;
  size_t S_;
  size_t A_;
  size_t O_;
  bool cost_;
  std::string text_;
  std::vector<double> transition_;
  std::vector<double> observation_;
  std::vector<double> tensor_;
};

void rewards_are_the_expectation_of_the_whole_tensor() {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomFile file(seed);
    const Model model = load(file.text());
    for (size_t row = 0; row < file.rows(); ++row) {
      TEST_ASSERT_TRUE_MESSAGE(std::fabs(file.reward(row) - model.reward[row]) <= 1e-10, file.text().c_str());
    }
  }
}

// --- writing ---

Labels random_labels(Random& random, size_t count) {
  if (random.below(3) == 0) return Labels(count);
  const std::array<const char*, 10> odd = {"T", "5", "*", "a b", "x:y", "#", "\"q\"", "é", "uniform", "\\"};
  const bool plain = random.below(2) == 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(plain ? "n_" + std::to_string(i) : odd[(i + random.below(2) * 5) % odd.size()] + std::string(i, '-'));
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end() ? Labels(names) : Labels(count);
}

Model random_model(uint32_t seed) {
  Random random(seed);
  Model model;
  const auto size = [&] { return size_t{1} + random.below(seed % 10 == 0 ? 60 : 6); };
  model.states = random_labels(random, size());
  model.actions = random_labels(random, size_t{1} + random.below(6));
  model.observations = random_labels(random, size());
  for (size_t row = 0; row < model.actions.size() * model.states.size(); ++row) {
    a_random_row(random, model.transition, model.states.size());
    a_random_row(random, model.observation, model.observations.size());
  }
  a_random_row(random, model.initial, model.states.size());
  model.emission = Emission::arrival;
  model.reward_kind = static_cast<RewardKind>(random.below(2));
  model.reward.resize(model.reward_kind == RewardKind::by_observation ? model.observations.size()
                                                                      : model.actions.size() * model.states.size());
  for (double& reward : model.reward)
    reward = std::ldexp(static_cast<double>(random.bits()) - 2e9, static_cast<int>(random.below(2000)) - 1074);
  model.reward[0] = random.below(2) == 0 ? -0.0 : 5e-324;
  if (random.below(2) == 0) model.discount = static_cast<double>(random.unit());
  return model;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

void assert_same(const Model& a, const Model& b) {
  TEST_ASSERT_TRUE(a.states.size() == b.states.size() && a.states.names() == b.states.names());
  TEST_ASSERT_TRUE(a.actions.size() == b.actions.size() && a.actions.names() == b.actions.names());
  TEST_ASSERT_TRUE(a.observations.size() == b.observations.size() && a.observations.names() == b.observations.names());
  TEST_ASSERT_TRUE(same_bits(a.transition, b.transition));
  TEST_ASSERT_TRUE(same_bits(a.observation, b.observation));
  TEST_ASSERT_TRUE(same_bits(a.initial, b.initial));
  TEST_ASSERT_TRUE(same_bits(a.reward, b.reward));
  TEST_ASSERT_TRUE(a.reward_kind == b.reward_kind && a.emission == b.emission && a.discount == b.discount);
}

void what_is_written_is_read_back_bit_for_bit() {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const Model model = random_model(seed);
    const Outcome<std::string> text = to_pomdp(model, "model");
    TEST_ASSERT_TRUE(text.has_value());
    assert_same(model, load(text.value()));
    assert_same(model, load(text.value(), RowSums::normalize));
  }
}

void long_rows_are_read_back_bit_for_bit_too() {
  Random random(7);
  Model model;
  model.states = Labels(1);
  model.actions = Labels(1);
  model.observations = Labels(300000);
  model.transition = model.initial = {1.0};
  a_random_row(random, model.observation, model.observations.size());
  model.emission = Emission::arrival;
  model.reward.assign(model.observations.size(), 0.5);
  assert_same(model, load(to_pomdp(model, "model").value()));
}

void samples_are_written_and_read_back() {
  for (const char* name : {"lift.pomdp", "pump.pomdp", "garden.pomdp"}) {
    const Model model = load(sample(name));
    assert_same(model, load(to_pomdp(model, name).value()));
  }
}

void names_that_the_format_holds_are_written_as_names() {
  const std::string text = to_pomdp(load(sample("lift.pomdp")), "model").value();
  TEST_ASSERT_TRUE(text.find("states: ground middle top\n") != std::string::npos);
  TEST_ASSERT_TRUE(text.find("R: wait : top : * : * ") != std::string::npos);
  TEST_ASSERT_TRUE(text.find('#') == std::string::npos);
}

void a_model_that_emits_on_departure_is_not_written() {
  Model model = random_model(1);
  model.emission = Emission::departure;
  const Outcome<std::string> text = to_pomdp(model, "rover.json");
  TEST_ASSERT_FALSE(text.has_value());
  TEST_ASSERT_TRUE(text.error().fault == Fault::input);
  TEST_ASSERT_EQUAL_STRING("rover.json", text.error().where.c_str());
  TEST_ASSERT_TRUE(to_text(text.error()).find("no shift of indices") != std::string::npos);
}

void a_model_without_transition_is_not_written() {
  Model model = random_model(1);
  model.transition.clear();
  TEST_ASSERT_TRUE(to_pomdp(model, "rover.json").error().what.find("no transition") != std::string::npos);
}

// --- robustness ---

void every_beginning_of_a_file_loads_or_is_refused() {
  for (const char* name : {"lift.pomdp", "pump.pomdp", "garden.pomdp"}) {
    const std::string text = sample(name);
    for (size_t size = 0; size <= text.size(); ++size) {
      const ModelReading reading = read_pomdp(text.substr(0, size), "file");
      TEST_ASSERT_TRUE(reading.model.has_value() == reading.problems.empty());
    }
  }
}

void the_files_of_a_folder_load() {
  const char* folder = std::getenv("PENUMBRA_POMDP_DIR");
  if (folder == nullptr) TEST_IGNORE_MESSAGE("skipped: PENUMBRA_POMDP_DIR names no folder of .pomdp files");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  TEST_ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    Outcome<Input> input = Input::open(file.string());
    TEST_ASSERT_TRUE(input.has_value());
    const Model model = load(input.value().read_all().value());
    assert_same(model, load(to_pomdp(model, "model").value()));
    TEST_MESSAGE(("loaded " + file.filename().string()).c_str());
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_plain_forms_are_read);
  RUN_TEST(counts_costs_and_any_order_are_read);
  RUN_TEST(a_comment_carries_what_the_grammar_cannot);
  RUN_TEST(a_comment_that_is_no_object_is_a_comment);
  RUN_TEST(start_has_many_forms);
  RUN_TEST(reset_is_the_start_wherever_it_stands);
  RUN_TEST(wildcards_stand_at_every_position);
  RUN_TEST(identity_is_an_observation_where_states_and_observations_are_as_many);
  RUN_TEST(later_statements_override_earlier_ones);
  RUN_TEST(white_space_comments_and_colons_separate);
  RUN_TEST(numbers_are_read_in_every_notation);
  RUN_TEST(names_may_be_words_of_the_grammar);
  RUN_TEST(six_decimals_are_normalised_silently);
  RUN_TEST(rows_are_scaled_on_demand_with_a_remark);
  RUN_TEST(a_row_of_zeros_is_not_scaled);
  RUN_TEST(all_rows_that_are_wrong_are_told_in_order);
  RUN_TEST(a_thousand_wrong_rows_are_a_hundred_and_a_number);
  RUN_TEST(what_is_not_given_is_told_once);
  RUN_TEST(a_mistake_brings_no_others_with_it);
  RUN_TEST(mistakes_of_syntax_are_refused_where_they_are);
  RUN_TEST(mistakes_of_sizes_are_refused_where_they_are);
  RUN_TEST(mistakes_in_statements_are_refused_where_they_are);
  RUN_TEST(mistakes_of_the_start_are_refused_where_they_are);
  RUN_TEST(what_is_not_text_is_refused_where_it_is);
  RUN_TEST(mistakes_in_the_comment_are_refused_where_they_are);
  RUN_TEST(an_expected_reward_out_of_range_is_refused);
  RUN_TEST(a_short_file_cannot_ask_for_much_memory);
  RUN_TEST(rewards_are_the_expectation_of_the_whole_tensor);
  RUN_TEST(what_is_written_is_read_back_bit_for_bit);
  RUN_TEST(long_rows_are_read_back_bit_for_bit_too);
  RUN_TEST(samples_are_written_and_read_back);
  RUN_TEST(names_that_the_format_holds_are_written_as_names);
  RUN_TEST(a_model_that_emits_on_departure_is_not_written);
  RUN_TEST(a_model_without_transition_is_not_written);
  RUN_TEST(every_beginning_of_a_file_loads_or_is_refused);
  RUN_TEST(the_files_of_a_folder_load);
  return UNITY_END();
}

// Checkpoints of learners: what is written is what is read, and what is not one of this job is refused with place and reason.
#include "penumbra/host/learning_file.hpp"

#include "recipe.hpp"

#include <unity.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::random_model;

const LearningJob job{{"algorithm", "aoas-ucrl"}, {"seed", "1"}};

LearningSize size_of(std::uint64_t runs = 5) {
  LearningSize size;
  size.steps = 7;
  size.points = 2;
  size.runs = runs;
  return size;
}

Outcome<LearningRuns> read(const std::string& text, const LearningJob& of = job, const LearningSize& size = size_of()) {
  Input input = Input::of_text("c.json", text);
  return read_learning(input, of, size, 3);
}

LearningRun awkward_run() {
  LearningRun run;
  run.steps = 7;
  run.regret = {0.1 + 0.2, -0.0};
  run.gap_regret = {5e-324, 1.7976931348623157e308};
  run.error = {1.0 / 3, 2};
  run.action_error = {1e-17, 123456789.123456789, 0x1p-1000};
  run.plays = {4e9, 0, 3};
  run.episodes = std::numeric_limits<std::uint64_t>::max();
  run.first_episode = 3;
  run.first_regret = -1e22;
  run.first_gap_regret = std::nextafter(1.0, 2.0);
  run.seconds = 12.25;
  run.planning_seconds = 1e-9;
  run.remarks = {"", "“quotes” and \"quotes\"\n\t\\", "two"};
  return run;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void same(const LearningRun& a, const LearningRun& b) {
  TEST_ASSERT_EQUAL_UINT64(a.steps, b.steps);
  TEST_ASSERT_TRUE(same_bits(a.regret, b.regret));
  TEST_ASSERT_TRUE(same_bits(a.gap_regret, b.gap_regret));
  TEST_ASSERT_TRUE(same_bits(a.error, b.error));
  TEST_ASSERT_TRUE(same_bits(a.action_error, b.action_error));
  TEST_ASSERT_TRUE(same_bits(a.plays, b.plays));
  TEST_ASSERT_EQUAL_UINT64(a.episodes, b.episodes);
  TEST_ASSERT_EQUAL_UINT64(a.first_episode, b.first_episode);
  TEST_ASSERT_TRUE(same_bits({a.first_regret, a.first_gap_regret, a.seconds, a.planning_seconds},
                             {b.first_regret, b.first_gap_regret, b.seconds, b.planning_seconds}));
  TEST_ASSERT_TRUE(a.remarks == b.remarks);
}

void what_is_written_is_what_is_read_bit_for_bit() {
  LearningRun yardstick = awkward_run();
  yardstick.error.clear();
  yardstick.action_error.clear();
  yardstick.remarks.clear();
  for (const LearningRun& run : {awkward_run(), yardstick}) {
    const LearningRuns runs{{0, run}, {3, run}};
    const std::string text = to_json(job, runs);
    const Outcome<LearningRuns> again = read(text);
    TEST_ASSERT_TRUE(again.has_value());
    TEST_ASSERT_EQUAL(2, again.value().size());
    same(run, again.value().at(0));
    same(run, again.value().at(3));
    TEST_ASSERT_EQUAL_STRING(text.c_str(), to_json(job, again.value()).c_str());
  }
  const Outcome<LearningRuns> mixed = read(to_json(job, {{0, awkward_run()}, {3, yardstick}}));
  TEST_ASSERT_FALSE(mixed.has_value());
  TEST_ASSERT_EQUAL_STRING("runs: some have an error curve, some have none", mixed.error().what.c_str());
}

void no_runs_are_a_checkpoint_too() {
  const Outcome<LearningRuns> none = read(to_json(job, {}));
  TEST_ASSERT_TRUE(none.has_value());
  TEST_ASSERT_TRUE(none.value().empty());
}

void runs_beyond_those_asked_for_are_left_out() {
  const std::string text = to_json(job, {{0, awkward_run()}, {2, awkward_run()}, {4, awkward_run()}, {10, awkward_run()}});
  const LearningRuns runs = read(text, job, size_of(4)).value();
  TEST_ASSERT_EQUAL(2, runs.size());
  TEST_ASSERT_EQUAL(1, runs.count(0) * runs.count(2));
}

// The problem, which is the input's.
std::string refusal(const std::string& text, const LearningJob& of = job, const LearningSize& size = size_of()) {
  const Outcome<LearningRuns> runs = read(text, of, size);
  if (runs) return "(accepted)";
  TEST_ASSERT_TRUE(runs.error().fault == Fault::input);
  return to_text(runs.error());
}

void is(const std::string& expected, const std::string& found) { TEST_ASSERT_EQUAL_STRING(expected.c_str(), found.c_str()); }

void another_job_is_refused_with_what_differs() {
  const std::string advice = "\n  name another file, or remove this one";
  const std::string text = to_json(job, {{0, awkward_run()}});
  is("c.json: is of another job: its seed is \"1\", not \"2\"" + advice, refusal(text, {{"algorithm", "aoas-ucrl"}, {"seed", "2"}}));
  is("c.json: is of another job: its algorithm is \"aoas-ucrl\", not \"seeu\"" + advice,
     refusal(text, {{"algorithm", "seeu"}, {"seed", "1"}}));
  is("c.json: is of another job: its delta is not there, not \"0.05\"" + advice,
     refusal(text, {{"algorithm", "aoas-ucrl"}, {"delta", "0.05"}, {"seed", "1"}}));
  is("c.json: is of another job: it has options that this one has not\n  name another file", refusal(text, {{"algorithm", "aoas-ucrl"}}));
}

// A checkpoint of one run, in which `from` is replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  LearningRun run;
  run.steps = 7;
  run.regret = {1, 2};
  run.gap_regret = {3, 4};
  run.error = {5, 6};
  run.action_error = {7, 8, 9};
  run.plays = {17, 18, 19};
  run.episodes = 10;
  run.first_episode = 11;
  run.first_regret = 12;
  run.first_gap_regret = 13;
  run.seconds = 14;
  run.planning_seconds = 15;
  run.remarks = {"sixteen"};
  std::string text;
  for (const char c : to_json({{"seed", "1"}}, {{0, run}})) {
    if (c != '\n' && c != ' ') text += c;
  }
  const std::size_t at = text.find(from);
  TEST_ASSERT_TRUE_MESSAGE(at != std::string::npos, (from + " in " + text).c_str());
  return text.replace(at, from.size(), to);
}

std::string after(const std::string& from, const std::string& to) { return refusal(changed(from, to), {{"seed", "1"}}); }

void what_is_not_a_checkpoint_is_called_what_it_is() {
  const std::string advice = "\n  checkpoints are made by: penumbra learn MODEL … --checkpoint FILE";
  is("(accepted)", after("\"seconds\"", "\"seconds\""));
  is("c.json: is a list, not the checkpoint of a learner" + advice, refusal("[1]"));
  is("c.json: has no key \"penumbra\", which says what a file is" + advice, refusal("{}"));
  is("c.json: is \"model/1\", not \"learning/2\"" + advice, refusal(R"({"penumbra":"model/1"})"));
  is("c.json: has no object \"job\"" + advice, refusal(R"({"penumbra":"learning/2"})"));
  is("c.json: has no object \"job\"" + advice, refusal(R"({"penumbra":"learning/2","job":[]})"));
  is("c.json: has no object \"runs\"" + advice, refusal(R"({"penumbra":"learning/2","job":{}})", {}));
  is("c.json: has no object \"runs\"" + advice, refusal(R"({"penumbra":"learning/2","job":{},"runs":[]})", {}));
}

void a_file_that_is_cut_short_is_refused_with_its_place() {
  const std::string text = to_json(job, {{0, awkward_run()}});
  TEST_ASSERT_TRUE(read(text).has_value());
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {  // the last byte ends the line, and nothing is missing without it
    const std::string problem = refusal(text.substr(0, length));
    TEST_ASSERT_EQUAL_STRING("c.json:", problem.substr(0, 7).c_str());
  }
  is("c.json:1:1: is empty\n  is the file whole?", refusal(""));
  is("c.json:1:21: ends too early\n  is the file whole?", refusal(R"({"penumbra":"learnin)"));
}

constexpr const char* anew = "\n  remove it, and the job begins anew";

void wrong_kinds_are_refused_with_their_place() {
  is(std::string("c.json: runs.0.regret is 5, not a list") + anew, after("\"regret\":[1.0,2.0]", "\"regret\":5"));
  is(std::string("c.json: runs.0.gap_regret[1] is \"4\", not a number") + anew, after("[3.0,4.0]", "[3.0,\"4\"]"));
  is(std::string("c.json: runs.0.error[0] is null, not a number") + anew, after("[5.0,6.0]", "[null,6.0]"));
  is(std::string("c.json: runs.0.action_error is an object, not a list") + anew, after("[7.0,8.0,9.0]", "{}"));
  is(std::string("c.json: runs.0.episodes is 10.5, not a whole number") + anew, after("\"episodes\":10", "\"episodes\":10.5"));
  is(std::string("c.json: runs.0.first_episode is -11, not a whole number") + anew, after("\"first_episode\":11", "\"first_episode\":-11"));
  is(std::string("c.json: runs.0.first_regret is a list, not a number") + anew, after("\"first_regret\":12.0", "\"first_regret\":[12.0]"));
  is(std::string("c.json: runs.0.seconds is true, not a number") + anew, after(",\"seconds\":14.0", ",\"seconds\":true"));
  is(std::string("c.json: runs.0.remarks holds 16, not a text") + anew, after("[\"sixteen\"]", "[16]"));
  for (const char* remarks : {"\"sixteen\"", "{\"a\":\"sixteen\"}", "null", "16"}) {
    const std::string problem = after("[\"sixteen\"]", remarks);
    TEST_ASSERT_EQUAL_STRING("c.json: runs.0.remarks is ", problem.substr(0, 26).c_str());
    TEST_ASSERT_TRUE_MESSAGE(problem.find(", not a list") != std::string::npos, problem.c_str());
  }
  is("c.json: is of another job: its seed is 1, not \"1\"\n  name another file, or remove this one", after("\"seed\":\"1\"", "\"seed\":1"));
}

void wrong_lengths_are_refused_with_their_place() {
  is(std::string("c.json: runs.0.regret has length 3, not 2") + anew, after("\"regret\":[1.0,2.0]", "\"regret\":[1.0,2.0,3.0]"));
  is(std::string("c.json: runs.0.gap_regret has length 0, not 2") + anew, after("[3.0,4.0]", "[]"));
  is(std::string("c.json: runs.0.error has length 1, not 2") + anew, after("[5.0,6.0]", "[5.0]"));
  is(std::string("c.json: runs.0.action_error has length 2, not 3") + anew, after("[7.0,8.0,9.0]", "[7.0,8.0]"));
  // A learner that shows an error at each point shows one at the end.
  is(std::string("c.json: runs.0.action_error has length 0, not 3") + anew, after("[7.0,8.0,9.0]", "[]"));
  is(std::string("c.json: runs.0.plays has length 0, not 3") + anew, after("[17.0,18.0,19.0]", "[]"));
  is(std::string("c.json: runs.0 has made 6 steps, not all of them") + anew, after("\"steps\":7", "\"steps\":6"));
}

void what_is_missing_is_named() {
  for (const char* key : {"regret", "gap_regret", "error", "action_error", "plays", "steps", "episodes", "first_episode", "first_regret",
                          "first_gap_regret", "seconds", "planning_seconds", "remarks"}) {
    const std::string quoted = std::string("\"") + key + "\":";
    is(std::string("c.json: runs.0 has no key \"") + key + "\"" + anew, after(quoted, std::string("\"no_") + key + "\":"));
  }
}

void what_is_not_the_number_of_a_run_is_refused() {
  for (const char* key : {"", "-1", "00", "+1", "1.0", "one", "0x1", "18446744073709551616"}) {
    is(std::string("c.json: runs: \"") + key + "\" is not the number of a run", after("\"0\":", std::string("\"") + key + "\":"));
  }
  is(std::string("c.json: runs.0 is 5, not a run") + anew, refusal(R"({"penumbra":"learning/2","job":{},"runs":{"0":5}})", {}));
}

// Whatever is in a file, the message is short, printable and of three lines at most.
void a_strange_name_of_a_run_is_shown_on_one_line_and_shortened() {
  is("c.json: runs: \"\\x0Aa\" is not the number of a run", refusal(R"({"penumbra":"learning/2","job":{},"runs":{"\na":5}})", {}));
  const std::string problem = refusal(R"({"penumbra":"learning/2","job":{},"runs":{")" + std::string(5000, '0') + R"(":5}})", {});
  TEST_ASSERT_TRUE(problem.size() < 200);
}

void a_key_twice_and_text_behind_the_end_are_refused() {
  is("c.json:1:40: key \"job\" is there twice\n  remove one of them", refusal(R"({"penumbra":"learning/2","job":{},     "job":{}})"));
  TEST_ASSERT_TRUE(refusal(to_json(job, {}) + "x").find("there is text after the end of the document") != std::string::npos);
}

void models_that_differ_in_one_bit_have_other_fingerprints() {
  const Model model = random_model(3, 2, 4, 1);
  const std::string name = fingerprint(model);
  is(name, fingerprint(random_model(3, 2, 4, 1)));
  for (auto numbers : {&Model::transition, &Model::observation, &Model::reward, &Model::initial}) {
    for (std::size_t i = 0; i < (model.*numbers).size(); ++i) {
      for (const unsigned bit : {0U, 31U, 52U, 63U}) {
        Model other = model;
        std::uint64_t bits = 0;
        std::memcpy(&bits, &(other.*numbers)[i], sizeof bits);
        bits ^= std::uint64_t{1} << bit;
        std::memcpy(&(other.*numbers)[i], &bits, sizeof bits);
        TEST_ASSERT_FALSE(fingerprint(other) == name);
      }
    }
  }
  // A number that goes from the end of one list to the beginning of the next.
  Model moved = model;
  moved.reward.insert(moved.reward.begin(), moved.observation.back());
  moved.observation.pop_back();
  TEST_ASSERT_FALSE(fingerprint(moved) == name);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(what_is_written_is_what_is_read_bit_for_bit);
  RUN_TEST(no_runs_are_a_checkpoint_too);
  RUN_TEST(runs_beyond_those_asked_for_are_left_out);
  RUN_TEST(another_job_is_refused_with_what_differs);
  RUN_TEST(what_is_not_a_checkpoint_is_called_what_it_is);
  RUN_TEST(a_file_that_is_cut_short_is_refused_with_its_place);
  RUN_TEST(wrong_kinds_are_refused_with_their_place);
  RUN_TEST(wrong_lengths_are_refused_with_their_place);
  RUN_TEST(what_is_missing_is_named);
  RUN_TEST(what_is_not_the_number_of_a_run_is_refused);
  RUN_TEST(a_strange_name_of_a_run_is_shown_on_one_line_and_shortened);
  RUN_TEST(a_key_twice_and_text_behind_the_end_are_refused);
  RUN_TEST(models_that_differ_in_one_bit_have_other_fingerprints);
  return UNITY_END();
}

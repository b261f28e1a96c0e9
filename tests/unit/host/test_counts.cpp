// Pair counts: from trajectories and files, added in any order and grouping, exact to the last unit.
#include "penumbra/host/counts.hpp"

#include "penumbra/host/random.hpp"
#include "penumbra/pair_counts.hpp"
#include "random_trajectory.hpp"

#include <unity.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::file_in;
using penumbra::test::model_of;
using penumbra::test::random_trajectory;
namespace fs = std::filesystem;

const fs::path folder = fs::path(PENUMBRA_SCRATCH) / "counts";

std::string file(const std::string& name, const std::string& text) { return file_in(folder, name, text); }

// Of one action and two observations.
std::string small_document(const std::string& pairs, const std::string& samples) {
  return R"({"penumbra":"counts/1","pairs":[[)" + pairs + R"(]],"samples":[)" + samples + "]}";
}

// The counts as text, or the problem.
std::string outcome(const std::string& text, const Model& model = model_of(1, 2)) {
  Input input = Input::of_text("c.json", text);
  const Outcome<Counts> counts = read_counts(input, model);
  if (counts) return to_json(counts.value());
  TEST_ASSERT_TRUE(counts.error().fault == Fault::input);
  return to_text(counts.error());
}

void is(const char* expected, const std::string& text) { TEST_ASSERT_EQUAL_STRING(expected, outcome(text).c_str()); }

std::string sum(const std::vector<std::string>& paths, const Model& model, unsigned threads = 1) {
  const Outcome<Counts> counts = count_files(paths, model, "m.json", threads);
  return counts ? to_json(counts.value()) : to_text(counts.error());
}

// --- trajectories ---

void consecutive_steps_make_a_pair() {
  const Model model = model_of(2, 3);
  Counts counts = Counts::of(model, "m.json").value();
  Input input = Input::of_text("t.csv", "action,observation\n0,2\n1,0\n1,0\n1,0\n");
  TEST_ASSERT_EQUAL_UINT64(4, counts.add_trajectory(input, model).value());
  TEST_ASSERT_EQUAL_UINT64(1, counts.pairs[((0 * 2 + 1) * 3 + 2) * 3 + 0]);
  TEST_ASSERT_EQUAL_UINT64(2, counts.pairs[((1 * 2 + 1) * 3 + 0) * 3 + 0]);
  TEST_ASSERT_EQUAL_UINT64(1, counts.samples()[0]);
  TEST_ASSERT_EQUAL_UINT64(2, counts.samples()[1]);
}

void zero_or_one_step_counts_nothing() {
  const Model model = model_of(2, 3);
  const std::string none = to_json(Counts::of(model, "m.json").value());
  const std::string empty = file("empty.csv", "action,observation\n");
  const std::string one = file("one.csv", "action,observation\n0,0\n");
  TEST_ASSERT_EQUAL_STRING(none.c_str(), sum({empty, one, empty, one}, model).c_str());
  TEST_ASSERT_EQUAL_STRING(none.c_str(), sum({}, model).c_str());
}

// The device's counter and this one agree, with a break between two runs.
void the_cells_are_those_of_the_device() {
  const Model model = model_of(3, 4);
  std::vector<uint32_t> cells(3 * 3 * 4 * 4);
  std::vector<uint32_t> changed(penumbra::changed_words(cells.size()));
  std::vector<uint32_t> taken(changed.size());
  using penumbra::RuntimeDims;
  penumbra::CountStorage<RuntimeDims> storage;
  storage.cells = {cells.data(), cells.size()};
  storage.changed = {changed.data(), changed.size()};
  storage.taken = {taken.data(), taken.size()};
  penumbra::PairCounts<RuntimeDims> device(RuntimeDims(2, 3, 4), storage);

  std::vector<std::string> paths;
  for (const std::uint64_t run : {1U, 2U, 3U}) {
    paths.push_back(file(std::to_string(run) + ".csv", random_trajectory(model, 10000 + run, run)));
    Random random(run, Stream::world);
    device.break_pair();
    for (size_t i = 0; i < 10000 + run; ++i) {
      const auto action = static_cast<penumbra::Action>(random.below(3));
      const auto observation = static_cast<penumbra::Observation>(random.below(4));
      device.record(action, observation);
    }
  }
  const Counts counts = count_files(paths, model, "m.json", 2).value();
  for (size_t cell = 0; cell < cells.size(); ++cell) TEST_ASSERT_EQUAL_UINT64(device.count(cell), counts.pairs[cell]);
}

// --- as it happens ---

// The pairs of a run that was written as a trajectory, counted on the way.
void add_run(PairCounter& counter, const Model& model, size_t steps, std::uint64_t seed) {
  Random random(seed, Stream::world);
  for (size_t i = 0; i < steps; ++i) {
    const size_t action = random.below(model.actions.size());
    const size_t observation = random.below(model.observations.size());
    counter.add(action, observation);
  }
}

void what_is_counted_as_it_happens_is_what_the_trajectory_holds() {
  const Model model = model_of(3, 4);
  PairCounter counter(model);
  Counts expected = Counts::of(model, "m.json").value();
  TEST_ASSERT_TRUE(counter.counts().pairs == expected.pairs);
  for (const std::uint64_t run : {1U, 2U, 3U}) {
    const std::string text = random_trajectory(model, 5000 * run - 4999, run);  // one step at first
    Input input = Input::of_text("t.csv", text);
    TEST_ASSERT_TRUE(expected.add_trajectory(input, model).has_value());
    counter.break_pair();
    add_run(counter, model, 5000 * run - 4999, run);
    TEST_ASSERT_TRUE(counter.counts().pairs == expected.pairs);
  }
  TEST_ASSERT_EQUAL(3, counter.counts().actions);
  TEST_ASSERT_EQUAL(4, counter.counts().observations);
}

void no_pair_spans_a_break_and_the_counts_before_it_stay() {
  const Model model = model_of(2, 2);
  PairCounter counter(model);
  counter.add(0, 1);
  counter.add(1, 0);
  counter.break_pair();
  counter.break_pair();
  counter.add(1, 1);
  TEST_ASSERT_EQUAL_UINT64(1, counter.counts().samples()[0]);
  TEST_ASSERT_EQUAL_UINT64(0, counter.counts().samples()[1]);
  counter.add(0, 0);
  TEST_ASSERT_EQUAL_UINT64(1, counter.counts().samples()[1]);
  TEST_ASSERT_EQUAL_UINT64(1, counter.counts().pairs[((1 * 2 + 0) * 2 + 1) * 2 + 0]);
}

void a_cleared_counter_is_like_a_new_one() {
  const Model model = model_of(3, 4);
  PairCounter used(model);
  add_run(used, model, 1000, 1);
  used.clear();
  PairCounter fresh(model);
  TEST_ASSERT_TRUE(used.counts().pairs == fresh.counts().pairs);
  add_run(used, model, 1000, 2);
  add_run(fresh, model, 1000, 2);
  TEST_ASSERT_TRUE(used.counts().pairs == fresh.counts().pairs);
}

// --- files ---

void counts_come_back_as_they_were_written() {
  const Model model = model_of(2, 3);
  Counts counts = Counts::of(model, "m.json").value();
  for (size_t cell = 0; cell < counts.pairs.size(); ++cell) counts.pairs[cell] = cell * cell;
  counts.pairs[0] = std::uint64_t{1} << 61U;
  const std::string text = to_json(counts);
  Input input = Input::of_text("c.json", text);
  const Counts again = read_counts(input, model).value();
  TEST_ASSERT_TRUE(again.pairs == counts.pairs);
  TEST_ASSERT_EQUAL_STRING(text.c_str(), to_json(again).c_str());
}

void the_file_is_readable() {
  const char* expected =
      "{\n"
      "  \"penumbra\": \"counts/1\",\n"
      "  \"pairs\": [\n"
      "    [\n"
      "      [\n"
      "        [1, 2],\n"
      "        [3, 4611686018427387898]\n"
      "      ]\n"
      "    ]\n"
      "  ],\n"
      "  \"samples\": [4611686018427387904]\n"
      "}\n";
  is(expected, small_document("[[1,2],[3,4611686018427387898]]", "4611686018427387904"));
  is(expected, expected);
}

void unknown_keys_are_ignored() {
  const std::string text = R"({"note":{"by":[1.5,null]},"samples":[10],"penumbra":"counts/1","pairs":[[[[1,2],[3,4]]]]})";
  TEST_ASSERT_EQUAL_STRING(outcome(small_document("[[1,2],[3,4]]", "10")).c_str(), outcome(text).c_str());
}

void what_is_not_a_count_is_refused_with_its_place() {
  is("c.json: pairs[0][0][1][0] is -1, not a count", small_document("[[1,2],[-1,4]]", "10"));
  is("c.json: pairs[0][0][0][1] is 3.0, not a count", small_document("[[1,3.0],[3,4]]", "10"));
  is("c.json: pairs[0][0][0][0] is 1.8446744073709552e+19, not a count", small_document("[[18446744073709551616,2],[3,4]]", "10"));
  is("c.json: pairs[0][0][0][0] is null, not a count", small_document("[[null,2],[3,4]]", "10"));
  is("c.json: pairs[0][0][0][0] is \"1\", not a count", small_document("[[\"1\",2],[3,4]]", "10"));
  is("c.json: pairs[0][0][0][0] is a list, not a count", small_document("[[[1],2],[3,4]]", "10"));
  is("c.json: samples[0] is true, not a count", small_document("[[1,2],[3,4]]", "true"));
}

void sizes_have_to_agree_with_the_model() {
  is("c.json: pairs[0][0] has length 1, but the model has 2 observations", small_document("[[1,2]]", "3"));
  is("c.json: pairs[0][0][1] has length 3, but the model has 2 observations", small_document("[[1,2],[3,4,5]]", "15"));
  is("c.json: pairs[0][0] is 7, not a list", small_document("7", "15"));
  is("c.json: pairs[0][0][0] is an object, not a list", small_document("[{\"a\":1,\"b\":2},[1,2]]", "15"));
  is("c.json: samples has length 2, but the model has 1 action", small_document("[[1,2],[3,4]]", "10,0"));
  is("c.json: pairs is 5, not a list", R"({"penumbra":"counts/1","pairs":5,"samples":[0]})");
}

void samples_have_to_agree_with_the_pairs() {
  is("c.json: samples[0] is 11, but pairs[0] adds up to 10", small_document("[[1,2],[3,4]]", "11"));
  is("c.json: pairs[0] adds up to more than 2^62 pairs of one action", small_document("[[18446744073709551615,1],[0,0]]", "0"));
}

void other_documents_are_called_what_they_are() {
  const std::string advice = "\n  counts files are made by: penumbra count MODEL T.csv -o C.json";
  is(("c.json: is a model, not pair counts" + advice).c_str(), R"({"penumbra":"model/1"})");
  is(("c.json: is \"counts/2\", not \"counts/1\"" + advice).c_str(), R"({"penumbra":"counts/2"})");
  is(("c.json: is 1, not \"counts/1\"" + advice).c_str(), R"({"penumbra":1})");
  is(("c.json: has no key \"penumbra\", which says what a file is" + advice).c_str(), "{}");
  is(("c.json: is a list, not pair counts" + advice).c_str(), "[1]");
  is(("c.json: has no key \"pairs\"" + advice).c_str(), R"({"penumbra":"counts/1","samples":[0]})");
  is(("c.json: has no key \"samples\"" + advice).c_str(), R"({"penumbra":"counts/1","pairs":[]})");
}

void only_strict_json_is_read() {
  using namespace std::string_literals;
  const std::string good = small_document("[[1,2],[3,4]]", "10");
  is("c.json:1:1: is empty\n  is the file whole?", "");
  is("c.json:1:20: ends too early\n  is the file whole?", good.substr(0, 19));
  is("c.json:2:2: there is text after the end of the document: \"x\"", good + "\n x");
  is("c.json:2:1: there is text after the end of the document: \"{\"", good + "\n{}");
  is("c.json:1:9: key \"a\" is there twice\n  remove one of them", R"({"a":1, "a":1})");
  is("c.json:2:11: key \"\" is there twice\n  remove one of them", "{\"x\":\n[{\"\":0,   \"\":0}]}");
  is("c.json:1:12: \"NaN\" does not belong here", R"({"pairs":[ NaN]})");
  is("c.json:1:14: \"]\" does not belong here\n  is there a comma too many before it?", R"({"pairs":[ 1,]})");
  is("c.json:1:6: \"b\" does not belong here", R"({"a" "b"})");
  is("c.json:1:9: \"b\" does not belong here", R"({"a":tru"b"})");
  is("c.json:1:6: the number \"1e400\" is too large", R"({"a":1e400})");
  is("c.json:1:7: is not valid UTF-8", "{\"a\":\"\xFF\"}");
  is("c.json:1:8: a string holds a control character", "{\"a\":\"b\n\"}");
  is("c.json:1:9: a string holds an escape that JSON does not know", R"({"a":"b\q"})");
  is("c.json:1:65: is nested deeper than 64 brackets", std::string(65, '['));
  is(("c.json:1:" + std::to_string(good.size() + 1) + ": holds a zero byte\n  this is not JSON: is it the right file?").c_str(),
     good + "\0"s);
  is("c.json:1:1: \"action\" does not belong here\n  this is not JSON: is it the right file?", "action,observation\n");
}

// --- sums ---

void sums_do_not_depend_on_order_grouping_or_threads() {
  const Model model = model_of(3, 4);
  std::vector<std::string> paths;
  for (std::uint64_t i = 0; i < 12; ++i) paths.push_back(file("t" + std::to_string(i) + ".csv", random_trajectory(model, 3000 + 7 * i, i)));
  const std::string expected = sum(paths, model);
  for (unsigned threads = 0; threads < 9; ++threads) {
    std::rotate(paths.begin(), paths.begin() + 5, paths.end());
    TEST_ASSERT_EQUAL_STRING(expected.c_str(), sum(paths, model, threads).c_str());
  }
  const auto middle = paths.begin() + 4;
  const std::string left = file("left.json", sum({paths.begin(), middle}, model));
  const std::string right = file("right.json", "\n" + sum({middle, paths.end()}, model, 2));
  TEST_ASSERT_EQUAL_STRING(expected.c_str(), sum({right, left}, model, 2).c_str());
  std::vector<std::string> mixed(middle, paths.end());
  mixed.insert(mixed.begin() + 3, left);
  TEST_ASSERT_EQUAL_STRING(expected.c_str(), sum(mixed, model, 3).c_str());
}

void the_first_problem_in_the_order_of_the_files_is_reported() {
  const Model model = model_of(3, 4);
  std::vector<std::string> paths;
  for (std::uint64_t i = 0; i < 10; ++i) paths.push_back(file(std::to_string(i) + ".csv", random_trajectory(model, 5000, i)));
  paths[3] = file("bad3.csv", random_trajectory(model, 50000, 3) + "9,9\n");  // takes longest
  paths[4] = file("bad4.csv", "");
  paths[6] = file("bad6.json", "{");
  paths[8] = (folder / "missing.csv").string();
  for (unsigned threads = 1; threads < 5; ++threads) {
    for (int i = 0; i < 10; ++i) {
      TEST_ASSERT_EQUAL_STRING((paths[3] + ":50002:1: action \"9\" is not an index below 3").c_str(), sum(paths, model, threads).c_str());
    }
  }
  TEST_ASSERT_TRUE(count_files({paths[0], paths[8], paths[4]}, model, "m.json", 3).error().fault == Fault::system);
}

void sums_beyond_what_a_cell_holds_are_refused_in_any_grouping() {
  const Model model = model_of(1, 2);
  const std::string large = file("large.json", small_document("[[4611686018427387903,0],[0,0]]", "4611686018427387903"));  // 2^62 - 1
  const std::string one = file("one.json", small_document("[[0,0],[0,1]]", "1"));
  for (unsigned threads = 1; threads < 4; ++threads) {
    TEST_ASSERT_TRUE(count_files({large, one}, model, "m.json", threads).has_value());
    for (const std::vector<std::string>& paths :
         {std::vector<std::string>{one, large, one}, {large, one, one}, {one, one, large}, {large, large, large, large, large, large}}) {
      const std::string expected =
          paths[0] + ": and the files after it add up to more than 2^62 pairs of one action\n  is one of them given twice?";
      TEST_ASSERT_EQUAL_STRING(expected.c_str(), sum(paths, model, threads).c_str());
    }
    // What is wrong with a file itself comes first.
    TEST_ASSERT_EQUAL_STRING("none: cannot be read: No such file or directory\n  check the name and the folder",
                             sum({large, large, "none"}, model, threads).c_str());
  }
}

void standard_input_is_named_once_at_most() {
  const Outcome<Counts> counts = count_files({"-", "a.csv", "-"}, model_of(2, 2), "m.json", 2);
  TEST_ASSERT_TRUE(counts.error().fault == Fault::usage);
  TEST_ASSERT_EQUAL_STRING("standard input (\"-\") is named twice\n  it can be read once", to_text(counts.error()).c_str());
}

void models_with_too_many_pairs_are_refused() {
  TEST_ASSERT_EQUAL_STRING(
      "m.json: has 300 actions and 300 observations, too many to count their pairs\n"
      "  their product may be 8192 at most",
      to_text(Counts::of(model_of(300, 300), "m.json").error()).c_str());
  const size_t huge = std::numeric_limits<size_t>::max() / 2;
  TEST_ASSERT_FALSE(Counts::of(model_of(huge, huge), "m.json").has_value());
  TEST_ASSERT_TRUE(Counts::of(model_of(32, 32), "m.json").has_value());
}

void progress_adds_up_over_the_files() {
  const Model model = model_of(3, 4);
  std::vector<std::string> paths;
  std::uint64_t size = 0;
  for (std::uint64_t i = 0; i < 4; ++i) {
    paths.push_back(file(std::to_string(i) + ".csv", random_trajectory(model, 100000, i)));
    size += fs::file_size(paths.back());
  }
  paths.push_back(file("c.json", sum({paths[0]}, model)));
  size += fs::file_size(paths.back());
  for (unsigned threads = 1; threads < 4; ++threads) {
    std::vector<std::uint64_t> told;
    const auto progress = [&](std::uint64_t bytes) { told.push_back(bytes); };
    TEST_ASSERT_TRUE(count_files(paths, model, "m.json", threads, progress).has_value());
    TEST_ASSERT_TRUE(std::is_sorted(told.begin(), told.end()));
    TEST_ASSERT_EQUAL_UINT64(size, told.back());
  }
}

}  // namespace

void setUp() {
  fs::remove_all(folder);
  fs::create_directories(folder);
}
void tearDown() { fs::remove_all(folder); }

int main() {
  UNITY_BEGIN();
  RUN_TEST(consecutive_steps_make_a_pair);
  RUN_TEST(zero_or_one_step_counts_nothing);
  RUN_TEST(the_cells_are_those_of_the_device);
  RUN_TEST(what_is_counted_as_it_happens_is_what_the_trajectory_holds);
  RUN_TEST(no_pair_spans_a_break_and_the_counts_before_it_stay);
  RUN_TEST(a_cleared_counter_is_like_a_new_one);
  RUN_TEST(counts_come_back_as_they_were_written);
  RUN_TEST(the_file_is_readable);
  RUN_TEST(unknown_keys_are_ignored);
  RUN_TEST(what_is_not_a_count_is_refused_with_its_place);
  RUN_TEST(sizes_have_to_agree_with_the_model);
  RUN_TEST(samples_have_to_agree_with_the_pairs);
  RUN_TEST(other_documents_are_called_what_they_are);
  RUN_TEST(only_strict_json_is_read);
  RUN_TEST(sums_do_not_depend_on_order_grouping_or_threads);
  RUN_TEST(the_first_problem_in_the_order_of_the_files_is_reported);
  RUN_TEST(sums_beyond_what_a_cell_holds_are_refused_in_any_grouping);
  RUN_TEST(standard_input_is_named_once_at_most);
  RUN_TEST(models_with_too_many_pairs_are_refused);
  RUN_TEST(progress_adds_up_over_the_files);
  return UNITY_END();
}

// Runs of steps in memory: the same pairs as counting, and only what still has its order.
#include "penumbra/host/run_log.hpp"

#include "penumbra/host/random.hpp"
#include "random_trajectory.hpp"

#include <unity.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace penumbra::host;
using penumbra::test::file_in;
using penumbra::test::model_of;
using penumbra::test::random_trajectory;
namespace fs = std::filesystem;

const fs::path folder = fs::path(PENUMBRA_SCRATCH) / "run_log";

std::string file(const std::string& name, const std::string& text) { return file_in(folder, name, text); }

std::string refused(const std::vector<std::string>& paths, const Model& model, Fault fault) {
  const Outcome<RunLog> log = read_runs(paths, model, "m.json");
  TEST_ASSERT_FALSE(log.has_value());
  TEST_ASSERT_TRUE(log.error().fault == fault);
  return to_text(log.error());
}

void its_pairs_are_those_that_counting_finds() {
  const Model model = model_of(3, 4);
  std::vector<std::string> paths;
  Counts expected = Counts::of(model, "m.json").value();
  for (const std::uint64_t run : {1U, 2U, 3U, 4U}) {
    const size_t steps = 5000 * run - 4999;  // one step at first
    const std::string text = random_trajectory(model, steps, run);
    paths.push_back(file(std::to_string(run) + ".csv", text));
    Input input = Input::of_text("t.csv", text);
    TEST_ASSERT_EQUAL_UINT64(steps, expected.add_trajectory(input, model).value());
  }
  const RunLog log = read_runs(paths, model, "m.json").value();
  TEST_ASSERT_EQUAL(4, log.runs());
  TEST_ASSERT_EQUAL(1 + 5001 + 10001 + 15001, log.steps());
  TEST_ASSERT_EQUAL(5001, log.run(1).size());
  const Counts counts = log.counts();
  TEST_ASSERT_EQUAL(3, counts.actions);
  TEST_ASSERT_EQUAL(4, counts.observations);
  TEST_ASSERT_TRUE(counts.pairs == expected.pairs);
}

void no_pair_spans_two_runs() {
  const Model model = model_of(2, 3);
  RunLog log(model);
  PairCounter counter(model);
  Random random(1, Stream::world);
  for (size_t run = 0; run < 20; ++run) {
    log.begin_run();
    counter.break_pair();
    for (size_t i = 0; i < run; ++i) {
      const size_t action = random.below(2);
      const size_t observation = random.below(3);
      log.add(action, observation);
      counter.add(action, observation);
    }
  }
  TEST_ASSERT_EQUAL(20, log.runs());
  TEST_ASSERT_EQUAL(0, log.run(0).size());
  TEST_ASSERT_TRUE(log.counts().pairs == counter.counts().pairs);
}

void a_step_is_read_as_it_was_added() {
  RunLog log(model_of(3, 4));
  log.begin_run();
  for (std::uint32_t action = 0; action < 3; ++action) {
    for (std::uint32_t observation = 0; observation < 4; ++observation) log.add(Step{action, observation});
  }
  for (size_t t = 0; t < 12; ++t) {
    const Step step = log.step_of(log.run(0)[t]);
    TEST_ASSERT_EQUAL(t / 4, step.action);
    TEST_ASSERT_EQUAL(t % 4, step.observation);
  }
}

// Two bytes hold the largest step of the largest tables that can be counted, and of the largest image.
void a_step_of_the_largest_model_keeps_its_number() {
  for (const size_t actions : {1U, 2U, 8192U}) {
    const Model model = model_of(actions, 8192 / actions);
    TEST_ASSERT_TRUE(count_cells(actions, 8192 / actions).has_value());
    RunLog log(model);
    log.begin_run();
    log.add(actions - 1, 8192 / actions - 1);
    TEST_ASSERT_EQUAL(8191, log.run(0)[0]);
  }
  RunLog log(model_of(255, 255));
  log.begin_run();
  log.add(254, 254);
  TEST_ASSERT_EQUAL(254, log.step_of(log.run(0)[0]).action);
  TEST_ASSERT_EQUAL(254, log.step_of(log.run(0)[0]).observation);
}

void a_trajectory_without_steps_is_a_run_without_steps() {
  const Model model = model_of(2, 3);
  const std::string empty = file("empty.csv", "action,observation\n");
  const std::string one = file("one.csv", "action,observation\n1,2\n");
  const RunLog log = read_runs({empty, one, empty}, model, "m.json").value();
  TEST_ASSERT_EQUAL(3, log.runs());
  TEST_ASSERT_EQUAL(1, log.steps());
  TEST_ASSERT_EQUAL(0, log.run(0).size());
  TEST_ASSERT_EQUAL(5, log.run(1)[0]);
  TEST_ASSERT_EQUAL(0, log.run(2).size());
  const RunLog nothing = read_runs({}, model, "m.json").value();
  TEST_ASSERT_EQUAL(0, nothing.runs());
  TEST_ASSERT_TRUE(nothing.counts().pairs == Counts::of(model, "m.json").value().pairs);
}

void a_counts_file_has_forgotten_the_order_and_is_refused() {
  const Model model = model_of(2, 3);
  const std::string good = file("good.csv", "action,observation\n1,2\n");
  const std::string counts = file("counts.json", to_json(Counts::of(model, "m.json").value()));
  const std::string expected = counts +
                               ": is a counts file, and an estimate from trajectories needs the steps in their order\n"
                               "  give the trajectories (CSV) that were counted, or refine by counts";
  TEST_ASSERT_EQUAL_STRING(expected.c_str(), refused({good, counts}, model, Fault::input).c_str());
  const std::string indented = file("indented.json", "\n  {}");
  TEST_ASSERT_EQUAL_STRING((indented + expected.substr(counts.size())).c_str(), refused({indented}, model, Fault::input).c_str());
}

void what_cannot_be_read_is_refused_by_name() {
  const Model model = model_of(2, 3);
  const std::string good = file("good.csv", "action,observation\n1,2\n");
  const std::string bad = file("bad.csv", "action,observation\n1,2\n2,0\n");
  const std::string missing = (folder / "missing.csv").string();
  TEST_ASSERT_EQUAL_STRING((missing + ": cannot be read: No such file or directory\n  check the name and the folder").c_str(),
                           refused({good, missing}, model, Fault::system).c_str());
  TEST_ASSERT_EQUAL_STRING((bad + ":3:1: action \"2\" is not an index below 2").c_str(), refused({good, bad}, model, Fault::input).c_str());
  TEST_ASSERT_EQUAL_STRING("standard input (\"-\") is named twice\n  it can be read once",
                           refused({"-", good, "-"}, model, Fault::usage).c_str());
}

void models_with_too_many_pairs_are_refused_before_any_file() {
  const std::string text = refused({"missing.csv"}, model_of(128, 65), Fault::input);
  TEST_ASSERT_EQUAL(0, text.find("m.json: has 128 actions and 65 observations"));
}

void progress_counts_the_bytes_of_all_files() {
  const Model model = model_of(2, 3);
  const std::string text = random_trajectory(model, 5000, 1);
  const std::string path = file("t.csv", text);
  std::uint64_t last = 0;
  const Outcome<RunLog> log = read_runs({path, path}, model, "m.json", [&](std::uint64_t bytes) {
    TEST_ASSERT_TRUE(bytes >= last);
    last = bytes;
  });
  TEST_ASSERT_TRUE(log.has_value());
  TEST_ASSERT_EQUAL_UINT64(2 * text.size(), last);
}

}  // namespace

int main() {
  fs::create_directories(folder);
  UNITY_BEGIN();
  RUN_TEST(its_pairs_are_those_that_counting_finds);
  RUN_TEST(no_pair_spans_two_runs);
  RUN_TEST(a_step_is_read_as_it_was_added);
  RUN_TEST(a_step_of_the_largest_model_keeps_its_number);
  RUN_TEST(a_trajectory_without_steps_is_a_run_without_steps);
  RUN_TEST(a_counts_file_has_forgotten_the_order_and_is_refused);
  RUN_TEST(what_cannot_be_read_is_refused_by_name);
  RUN_TEST(models_with_too_many_pairs_are_refused_before_any_file);
  RUN_TEST(progress_counts_the_bytes_of_all_files);
  return UNITY_END();
}

// penumbra reproduce: every experiment writes its page, its models, curves and figures, the same ones each time.
#include "sanitized.hpp"
#include "shell.hpp"

#include <iterator>
#include <vector>

namespace {

using namespace penumbra::test;

const std::string quick = " --quick --runs 2";

// Everything that a page promises is there.
void check_page(const std::filesystem::path& folder, const std::string& figure,
                const char* heading = "What the paper claims, and what we see") {
  const std::string markdown = content(folder / "report.md");
  const std::string html = content(folder / "report.html");
  for (const char* words : {heading, "not published", "Parameters", "Seen:"}) {
    TEST_ASSERT_TRUE_MESSAGE(markdown.find(words) != std::string::npos, words);
  }
  TEST_ASSERT_TRUE(markdown.find("](" + figure + ".svg)") != std::string::npos);
  TEST_ASSERT_TRUE(html.find("<svg") != std::string::npos && html.find("src=") == std::string::npos);
  for (const char* ending : {".svg", ".png"}) TEST_ASSERT_TRUE(std::filesystem::file_size(folder / (figure + ending)) > 5000);
  TEST_ASSERT_FALSE(std::filesystem::is_empty(folder / "models"));
  TEST_ASSERT_FALSE(std::filesystem::is_empty(folder / "curves"));
  TEST_ASSERT_FALSE(std::filesystem::exists(folder / "unfinished"));
}

void one_experiment_is_the_same_whatever_the_threads_and_its_models_can_be_used() {
  const Shell shell("regret");
  static_cast<void>(shell.good("$P reproduce regret -o one --threads 1" + quick));
  const nlohmann::json json = shell.good("$P reproduce regret -o two --threads 2 --json" + quick).json();
  TEST_ASSERT_EQUAL_STRING("report.html", json["reports"][0].get<std::string>().c_str());
  static_cast<void>(shell.good("diff -r one two"));
  check_page(shell.folder / "one", "regret");
  static_cast<void>(shell.good("$P check one/models/s3a4o4-seed1.json"));
  const std::string curve = content(shell.folder / "one/curves/s3a4o4-seed1-aoas-ucrl-gap_regret.csv");
  TEST_ASSERT_EQUAL(0, curve.find("step,mean,ci95,run_0,run_1\n"));
  TEST_ASSERT_TRUE(curve.find("\n40000,") != std::string::npos);
}

void all_of_them_write_their_pages() {
  if (sanitized) return;  // minutes; one of them runs there all the same
  const Shell shell("all");
  static_cast<void>(shell.good("$P reproduce all -o all" + quick));
  for (const std::string what : {"estimation-error", "regret", "ablation-min-action", "ablation-sample-reuse", "comparison"}) {
    check_page(shell.folder / "all" / what, what);
    TEST_ASSERT_TRUE(content(shell.folder / "all/report.html").find(what + "/report.html") != std::string::npos);
  }
  TEST_ASSERT_FALSE(std::filesystem::exists(shell.folder / "all/beyond"));  // which is not the paper's
  TEST_ASSERT_TRUE(content(shell.folder / "all/report.html").find("beyond") == std::string::npos);
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

// Lines of the page that begin so.
std::vector<std::string> lines_with(const std::string& markdown, const std::string& begin) {
  std::vector<std::string> lines;
  for (std::size_t at = markdown.find("\n" + begin); at != std::string::npos; at = markdown.find("\n" + begin, at + 1)) {
    lines.push_back(markdown.substr(at + 1, markdown.find('\n', at + 1) - at - 1));
  }
  return lines;
}

// Of a cell of a table: "863 ± 14, 2 stuck".
int stuck_in(const std::string& line, int column) {
  std::size_t begin = 0;
  for (int i = 0; i <= column; ++i) begin = line.find('|', begin) + 1;
  const std::string cell = line.substr(begin, line.find('|', begin) - begin);
  const std::size_t count = cell.find(", ");
  return count == std::string::npos ? 0 : std::stoi(cell.substr(count + 2));
}

// Each run has its line, and the tables count those that are stuck.
void check_stuck_runs(const std::string& markdown) {
  const std::vector<std::string> tables = lines_with(markdown, "| lock-in |");
  TEST_ASSERT_EQUAL(3, tables.size());
  const struct {
    const char* name;
    std::size_t table;
    int column;
  } shown[] = {{"aoas T0 1000", 1, 1}, {"trajectory T0 1000", 1, 3}, {"trajectory T0 1000 looked after", 2, 3}};
  for (const auto& one : shown) {
    const std::vector<std::string> runs = lines_with(markdown, std::string("| ") + one.name + " | ");
    int stuck = 0;
    for (const std::string& run : runs) stuck += run.find("| stuck |") != std::string::npos ? 1 : 0;
    TEST_ASSERT_EQUAL_MESSAGE(3, runs.size(), one.name);  // the last is that of its parameters
    TEST_ASSERT_EQUAL_MESSAGE(stuck, stuck_in(tables[one.table], one.column), one.name);
  }
}

// Two runs of what takes longest here. Their folders differ in nothing, whatever the threads.
void beyond_the_paper_there_is_a_page_of_its_own_that_counts_the_runs_that_are_stuck() {
  if (sanitized) return;  // minutes; learners with these estimators run elsewhere
  const Shell shell("beyond");
  static_cast<void>(shell.good("$P reproduce beyond -o one --threads 1" + quick));
  const nlohmann::json json = shell.good("$P reproduce beyond -o two --threads 2 --json" + quick).json();
  TEST_ASSERT_EQUAL(1, json["reports"].size());
  TEST_ASSERT_EQUAL_STRING("report.html", json["reports"][0].get<std::string>().c_str());
  static_cast<void>(shell.good("diff -r one two"));
  check_page(shell.folder / "one", "lock-in", "Better estimates, and a shorter first episode");
  // Eleven worlds, nine learners in each, three curves of each learner.
  TEST_ASSERT_EQUAL(11, files_in(shell.folder / "one/models"));
  TEST_ASSERT_EQUAL(11 * 9 * 3, files_in(shell.folder / "one/curves"));
  static_cast<void>(shell.good("$P check one/models/lock-in.json && $P check one/models/s5a4o8-seed2.json"));
  const std::string curve = content(shell.folder / "one/curves/lock-in-trajectory-T0-1000-looked-after-gap_regret.csv");
  TEST_ASSERT_EQUAL(0, curve.find("step,mean,ci95,run_0,run_1\n"));
  TEST_ASSERT_TRUE(curve.find("\n40000,") != std::string::npos);
  const std::string markdown = content(shell.folder / "one/report.md");
  check_stuck_runs(markdown);
  for (const char* words : {"actions that starve", "| the best policy |", "\"trajectory\", least-samples 2.0"}) {
    TEST_ASSERT_TRUE_MESSAGE(markdown.find(words) != std::string::npos, words);
  }
}

void an_interrupted_reproduction_goes_on_and_gives_the_same_bytes() {
  const Shell shell("resume");
  if (sanitized) return;
  const std::string line = "$P reproduce ablation-sample-reuse --runs 4 --quick --threads 1";
  static_cast<void>(shell.good(line + " -o whole"));
  const Ran cut =
      shell.run("(" + line + " -o cut 2>said & job=$!; while ! ls cut/unfinished/*.json 2>/dev/null | grep -q .; do sleep .02; done; " +
                "kill -TERM $job; wait $job)");
  TEST_ASSERT_EQUAL(143, cut.status);
  TEST_ASSERT_TRUE(shell.file("said").find("goes on from there") != std::string::npos);
  TEST_ASSERT_TRUE(std::filesystem::exists(shell.folder / "cut/unfinished"));
  // Another job in the same folder does not mind, and what is somebody else's stays.
  write(shell.folder / "cut/unfinished/thesis.txt", "all of it");
  static_cast<void>(shell.good(line + " --seed 2 -o cut && " + line + " -o cut && rm cut/unfinished/thesis.txt && rmdir cut/unfinished"));
  static_cast<void>(shell.good("rm cut/*/*seed[345]*; rm whole/*/*seed[345]*; true"));
  static_cast<void>(shell.good("diff whole/report.md cut/report.md && diff whole/report.html cut/report.html"));
}

void wrong_use_is_told() {
  const Shell shell("usage");
  shell.bad(2, "WHAT", "$P reproduce everything -o out");
  shell.bad(2, "--output", "$P reproduce regret");
  write(shell.folder / "file", "");
  shell.bad(4, "file: is a file, not a folder", "$P reproduce regret -o file");
  shell.bad(2, "is less than 2", "$P reproduce regret -o out --runs 1");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(one_experiment_is_the_same_whatever_the_threads_and_its_models_can_be_used);
  RUN_TEST(all_of_them_write_their_pages);
  RUN_TEST(beyond_the_paper_there_is_a_page_of_its_own_that_counts_the_runs_that_are_stuck);
  RUN_TEST(an_interrupted_reproduction_goes_on_and_gives_the_same_bytes);
  RUN_TEST(wrong_use_is_told);
  return UNITY_END();
}

// penumbra reproduce: every experiment writes its page, its models, curves and figures, the same ones each time.
#include "sanitized.hpp"
#include "shell.hpp"

#include <vector>

namespace {

using namespace penumbra::test;

const std::string quick = " --quick --runs 2";

// Everything that a page promises is there.
void check_page(const std::filesystem::path& folder, const std::string& figure) {
  const std::string markdown = content(folder / "report.md");
  const std::string html = content(folder / "report.html");
  for (const char* words : {"What the paper claims, and what we see", "not published", "Parameters", "Seen:"}) {
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
  RUN_TEST(an_interrupted_reproduction_goes_on_and_gives_the_same_bytes);
  RUN_TEST(wrong_use_is_told);
  return UNITY_END();
}

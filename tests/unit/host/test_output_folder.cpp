// Folders of artefacts: all of it or nothing, and what was there before stays.
#include "penumbra/host/output_folder.hpp"

#include "penumbra/host/input.hpp"
#include "penumbra/host/output.hpp"

#include <unity.h>

#include <filesystem>
#include <string>

namespace {

using namespace penumbra::host;
namespace fs = std::filesystem;

const fs::path scratch = fs::path(PENUMBRA_SCRATCH) / "output_folder";

std::string path(const char* name) { return (scratch / name).string(); }

std::string content(const std::string& file) {
  Outcome<Input> input = Input::open(file);
  return input ? input.value().read_all().value() : "(not there)";
}

std::size_t entries(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(folder)) ++count;
  return count;
}

void nothing_is_there_before_the_commit_and_all_of_it_after() {
  Outcome<OutputFolder> folder = OutputFolder::open(path("out"));
  TEST_ASSERT_TRUE(folder.has_value());
  TEST_ASSERT_EQUAL_STRING(path("out").c_str(), folder.value().path().c_str());
  folder.value().add("a.csv", "one");
  folder.value().add("b/c.csv", "two");
  folder.value().add("b/d/e.csv", "three");
  TEST_ASSERT_TRUE(fs::is_directory(path("out")));
  TEST_ASSERT_EQUAL(0, entries(path("out")));
  TEST_ASSERT_TRUE(folder.value().commit().has_value());
  TEST_ASSERT_EQUAL_STRING("one", content(path("out/a.csv")).c_str());
  TEST_ASSERT_EQUAL_STRING("two", content(path("out/b/c.csv")).c_str());
  TEST_ASSERT_EQUAL_STRING("three", content(path("out/b/d/e.csv")).c_str());
  TEST_ASSERT_EQUAL(5, entries(path("out")));
}

void what_was_committed_stays_when_the_folder_is_closed() {
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("x/y/out"));
    folder.value().add("a", "one");
    TEST_ASSERT_TRUE(folder.value().commit().has_value());
  }
  TEST_ASSERT_EQUAL_STRING("one", content(path("x/y/out/a")).c_str());
}

void folders_that_were_made_and_not_used_are_gone() {
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("x/y/out"));
    TEST_ASSERT_TRUE(fs::is_directory(path("x/y/out")));
    folder.value().add("a", "one");
    const OutputFolder moved = std::move(folder.value());
    TEST_ASSERT_TRUE(fs::is_directory(path("x/y/out")));
  }
  TEST_ASSERT_EQUAL(0, entries(scratch));
}

void a_folder_that_somebody_else_put_a_file_into_stays() {
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("x/y"));
    TEST_ASSERT_TRUE(write_file(path("x/theirs"), "theirs").has_value());
  }
  TEST_ASSERT_FALSE(fs::exists(path("x/y")));
  TEST_ASSERT_EQUAL_STRING("theirs", content(path("x/theirs")).c_str());
}

void a_folder_that_was_there_stays_with_what_it_has() {
  fs::create_directories(path("out"));
  { TEST_ASSERT_TRUE(OutputFolder::open(path("out")).has_value()); }
  TEST_ASSERT_TRUE(fs::is_directory(path("out")));
  TEST_ASSERT_TRUE(write_file(path("out/old"), "old").has_value());
  TEST_ASSERT_TRUE(write_file(path("out/replaced"), "before").has_value());
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("out/"));
    folder.value().add("replaced", "after");
  }
  TEST_ASSERT_EQUAL_STRING("before", content(path("out/replaced")).c_str());
  Outcome<OutputFolder> folder = OutputFolder::open(path("out/"));
  folder.value().add("replaced", "after");
  TEST_ASSERT_TRUE(folder.value().commit().has_value());
  TEST_ASSERT_EQUAL_STRING("after", content(path("out/replaced")).c_str());
  TEST_ASSERT_EQUAL_STRING("old", content(path("out/old")).c_str());
}

void a_file_in_the_way_is_refused() {
  TEST_ASSERT_TRUE(write_file(path("file"), "text").has_value());
  const Outcome<OutputFolder> folder = OutputFolder::open(path("file"));
  TEST_ASSERT_FALSE(folder.has_value());
  TEST_ASSERT_TRUE(folder.error().fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING((path("file") + ": is a file, not a folder\n  name a folder").c_str(), to_text(folder.error()).c_str());
  const Outcome<OutputFolder> inside = OutputFolder::open(path("file/inside"));
  TEST_ASSERT_FALSE(inside.has_value());
  TEST_ASSERT_TRUE(inside.error().fault == Fault::system);
  TEST_ASSERT_EQUAL_STRING(path("file/inside").c_str(), inside.error().where.c_str());
  TEST_ASSERT_EQUAL(1, entries(scratch));
  TEST_ASSERT_EQUAL_STRING("text", content(path("file")).c_str());
}

void a_folder_that_cannot_be_made_leaves_nothing() {
  const Outcome<OutputFolder> folder = OutputFolder::open(path("x") + "/" + std::string(300, 'n'));
  TEST_ASSERT_FALSE(folder.has_value());
  TEST_ASSERT_TRUE(folder.error().fault == Fault::system);
  TEST_ASSERT_EQUAL(0, entries(scratch));
  TEST_ASSERT_FALSE(OutputFolder::open("").has_value());
}

// The second of three files cannot be written: a folder is in its place.
void when_one_file_cannot_be_written_the_new_ones_are_removed_again() {
  fs::create_directories(path("out/b"));
  TEST_ASSERT_TRUE(write_file(path("out/b/inside"), "kept").has_value());
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("out"));
    folder.value().add("new/a", "one");
    folder.value().add("b", "two");
    folder.value().add("c", "three");
    const Outcome<void> outcome = folder.value().commit();
    TEST_ASSERT_FALSE(outcome.has_value());
    TEST_ASSERT_TRUE(outcome.error().fault == Fault::system);
    TEST_ASSERT_EQUAL_STRING(path("out/b").c_str(), outcome.error().where.c_str());
    TEST_ASSERT_FALSE(fs::exists(path("out/new/a")));
  }
  TEST_ASSERT_EQUAL(2, entries(path("out")));  // b, and what is inside
  TEST_ASSERT_EQUAL_STRING("kept", content(path("out/b/inside")).c_str());
}

// A file where one of the artefacts' folders should be.
void when_a_folder_inside_cannot_be_made_nothing_is_left() {
  TEST_ASSERT_TRUE(write_file(path("elsewhere"), "text").has_value());
  {
    Outcome<OutputFolder> folder = OutputFolder::open(path("out"));
    folder.value().add("a", "one");
    folder.value().add("a/b", "two");
    const Outcome<void> outcome = folder.value().commit();
    TEST_ASSERT_FALSE(outcome.has_value());
    TEST_ASSERT_TRUE(outcome.error().fault == Fault::system);
  }
  TEST_ASSERT_EQUAL(1, entries(scratch));
}

}  // namespace

void setUp() {
  fs::remove_all(scratch);
  fs::create_directories(scratch);
}
void tearDown() { fs::remove_all(scratch); }

int main() {
  UNITY_BEGIN();
  RUN_TEST(nothing_is_there_before_the_commit_and_all_of_it_after);
  RUN_TEST(what_was_committed_stays_when_the_folder_is_closed);
  RUN_TEST(folders_that_were_made_and_not_used_are_gone);
  RUN_TEST(a_folder_that_somebody_else_put_a_file_into_stays);
  RUN_TEST(a_folder_that_was_there_stays_with_what_it_has);
  RUN_TEST(a_file_in_the_way_is_refused);
  RUN_TEST(a_folder_that_cannot_be_made_leaves_nothing);
  RUN_TEST(when_one_file_cannot_be_written_the_new_ones_are_removed_again);
  RUN_TEST(when_a_folder_inside_cannot_be_made_nothing_is_left);
  return UNITY_END();
}

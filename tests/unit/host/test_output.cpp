// Artefacts appear whole or not at all.
#include "penumbra/host/output.hpp"

#include "penumbra/host/input.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

#include <filesystem>
#include <string>

namespace {

using namespace penumbra::host;
namespace fs = std::filesystem;

const fs::path folder = fs::path(PENUMBRA_SCRATCH) / "output";

std::string file(const char* name) { return (folder / name).string(); }

std::string content(const std::string& path) {
  Outcome<Input> input = Input::open(path);
  return input ? input.value().read_all().value() : "(not there)";
}

size_t files_in_folder() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

void what_is_committed_is_there() {
  TEST_ASSERT_TRUE(write_file(file("a"), "text").has_value());
  TEST_ASSERT_EQUAL_STRING("text", content(file("a")).c_str());
  TEST_ASSERT_EQUAL(1, files_in_folder());
}

void what_is_longer_than_the_buffer_is_there_too() {
  const std::string text(1000001, 'x');
  Outcome<Output> output = Output::open(file("a"));
  for (size_t at = 0; at < text.size(); at += 1000) output.value().write(std::string_view(text).substr(at, 1000));
  output.value().write(text);
  TEST_ASSERT_TRUE(output.value().commit().has_value());
  TEST_ASSERT_TRUE(content(file("a")) == text + text);
}

void without_a_commit_what_was_there_stays() {
  TEST_ASSERT_TRUE(write_file(file("a"), "before").has_value());
  {
    Outcome<Output> output = Output::open(file("a"));
    output.value().write("after");
  }
  TEST_ASSERT_EQUAL_STRING("before", content(file("a")).c_str());
  TEST_ASSERT_EQUAL(1, files_in_folder());
}

void a_full_disk_is_a_problem_and_leaves_nothing() {
  const Outcome<void> outcome = write_file("/dev/full", "text");
  TEST_ASSERT_FALSE(outcome.has_value());
  TEST_ASSERT_TRUE(outcome.error().fault == Fault::system);
}

void a_folder_or_a_missing_folder_is_a_problem_of_the_system() {
  TEST_ASSERT_TRUE(write_file(folder.string(), "text").error().fault == Fault::system);
  TEST_ASSERT_TRUE(write_file(file("none/a"), "text").error().fault == Fault::system);
  TEST_ASSERT_TRUE(Input::open(folder.string()).error().fault == Fault::system);
  TEST_ASSERT_TRUE(Input::open(file("none")).error().fault == Fault::system);
}

void what_a_link_points_to_is_replaced() {
  TEST_ASSERT_TRUE(write_file(file("a"), "before").has_value());
  fs::create_symlink("a", folder / "link");
  TEST_ASSERT_TRUE(write_file(file("link"), "after").has_value());
  TEST_ASSERT_TRUE(fs::is_symlink(folder / "link"));
  TEST_ASSERT_EQUAL_STRING("after", content(file("a")).c_str());
  fs::create_symlink("b", folder / "to_nothing");
  TEST_ASSERT_TRUE(write_file(file("to_nothing"), "new").has_value());
  TEST_ASSERT_TRUE(fs::is_symlink(folder / "to_nothing"));
  TEST_ASSERT_EQUAL_STRING("new", content(file("b")).c_str());
}

void a_new_file_has_ordinary_permissions_and_an_old_one_keeps_its_own() {
  const mode_t before = ::umask(022);
  TEST_ASSERT_TRUE(write_file(file("a"), "text").has_value());
  ::umask(before);
  TEST_ASSERT_EQUAL_HEX16(0644, static_cast<unsigned>(fs::status(file("a")).permissions()));
  fs::permissions(file("a"), fs::perms(0640));
  TEST_ASSERT_TRUE(write_file(file("a"), "text").has_value());
  TEST_ASSERT_EQUAL_HEX16(0640, static_cast<unsigned>(fs::status(file("a")).permissions()));
}

void a_signal_handler_can_remove_what_is_half_written() {
  Outcome<Output> output = Output::open(file("a"));
  output.value().write("half");
  TEST_ASSERT_EQUAL(1, files_in_folder());
  remove_temporary_files();
  TEST_ASSERT_EQUAL(0, files_in_folder());
}

}  // namespace

void setUp() {
  fs::remove_all(folder);
  fs::create_directories(folder);
}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(what_is_committed_is_there);
  RUN_TEST(what_is_longer_than_the_buffer_is_there_too);
  RUN_TEST(without_a_commit_what_was_there_stays);
  RUN_TEST(a_full_disk_is_a_problem_and_leaves_nothing);
  RUN_TEST(a_folder_or_a_missing_folder_is_a_problem_of_the_system);
  RUN_TEST(what_a_link_points_to_is_replaced);
  RUN_TEST(a_new_file_has_ordinary_permissions_and_an_old_one_keeps_its_own);
  RUN_TEST(a_signal_handler_can_remove_what_is_half_written);
  return UNITY_END();
}

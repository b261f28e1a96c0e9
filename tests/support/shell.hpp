// Runs the penumbra command as a user would: through a shell, in a folder of the test's own.
#pragma once

#include <nlohmann/json.hpp>  // before Unity, which makes macros of isnan and isinf

#include <sys/wait.h>
#include <unity.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace penumbra::test {

struct Ran {
  int status;
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json json() const {
    nlohmann::json document = nlohmann::json::parse(out, nullptr, false);
    TEST_ASSERT_FALSE_MESSAGE(document.is_discarded(), ("not JSON: " + out).c_str());
    return document;
  }
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  TEST_ASSERT_TRUE_MESSAGE(file.good(), path.c_str());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// A folder that is empty at the start of each test. $P in command lines is the penumbra command.
class Shell {
 public:
  explicit Shell(const char* name) : folder(std::filesystem::path(PENUMBRA_SCRATCH) / name), outside_(folder.string() + ".output") {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::create_directories(outside_);
  }

  std::filesystem::path folder;

  [[nodiscard]] Ran run(const std::string& line) const {
    const std::string out = (outside_ / "out").string();
    const std::string err = (outside_ / "err").string();
    const std::string whole =
        "cd '" + folder.string() + "' && P='" PENUMBRA_COMMAND "' && { " + line + "; } >'" + out + "' 2>'" + err + "'";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
  }

  // Has to succeed; returns what it printed.
  [[nodiscard]] Ran good(const std::string& line) const {
    Ran ran = run(line);
    TEST_ASSERT_EQUAL_MESSAGE(0, ran.status, (line + "\n" + ran.out + ran.err).c_str());
    return ran;
  }

  // Has to fail with this status, one to three lines on standard error that contain `words`, and no file that was not there before.
  Ran bad(int status, const std::string& words, const std::string& line) const {
    const std::set<std::string> before = files();
    Ran ran = run(line);
    TEST_ASSERT_EQUAL_MESSAGE(status, ran.status, (line + "\n" + ran.err).c_str());
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find(words) != std::string::npos, (line + "\nsays " + ran.err + "not " + words).c_str());
    const auto lines = std::count(ran.err.begin(), ran.err.end(), '\n');
    TEST_ASSERT_TRUE_MESSAGE(lines >= 1 && lines <= 3, (line + "\n" + ran.err).c_str());
    TEST_ASSERT_TRUE_MESSAGE(files() == before, line.c_str());
    return ran;
  }

  [[nodiscard]] std::string file(const char* name) const { return content(folder / name); }

 private:
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
    return names;
  }
  std::filesystem::path outside_;
};

}  // namespace penumbra::test

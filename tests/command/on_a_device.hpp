// What the tests of `penumbra device` share: boards on this machine, and on the other end of a pseudo-terminal.
#pragma once

#include "shell.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace penumbra::test {

inline const std::string world = "'" PENUMBRA_WORLD "'";

// A firmware of the host that is a shell script.
inline void write_script(const Shell& shell, const char* name, const std::string& lines) {
  write(shell.folder / name, "#!/bin/sh\n" + lines);
  TEST_ASSERT_EQUAL(0, ::chmod((shell.folder / name).c_str(), 0755));
}

inline bool has_keys(const nlohmann::json& json, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&json](const char* key) { return json.contains(key); });
}

inline size_t lines_in(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

// Looks again and again, for a minute: how long a thing takes is the machine's affair.
inline std::string until(const std::string& condition) {
  return "i=0; until " + condition + "; do i=$((i + 1)); [ $i -lt 1200 ] || exit 1; sleep .05; done";
}

// A process is gone when it has ended; whoever has to collect it may take his time.
inline const std::string gone = until("{ state=$(sed 's/.*) //; s/ .*//' /proc/$(cat pid)/stat 2>/dev/null) || state=Z; [ $state = Z ]; }");

// A firmware of the host behind a pseudo-terminal, as a board is behind a serial port; `link` leads to it, as the links in /dev/serial do.
// By default the rover's; `argument` is one more on its command line.
class BoardOnPort {
 public:
  BoardOnPort(const std::filesystem::path& link, const std::filesystem::path& flash, const char* firmware = PENUMBRA_FIRMWARE,
              const char* argument = nullptr)
      : link_(link) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    TEST_ASSERT_TRUE(master_ >= 0 && ::grantpt(master_) == 0 && ::unlockpt(master_) == 0);
    const std::string port = ::ptsname(master_);
    kept_ = ::open(port.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // the line stays while nobody has the port open
    TEST_ASSERT_EQUAL(0, std::system(("stty -F " + port + " raw -echo").c_str()));
    const std::string line = "fd=" + std::to_string(master_);
    const std::string file = "flash=" + flash.string();
    std::ofstream(flash, std::ios::app).close();  // the board would make it, some time
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::fcntl(master_, F_SETFD, 0);
      ::execl(firmware, firmware, line.c_str(), "id=7", file.c_str(), argument, nullptr);
      ::_exit(127);
    }
    std::filesystem::create_symlink(port, link_);
  }
  ~BoardOnPort() {
    std::filesystem::remove(link_);  // first: the next pseudo-terminal of any program here may get this one's number
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(kept_);
    ::close(master_);
  }
  BoardOnPort(const BoardOnPort&) = delete;
  BoardOnPort& operator=(const BoardOnPort&) = delete;

 private:
  std::filesystem::path link_;
  int master_ = -1;
  int kept_ = -1;
  pid_t process_ = -1;
};
inline const std::string on_port = "LD_PRELOAD='" PENUMBRA_PTY_PORT "' $P device ";

}  // namespace penumbra::test

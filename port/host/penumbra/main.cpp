// penumbra: the workstation's command. Parses, runs what was asked for, and turns what came of it into an exit status:
// 0 done, 1 the answer is no, 2 wrong use, 3 bad input, 4 a device that failed, or a file that cannot be read or written.
#include "command.hpp"

#include "penumbra/host/output.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

namespace {

using namespace penumbra::command;

// An artefact that is half-written when the user interrupts is removed; the signal then does what it always does.
extern "C" void clean_up_and_die(int signal) {
  penumbra::host::remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// The parser's own words, and where to read on.
int wrong_use(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* chosen = &app;
  std::string name = "penumbra";
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
    name += " " + chosen->get_name();
  }
  say(Problem{Fault::usage, name, error.what(), "", name + " --help explains it"});
  return static_cast<int>(Fault::usage);
}

// The parser would only say that a command is missing. Commands come first, one a level.
std::optional<Problem> unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* level = &app;
  std::string name = "penumbra";
  for (int i = 1; i < argc && argv[i][0] != '-' && !level->get_subcommands({}).empty(); ++i) {
    const auto named = [argv, i](const CLI::App* command) { return command->get_name() == argv[i]; };
    const std::vector<const CLI::App*> found = level->get_subcommands(named);
    if (found.empty())
      return Problem{Fault::usage, name, "there is no command \"" + std::string(argv[i]) + "\"", "", name + " --help lists them"};
    level = found.front();
    name += " " + level->get_name();
  }
  return std::nullopt;
}

// A standard stream that the caller has closed must not become the number of a file that is opened later. Reading from and writing to what
// stands in for it fails, as it should.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (std::signal(signal, SIG_IGN) != SIG_IGN) std::signal(signal, clean_up_and_die);  // nohup stays nohup
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is then an error of its own, which is reported

  CLI::App app("Penumbra: control for machines that must act without seeing everything.");
  app.name("penumbra");
  app.set_version_flag("--version", "penumbra " PENUMBRA_VERSION, "print the version and exit");
  app.set_help_flag("-h,--help", "print this help and exit");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done, 1 the answer is no, 2 wrong use, 3 bad input, 4 a device that failed, or a file that cannot be read or "
      "written.");
  Run run;
  add_check(app, run);
  add_convert(app, run);
  add_generate(app, run);
  add_simulate(app, run);
  add_filter(app, run);
  add_count(app, run);
  add_estimate(app, run);
  add_plan(app, run);
  add_evaluate(app, run);
  add_learn(app, run);
  add_reproduce(app, run);
  add_image(app, run);
  add_device(app, run);
  app.footer("penumbra COMMAND --help explains each.\n" + app.get_footer());  // the commands have theirs by now

  if (const std::optional<Problem> unknown = unknown_command(app, argc, argv)) {
    say(*unknown);
    return static_cast<int>(Fault::usage);
  }

  try {  // the parser's way of telling
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // help or version
    app.exit(success);
    return std::cout.flush() ? done : static_cast<int>(Fault::system);
  } catch (const CLI::ParseError& error) {
    return wrong_use(app, error);
  }

  Outcome<int> outcome = [&run]() -> Outcome<int> {
    try {
      return run();
    } catch (const std::bad_alloc&) {
      return fail(Fault::system, "", "there is not enough memory for this", "use a smaller model, or a larger machine");
    } catch (const std::exception& error) {  // of a library: none is known
      return fail(Fault::system, "", std::string("an unexpected error: ") + error.what());
    }
  }();
  if (outcome) {
    const Outcome<void> flushed = flush_results();
    if (!flushed) outcome = fail(flushed.error());
  }
  if (outcome) return outcome.value();
  say(outcome.error());
  return static_cast<int>(outcome.error().fault);
}

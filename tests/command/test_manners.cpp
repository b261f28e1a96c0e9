// What all commands share: help, exit statuses, where output goes, and that a failure leaves nothing behind.
#include "shell.hpp"

namespace {

using namespace penumbra::test;

const char* const commands[] = {"check",    "convert", "generate", "simulate", "filter",    "count",
                                "estimate", "plan",    "evaluate", "learn",    "reproduce", "image"};

const std::string generate = "$P generate --states 3 --actions 2 --observations 4 --seed 1 -o m.json";
const std::string simulate = "$P simulate m.json --steps 100 --seed 1 --policy uniform -o t.csv";

void help_names_every_command_and_each_explains_itself() {
  const Shell shell("help");
  const std::string help = shell.good("$P --help").out;
  for (const char* command : commands) {
    TEST_ASSERT_TRUE_MESSAGE(help.find(std::string("  ") + command + " ") != std::string::npos, command);
    const Ran ran = shell.good(std::string("$P ") + command + " --help");
    TEST_ASSERT_TRUE(ran.out.find("--json") != std::string::npos && ran.out.find("--threads") != std::string::npos);
    TEST_ASSERT_EQUAL_STRING("", ran.err.c_str());
  }
  TEST_ASSERT_EQUAL_STRING("penumbra " PENUMBRA_VERSION "\n", shell.good("$P --version").out.c_str());
}

void wrong_use_is_2_and_points_to_help() {
  const Shell shell("usage");
  static_cast<void>(shell.good(generate));
  shell.bad(2, "--help", "$P");
  shell.bad(2, "there is no command \"frobnicate\"", "$P frobnicate");
  shell.bad(2, "penumbra check --help", "$P check");
  shell.bad(2, "penumbra check --help", "$P check m.json --frobnicate");
  shell.bad(2, "is not a whole number", "$P check m.json --samples many");
  shell.bad(2, "--samples", "$P check m.json --delta 0.1");
  shell.bad(2, "is not between 0 and 1", "$P generate --states 3 --actions 2 --observations 4 --seed 1 -o x.json --epsilon nan");
  shell.bad(2, "--epsilon is for models without a transition", "$P check m.json --samples 10 --epsilon 0.1");
  shell.bad(2, "is less than 1", "$P check m.json --samples 0");
  shell.bad(2, "is not a whole number", "$P check m.json --samples -5");
  shell.bad(2, "is less than 1", "$P check m.json --threads 0");
  shell.bad(2, "is less than 1", "$P generate --states 0 --actions 2 --observations 4 --seed 1 -o x.json");
  shell.bad(2, "-o", "$P generate --states 3 --actions 2 --observations 4 --seed 1");
  shell.bad(2, "--policy", "$P simulate m.json --steps 10 --seed 1 -o x.csv");
  shell.bad(2, "name is empty", "$P simulate m.json --steps 10 --seed 1 --policy uniform -o ''");
  shell.bad(2, "x.pomdp: ", "$P generate --states 3 --actions 2 --observations 4 --seed 1 -o x.pomdp");
  shell.bad(2, "--epsilon is 0.5", "$P check m.json --samples 10 --epsilon 0.5");
  shell.bad(2, "both want standard output", "$P convert m.json -o - --to json --json");
}

void a_file_that_cannot_be_read_or_written_is_4() {
  const Shell shell("system");
  static_cast<void>(shell.good(generate + " && " + simulate + " && mkdir folder"));
  write(shell.folder / "t0.csv", "action,observation\n");
  shell.bad(4, "none.json: cannot be read", "$P check none.json");
  shell.bad(4, "folder: is a folder", "$P check folder");
  shell.bad(4, "none.csv: cannot be read", "$P count m.json none.csv -o c.json");
  shell.bad(4, "folder: is a folder", "$P count m.json t.csv folder -o c.json");
  shell.bad(4, "none/c.json: cannot be written", "$P count m.json t.csv -o none/c.json");
  shell.bad(4, "folder: is a folder", "$P count m.json t.csv -o folder");
  shell.bad(4, "/dev/full: cannot be written", "$P simulate m.json --steps 10 --seed 1 --policy uniform -o /dev/full");
  shell.bad(4, "standard output: cannot be written", "$P check m.json > /dev/full");
  shell.bad(4, "standard output: cannot be written", "$P check m.json --json > /dev/full");
  shell.bad(4, "standard output: cannot be written", generate + "2 > /dev/full");  // and no artefact either
  static_cast<void>(shell.good("$P generate --states 30 --actions 9 --observations 30 --seed 1 -o large.json"));
  shell.bad(4, "standard output: cannot be written", "$P estimate large.json t0.csv --json > /dev/full");
  TEST_ASSERT_EQUAL(4, shell.run("$P check none.json 2>&-").status);
  shell.bad(4, "standard output: cannot be written", "$P plan m.json --resolution 2 --steps 10 -o x.pnb >&-");  // not into the image either
  shell.bad(4, "File too large", "(ulimit -f 1; $P simulate m.json --steps 1e6 --seed 1 --policy uniform -o x.csv)");
  shell.bad(4, "none.pnb: cannot be read", "$P simulate m.json --steps 10 --seed 1 --policy none.pnb -o x.csv");
}

void bad_input_is_3_with_file_place_and_reason() {
  const Shell shell("input");
  static_cast<void>(shell.good(generate + " && " + simulate));
  write(shell.folder / "bad.json", "{\"penumbra\": \"model/1\",\n \"states\": }");
  write(shell.folder / "bad.pomdp", "states: 2\nactions: 1\nobservations: 1\nT: 0 : 7\n1 0\nO: 0\nuniform\n");
  write(shell.folder / "bad.csv", "action,observation\n0,1\n0,9\n");
  write(shell.folder / "counts.json", "{\"penumbra\":\"counts/1\",\"pairs\":[],\"samples\":[]}");
  const char* const with_a_model[] = {"check MODEL",
                                      "convert MODEL --to json -o x",
                                      "simulate MODEL --steps 10 --seed 1 --policy uniform -o x",
                                      "filter MODEL t.csv -o x",
                                      "count MODEL t.csv -o x",
                                      "estimate MODEL t.csv -o x",
                                      "plan MODEL -o x",
                                      "evaluate MODEL p.pnb"};
  for (const char* command : with_a_model) {
    const auto line = [command](const std::string& model) {
      std::string text = std::string("$P ") + command;
      return text.replace(text.find("MODEL"), 5, model);
    };
    shell.bad(3, "bad.json:2:", line("bad.json"));
    shell.bad(3, "bad.pomdp:4:", line("bad.pomdp"));
    shell.bad(3, "counts.json: penumbra is \"counts/1\"", line("counts.json"));
  }
  shell.bad(3, "bad.csv:3:3: ", "$P count m.json bad.csv -o x");
  shell.bad(3, "bad.csv:3:3: ", "$P estimate m.json bad.csv -o x");
  shell.bad(3, "bad.csv:3:3: ", "$P filter m.json bad.csv -o x");
  shell.bad(3, "m.json: ", "$P count m.json m.json -o x");
}

void a_failure_leaves_the_old_file_as_it_was() {
  const Shell shell("old_file");
  static_cast<void>(shell.good(generate));
  write(shell.folder / "bad.csv", "action,observation\n0,1\n0\n");
  write(shell.folder / "kept", "before");
  shell.bad(3, "bad.csv:3:", "$P filter m.json bad.csv -o kept");
  TEST_ASSERT_EQUAL_STRING("before", shell.file("kept").c_str());
}

void an_interrupted_command_leaves_nothing_behind() {
  const Shell shell("interrupted");
  static_cast<void>(shell.good(generate));
  for (const std::string& signal : {std::string("INT"), std::string("TERM"), std::string("QUIT"), std::string("HUP")}) {
    const Ran ran = shell.run("timeout -s " + signal +
                              " 1 $P simulate m.json --steps 1e12 --seed 1 --policy uniform -o t.csv & "
                              "for i in $(seq 200); do ls t.csv.* 2>/dev/null && break; sleep .02; done; wait $!; echo $?; ls");
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find("t.csv.") == 0, ran.out.c_str());  // it was in the middle of its work
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find("\n124\nm.json\n") != std::string::npos, ran.out.c_str());
  }
}

void what_ignores_a_signal_goes_on_ignoring_it() {
  const Shell shell("nohup");
  static_cast<void>(shell.good(generate));
  const Ran ran = shell.run(
      "(trap '' HUP; exec $P simulate m.json --steps 3e7 --seed 1 --policy uniform -o t.csv) & sleep .3; kill -HUP $!; wait $!; ls");
  TEST_ASSERT_TRUE_MESSAGE(ran.out.find("t.csv\n") != std::string::npos, ran.out.c_str());
}

void results_go_to_standard_output_and_nothing_else_does() {
  const Shell shell("streams");
  for (const std::string& line : {generate, simulate, std::string("$P check m.json"), std::string("$P filter m.json t.csv -o b.csv"),
                                  std::string("$P count m.json t.csv -o c.json"), std::string("$P estimate m.json t.csv -o e.json"),
                                  std::string("$P convert m.json -o n.json")}) {
    const Ran table = shell.good(line);
    TEST_ASSERT_TRUE_MESSAGE(!table.out.empty() && table.err.empty(), line.c_str());
    TEST_ASSERT_TRUE(table.out.find('\x1b') == std::string::npos);
    const Ran json = shell.good(line + " --json");
    TEST_ASSERT_TRUE(json.json().is_object() && json.err.empty());
  }
}

// `script` gives the command a terminal of its own.
void colour_is_for_terminals_and_obeys_no_color() {
  const Shell shell("colour");
  static_cast<void>(shell.good(generate));
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    TEST_IGNORE_MESSAGE("there is no command \"script\" here to make a terminal with");
  const auto in_terminal = [&](const std::string& setting) {
    return shell.good("env -u NO_COLOR " + setting + " TERM=xterm script -qec \"'$P' check m.json\" /dev/null </dev/null").out;
  };
  TEST_ASSERT_TRUE(in_terminal("A=1").find("\x1b[1m") != std::string::npos);
  TEST_ASSERT_TRUE(in_terminal("NO_COLOR=1").find('\x1b') == std::string::npos);
}

void progress_is_for_terminals_and_never_with_json() {
  const Shell shell("progress");
  static_cast<void>(shell.good(generate));
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    TEST_IGNORE_MESSAGE("there is no command \"script\" here to make a terminal with");
  const auto in_terminal = [&](const std::string& option) {
    return shell
        .good("TERM=xterm script -qec \"timeout 2 '$P' simulate m.json --steps 1e12 --seed 1 --policy uniform " + option +
              "\" /dev/null </dev/null; true")
        .out;
  };
  TEST_ASSERT_TRUE(in_terminal("").find("simulating   0 %") != std::string::npos);
  TEST_ASSERT_TRUE(in_terminal("--json").find("simulating") == std::string::npos);
}

void the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
  const Shell shell("threads");
  const auto all = [&](const std::string& threads) {
    std::string bytes;
    for (const std::string& line :
         {"$P generate --states 4 --actions 3 --observations 6 --seed 5 -o m.json" + threads,
          "$P simulate m.json --steps 20000 --seed 6 --policy myopic --min-action .1 --change-every 500 -o t.csv" + threads,
          "$P simulate m.json --steps 10000 --seed 7 --policy uniform -o u.csv" + threads, "$P filter m.json t.csv -o b.csv" + threads,
          "$P count m.json t.csv u.csv t.csv -o c.json" + threads, "$P estimate m.json u.csv c.json t.csv -o e.json" + threads}) {
      bytes += shell.good(line + " --json").out;
    }
    for (const char* name : {"m.json", "t.csv", "u.csv", "b.csv", "c.json", "e.json"}) bytes += shell.file(name);
    return bytes;
  };
  const std::string one = all(" --threads 1");
  TEST_ASSERT_TRUE(one == all(" --threads 2"));
  TEST_ASSERT_TRUE(one == all(""));
}

void everything_can_be_piped() {
  const Shell shell("pipes");
  static_cast<void>(shell.good(generate));
  static_cast<void>(shell.good("$P simulate m.json --steps 5000 --seed 1 --policy uniform -o t.csv && $P estimate m.json t.csv -o e.json"));
  static_cast<void>(shell.good(
      "$P simulate m.json --steps 5000 --seed 1 --policy uniform -o - | $P count m.json - -o - | $P estimate m.json - -o p.json"));
  TEST_ASSERT_TRUE(shell.file("e.json") == shell.file("p.json"));
  static_cast<void>(shell.good("$P estimate - t.csv -o p.json < m.json"));
  TEST_ASSERT_TRUE(shell.file("e.json") == shell.file("p.json"));
  shell.bad(2, "standard input", "$P estimate - - -o p2.json < m.json");
  shell.bad(2, "standard input", "$P estimate m.json - - -o p2.json < t.csv");
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(help_names_every_command_and_each_explains_itself);
  RUN_TEST(wrong_use_is_2_and_points_to_help);
  RUN_TEST(a_file_that_cannot_be_read_or_written_is_4);
  RUN_TEST(bad_input_is_3_with_file_place_and_reason);
  RUN_TEST(a_failure_leaves_the_old_file_as_it_was);
  RUN_TEST(an_interrupted_command_leaves_nothing_behind);
  RUN_TEST(what_ignores_a_signal_goes_on_ignoring_it);
  RUN_TEST(results_go_to_standard_output_and_nothing_else_does);
  RUN_TEST(colour_is_for_terminals_and_obeys_no_color);
  RUN_TEST(progress_is_for_terminals_and_never_with_json);
  RUN_TEST(the_same_seed_gives_the_same_bytes_on_any_number_of_threads);
  RUN_TEST(everything_can_be_piped);
  return UNITY_END();
}

// penumbra device: what users and scripts rely on. Boards are the host build of the rover's firmware, on this machine and on the other end of
// a pseudo-terminal, and small scripts that stand in for firmware that fails.
#include "on_a_device.hpp"

#include <cstdio>
#include <optional>

namespace {

using namespace penumbra::test;

const std::string generate = "$P generate --states 3 --actions 4 --observations 4 --seed 1 -o m.json";
const std::string other_sizes = "$P generate --states 2 --actions 3 --observations 4 --seed 1 -o other.json";

// --- Without a board

void the_list_has_the_boards_and_the_ports() {
  const Shell shell("list");
  const nlohmann::json json = shell.good("$P device list --json").json();
  TEST_ASSERT_TRUE(has_keys(json, {"boards", "ports", "emulator"}));
  TEST_ASSERT_TRUE(json["ports"].is_array() && json["emulator"].is_boolean());
  std::set<std::string> names;
  for (const nlohmann::json& board : json["boards"]) {
    TEST_ASSERT_TRUE(has_keys(board, {"name", "core", "machine", "firmware", "built"}));
    names.insert(board["name"].get<std::string>());
  }
  TEST_ASSERT_TRUE((names == std::set<std::string>{"microbit", "netduinoplus2", "mps2_an500", "mps2_an505", "mps3_an547", "host"}));
  TEST_ASSERT_TRUE(shell.good("$P device list").out.find("netduinoplus2  Cortex-M4F") != std::string::npos);
}

void wrong_use_is_told() {
  const Shell shell("use");
  shell.bad(2, "device", "$P device");
  shell.bad(2, "no command \"fly\"", "$P device fly");
  shell.bad(2, "which device?", "$P device status");
  shell.bad(2, "which device?", "$P device run " + world + " --steps 10");
  shell.bad(2, "--board", "$P device status --board host --port /dev/null");
  shell.bad(2, "there is no board \"toaster\"; the boards are: microbit, netduinoplus2", "$P device status --board toaster");
  shell.bad(2, "--port", "$P device status --board host --baud 9600");
  shell.bad(2, "--board", "$P device status --port /dev/null --flash f.bin");
  shell.bad(2, "the flash of microbit is the emulator's", "$P device status --board microbit --flash f.bin");
  shell.bad(2, "--steps", "$P device run " + world + " --board host");
  shell.bad(2, "is less than 1", "$P device run " + world + " --board host --steps 0");
  shell.bad(2, "--output", "$P device counts --board host");
  shell.bad(2, "wants every step in its order, and a board sends counts",
            "$P device learn " + world + " --board host --steps 10 --estimator trajectory -o out --store p.db --flash f.bin");
  shell.bad(2, "--estimator", "$P device learn " + world + " --board host --steps 10 --estimator spectral");
  shell.bad(2, "both want standard output", "$P device run " + world + " --board host --steps 10 -o - --json");
}

void what_is_not_there_is_told() {
  const Shell shell("missing");
  static_cast<void>(shell.good(generate));
  shell.bad(4, "none.elf: there is no such firmware", "$P device status --board netduinoplus2 --firmware none.elf");
  shell.bad(4, "run toolchains/setup",
            "touch f.elf && PATH=/nowhere $P device status --board netduinoplus2 --firmware f.elf; s=$?; rm f.elf; (exit $s)");
  shell.bad(4, "nowhere", "$P device status --port /dev/nowhere");
  shell.bad(4, "m.json", "$P device status --port ./m.json");
  shell.bad(4, "none.json", "$P device run none.json --board host --steps 10");
  shell.bad(4, "none.pnb", "$P device flash none.pnb --board host");
  shell.bad(3, "m.json", "$P device flash m.json --board host");
  shell.bad(4, "none/flash", "$P device status --board host --flash none/flash");
  static_cast<void>(shell.good("cp m.json n.json && cp /bin/true t && $P device status --board host --flash f.bin"));
  shell.bad(3, "m.json: is not the flash of host", "$P device status --board host --flash m.json");
  static_cast<void>(shell.good("cmp m.json n.json"));  // and is what it was
  shell.bad(3, "f.bin: is not the flash of netduinoplus2: it has 131072 bytes, and that has 32768",
            "$P device status --board netduinoplus2 --firmware m.json --flash f.bin");
  shell.bad(4, "is --firmware a program of this board", "$P device status --board host --firmware t");
  shell.bad(3, "m.json", "$P device status --board host --store m.json");
  shell.bad(4, "none.db", "$P device counts --store none.db -o c.json");
  static_cast<void>(shell.good(": >empty.db"));
  shell.bad(3, "empty.db: knows no device yet", "$P device counts --store empty.db -o c.json");
  static_cast<void>(shell.good("[ ! -s empty.db ]"));
}

void a_board_that_fails_ends_the_command_with_how() {
  const Shell shell("fails");
  write_script(shell, "ends", "exit 0\n");
  write_script(shell, "fault", "exit 70\n");
  write_script(shell, "dies", "kill -SEGV $$\n");
  write_script(shell, "late", "sleep .5; exit 3\n");
  const std::string start = "$P device status --board host --firmware ./";
  shell.bad(4, "host: the board ended, which a board does not", start + "ends");
  shell.bad(4, "host: the board stopped with a fault (status 70)", start + "fault");
  shell.bad(4, "host: the board died of signal 11", start + "dies");
  shell.bad(4, "host: the board ended with status 3", start + "late");
}

void a_board_that_is_silent_is_given_up_and_ended() {
  const Shell shell("silent");
  write_script(shell, "mute", "echo $$ >pid; echo 'hello  there'; exec sleep 1000\n");
  const Ran ran = shell.run("$P device status --board host --firmware ./mute --patience 3");
  TEST_ASSERT_EQUAL(4, ran.status);
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("host: hello  there\n") != std::string::npos, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("host: says nothing, and was waited for 3 s\n  not a byte has come\n") != std::string::npos,
                           ran.err.c_str());
  static_cast<void>(shell.good(gone));
}

void a_board_dies_with_the_command_whatever_that_dies_of() {
  const Shell shell("dies");
  write_script(shell, "mute", "echo $$ >pid; exec sleep 1000\n");
  static_cast<void>(
      shell.run("$P device status --board host --firmware ./mute & job=$!; " + until("[ -s pid ]") + "; kill -KILL $job; wait $job"));
  static_cast<void>(shell.good(gone));
}

// A board may be a script, and what it has started must not hold the command up.
void what_a_board_has_started_ends_with_it() {
  const Shell shell("group");
  write_script(shell, "parent", "sleep 1000; true\n");
  write_script(shell, "orphan", "sleep 1000 & exit 3\n");
  TEST_ASSERT_EQUAL(4, shell.run("timeout 60 $P device status --board host --firmware ./parent --patience 1").status);
  shell.bad(4, "host: the board ended with status 3", "timeout 60 $P device status --board host --firmware ./orphan");
}

void what_fails_leaves_no_file_behind() {
  const Shell shell("nothing");
  static_cast<void>(shell.good(other_sizes + " && $P plan other.json -o other.pnb"));
  write_script(shell, "mute", "exec sleep 1000\n");
  const std::string files = " --store n.db --flash f.bin";
  const auto leaves_nothing = [&] {
    static_cast<void>(shell.good("[ ! -e n.db ] && [ ! -e n.db-wal ] && [ ! -e n.db-shm ] && [ ! -e f.bin ]"));
  };
  shell.bad(2, "the flash of microbit", "$P device status --board microbit" + files);
  leaves_nothing();
  shell.bad(4, "there is no such firmware", "$P device status --board host --firmware none" + files);
  leaves_nothing();
  TEST_ASSERT_EQUAL(4, shell.run("$P device status --board host --firmware ./mute --patience 1" + files).status);
  leaves_nothing();
  shell.bad(2, "--model MODEL", "$P device monitor --board host" + files);
  leaves_nothing();
  shell.bad(3, "were expected", "$P device run other.json --steps 10 --board host" + files);
  leaves_nothing();
  shell.bad(3, "other.pnb: is for 2 states", "$P device flash other.pnb --board host" + files);
  leaves_nothing();
  static_cast<void>(shell.good("$P device status --board host" + files + " && [ -e n.db ] && [ -e f.bin ]"));
  // What was there stays.
  shell.bad(2, "--model MODEL", "$P device monitor --board host" + files);
  static_cast<void>(shell.good("[ -e n.db ] && [ -e f.bin ]"));
}

// --- With one

void sizes_that_differ_are_told() {
  const Shell shell("sizes");
  static_cast<void>(shell.good(other_sizes + " && $P plan other.json -o other.pnb"));
  const std::string is = "is built for 3 states, 4 actions and 4 observations, and 2 states, 3 actions and 4 observations were expected";
  shell.bad(3, is, "$P device run other.json --board host --steps 10 -o log.csv");
  shell.bad(3, is, "$P device learn other.json --board host --steps 10 -o out");
  shell.bad(3, is, "$P device monitor --model other.json --board host");
  shell.bad(3, "other.pnb: is for 2 states, 3 actions and 4 observations, and host is built for 3 states, 4 actions and 4 observations",
            "$P device flash other.pnb --board host");
}

void a_loop_test_counts_what_the_world_saw() {
  const Shell shell("run");
  const std::string line = "$P device run " + world + " --board host --steps 4000 --seed 3";
  const nlohmann::json json = shell.good(line + " -o log.csv --json").json();
  TEST_ASSERT_TRUE(has_keys(json, {"device",
                                   "board",
                                   "incarnation",
                                   "steps",
                                   "average_reward",
                                   "pairs",
                                   "pairs_counted",
                                   "agree",
                                   "missed_deadlines",
                                   "missed_observations",
                                   "impossible_observations",
                                   "frames",
                                   "repeats",
                                   "refused",
                                   "resets",
                                   "whole",
                                   "seconds",
                                   "seed",
                                   "model",
                                   "version"}));
  TEST_ASSERT_EQUAL(4000, json["steps"].get<int>());
  TEST_ASSERT_EQUAL(3999, json["pairs"].get<int>());
  TEST_ASSERT_EQUAL(3999, json["pairs_counted"].get<int>());
  TEST_ASSERT_TRUE(json["agree"].get<bool>() && json["whole"].get<bool>());
  TEST_ASSERT_EQUAL_STRING("host", json["board"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL(4001, lines_in(shell.file("log.csv")));
  const nlohmann::json samples = shell.good("$P count " + world + " log.csv --json").json()["samples"];
  TEST_ASSERT_EQUAL(3999, samples[0].get<int>() + samples[1].get<int>() + samples[2].get<int>() + samples[3].get<int>());
  // The same seed is the same world, and the same board.
  static_cast<void>(shell.good(line + " -o again.csv && cmp log.csv again.csv"));
  TEST_ASSERT_TRUE(shell.good(line).out.find("pairs counted by the device   3,999") != std::string::npos);
  shell.bad(4, "standard output", line + " -o log2.csv > /dev/full");
}

void the_store_has_what_the_devices_counted() {
  const Shell shell("store");
  const std::string run = "$P device run " + world + " --board host --store p.db --json";
  // Boards without a flash that is kept are new ones each time, and their counts add up.
  TEST_ASSERT_EQUAL(1001, shell.good(run + " --steps 1000").json()["device"].get<int>());
  TEST_ASSERT_EQUAL(1002, shell.good(run + " --steps 500 --seed 2").json()["device"].get<int>());
  const nlohmann::json counts = shell.good("$P device counts --store p.db -o c.json --json").json();
  TEST_ASSERT_TRUE(has_keys(counts, {"samples", "output"}));
  const auto total = [](const nlohmann::json& samples) {
    int sum = 0;
    for (const nlohmann::json& one : samples) sum += one.get<int>();
    return sum;
  };
  TEST_ASSERT_EQUAL(999 + 499, total(counts["samples"]));
  TEST_ASSERT_EQUAL_STRING("counts/1", nlohmann::json::parse(shell.file("c.json"))["penumbra"].get<std::string>().c_str());
  static_cast<void>(shell.good("$P estimate " + world + " c.json -o e.json"));
  // One that keeps its flash is the same one, at another boot.
  const nlohmann::json first = shell.good(run + " --steps 100 --flash f.bin --id 9").json();
  const nlohmann::json second = shell.good(run + " --steps 100 --flash f.bin --id 9").json();
  TEST_ASSERT_EQUAL(9, second["device"].get<int>());
  TEST_ASSERT_EQUAL(first["incarnation"].get<int>() + 1, second["incarnation"].get<int>());
  TEST_ASSERT_EQUAL(1498 + 198, total(shell.good("$P device counts --store p.db -o c.json --json").json()["samples"]));
  // Nor is one that keeps it taken for one that did not.
  TEST_ASSERT_EQUAL(1, shell.good(run + " --steps 101 --flash g.bin").json()["device"].get<int>());
  TEST_ASSERT_EQUAL(1696 + 100, total(shell.good("$P device counts --store p.db -o c.json --json").json()["samples"]));
  // A board that has forgotten its boots would have its counts taken for old ones.
  shell.bad(3, "p.db: has counts of boot 2 of device 9, and this is boot 1", run + " --steps 100 --id 9");
}

void a_device_tells_how_it_is() {
  const Shell shell("status");
  const nlohmann::json json = shell.good("$P device status --board host --id 5 --json").json();
  TEST_ASSERT_TRUE(has_keys(json, {"device",
                                   "board",
                                   "incarnation",
                                   "states",
                                   "actions",
                                   "observations",
                                   "slot_size",
                                   "features",
                                   "ticks",
                                   "pairs",
                                   "missed_deadlines",
                                   "missed_observations",
                                   "impossible_observations",
                                   "observations_out_of_range",
                                   "saturations",
                                   "frames_refused",
                                   "episode",
                                   "episode_ended",
                                   "safe",
                                   "image",
                                   "failed_image",
                                   "version"}));
  TEST_ASSERT_EQUAL(5, json["device"].get<int>());
  TEST_ASSERT_TRUE(json["image"].is_null() && json["features"]["plant"].get<bool>());
  TEST_ASSERT_TRUE(shell.good("$P device status --board host").out.find("none: it explores uniformly") != std::string::npos);
}

void an_image_that_was_flashed_is_there_after_the_next_boot() {
  const Shell shell("flash");
  static_cast<void>(shell.good("$P plan " + world + " -o p.pnb --sequence 1 && $P plan " + world + " --vectors 4 -o q.pnb --sequence 2"));
  const nlohmann::json json = shell.good("$P device flash p.pnb --board host --flash f.bin --store p.db --json").json();
  TEST_ASSERT_TRUE(
      has_keys(json, {"device", "board", "image", "size", "sequence", "checksum", "confirmed", "problem", "seconds", "version"}));
  TEST_ASSERT_TRUE(json["confirmed"].get<bool>() && json["problem"].is_null());
  const nlohmann::json image = shell.good("$P device status --board host --flash f.bin --json").json()["image"];
  TEST_ASSERT_TRUE(image["confirmed"].get<bool>());
  TEST_ASSERT_EQUAL(1, image["sequence"].get<int>());
  TEST_ASSERT_TRUE(image["checksum"] == json["checksum"]);
  static_cast<void>(shell.good("$P device flash q.pnb --board host --flash f.bin --store p.db --model " + world));
  TEST_ASSERT_EQUAL(2, shell.good("$P device status --board host --flash f.bin --json").json()["image"]["sequence"].get<int>());
}

void learning_comes_close_to_the_optimum_and_leaves_its_files() {
  const Shell shell("learn");
  const std::string line = "$P device learn " + world + " --board host --steps 60000 --seed 2 --repeatable -o out";
  const nlohmann::json json = shell.good(line + " --json").json();
  TEST_ASSERT_TRUE(has_keys(json, {"device",        "board",
                                   "steps",         "average_reward",
                                   "optimal_gain",  "optimal_gain_method",
                                   "episodes",      "pairs",
                                   "pairs_counted", "missed_deadlines",
                                   "frames",        "repeats",
                                   "resets",        "whole",
                                   "seconds",       "seed",
                                   "repeatable",    "options",
                                   "model",         "remarks",
                                   "files",         "version"}));
  const nlohmann::json& episodes = json["episodes"];
  TEST_ASSERT_TRUE(episodes.size() >= 3);
  TEST_ASSERT_TRUE(
      has_keys(episodes[0], {"episode", "ticks", "pairs", "average_reward", "share", "planned_gain", "sequence", "image_size"}));
  TEST_ASSERT_TRUE(episodes[0]["share"].get<double>() < 0.5 && episodes[0]["planned_gain"].is_null());
  TEST_ASSERT_TRUE(episodes.back()["share"].get<double>() > 0.9);
  TEST_ASSERT_EQUAL(60000, json["steps"].get<int>());
  for (const char* file : {"curve.csv", "curve.svg", "curve.png", "episodes.csv", "policy.pnb", "policy.svg"}) {
    TEST_ASSERT_TRUE_MESSAGE(!content(shell.folder / "out" / file).empty(), file);
  }
  TEST_ASSERT_EQUAL(6, json["files"].size());
  TEST_ASSERT_EQUAL(0, content(shell.folder / "out/curve.csv").find("tick,reward,optimum\n"));
  static_cast<void>(shell.good("$P image verify out/policy.pnb && mv out first"));
  const Ran table = shell.good(line);
  static_cast<void>(shell.good("diff -r first out"));  // the same seed, the same bytes
  TEST_ASSERT_TRUE(table.out.find("of the optimum") != std::string::npos && table.out.find("█") != std::string::npos);
  TEST_ASSERT_TRUE(table.out.find("out/policy.svg") != std::string::npos);
  shell.bad(2, "--min-action", "$P device learn " + world + " --board host --steps 10 --min-action .1");
}

// Also where the last image is still on trial when the steps are made: what is heard of it then does not let the world go on.
void short_runs_that_repeat_end_well_and_repeat() {
  const Shell shell("repeat");
  for (const std::string steps : {"3000", "6000"}) {
    nlohmann::json runs[2];
    for (nlohmann::json& run : runs)
      run = shell.good("$P device learn " + world + " --board host --repeatable --json --steps " + steps).json();
    TEST_ASSERT_EQUAL(std::stoi(steps), runs[0]["steps"].get<int>());
    TEST_ASSERT_TRUE(runs[0]["agree"].get<bool>());
    for (const char* key : {"steps", "average_reward", "episodes", "pairs_counted"})
      TEST_ASSERT_TRUE_MESSAGE(runs[0][key] == runs[1][key], key);
  }
}

// It has what a board sends, so the estimates are those of one that learns in this process: but for the luck of each.
void learning_with_estimates_of_greatest_likelihood_works_with_a_board_too() {
  const Shell shell("counts");
  const std::string line =
      "$P device learn " + world + " --board host --steps 12000 --seed 2 --repeatable --json --t0 1000 --least-samples 2";
  const nlohmann::json json = shell.good(line + " --estimator counts").json();
  TEST_ASSERT_EQUAL_STRING("counts", json["options"]["estimator"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_DOUBLE(2, json["options"]["least-samples"].get<double>());
  TEST_ASSERT_EQUAL(12000, json["steps"].get<int>());
  TEST_ASSERT_TRUE(json["agree"].get<bool>() && json["whole"].get<bool>());
  TEST_ASSERT_TRUE(json["episodes"].size() >= 3);
  const nlohmann::json aoas = shell.good(line).json();
  TEST_ASSERT_EQUAL_STRING("aoas", aoas["options"]["estimator"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL(aoas["episodes"][0]["pairs"].get<int>(), json["episodes"][0]["pairs"].get<int>());  // uniform, and the same luck
  TEST_ASSERT_TRUE(aoas["episodes"][1]["planned_gain"] != json["episodes"][1]["planned_gain"]);
  std::printf("planned by AOAS %.4f, by counts %.4f; earned in all %.4f and %.4f of %.4f\n",
              aoas["episodes"].back()["planned_gain"].get<double>(), json["episodes"].back()["planned_gain"].get<double>(),
              aoas["average_reward"].get<double>(), json["average_reward"].get<double>(), json["optimal_gain"].get<double>());
}

// The store has some.
const std::string has_counts = "{ $P device counts --store p.db -o c.json >/dev/null 2>&1 && grep -q '\"samples\":.*[1-9]' c.json; }";

void an_interrupted_run_tells_how_far_it_came_and_keeps_its_counts() {
  const Shell shell("interrupted");
  const Ran cut = shell.run("($P device run " + world + " --board host --steps 4e9 --store p.db --json -o log.csv 2>said & job=$!; " +
                            until(has_counts) + "; kill -TERM $job; wait $job)");
  TEST_ASSERT_EQUAL_MESSAGE(143, cut.status, shell.file("said").c_str());
  const nlohmann::json json = cut.json();
  TEST_ASSERT_FALSE(json["whole"].get<bool>());
  TEST_ASSERT_TRUE_MESSAGE(json["agree"].get<bool>(), shell.file("said").c_str());
  TEST_ASSERT_TRUE(json["steps"].get<int>() > 1);
  TEST_ASSERT_TRUE(shell.file("said").find("interrupted: the figures are of") != std::string::npos);
  TEST_ASSERT_EQUAL(json["steps"].get<size_t>() + 1, lines_in(shell.file("log.csv")));
  const nlohmann::json samples = shell.good("$P device counts --store p.db -o c.json --json").json()["samples"];
  size_t sum = 0;
  for (const nlohmann::json& one : samples) sum += one.get<size_t>();
  TEST_ASSERT_EQUAL(json["steps"].get<size_t>() - 1, sum);
}

// Ctrl-C goes to all that the terminal started, and not to the board, which has yet to tell what it counted.
void ctrl_c_leaves_a_consistent_store() {
  for (const char* command : {"run", "learn"}) {
    const Shell shell("ctrl_c");
    const std::string line = "cd '" + shell.folder.string() + "' && exec '" PENUMBRA_COMMAND "' device " + command + " " + world +
                             " --board host --steps 4e9 --store p.db --json >out 2>said";
    const pid_t process = ::fork();
    if (process == 0) {
      ::setpgid(0, 0);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    static_cast<void>(shell.good(until(has_counts)));
    ::kill(-process, SIGINT);
    int status = 0;
    ::waitpid(process, &status, 0);
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, shell.file("said").c_str());
    const nlohmann::json json = nlohmann::json::parse(shell.file("out"));
    TEST_ASSERT_TRUE_MESSAGE(json["agree"].get<bool>() && !json["whole"].get<bool>(), shell.file("said").c_str());
    TEST_ASSERT_FALSE_MESSAGE(std::filesystem::exists(shell.folder / "p.db-wal"), "the store was left open");
    const nlohmann::json samples = shell.good("$P device counts --store p.db -o c.json --json").json()["samples"];
    int sum = 0;
    for (const nlohmann::json& one : samples) sum += one.get<int>();
    TEST_ASSERT_EQUAL(json["pairs_counted"].get<int>(), sum);
  }
}

void learning_that_was_killed_goes_on_from_the_store() {
  const Shell shell("killed");
  const std::string line = "$P device learn " + world + " --board host --store p.db --flash f.bin";
  static_cast<void>(
      shell.run("(" + line + " --steps 4e9 >out & job=$!; " + until("grep -q '^ *1 ' out") + "; kill -KILL $job; wait $job)"));
  static_cast<void>(shell.good(until("flock -n f.bin true")));  // its board dies after it
  const nlohmann::json before = shell.good("$P device counts --store p.db -o c.json --json").json()["samples"];
  TEST_ASSERT_TRUE(before[0].get<int>() > 0);
  const nlohmann::json json = shell.good(line + " --steps 20000 --json").json();
  TEST_ASSERT_TRUE(json["episodes"][0]["episode"].get<int>() > 0);  // not from the beginning
  TEST_ASSERT_TRUE(json["average_reward"].get<double>() > 0.7 * json["optimal_gain"].get<double>());
}

void a_monitor_that_is_no_terminal_prints_lines() {
  const Shell shell("monitor");
  const std::string line = "$P device monitor --board host --model " + world + " --steps 4 --rate 100";
  const Ran ran = shell.good(line);
  TEST_ASSERT_EQUAL(4, lines_in(ran.out));
  TEST_ASSERT_TRUE_MESSAGE(ran.out.find("reward ") != std::string::npos && ran.out.find(" belief dock 0.") != std::string::npos &&
                               ran.out.find('\x1b') == std::string::npos,
                           ran.out.c_str());
  const nlohmann::json json = shell.good(line + " --json").json();
  TEST_ASSERT_TRUE(has_keys(json, {"device", "board", "looks", "average_reward", "version"}));
  TEST_ASSERT_EQUAL(4, json["looks"].size());
  TEST_ASSERT_TRUE(has_keys(json["looks"][3], {"ticks", "action", "observation", "reward", "belief"}));
  TEST_ASSERT_EQUAL(3, json["looks"][3]["belief"].size());
  shell.bad(2, "--model MODEL", "$P device monitor --board host --steps 4");
}

void a_monitor_on_a_terminal_draws_bars_in_place() {
  const Shell shell("bars");
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    TEST_IGNORE_MESSAGE("there is no command \"script\" here to make a terminal with");
  const Ran ran = shell.good("TERM=xterm script -qec \"'$P' device monitor --board host --steps 4 --rate 100 --model " + world +
                             "\" /dev/null </dev/null");
  for (const char* part : {"tick 4", "dock  ", "█", "action ", "reward ", "average ", "\x1b[9F", "\x1b[K"}) {
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find(part) != std::string::npos, (part + ("\n" + ran.out)).c_str());
  }
}

void a_serial_port_does_what_a_board_here_does() {
  const Shell shell("port");
  const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin");
  TEST_ASSERT_EQUAL(7, shell.good(on_port + "status --json --port ./tty").json()["device"].get<int>());
  // The board goes on between commands: what it counted before does not disturb the second.
  for (int i = 0; i < 2; ++i) {
    const nlohmann::json json = shell.good(on_port + "run " + world + " --steps 500 --json --port ./tty").json();
    TEST_ASSERT_TRUE(json["agree"].get<bool>());
    TEST_ASSERT_EQUAL(499, json["pairs"].get<int>());
  }
  const nlohmann::json counts = shell.good(on_port + "counts -o c.json --json --port ./tty").json()["samples"];
  TEST_ASSERT_EQUAL(998, counts[0].get<int>() + counts[1].get<int>() + counts[2].get<int>() + counts[3].get<int>());
  // Two cannot have it at once.
  const Ran both = shell.run("(" + on_port + "monitor --model " + world + " --port ./tty >looks & job=$!; " + until("[ -s looks ]") + "; " +
                             on_port + "status --port ./tty; status=$?; kill -TERM $job; wait $job; exit $status)");
  TEST_ASSERT_EQUAL_MESSAGE(4, both.status, both.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(both.err.find("is in use by another program") != std::string::npos, both.err.c_str());
}

void a_port_that_was_pulled_out_is_waited_for() {
  const Shell shell("pulled");
  std::optional<BoardOnPort> board(std::in_place, shell.folder / "tty", shell.folder / "f.bin");
  const std::string line = on_port + "run " + world + " --steps 4e9 --json --port ./tty -o log.csv";
  const std::string acts = until("find . -name 'log.csv.*' -size +0 | grep -q .");
  TEST_ASSERT_EQUAL(0, shell.run("(" + line + " --patience 60 >out 2>said & echo $! >pid)").status);
  static_cast<void>(shell.good(acts));
  board.reset();
  static_cast<void>(shell.good(until("grep 'has gone; trying to have it back' said")));
  board.emplace(shell.folder / "tty", shell.folder / "f.bin");
  static_cast<void>(shell.good(until("grep 'has started again: boot 2 after 1' said") + "; kill -TERM $(cat pid); " + gone));
  const std::string said = shell.file("said");
  TEST_ASSERT_TRUE_MESSAGE(said.find("./tty: is back\n") != std::string::npos, said.c_str());
  const nlohmann::json json = nlohmann::json::parse(shell.file("out"));
  TEST_ASSERT_EQUAL(1, json["resets"].get<int>());
  TEST_ASSERT_EQUAL(2, json["incarnation"].get<int>());
  // One that does not come back is given up.
  TEST_ASSERT_EQUAL(0, shell.run("(" + line + " --patience 3 2>said; echo $? >status) & " + acts).status);
  board.reset();
  static_cast<void>(shell.good(until("[ -s status ]")));
  TEST_ASSERT_EQUAL_STRING_MESSAGE("4\n", shell.file("status").c_str(), shell.file("said").c_str());
  TEST_ASSERT_TRUE_MESSAGE(shell.file("said").find("did not come back in 3 s") != std::string::npos, shell.file("said").c_str());
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_list_has_the_boards_and_the_ports);
  RUN_TEST(wrong_use_is_told);
  RUN_TEST(what_is_not_there_is_told);
  RUN_TEST(a_board_that_fails_ends_the_command_with_how);
  RUN_TEST(a_board_that_is_silent_is_given_up_and_ended);
  RUN_TEST(a_board_dies_with_the_command_whatever_that_dies_of);
  RUN_TEST(what_a_board_has_started_ends_with_it);
  RUN_TEST(what_fails_leaves_no_file_behind);
  RUN_TEST(sizes_that_differ_are_told);
  RUN_TEST(a_loop_test_counts_what_the_world_saw);
  RUN_TEST(the_store_has_what_the_devices_counted);
  RUN_TEST(a_device_tells_how_it_is);
  RUN_TEST(an_image_that_was_flashed_is_there_after_the_next_boot);
  RUN_TEST(learning_comes_close_to_the_optimum_and_leaves_its_files);
  RUN_TEST(short_runs_that_repeat_end_well_and_repeat);
  RUN_TEST(learning_with_estimates_of_greatest_likelihood_works_with_a_board_too);
  RUN_TEST(an_interrupted_run_tells_how_far_it_came_and_keeps_its_counts);
  RUN_TEST(ctrl_c_leaves_a_consistent_store);
  RUN_TEST(learning_that_was_killed_goes_on_from_the_store);
  RUN_TEST(a_monitor_that_is_no_terminal_prints_lines);
  RUN_TEST(a_monitor_on_a_terminal_draws_bars_in_place);
  RUN_TEST(a_serial_port_does_what_a_board_here_does);
  RUN_TEST(a_port_that_was_pulled_out_is_waited_for);
  return UNITY_END();
}

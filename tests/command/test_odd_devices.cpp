// penumbra device with devices that are not the rover: robots with a world of their own, devices with a log or with nothing, several at once, and
// those that fail. What they are is in odd_board.cpp.
#include "on_a_device.hpp"

#include <numeric>

namespace {

using namespace penumbra::test;

// `--board host` with an odd board, whose differences are `how`.
std::string odd(const Shell& shell, const char* name, const std::string& how) {
  write_script(shell, name, "exec '" PENUMBRA_ODD_BOARD "' \"$@\" " + how + "\n");
  return " --board host --firmware ./" + std::string(name) + " ";
}

int sum(const nlohmann::json& numbers) {
  const auto all = numbers.get<std::vector<int>>();
  return std::accumulate(all.begin(), all.end(), 0);
}

// --- Robots and devices of other kinds

void a_robot_with_a_world_of_its_own_is_served() {
  const Shell shell("robot");
  const std::string robot = odd(shell, "robot", "own_world=1");
  static_cast<void>(shell.good("$P plan " + world + " --vectors 4 -o p.pnb"));
  static_cast<void>(shell.good("$P device counts -o c.json --store p.db" + robot));
  const nlohmann::json looks = shell.good("$P device monitor --steps 3 --rate 50 --json" + robot).json()["looks"];
  TEST_ASSERT_EQUAL(3, looks.size());
  TEST_ASSERT_TRUE(looks[2]["ticks"].get<int>() > looks[0]["ticks"].get<int>());
  TEST_ASSERT_TRUE(shell.good("$P device flash p.pnb --json" + robot).json()["confirmed"].get<bool>());
  shell.bad(3, "acts in a world of its own", "$P device run " + world + " --steps 10" + robot);
  // What it counts while nobody looks is there for whoever asks.
  const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin", PENUMBRA_ODD_BOARD, "own_world=1");
  static_cast<void>(
      shell.good(until("{ " + on_port + "counts -o c.json --port ./tty >/dev/null && grep -q '\"samples\":.*[1-9]' c.json; }")));
}

void a_log_says_as_much_as_counts() {
  const Shell shell("log");
  const std::string logger = odd(shell, "logger", "keeps=1");
  // Not a multiple of what a reading takes: the rest has to be asked for.
  for (const char* more : {"", " --store p.db", " --faults 0.02"}) {
    const nlohmann::json json = shell.good("$P device run " + world + " --steps 110 --json" + more + logger).json();
    TEST_ASSERT_EQUAL(109, json["pairs_counted"].get<int>());
    TEST_ASSERT_TRUE(json["agree"].get<bool>());
  }
  TEST_ASSERT_EQUAL(109, sum(shell.good("$P device counts --store p.db -o c.json --json").json()["samples"]));
  // Where the world does not wait, what it does while an image is sent takes no end on a busy machine: enough steps for several episodes.
  for (const char* more : {" --steps 60000", " --steps 12000 --repeatable --store q.db"}) {
    const nlohmann::json json = shell.good("$P device learn " + world + " --json" + more + logger).json();
    TEST_ASSERT_TRUE_MESSAGE(json["agree"].get<bool>() && json["episodes"].size() >= 2, json.dump().c_str());
    // The pair across each new image is not counted.
    TEST_ASSERT_TRUE(json["pairs"].get<size_t>() - json["pairs_counted"].get<size_t>() <= json["episodes"].size() + 1);
  }
}

// What it logged before belongs to another world.
void a_log_that_was_there_before_is_not_counted_again() {
  const Shell shell("old_log");
  const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin", PENUMBRA_ODD_BOARD, "keeps=1");
  for (int i = 0; i < 2; ++i) {
    const nlohmann::json json = shell.good(on_port + "run " + world + " --steps 100 --json --port ./tty").json();
    TEST_ASSERT_EQUAL(99, json["pairs_counted"].get<int>());
  }
  const nlohmann::json json = shell.good(on_port + "learn " + world + " --steps 3000 --json --port ./tty").json();
  TEST_ASSERT_TRUE(json["agree"].get<bool>());
}

void a_device_that_keeps_nothing_is_told_apart() {
  const Shell shell("nothing");
  const std::string forgetful = odd(shell, "forgetful", "keeps=2");
  const std::string refusal = "keeps neither counts nor a log of its steps";
  shell.bad(3, refusal, "$P device counts -o c.json" + forgetful);
  shell.bad(3, refusal, "$P device run " + world + " --steps 10" + forgetful);
  shell.bad(3, refusal, "$P device learn " + world + " --steps 10" + forgetful);
  static_cast<void>(shell.good("$P device status" + forgetful));
  static_cast<void>(shell.good("$P device monitor --steps 2 --rate 100 --model " + world + forgetful));
}

// A firmware that says one thing over and over again, and hears nothing.
std::string parrot(const Shell& shell, const char* name, const std::string& message) {
  write(shell.folder / (std::string(name) + ".py"), R"(import os, sys, time, zlib
message = )" + message + R"(
message += zlib.crc32(message).to_bytes(4, "little")
out, mark = bytearray([0]), 0
for byte in message:
    out.append(byte)
    if byte == 0: out[mark], mark = len(out) - 1 - mark, len(out) - 1
out[mark] = len(out) - mark
line = int(next(word[3:] for word in sys.argv if word.startswith("fd=")))
while True:
    os.write(line, bytes(out) + b"\0")
    time.sleep(.02)
)");
  write_script(shell, name, "exec python3 " + std::string(name) + ".py \"$@\"\n");
  return " --board host --firmware ./" + std::string(name) + " ";
}

void another_version_of_the_link_is_told() {
  const Shell shell("version");
  const std::string newer = parrot(shell, "newer", "bytes([0x81, 2, 0, 1]) + bytes(20)");
  shell.bad(4, "speaks version 2 of the link, and this program version 1", "$P device status" + newer);
}

void a_device_that_talks_and_answers_nothing_is_given_up() {
  const Shell shell("deaf");
  const std::string deaf = parrot(shell, "deaf", "bytes([0x82, 1, 0, 0, 2, 0])");  // its first action
  const Ran ran = shell.run("timeout 60 $P device status --patience 5" + deaf);
  TEST_ASSERT_EQUAL_MESSAGE(4, ran.status, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("host: answers nothing, and was waited for 5 s\n") != std::string::npos, ran.err.c_str());
}

void a_device_that_answers_and_does_not_act_is_given_up() {
  const Shell shell("stands");
  const std::string first = odd(shell, "first", "stands=100");
  shell.bad(4, "host: does not act", "timeout 60 $P device run " + world + " --steps 300 --patience 5" + first);
  // A robot that was stopped: it answers all the same, and its trial would never be over. The second time it has booted with an image.
  const std::string stopped = odd(shell, "stopped", "own_world=1 stands=1");
  const std::string goes_on = odd(shell, "goes_on", "own_world=1");
  for (const char* vectors : {"4", "6"}) {
    static_cast<void>(shell.good("$P plan " + world + " --vectors " + vectors + " -o p.pnb"));
    const std::string flash = "timeout 60 $P device flash p.pnb --flash f.bin --patience 5";
    const Ran ran = shell.run(flash + stopped);
    TEST_ASSERT_EQUAL_MESSAGE(4, ran.status, ran.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find("host: has an image on trial, and has not ticked for 5 s\n") != std::string::npos,
                             ran.err.c_str());
    static_cast<void>(shell.good(flash + goes_on));
  }
}

void a_robot_that_keeps_a_log_is_watched_at_work() {
  const Shell shell("watched");
  const std::string line = "$P device monitor --steps 5 --rate 20" + odd(shell, "robot", "own_world=1 keeps=1");
  const nlohmann::json last = shell.good(line + "--json --model " + world).json()["looks"][4];
  const std::set<std::string> actions = {"drive", "unload", "scan", "rock"};
  TEST_ASSERT_TRUE_MESSAGE(actions.count(last["action"].get<std::string>()) == 1 && last["reward"].is_number(), last.dump().c_str());
  const nlohmann::json nameless = shell.good(line + "--json").json()["looks"][4];
  TEST_ASSERT_TRUE_MESSAGE(nameless["action"].is_string() && nameless["reward"].is_null(), nameless.dump().c_str());
  const std::string both = odd(shell, "both", "own_world=1 keeps=3");
  const nlohmann::json looks = shell.good("$P device monitor --steps 5 --rate 20 --store p.db --json" + both).json()["looks"];
  TEST_ASSERT_TRUE_MESSAGE(looks[4]["action"].is_string(), looks.dump().c_str());
  const Ran lines = shell.good(line + "--model " + world);
  TEST_ASSERT_TRUE_MESSAGE(lines.out.find(" -> ") != std::string::npos && lines.out.find("reward ") != std::string::npos,
                           lines.out.c_str());
}

// --- A store and several devices

void boards_that_start_at_once_have_numbers_of_their_own() {
  const Shell shell("at_once");
  const std::string run = "$P device run " + world + " --board host --store p.db --steps 500 --json";
  static_cast<void>(
      shell.good("(" + run + " >1.json & a=$!; " + run + " >2.json & b=$!; " + run + " >3.json & wait $! && wait $a && wait $b)"));
  std::set<int> numbers;
  for (const char* file : {"1.json", "2.json", "3.json"}) numbers.insert(nlohmann::json::parse(shell.file(file))["device"].get<int>());
  TEST_ASSERT_TRUE((numbers == std::set<int>{1001, 1002, 1003}));
  TEST_ASSERT_EQUAL(3 * 499, sum(shell.good("$P device counts --store p.db -o c.json --json").json()["samples"]));
}

void images_of_one_project_have_numbers_of_their_own() {
  const Shell shell("numbers");
  static_cast<void>(shell.good("$P plan " + world + " --vectors 4 -o p.pnb && $P plan " + world + " --vectors 6 -o q.pnb"));
  const std::string flash = " --board host --store p.db --json";
  const int first = shell.good("$P device flash p.pnb --flash f.bin" + flash).json()["sequence"].get<int>();
  TEST_ASSERT_EQUAL(first + 1, shell.good("$P device flash q.pnb" + flash).json()["sequence"].get<int>());
  // The one in use is not sent again under another number.
  TEST_ASSERT_EQUAL(first, shell.good("$P device flash p.pnb --flash f.bin" + flash).json()["sequence"].get<int>());
}

void a_device_that_lost_its_flash_is_not_taken_for_the_old_one() {
  const Shell shell("erased");
  const std::string run = on_port + "run " + world + " --store p.db --json --port ./tty --steps ";
  {
    const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin");
    static_cast<void>(shell.good(run + "500"));
    static_cast<void>(shell.good(run + "500"));  // the same one
  }
  const BoardOnPort erased(shell.folder / "tty", shell.folder / "g.bin");
  shell.bad(3, "p.db: has counts of boot 1 of device 7 up to tick ", run + "500");
  TEST_ASSERT_EQUAL(998, sum(shell.good("$P device counts --store p.db -o c.json --json").json()["samples"]));
}

void a_port_can_be_asked_for_a_certain_device() {
  const Shell shell("expected");
  const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin");
  static_cast<void>(shell.good(on_port + "status --port ./tty --id 7"));
  shell.bad(3, "is device 7, and device 8 was expected", on_port + "status --port ./tty --id 8");
}

// --- Devices that fail

void counts_that_are_not_what_the_world_saw_are_a_no() {
  const Shell shell("wrong");
  const std::string liar = odd(shell, "liar", "wrong=50");
  for (const char* command : {"run ", "learn "}) {
    const Ran ran = shell.run("$P device " + (command + world) + " --steps 3000 --json" + liar);
    TEST_ASSERT_EQUAL_MESSAGE(1, ran.status, ran.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find("counts disagree") != std::string::npos, ran.err.c_str());
    TEST_ASSERT_FALSE(ran.json()["agree"].get<bool>());
  }
}

// On a port the first run finds it; the next ones are not blamed for it.
void a_missed_deadline_is_a_no() {
  const Shell shell("late");
  const BoardOnPort board(shell.folder / "tty", shell.folder / "f.bin", PENUMBRA_ODD_BOARD, "late=100");
  const std::string run = on_port + "run " + world + " --steps 300 --json --port ./tty";
  const Ran ran = shell.run(run);
  TEST_ASSERT_EQUAL_MESSAGE(1, ran.status, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("missed 1 deadlines") != std::string::npos, ran.err.c_str());
  TEST_ASSERT_EQUAL(0, shell.good(run).json()["missed_deadlines"].get<int>());
  // Nor is the last tick of all forgotten.
  shell.bad(1, "missed 1 deadlines", "$P device run " + world + " --steps 300" + odd(shell, "last", "late=300"));
}

void an_image_that_the_device_gives_up_is_a_no() {
  const Shell shell("fails");
  const std::string board = odd(shell, "failing", "fails=1");
  static_cast<void>(shell.good("$P plan " + world + " --vectors 4 -o p.pnb"));
  const std::string problem = "gave p.pnb (checksum ";
  static_cast<void>(shell.bad(1, problem, "$P device flash p.pnb" + board));
  const Ran ran = shell.bad(1, problem, "$P device flash p.pnb --json" + board);
  TEST_ASSERT_FALSE(ran.json()["confirmed"].get<bool>());
  TEST_ASSERT_TRUE(ran.json()["problem"].get<std::string>().find(problem) != std::string::npos);
  const Ran learned = shell.run("timeout 60 $P device learn " + world + " --steps 4e9 --json" + board);
  TEST_ASSERT_EQUAL_MESSAGE(1, learned.status, learned.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(learned.err.find("gave one image after the other up: learning ended after ") != std::string::npos,
                           learned.err.c_str());
  TEST_ASSERT_FALSE(learned.json()["whole"].get<bool>());
}

void a_board_that_starts_again_is_a_no_where_pairs_are_lost() {
  const Shell shell("restart");
  const std::string weak = odd(shell, "weak", "restart=400");
  for (const char* command : {"run ", "learn "}) {
    const Ran ran = shell.run("$P device " + (command + world) + " --steps 3000 --json" + weak);
    TEST_ASSERT_EQUAL_MESSAGE(1, ran.status, ran.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find("started again meanwhile") != std::string::npos, ran.err.c_str());
    TEST_ASSERT_EQUAL(1, ran.json()["resets"].get<int>());
  }
}

// Nothing is lost where it started again at once; it was no good board all the same.
void a_board_that_starts_again_is_a_no_in_any_case() {
  const Shell shell("again");
  const std::string weak = odd(shell, "weak", "restart=1");
  const Ran ran = shell.bad(1, "host: started again by itself, 1 times", "$P device run " + world + " --steps 500 --json" + weak);
  TEST_ASSERT_TRUE(ran.json()["agree"].get<bool>());
  // Within the first episode: its image is confirmed by then, and no other is on trial, which would be a reason.
  const Ran learned = shell.run("$P device learn " + world + " --steps 8000 --first-episode 1000000" + odd(shell, "weary", "restart=5000"));
  TEST_ASSERT_EQUAL_MESSAGE(1, learned.status, learned.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(learned.err.find("host: started again by itself, 1 times\n") != std::string::npos, learned.err.c_str());
  shell.bad(1, "started again by itself", "$P device monitor --steps 8 --rate 100 --model " + world + odd(shell, "weaker", "restart=5"));
}

// It starts again while the last of its log is waited for.
void a_log_that_is_gone_is_not_waited_for() {
  const Shell shell("gone_log");
  const Ran ran = shell.run("timeout 60 $P device run " + world + " --steps 399 --json" + odd(shell, "weak", "keeps=1 restart=400"));
  TEST_ASSERT_EQUAL_MESSAGE(1, ran.status, ran.err.c_str());
}

void learning_without_a_confirmed_image_is_a_no() {
  const Shell shell("short");
  const Ran ran = shell.run("$P device learn " + world + " --board host --steps 5");
  TEST_ASSERT_EQUAL_MESSAGE(1, ran.status, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("no image was confirmed in 5 ticks") != std::string::npos, ran.err.c_str());
}

void a_world_with_nothing_to_earn_is_learned_all_the_same() {
  const Shell shell("worthless");
  nlohmann::json model = nlohmann::json::parse(content(PENUMBRA_WORLD));
  model["reward"] = {0, 0, 0, 0};
  write(shell.folder / "m.json", model.dump());
  const nlohmann::json json = shell.good("$P device learn m.json --board host --steps 6000 --json").json();
  TEST_ASSERT_TRUE(json["episodes"][0]["share"].is_null());
  static_cast<void>(shell.good("$P device learn m.json --board host --steps 6000"));
}

// The firmware's host build itself, not a part of it, over a line that fails in all ways.
void a_line_that_fails_loses_nothing() {
  const Shell shell("faults");
  const std::string device = " --board host --json --faults 0.01 --seed 4 ";
  const nlohmann::json run = shell.good("$P device run " + world + device + "--steps 4000").json();
  TEST_ASSERT_EQUAL(3999, run["pairs_counted"].get<int>());
  TEST_ASSERT_TRUE(run["agree"].get<bool>() && run["refused"].get<int>() > 0 && run["repeats"].get<int>() > 0);
  const nlohmann::json learn = shell.good("$P device learn " + world + device + "--steps 5000 --repeatable").json();
  TEST_ASSERT_TRUE(learn["agree"].get<bool>() && learn["episodes"].size() >= 2 && learn["refused"].get<int>() > 0);
  std::printf("all faults at 1 %%: %d ticks, %d frames refused, %d repeats; %d episodes\n",
              run["steps"].get<int>() + learn["steps"].get<int>(), run["refused"].get<int>() + learn["refused"].get<int>(),
              run["repeats"].get<int>() + learn["repeats"].get<int>(), static_cast<int>(learn["episodes"].size()));
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(a_robot_with_a_world_of_its_own_is_served);
  RUN_TEST(a_log_says_as_much_as_counts);
  RUN_TEST(a_log_that_was_there_before_is_not_counted_again);
  RUN_TEST(a_device_that_keeps_nothing_is_told_apart);
  RUN_TEST(another_version_of_the_link_is_told);
  RUN_TEST(a_device_that_talks_and_answers_nothing_is_given_up);
  RUN_TEST(a_device_that_answers_and_does_not_act_is_given_up);
  RUN_TEST(a_robot_that_keeps_a_log_is_watched_at_work);
  RUN_TEST(boards_that_start_at_once_have_numbers_of_their_own);
  RUN_TEST(images_of_one_project_have_numbers_of_their_own);
  RUN_TEST(a_device_that_lost_its_flash_is_not_taken_for_the_old_one);
  RUN_TEST(a_port_can_be_asked_for_a_certain_device);
  RUN_TEST(counts_that_are_not_what_the_world_saw_are_a_no);
  RUN_TEST(a_missed_deadline_is_a_no);
  RUN_TEST(an_image_that_the_device_gives_up_is_a_no);
  RUN_TEST(a_board_that_starts_again_is_a_no_where_pairs_are_lost);
  RUN_TEST(a_board_that_starts_again_is_a_no_in_any_case);
  RUN_TEST(a_log_that_is_gone_is_not_waited_for);
  RUN_TEST(learning_without_a_confirmed_image_is_a_no);
  RUN_TEST(a_world_with_nothing_to_earn_is_learned_all_the_same);
  RUN_TEST(a_line_that_fails_loses_nothing);
  return UNITY_END();
}

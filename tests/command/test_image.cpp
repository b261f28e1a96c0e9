// penumbra image inspect, verify, diff and export.
#include "shell.hpp"

#include <cstdint>
#include <map>
#include <sstream>
#include <vector>

namespace {

using namespace penumbra::test;
using nlohmann::json;

const std::string images = PENUMBRA_IMAGES;
const char* const kinds[] = {"s1_uniform", "s1_vectors", "s1_lattice", "s2_uniform", "s2_vectors", "s2_lattice",
                             "s3_uniform", "s3_vectors", "s3_lattice", "s3_arrival", "s9_vectors"};

std::string path(const std::string& name) { return images + "/" + name + ".pnb"; }

// The model of s2_vectors, as IMAGE_FORMAT.md lists it.
const char* const changing_places = R"({"penumbra": "model/1", "states": ["left", "right"], "actions": ["stay", "swap", "wait"],
 "observations": 2, "emission": "arrival", "transition": [[[1,0],[0,1]],[[0,1],[1,0]],[[1,0],[0,1]]],
 "observation": [[[1,0],[0,1]],[[1,0],[0,1]],[[1,0],[0,1]]], "reward": [-0.5, -0.375]})";

// --- inspect

void the_headers_fields_have_their_names() {
  const Shell shell("image_fields");
  const json vectors = shell.good("$P image inspect " + path("s2_vectors") + " --json").json();
  TEST_ASSERT_TRUE(vectors["magic"] == 0x1A424E50 && vectors["version"] == 1 && vectors["header_size"] == 48 && vectors["size"] == 224);
  TEST_ASSERT_TRUE(vectors["states"] == 2 && vectors["actions"] == 3 && vectors["observations"] == 2);
  TEST_ASSERT_TRUE(vectors["emission"] == "arrival" && vectors["policy"] == "vectors" && vectors["reward"] == "observation");
  TEST_ASSERT_TRUE(vectors["parameter"] == 3 && vectors["sequence"] == 7 && vectors["episode"] == 1);
  TEST_ASSERT_TRUE(vectors["first_length"] == 100 && vectors["seed"] == 42);
  TEST_ASSERT_TRUE(vectors["pairs_before"] == json::array({0, 10, 20}) && vectors["entries_by_action"] == json::array({1, 1, 1}));
  TEST_ASSERT_TRUE(vectors["vectors"] == 3 && vectors["points"].is_null() && vectors["resolution"].is_null());
  TEST_ASSERT_TRUE(vectors["crc"] == 0xED838454U && vectors["bytes_behind"] == 0 && vectors["action_names"].is_null());
  const json lattice = shell.good("$P image inspect " + path("s3_lattice") + " --json").json();
  TEST_ASSERT_TRUE(lattice["policy"] == "lattice" && lattice["resolution"] == 10 && lattice["points"] == 66 &&
                   lattice["vectors"].is_null());
  const json uniform = shell.good("$P image inspect " + path("s2_uniform") + " --json").json();
  TEST_ASSERT_TRUE(uniform["policy"] == "uniform" && uniform["reward"] == "action-state" && uniform["entries_by_action"].is_null());
}

void the_parts_fill_the_image_without_gaps() {
  const Shell shell("image_parts");
  for (const char* kind : kinds) {
    const json inspected = shell.good("$P image inspect " + path(kind) + " --json").json();
    std::uint64_t at = 0;
    for (const json& part : inspected["parts"]) {
      TEST_ASSERT_TRUE_MESSAGE(part["offset"] == at, kind);
      at += part["size"].get<std::uint64_t>();
    }
    TEST_ASSERT_TRUE_MESSAGE(inspected["size"] == at, kind);
    const Ran table = shell.good("$P image inspect " + path(kind));
    TEST_ASSERT_TRUE(table.out.find("first_length  100") != std::string::npos && table.err.empty());
  }
}

void names_come_from_a_model_of_the_same_sizes() {
  const Shell shell("image_names");
  write(shell.folder / "m.json", changing_places);
  const std::string line = "$P image inspect " + path("s2_vectors") + " --model m.json";
  TEST_ASSERT_TRUE(shell.good(line).out.find("swap") != std::string::npos);
  TEST_ASSERT_TRUE(shell.good(line + " --json").json()["action_names"] == json::array({"stay", "swap", "wait"}));
  shell.bad(3, "is for 3 states", "$P image inspect " + path("s3_vectors") + " --model m.json");
}

// --- verify

void good_images_are_0_and_others_1_with_place_and_reason() {
  const Shell shell("image_verify");
  for (const char* kind : kinds) {
    TEST_ASSERT_TRUE(shell.good("$P image verify " + path(kind)).out.find(": good") != std::string::npos);
    const json verdict = shell.good("$P image verify --json " + path(kind)).json();
    TEST_ASSERT_TRUE(verdict["valid"] == true && verdict["problem"].is_null() && verdict["offset"].is_null());
  }
  const std::string image = content(path("s2_vectors"));
  std::string damaged = image;
  damaged[100] = 1;
  const struct {
    const char* name;
    std::string bytes;
    int offset;
    const char* words;
  } bad[] = {{"damaged.pnb", damaged, 220, "image checksum does not match: it says "},
             {"cut.pnb", image.substr(0, 223), 223, "image is cut short: 223 of 224 bytes are there"},
             {"empty.pnb", "", 0, "image is cut short: 0 of at least 48 bytes are there"},
             {"text.pnb", std::string(100, 'x'), 0, "not a penumbra image"}};
  for (const auto& each : bad) {
    write(shell.folder / each.name, each.bytes);
    const Ran ran = shell.run(std::string("$P image verify ") + each.name);
    TEST_ASSERT_EQUAL(1, ran.status);
    TEST_ASSERT_TRUE(ran.err.empty());
    const std::string told = std::string(each.name) + ": not good, byte " + std::to_string(each.offset) + ": " + each.words;
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find(told) == 0, ran.out.c_str());
    const Ran again = shell.run(std::string("$P image verify --json ") + each.name);
    const json verdict = again.json();
    TEST_ASSERT_EQUAL(1, again.status);
    TEST_ASSERT_TRUE(verdict["valid"] == false && verdict["problem"].get<std::string>().find(each.words) == 0);
    TEST_ASSERT_TRUE(verdict["offset"] == each.offset);
  }
}

void bytes_behind_an_image_are_noted() {
  const Shell shell("image_behind");
  write(shell.folder / "slot.pnb", content(path("s2_vectors")) + std::string(1000, '\xFF'));
  TEST_ASSERT_TRUE(shell.good("$P image verify slot.pnb").out.find("1,000 bytes behind the image") != std::string::npos);
  TEST_ASSERT_TRUE(shell.good("$P image verify slot.pnb --json").json()["bytes_behind"] == 1000);
  static_cast<void>(shell.good("$P image export slot.pnb -o image.bin"));
  TEST_ASSERT_TRUE(shell.file("image.bin") == content(path("s2_vectors")));
}

void a_model_is_compared_number_by_number() {
  const Shell shell("image_model");
  write(shell.folder / "m.json", changing_places);
  static_cast<void>(shell.good("$P image verify " + path("s2_vectors") + " --model m.json"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = changing_places;
    write(shell.folder / "n.json", text.replace(text.find(from), from.size(), to));
    const Ran ran = shell.run("$P image verify --json " + path("s2_vectors") + " --model n.json");
    TEST_ASSERT_EQUAL(1, ran.status);
    return ran.json();
  };
  const json reward = changed("-0.375", "-0.374");
  TEST_ASSERT_TRUE(reward["offset"] == 0xB8 && reward["problem"].get<std::string>().find("reward[1] is -0.375") == 0);
  TEST_ASSERT_TRUE(changed("[[0,1],[1,0]]", "[[1,0],[1,0]]")["offset"] == 0x54);
  TEST_ASSERT_TRUE(changed("arrival", "departure")["offset"] == 15);
  static_cast<void>(shell.good("$P generate --states 3 --actions 2 --observations 4 --seed 1 -o g.json"));
  TEST_ASSERT_EQUAL(1, shell.run("$P image verify " + path("s2_vectors") + " --model g.json").status);
  shell.bad(4, "none.json: cannot be read", "$P image verify " + path("s2_vectors") + " --model none.json");
}

void anywhere_but_in_verify_a_corrupt_image_is_3() {
  const Shell shell("image_corrupt");
  static_cast<void>(shell.good("mkdir folder"));
  write(shell.folder / "cut.pnb", content(path("s2_vectors")).substr(0, 100));
  shell.bad(3, "cut.pnb: byte 100: image is cut short", "$P image inspect cut.pnb");
  shell.bad(3, "cut.pnb: byte 100: ", "$P image export cut.pnb -o x.hex");
  shell.bad(3, "cut.pnb: byte 100: ", "$P image diff " + path("s2_vectors") + " cut.pnb");
  for (const std::string subcommand : {"inspect", "verify", "export -o x"}) {
    shell.bad(4, "folder: is a folder", "$P image " + subcommand + " folder");
    shell.bad(4, "none.pnb: cannot be read", "$P image " + subcommand + " none.pnb");
  }
  shell.bad(4, "none.pnb: cannot be read", "$P image diff none.pnb " + path("s2_vectors"));
}

// --- export

std::uint8_t hex_byte(const std::string& line, std::size_t index) {
  return static_cast<std::uint8_t>(std::stoul(line.substr(1 + 2 * index, 2), nullptr, 16));
}

// Address and value of every byte; checks each record's sum, and that the last is the end.
std::map<std::uint32_t, std::uint8_t> parse_hex(const std::string& text) {
  std::map<std::uint32_t, std::uint8_t> memory;
  std::uint32_t upper = 0;
  bool ended = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    TEST_ASSERT_TRUE(!ended && line[0] == ':' && line.size() % 2 == 1);
    const std::size_t count = hex_byte(line, 0);
    TEST_ASSERT_EQUAL(1 + 2 * (count + 5), line.size());
    unsigned sum = 0;
    for (std::size_t i = 0; i < count + 5; ++i) sum += hex_byte(line, i);
    TEST_ASSERT_EQUAL(0, sum & 0xFFU);
    const std::uint32_t address = hex_byte(line, 1) * 256U + hex_byte(line, 2);
    TEST_ASSERT_TRUE(address + count <= 0x10000U);
    if (hex_byte(line, 3) == 4) upper = (hex_byte(line, 4) * 256U + hex_byte(line, 5)) << 16U;
    if (hex_byte(line, 3) == 1) ended = true;
    if (hex_byte(line, 3) != 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      TEST_ASSERT_TRUE(memory.emplace(static_cast<std::uint32_t>(upper + address + i), hex_byte(line, 4 + i)).second);
    }
  }
  TEST_ASSERT_TRUE(ended);
  return memory;
}

void hex_files_hold_the_image_at_its_address() {
  const Shell shell("image_hex");
  const std::string image = content(path("s3_vectors"));
  const std::pair<const char*, std::uint32_t> addresses[] = {
      {"", 0}, {" --address 0x08010000", 0x08010000U}, {" --address 134283263", 134283263U}, {" --address 0x0800FFF8", 0x0800FFF8U}};
  for (const auto& [option, address] : addresses) {
    static_cast<void>(shell.good("$P image export " + path("s3_vectors") + " -o image.hex" + option));
    const std::map<std::uint32_t, std::uint8_t> memory = parse_hex(shell.file("image.hex"));
    TEST_ASSERT_EQUAL(image.size(), memory.size());
    for (std::size_t i = 0; i < image.size(); ++i) {
      TEST_ASSERT_EQUAL(static_cast<std::uint8_t>(image[i]), memory.at(static_cast<std::uint32_t>(address + i)));
    }
  }
}

// The program writes what it carries; that is the image, and a board would take it.
const char* const carrier = R"(
#include <stdio.h>
int main(void) {
  if ((uintptr_t)robot % 4 != 0) return 1;
  return fwrite(robot, 1, robot_size, stdout) == robot_size ? 0 : 1;
})";

void a_c_array_compiles_as_c_and_as_cpp() {
  const Shell shell("image_c");
  if (shell.run("command -v gcc && command -v g++").status != 0) TEST_IGNORE_MESSAGE("there is no gcc and g++ here");
  static_cast<void>(shell.good("$P image export " + path("s3_lattice") + " -o robot.h --prefix robot"));
  write(shell.folder / "carrier.c", std::string("#include \"robot.h\"\n") + carrier);
  write(shell.folder / "carrier.cpp", std::string("#include \"robot.h\"\n") + carrier);
  for (const std::string& compiler :
       {std::string("gcc -std=c11 carrier.c"), std::string("g++ -std=c++11 carrier.cpp"), std::string("g++ -std=c++17 carrier.cpp")}) {
    static_cast<void>(shell.good(compiler + " -Wall -Wextra -Wpedantic -Werror -o carrier && ./carrier > carried.pnb"));
    TEST_ASSERT_TRUE_MESSAGE(shell.file("carried.pnb") == content(path("s3_lattice")), compiler.c_str());
    static_cast<void>(shell.good("$P image verify carried.pnb"));
  }
}

// Defined in one file, used in another, across the languages.
void a_c_array_can_be_linked_from_either_language() {
  const Shell shell("image_link");
  if (shell.run("command -v gcc && command -v g++").status != 0) TEST_IGNORE_MESSAGE("there is no gcc and g++ here");
  static_cast<void>(shell.good("$P image export " + path("s2_vectors") + " -o robot.c --prefix robot && cp robot.c robot.cpp"));
  write(
      shell.folder / "user.c",
      std::string("#include <stddef.h>\n#include <stdint.h>\nextern const uint8_t robot[];\nextern const size_t robot_size;\n") + carrier);
  for (const std::string line : {"gcc -c robot.c -o robot.o", "g++ -c robot.cpp -o robot.o"}) {
    static_cast<void>(shell.good(line + " && gcc user.c robot.o -o user && ./user > carried.pnb"));
    TEST_ASSERT_TRUE(shell.file("carried.pnb") == content(path("s2_vectors")));
  }
}

void vectors_are_exported_as_they_are() {
  const Shell shell("image_alpha");
  static_cast<void>(shell.good("$P image export " + path("s2_vectors") + " -o v.alpha"));
  TEST_ASSERT_EQUAL_STRING("0\n-32768 -12757\n\n1\n7254 27265\n\n2\n-18260 1751\n\n", shell.file("v.alpha").c_str());
  shell.bad(3, "s2_lattice.pnb: its policy is a lattice", "$P image export " + path("s2_lattice") + " -o x.alpha");
  shell.bad(3, "s2_uniform.pnb: its policy is uniform", "$P image export " + path("s2_uniform") + " -o x --format alpha");
}

void the_format_is_what_the_name_says_unless_told() {
  const Shell shell("image_format");
  const auto format = [&](const std::string& rest) {
    return shell.good("$P image export " + path("s2_vectors") + " --json -o " + rest).json()["format"].get<std::string>();
  };
  TEST_ASSERT_TRUE(format("x.bin") == "bin" && format("x.pnb") == "bin" && format("x") == "bin" && format("x.HEX") == "hex");
  TEST_ASSERT_TRUE(format("x.c") == "c" && format("x.h") == "c" && format("x.hpp") == "c" && format("x.alpha") == "alpha");
  TEST_ASSERT_TRUE(format("x.bin --format hex") == "hex");
  TEST_ASSERT_TRUE(shell.file("x.pnb") == content(path("s2_vectors")));
  TEST_ASSERT_TRUE(shell.good("$P image export - -o - < " + path("s2_vectors")).out == content(path("s2_vectors")));
}

void wrong_use_is_2() {
  const Shell shell("image_usage");
  const std::string image = path("s2_vectors");
  shell.bad(2, "penumbra image --help", "$P image");
  shell.bad(2, "penumbra image: there is no command \"frobnicate\"", "$P image frobnicate");
  shell.bad(2, "penumbra image export --help", "$P image export " + image);
  for (const char* prefix : {"7seas", "a-b", "''", "while", "class", "a.b", "__robot", "_Robot", "__", "co_await", "size_t", "uint8_t"}) {
    shell.bad(2, "cannot be a name in C", "$P image export " + image + " -o x.c --prefix " + prefix);
  }
  shell.bad(2, "--prefix is for C arrays", "$P image export " + image + " -o x.bin --prefix robot");
  shell.bad(2, "--address is for Intel HEX", "$P image export " + image + " -o x.c --address 4");
  shell.bad(2, "is not an address", "$P image export " + image + " -o x.hex --address 0x1FFFFFFFF");
  shell.bad(2, "is not an address", "$P image export " + image + " -o x.hex --address here");
  shell.bad(2, "go past 32 bits", "$P image export " + image + " -o x.hex --address 0xFFFFFFF0");
  shell.bad(2, "--format", "$P image export " + image + " -o x --format elf");
  shell.bad(2, "is less than 1", "$P image diff " + image + " " + image + " --samples 0");
  shell.bad(2, "--resolution is for --on lattice", "$P image diff " + image + " " + image + " --resolution 5");
  shell.bad(2, "--samples is not for --on lattice", "$P image diff " + image + " " + image + " --on lattice --samples 5");
  shell.bad(2, "more than 16,777,216 points",
            "$P image diff " + path("s9_vectors") + " " + path("s9_vectors") + " --on lattice --resolution 500");
  shell.bad(2, "1e9 is more than 32767", "$P image diff " + image + " " + image + " --on lattice --resolution 1e9");
  shell.bad(2, "standard input", "$P image diff - - < " + image);
}

// --- diff

void an_image_does_not_differ_from_itself() {
  const Shell shell("image_same");
  for (const std::string on : {"mixed", "uniform", "visited", "lattice"}) {
    const json same = shell.good("$P image diff --json " + path("s3_lattice") + " " + path("s3_lattice") + " --on " + on).json();
    TEST_ASSERT_TRUE(same["different"] == 0 && same["compared"] == (on == "lattice" ? 66 : 100000) && same["on"] == on);
    TEST_ASSERT_TRUE(same["transition_difference"] == 0 && same["reward_difference"] == 0 && same["same_emission"] == true);
  }
}

void different_choices_are_counted_by_action() {
  const Shell shell("image_diff");
  const std::string line = "$P image diff " + path("s3_lattice") + " " + path("s3_vectors") + " --samples 5000 --seed 3";
  const json compared = shell.good(line + " --json").json();
  std::uint64_t all = 0;
  std::uint64_t same = 0;
  TEST_ASSERT_EQUAL(4, compared["by_action"].size());
  for (std::size_t a = 0; a < 4; ++a) {
    TEST_ASSERT_EQUAL(4, compared["by_action"][a].size());
    for (std::size_t b = 0; b < 4; ++b) all += compared["by_action"][a][b].get<std::uint64_t>();
    same += compared["by_action"][a][a].get<std::uint64_t>();
  }
  TEST_ASSERT_TRUE(all == 5000 && compared["compared"] == 5000);
  TEST_ASSERT_EQUAL_DOUBLE(1 - static_cast<double>(same) / 5000, compared["different"].get<double>());
  TEST_ASSERT_TRUE(compared["different"] > 0 && compared["different_on"]["lattice"].is_null());
  TEST_ASSERT_TRUE(compared["different_on"]["uniform"].is_number() && compared["different_on"]["visited"].is_number());
  TEST_ASSERT_TRUE(shell.good(line + " --json --threads 2").out == shell.good(line + " --json").out);
  TEST_ASSERT_TRUE(shell.good(line).out.find("choose differently") != std::string::npos);
  const json on_lattice =
      shell.good("$P image diff --json " + path("s3_lattice") + " " + path("s3_vectors") + " --on lattice --resolution 20").json();
  TEST_ASSERT_TRUE(on_lattice["compared"] == 231);
}

void images_of_other_sizes_cannot_be_compared() {
  const Shell shell("image_sizes");
  shell.bad(3, "s2_vectors.pnb: is for 2 states", "$P image diff " + path("s3_vectors") + " " + path("s2_vectors"));
}

void help_explains_itself() {
  const Shell shell("image_help");
  TEST_ASSERT_TRUE(shell.good("$P --help").out.find("  image ") != std::string::npos);
  const std::string help = shell.good("$P image --help").out;
  for (const char* subcommand : {"inspect", "verify", "diff", "export"}) {
    TEST_ASSERT_TRUE_MESSAGE(help.find(std::string("  ") + subcommand + " ") != std::string::npos, subcommand);
    const std::string own = shell.good(std::string("$P image ") + subcommand + " --help").out;
    TEST_ASSERT_TRUE(own.find("--json") != std::string::npos && own.find("--threads") != std::string::npos);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_headers_fields_have_their_names);
  RUN_TEST(the_parts_fill_the_image_without_gaps);
  RUN_TEST(names_come_from_a_model_of_the_same_sizes);
  RUN_TEST(good_images_are_0_and_others_1_with_place_and_reason);
  RUN_TEST(bytes_behind_an_image_are_noted);
  RUN_TEST(a_model_is_compared_number_by_number);
  RUN_TEST(anywhere_but_in_verify_a_corrupt_image_is_3);
  RUN_TEST(hex_files_hold_the_image_at_its_address);
  RUN_TEST(a_c_array_compiles_as_c_and_as_cpp);
  RUN_TEST(a_c_array_can_be_linked_from_either_language);
  RUN_TEST(vectors_are_exported_as_they_are);
  RUN_TEST(the_format_is_what_the_name_says_unless_told);
  RUN_TEST(wrong_use_is_2);
  RUN_TEST(an_image_does_not_differ_from_itself);
  RUN_TEST(different_choices_are_counted_by_action);
  RUN_TEST(images_of_other_sizes_cannot_be_compared);
  RUN_TEST(help_explains_itself);
  return UNITY_END();
}
